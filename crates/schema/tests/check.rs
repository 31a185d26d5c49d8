//! Mistakes of the author of a schema.

use tenon_schema::{
    Action, Attribute, Block, Body, Function, Nesting, Offer, Parameter, Resource, SchemaError,
};
use tenon_values::Type;

fn attribute() -> Attribute {
    Attribute::new("a", Type::String)
}

#[track_caller]
fn assert_problem(checked: Result<(), SchemaError>, problem: &str) {
    let error = checked.unwrap_err().to_string();
    assert!(error.starts_with(problem), "{error}");
}

#[test]
fn names_are_valid_and_unique() {
    let body =
        |names: &[&str]| Body::new(names.iter().map(|name| Attribute::new(*name, Type::Bool)));
    assert_eq!(body(&["a", "b_2", "_c", "größe-1"]).check(), Ok(()));
    assert_problem(body(&["a b"]).check(), "a b: \"a b\" is not a valid name");
    assert_problem(body(&["2"]).check(), "2: \"2\" is not a valid name");
    assert_problem(body(&["a", "a"]).check(), "a: the name is used twice");
    let block = Block::new("a", Nesting::List, body(&["b", "b"]));
    assert_problem(
        body(&[]).with_block(block.clone()).check(),
        "a.b: the name is used twice",
    );
    assert_problem(body(&["b", "b"]).check(), "b: the name is used twice");
    let block = Block {
        body: body(&["b"]),
        ..block
    };
    assert_problem(
        body(&["a"]).with_block(block).check(),
        "a: the name is used twice",
    );
}

#[test]
fn flags_do_not_contradict_each_other() {
    let dynamic = Attribute::new("a", Type::Dynamic);
    let key = Attribute {
        is_idempotency_key: true,
        ..dynamic.clone()
    };
    let set = |element: Type| Attribute::new("a", Type::list(Type::set(element)));
    for (attribute, problem) in [
        (
            attribute().required().with_default("x".into()),
            "a: it is required, so its default",
        ),
        (
            attribute().computed().with_default("x".into()),
            "a: only the plugin sets it",
        ),
        (
            attribute().write_only().with_default("x".into()),
            "a: a write-only attribute cannot have",
        ),
        (
            attribute().write_only().computed_unless_given(),
            "a: a write-only attribute cannot be",
        ),
        (
            attribute().stable(),
            "a: only a computed attribute can be stable",
        ),
        (
            Attribute::new("a", Type::Number).with_default("x".into()),
            "a: the default: a number",
        ),
        (
            key.clone().required(),
            "a: an idempotency key must have the type any",
        ),
        (set(Type::Dynamic), "a: the elements of a set cannot"),
        (
            Attribute::nested("a", Nesting::Set, [dynamic.clone()]),
            "a: the elements of a set cannot",
        ),
        (
            Attribute::nested(
                "a",
                Nesting::List,
                [attribute().required().with_default("x".into())],
            ),
            "a.a: it is required",
        ),
    ] {
        assert_problem(Body::new([attribute]).check(), problem);
    }
    for attribute in [
        attribute().with_default(5.into()),
        attribute().computed_unless_given().with_default("x".into()),
        attribute().write_only().required(),
        attribute().computed().stable(),
        key.clone(),
        set(Type::String),
    ] {
        assert_eq!(Body::new([attribute]).check(), Ok(()));
    }
    let two = Body::new([
        key.clone(),
        Attribute {
            name: "b".into(),
            ..key
        },
    ]);
    assert_problem(two.check(), "b: \"a\" is already the idempotency key");
}

