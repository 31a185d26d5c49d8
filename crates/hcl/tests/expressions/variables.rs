//! What the names in the expressions stand for: `tests/data/variables.tf`, in Rust.

use std::collections::BTreeMap;

use tenon_values::convert::convert;
use tenon_values::{Type, Value};

/// Everything is in one object, `local`.
pub(crate) fn scope() -> BTreeMap<String, Value> {
    let values = collections()
        .into_iter()
        .chain(nulls())
        .chain(unknowns())
        .chain(secrets())
        .chain(templates());
    BTreeMap::from([("local".to_owned(), Value::object(values))])
}

fn collections() -> Vec<(&'static str, Value)> {
    let servers = || tuple([server("n1", 1), server("n2", 2)]);
    let port = |number: i64| Value::object([("port", Value::from(number))]);
    let numbers = |numbers: &[i64]| tuple(numbers.iter().map(|number| Value::from(*number)));
    vec![
        ("list", typed("list(string)", &texts(&["a", "b", "c"]))),
        ("numbers", typed("list(number)", &numbers(&[1, 2, 3]))),
        ("set", typed("set(string)", &texts(&["b", "a"]))),
        ("map", typed("map(string)", &letters())),
        (
            "map_of_numbers",
            typed(
                "map(number)",
                &Value::object([("a", Value::from(1)), ("b", Value::from(2))]),
            ),
        ),
        ("objects", typed(&format!("list({SERVER})"), &servers())),
        (
            "set_of_objects",
            typed(&format!("set({SERVER})"), &servers()),
        ),
        (
            "map_of_objects",
            typed(
                "map(object({ port = number }))",
                &Value::object([("a", port(1)), ("b", port(2))]),
            ),
        ),
        (
            "list_of_lists",
            typed(
                "list(list(number))",
                &tuple([numbers(&[1, 2]), numbers(&[3])]),
            ),
        ),
        ("empty_list", typed("list(string)", &tuple([]))),
        (
            "empty_objects",
            typed(&format!("list({SERVER})"), &tuple([])),
        ),
        (
            "tuple",
            tuple([Value::from(1), Value::string("a"), Value::TRUE]),
        ),
        (
            "object",
            Value::object([
                ("name", Value::string("web")),
                ("port", Value::from(80)),
                ("tags", texts(&["t"])),
            ]),
        ),
    ]
}

fn nulls() -> Vec<(&'static str, Value)> {
    let null = |ty: &str| Value::null(parsed(ty));
    vec![
        ("null_string", null("string")),
        ("null_number", null("number")),
        ("null_bool", null("bool")),
        ("null_list", null("list(string)")),
        ("null_map", null("map(string)")),
        ("null_object", null("object({ name = string })")),
        ("null_tuple", null("tuple([string])")),
    ]
}

fn unknowns() -> Vec<(&'static str, Value)> {
    let unknown = |ty: &str| Value::unknown(parsed(ty));
    vec![
        ("unknown", unknown("any")),
        ("unknown_string", unknown("string")),
        ("unknown_id", unknown("string").refine_not_null().unwrap()),
        ("unknown_number", unknown("number")),
        ("unknown_bool", unknown("bool")),
        ("unknown_list", unknown("list(string)")),
        ("unknown_set", unknown("set(string)")),
        ("unknown_map", unknown("map(string)")),
        ("unknown_tuple", unknown("tuple([string, number])")),
        ("unknown_object", unknown(SERVER)),
        ("unknown_objects", unknown(&format!("list({SERVER})"))),
        (
            "partly_unknown",
            typed(
                "list(string)",
                &tuple([Value::string("a"), unknown("string")]),
            ),
        ),
    ]
}

fn secrets() -> Vec<(&'static str, Value)> {
    let user = |name: &str, password: Value| {
        Value::object([("name", Value::string(name)), ("password", password)])
    };
    let root = user("root", Value::string("pa55").sensitive());
    let guest = user("guest", Value::string("guest"));
    vec![
        ("secret", Value::string("pa55").sensitive()),
        ("secret_key", Value::string("name").sensitive()),
        ("secret_number", Value::from(7).sensitive()),
        ("secret_bool", Value::TRUE.sensitive()),
        ("secret_index", Value::from(1).sensitive()),
        ("secret_null", Value::null(Type::String).sensitive()),
        (
            "secret_list",
            typed("list(string)", &texts(&["a", "b"])).sensitive(),
        ),
        (
            "secret_set",
            typed("set(string)", &texts(&["a", "b"])).sensitive(),
        ),
        ("secret_map", typed("map(string)", &letters()).sensitive()),
        ("secret_object", server("web", 80).sensitive()),
        (
            "secret_tuple",
            tuple([Value::string("a"), Value::from(1)]).sensitive(),
        ),
        ("secret_unknown", Value::unknown(Type::String).sensitive()),
        ("user", root.clone()),
        (
            "users",
            typed(
                "list(object({ name = string, password = string }))",
                &tuple([root, guest]),
            ),
        ),
        (
            "secrets",
            tuple([Value::string("a"), Value::string("b").sensitive()]),
        ),
    ]
}

const SERVER: &str = "object({ name = string, port = number })";

fn templates() -> Vec<(&'static str, Value)> {
    let greeting = "hello, ${name}!";
    let templates = [
        ("greeting", greeting),
        ("broken", "hello, ${name"),
        ("calls", "${upper(name)}"),
        ("nested", "${templatestring(inner, {})}"),
        ("outside", "${local.object.name}"),
        ("loop", "%{ for n in names }<${n}>%{ endfor }"),
        ("number", "${name}"),
        ("list", "${[name]}"),
        ("failing", "${name + 1}"),
    ];
    let texts = templates.map(|(name, text)| (name, Value::string(text)));
    vec![
        ("template", Value::string(greeting)),
        ("secret_template", Value::string(greeting).sensitive()),
        ("templates", Value::object(texts)),
    ]
}

fn server(name: &str, port: i64) -> Value {
    Value::object([("name", Value::string(name)), ("port", Value::from(port))])
}

fn letters() -> Value {
    Value::object([("a", Value::string("x")), ("b", Value::string("y"))])
}

fn texts(texts: &[&str]) -> Value {
    tuple(texts.iter().map(|text| Value::string(text)))
}

fn tuple(values: impl IntoIterator<Item = Value>) -> Value {
    Value::tuple(values.into_iter().collect())
}

fn typed(ty: &str, value: &Value) -> Value {
    convert(value, &parsed(ty)).unwrap()
}

fn parsed(ty: &str) -> Type {
    ty.parse().unwrap()
}
