//! What people read when they have made a mistake: typical ones, as they are shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tenon_hcl::{Context, Diagnostic, Functions, Source, Style, parse};
use tenon_values::{Type, Value};

/// Files with something wrong in them.
const MISTAKES: &[&str] = &[
    // Names and values.
    "a = port",
    "a = servr.name",
    "a = server.nmae",
    "a = server[\"nmae\"]",
    "a = server.name.first",
    "a = servers[2]",
    "a = servers[\"web\"]",
    "a = servers.name",
    "a = servers[0].port.number",
    "a = tags.environment",
    "a = names[0]",
    "a = nothing.name",
    "a = nothing[0]",
    "a = uper(server.name)",
    "a = try(server.prt, nothing.port)",
    // Operators.
    "a = 1 + \"one\"",
    "a = server.port + nothing",
    "a = server.port / 0",
    "a = !server.name",
    "a = server.name && true",
    "a = server < 5\nb = 6 > servers",
    // Conditionals.
    "a = server.port ? 1 : 2",
    "a = nothing ? 1 : 2",
    "a = true ? [1] : \"one\"",
    "a = true ? { b = 1 } : [\n  1,\n]",
    // Templates.
    "a = \"the servers are ${servers}\"",
    "a = \"the server is ${nothing}\"",
    "a = \"%{ for name in server.name }${name}%{ endfor }\"",
    "a = \"%{ if server.name }yes%{ endif }\"",
    "a = <<-END\n  one\n  two ${nosuch}\n  three ${1 + []}\nEND",
    "a = \"🦀 ${nosuch} 🦀\"",
    // Structures and loops.
    "a = { server.name = 1 }",
    "a = { (nothing) = 1 }",
    "a = { for server in servers : server.kind => server }",
    "a = [for name in server.name : name]",
    "a = [for server in servers : server.nmae]",
    "a = [\n  1 + nothing,\n  nosuch,\n  secret.nosuch,\n]",
    "a = secret[\"nosuch\"]",
    "a = secret.password + 1",
    // Syntax.
    "a = ",
    "a = 1 2",
    "a = = 1",
    "a 1",
    "a = 1 b = 2",
    "a = 1, b = 2",
    "a = 1; b = 2",
    "a = f(1) b { c = 1 }",
    "a { b { c = 1 } }",
    "a \"x\" { b \"y\" { c = 1 } }",
    "a { b = 1 c = 2 }",
    "a { b = 1, c = 2 }",
    "a { b = 1; c = 2 }",
    "a { b = { c = 1 } d = 2 }",
    "a { b = 1\n}",
    "a {\n  b { c { d = 1 } }\n}",
    "a { b = 1 }  c = 2",
    "a { b {} }",
    "a { b {\n  c = 1\n} }",
    "a = \"never closed\nb = 1",
    "a = [1, 2\nb = 3",
    "a = (1 + 2\n",
    "a = 1)",
    "a = <<END\nnever closed\n",
    "a = \"${1 + }\"",
    "a = \"\\q\"",
    "a = { b = 1 c = 2 }",
    "a = [1 2]",
    "a = 1 +\nb = 2 +\nc = 3",
    "server \"web\" {\n  port = 80\n",
    "server web\n{\n}",
    "'a' = 1",
];

fn scope() -> BTreeMap<String, Value> {
    let server = |name: &str, port: i64| {
        Value::object([
            ("kind", Value::string("server")),
            ("name", Value::string(name)),
            ("port", Value::from(port)),
        ])
    };
    let servers = vec![server("web", 80), server("mail", 25)];
    let names = vec![Value::string("web"), Value::string("mail")];
    let tags = [("env", Value::string("test"))];
    let secret = [("password", Value::string("pa55"))];
    let named = |(name, value): (&str, Value)| (name.to_owned(), value);
    [
        ("server", server("web", 80)),
        ("servers", Value::tuple(servers)),
        ("names", Value::set(Type::String, names).unwrap()),
        ("tags", Value::map(Type::String, tags).unwrap()),
        ("nothing", Value::NULL),
        ("secret", Value::object(secret).sensitive()),
    ]
    .map(named)
    .into()
}

/// All that is wrong with a file, when it is read or when its attributes are evaluated.
fn errors_of(text: &str) -> Vec<Diagnostic> {
    let body = match parse(&Source::new("main.hcl", text)) {
        Ok(body) => body,
        Err(errors) => return errors,
    };
    let scope = scope();
    let context = Context {
        scope: &scope,
        functions: &Functions::standard(None),
        is_plan: false,
    };
    let errors = |attribute: &tenon_hcl::Attribute| attribute.value.evaluate(&context).err();
    body.attributes
        .iter()
        .filter_map(errors)
        .flatten()
        .collect()
}

#[test]
fn typical_mistakes() {
    let mut shown = String::new();
    for text in MISTAKES {
        let errors = errors_of(text);
        assert!(!errors.is_empty(), "there is nothing wrong with {text:?}");
        for error in errors {
            let _ = write!(shown, "{}\n\n", error.render(Style::Plain));
        }
    }
    assert!(!shown.contains("pa55"), "a secret is shown");
    insta::assert_snapshot!(shown);
}

/// A file of a stranger can hold anything. It is shown, but it does nothing to a terminal, and the
/// caret is still where it belongs.
#[test]
fn hidden_characters_are_shown_as_escapes() {
    let hidden =
        "\u{1b}[2J\u{9b}31m\u{7f}\u{8}\r\u{202e}\u{2066}\u{200b}\u{200d}\u{feff}\u{2028}\u{e0041}";
    // A file with a carriage return alone is refused before.
    let inside = hidden.replace('\r', "");
    let text = format!("# {inside}\r\na = \"{inside} ${{nosuch}} {inside}\"\n");
    let source = Source::new("evil\n\u{1b}[1A.hcl", text);
    let body = parse(&source).expect("a body");
    let scope = scope();
    let context = Context {
        scope: &scope,
        functions: &Functions::standard(None),
        is_plan: false,
    };
    let mut errors = body.attributes[0].value.evaluate(&context).unwrap_err();
    let error = errors.remove(0);
    let everywhere = Diagnostic::error(hidden)
        .at(error.place.clone().expect("a place"))
        .label(hidden)
        .note(hidden)
        .help(hidden);
    for diagnostic in [error, everywhere] {
        let shown = diagnostic.render(Style::Plain);
        let is_shown = |one: char| one == '\n' || one.is_ascii_graphic() || !hidden.contains(one);
        assert!(shown.chars().all(is_shown), "{shown:?}");
        assert!(shown.contains(r"evil\n\u{1b}[1A.hcl:2:"), "{shown}");
        // The renderer cuts long lines; what is underlined is what it is about.
        let lines: Vec<&str> = shown.lines().collect();
        let at = lines.iter().position(|line| line.contains("^^^^^^"));
        let at = at.expect("carets");
        let (carets, above) = (lines[at], lines[at - 1]);
        let start = carets.find('^').expect("a caret");
        let column = |line: &str| line.char_indices().nth(start).map(|(at, _)| at);
        let start = column(above).expect("a column");
        assert!(above[start..].starts_with("nosuch"), "{shown}");
        let colored = diagnostic.render(Style::Colored);
        assert!(!colored.contains("\u{1b}[2J"), "{colored:?}");
    }
}