#[test]
fn limits_of_blocks_can_be_met() {
    for (nesting, min, max, problem) in [
        (
            Nesting::List,
            2,
            Some(1),
            "b: the minimum, 2, is greater than the maximum, 1",
        ),
        (Nesting::Set, 0, Some(0), "b: the maximum is 0"),
        (
            Nesting::Single,
            0,
            Some(2),
            "b: a block with the nesting single or group",
        ),
        (
            Nesting::Group,
            2,
            None,
            "b: a block with the nesting single or group",
        ),
    ] {
        let block = Block::new("b", nesting, Body::default()).between(min, max);
        assert_problem(Body::default().with_block(block).check(), problem);
    }
    for (nesting, max) in [(Nesting::Single, 1), (Nesting::Map, 3)] {
        let block = Block::new("b", nesting, Body::default()).between(1, max);
        assert_eq!(Body::default().with_block(block).check(), Ok(()));
    }
    let dynamic = Body::new([Attribute::new("a", Type::Dynamic)]);
    let block = Block::new("b", Nesting::Set, dynamic);
    assert_problem(
        Body::default().with_block(block).check(),
        "b: the elements of a set",
    );
}

#[test]
fn optional_parameters_come_last() {
    let parameter = |name: &str| Parameter::new(name, Type::String);
    let optional = |name: &str| Parameter {
        is_optional: true,
        ..parameter(name)
    };
    let function = |parameters: Vec<Parameter>| Function::new(parameters, Type::String);
    assert_eq!(
        function(vec![parameter("a"), optional("b")]).check(),
        Ok(())
    );
    assert_problem(
        function(vec![optional("a"), parameter("b")]).check(),
        "b: a required parameter cannot follow the optional parameter \"a\"",
    );
    let variadic = |parameters| Function {
        variadic: Some(parameter("v")),
        ..function(parameters)
    };
    assert_eq!(variadic(vec![parameter("a")]).check(), Ok(()));
    assert_problem(
        variadic(vec![optional("a")]).check(),
        "a: optional parameters cannot be combined with the variadic parameter \"v\"",
    );
    assert_problem(
        variadic(vec![parameter("v")]).check(),
        "v: the name is used twice",
    );
    let optional_rest = Function {
        variadic: Some(optional("v")),
        ..function(vec![parameter("a")])
    };
    assert_problem(optional_rest.check(), "v: a variadic parameter is neither");
    let default = Parameter {
        default: Some(true.into()),
        ..Parameter::new("a", Type::Number)
    };
    assert_problem(function(vec![default]).check(), "a: the default: ");
}

#[test]
fn attributes_have_only_the_flags_of_their_kind() {
    let offer = || Offer {
        name: "p".into(),
        ..Offer::default()
    };
    let secret = || Body::new([attribute().write_only()]);
    let key = || Attribute {
        is_idempotency_key: true,
        ..Attribute::new("a", Type::Dynamic)
    };
    let mut fine = offer();
    let resource = Resource {
        schema: secret().into(),
        ..Resource::default()
    };
    fine.resources.insert("r".into(), resource);
    let action = Action {
        input: Body::new([key()]),
        ..Action::default()
    };
    fine.actions.insert("x".into(), action);
    assert_eq!(fine.check(), Ok(()));

    let mut wrong = offer();
    wrong.data_sources.insert("d".into(), secret().into());
    assert_problem(
        wrong.check(),
        "data_sources.d.a: only an attribute of a resource",
    );
    let mut wrong = offer();
    let action = Action {
        input: secret(),
        ..Action::default()
    };
    wrong.actions.insert("x".into(), action);
    assert_problem(
        wrong.check(),
        "actions.x.a: only an attribute of a resource",
    );
    let mut wrong = offer();
    wrong.config = Body::new([key()]).into();
    assert_problem(wrong.check(), "config.a: only an attribute of an action");
    let mut wrong = offer();
    wrong.max_in_flight = Some(0);
    assert_problem(wrong.check(), "max_in_flight: ");
    let mut wrong = offer();
    wrong
        .functions
        .insert("a b".into(), Function::new([], Type::Bool));
    assert_problem(wrong.check(), "functions.a b: \"a b\" is not a valid name");
    assert_problem(Offer::default().check(), "name: \"\" is not a valid name");
}
