//! What is done around the body of a function.

use tenon_hcl::{Function, FunctionError, Functions, Parameter};
use tenon_values::{Mark, Type, Value};

fn string(name: &'static str) -> Parameter {
    Parameter::new(name, Type::String)
}

/// Gives what it got, as a tuple.
fn echo(parameters: impl IntoIterator<Item = Parameter>) -> Function {
    Function::new("echo", parameters).gives(Type::Dynamic, |a| Ok(Value::tuple(a.all().to_vec())))
}

fn message(result: Result<Value, FunctionError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn arguments_are_counted() {
    let two = echo([string("first"), string("second")]);
    let a = Value::from("a");
    let texts = [
        message(two.call(&[])),
        message(two.call(&[a.clone(), a.clone(), a.clone()])),
    ];
    assert_eq!(
        texts,
        [
            "echo(first, second) takes 2 arguments: first is missing",
            "echo(first, second) takes 2 arguments: there are 3",
        ]
    );
    let more = echo([string("first")]).and_more(string("rest"));
    assert_eq!(
        message(more.call(&[])),
        "echo(first, rest...) takes at least 1 argument: first is missing"
    );
    assert_eq!(
        more.call(&[a.clone(), a.clone(), a])
            .unwrap()
            .elements()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn arguments_are_converted_and_errors_say_which() {
    let numbers = echo([string("text")]).and_more(Parameter::new("numbers", Type::Number));
    let result = numbers.call(&[Value::from(1), Value::from("2")]).unwrap();
    assert_eq!(result, Value::tuple(vec![Value::from("1"), Value::from(2)]));
    let error = numbers
        .call(&[Value::from("a"), Value::from(1), Value::TRUE])
        .unwrap_err();
    assert_eq!(error.argument, Some(2));
    assert_eq!(
        error.message,
        "numbers: a number is required, but this is a bool"
    );
    let error = numbers.call(&[Value::NULL]).unwrap_err();
    assert_eq!(error.message, "text: a value is required, but this is null");
    assert!(
        echo([string("text").or_null()])
            .call(&[Value::NULL])
            .is_ok()
    );
}

#[test]
fn unknown_arguments_make_unknown_results() {
    let length = Function::new("twice", [string("text")])
        .gives(Type::Number, |a| Ok(Value::number(a.text(0)?.len())));
    let result = length.call(&[Value::unknown(Type::String)]).unwrap();
    assert_eq!(
        result,
        Value::unknown(Type::Number).refine_not_null().unwrap()
    );
    // What is converted has a type, what is taken as it is has none.
    let result = length.call(&[Value::unknown(Type::Dynamic)]).unwrap();
    assert_eq!(result.ty(), Type::Number);
    let any = Function::new("any", [Parameter::new("value", Type::Dynamic)])
        .gives(Type::Number, |_| Ok(Value::from(1)));
    assert_eq!(
        any.call(&[Value::unknown(Type::Dynamic)]).unwrap(),
        Value::unknown(Type::Dynamic)
    );
    let nullable = Function::new("nullable", [string("text")])
        .or_null()
        .gives(Type::Number, |_| Ok(Value::from(1)));
    let result = nullable.call(&[Value::unknown(Type::String)]).unwrap();
    assert_eq!(result, Value::unknown(Type::Number));
}

#[test]
fn marks_travel_to_the_result() {
    let list = Parameter::new("list", Type::list(Type::String));
    let kept = echo([list.clone(), string("text")]);
    let secret = Value::tuple(vec![Value::from("a").sensitive()]);
    let other = Value::from("b").mark(Mark::new("other"));
    let result = kept.call(&[secret.clone(), other.clone()]).unwrap();
    let (bare, marks) = result.unmark();
    assert!(!bare.contains_marked());
    assert_eq!(marks.to_string(), "other and sensitive");
    // Also where another argument is unknown already.
    let unknown = kept
        .call(&[Value::unknown(Type::list(Type::String)), other.clone()])
        .unwrap();
    assert_eq!(unknown.marks().to_string(), "other");
    let taken = echo([list.or_marked(), string("text").or_marked()]);
    assert!(
        taken
            .call(&[secret, other.clone()])
            .unwrap()
            .marks()
            .is_empty()
    );
    let unknown = taken
        .call(&[Value::unknown(Type::list(Type::String)), other])
        .unwrap();
    assert_eq!(unknown.marks().to_string(), "other");
}

#[test]
fn what_is_not_called_yet_is_checked_and_marked() {
    let dice = Function::new(
        "dice",
        [Parameter::new("sides", Type::Number), string("name")],
    )
    .impure()
    .gives(Type::String, |_| panic!("it is not called"));
    let foreseen = dice
        .foresee(&[Value::from(6).sensitive(), Value::from("a")])
        .unwrap();
    assert!(foreseen.is_sensitive() && !foreseen.is_known());
    assert_eq!(foreseen.ty(), Type::String);
    assert_eq!(
        message(dice.foresee(&[Value::from(6)])),
        "dice(sides, name) takes 2 arguments: name is missing"
    );
    assert_eq!(
        message(dice.foresee(&[Value::TRUE, Value::from("a")])),
        "sides: a number is required, but this is a bool"
    );
    assert_eq!(
        message(dice.foresee(&[Value::from(6), Value::NULL])),
        "name: a value is required, but this is null"
    );
}

#[test]
fn functions_can_be_added_and_replaced() {
    let functions = Functions::none()
        .with(echo([]))
        .with(echo([string("text")]));
    assert_eq!(functions.names().collect::<Vec<_>>(), ["echo"]);
    assert!(functions.get("echo").unwrap().parameter(0).is_some());
    assert!(functions.get("Echo").is_none());
}

#[test]
fn only_the_clock_and_chance_are_impure() {
    let functions = Functions::standard(None);
    let impure = functions
        .names()
        .filter(|name| !functions.get(name).unwrap().is_pure());
    assert_eq!(impure.collect::<Vec<_>>(), ["timestamp", "uuid"]);
    let undescribed = functions
        .names()
        .find(|name| functions.get(name).unwrap().description().is_empty());
    assert_eq!(undescribed, None);
    let now = functions.get("timestamp").unwrap().call(&[]).unwrap();
    let zero = functions
        .get("timecmp")
        .unwrap()
        .call(&[now.clone(), now])
        .unwrap();
    assert_eq!(zero, Value::from(0));
}

#[test]
fn types_are_written_as_in_terraform_s_console() {
    let functions = Functions::standard(None);
    let value = Value::tuple(vec![
        Value::from(1),
        Value::object([("b", Value::NULL), ("a", Value::tuple(vec![]))]),
    ]);
    let text = functions.get("type").unwrap().call(&[value]).unwrap();
    let wanted = [
        "tuple([",
        "    number,",
        "    object({",
        "        a: tuple([]),",
        "        b: dynamic,",
        "    }),",
        "])",
    ];
    assert_eq!(text.as_str(), Some(wanted.join("\n").as_str()));
}
