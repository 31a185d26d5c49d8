//! Plugins that are defined in other ways than with a configuration and typed actions.

use tenon_plugin::schema::{Action, Attribute, Body};
use tenon_plugin::{Context, IdempotencyKey, Plugin, Type, Value, attributes};
use tenon_protocols::orchard::ProviderSchema;

use crate::conversation::converse;

#[tokio::test]
async fn schemas_can_be_made_by_hand() {
    let schema = Body::new([Attribute::new("base", Type::Number)]);
    let action = |outputs: &str| Action {
        input: Body::new([Attribute::new("any", Type::Dynamic)]),
        output: Some(Attribute::new("outputs", outputs.parse().unwrap())),
        ..Action::default()
    };
    let provider = Plugin::new("by_hand", "1")
        .configure_with_schema(schema.into(), |config| async move { Ok(config) })
        .action_with_schema(
            "echo",
            action("any"),
            |config: Context<Value>, given| async move {
                let base = config.attribute("base")?;
                Ok(Value::object([("base", base), ("given", given)]))
            },
        )
        .action_with_schema(
            "break",
            action("object({ a = string })"),
            |_, given| async move { Ok(given) },
        );
    let answers = converse(
        provider,
        &[
            r#"{"id":1,"method":"configure","params":{"config":{"base":10}}}"#,
            r#"{"id":2,"method":"execute","params":{"action":"echo","attrs":{"any":[1,{"a":true}]}}}"#,
            r#"{"id":3,"method":"execute","params":{"action":"break"}}"#,
        ],
    )
    .await;
    assert_eq!(
        answers.lines().collect::<Vec<_>>(),
        [
            r#"{"id":1,"result":{}}"#,
            r#"{"id":2,"result":{"outputs":{"base":10,"given":{"any":[1,{"a":true}]}}}}"#,
            r#"{"id":3,"error":{"code":"outcome_unknown","message":"the action was run, but its outputs do not match the schema: the attribute \"a\" is required"}}"#,
        ]
    );
}

attributes! {
    struct Order {
        key: Option<IdempotencyKey>,
    }
    struct Ordered {
        key: Option<String>,
    }
}

#[tokio::test]
async fn an_idempotency_key_is_a_string_when_it_arrives() {
    let provider = || {
        Plugin::new("shop", "1")
            .action("order", "", |_, order: Order| async move {
                let key = order.key.map(|key| key.as_str().to_owned());
                Ok(Ordered { key })
            })
            .idempotent("order")
    };
    let orchard = ProviderSchema::try_from(provider().offer()).unwrap();
    orchard.check().unwrap();
    let schema = serde_json::to_string(&orchard.actions["order"]).unwrap();
    assert!(schema.contains(r#""idempotent":true"#), "{schema}");
    let key = r#""key":{"type":"any","required":false,"idempotency_key":true}"#;
    assert!(schema.contains(key), "{schema}");
    let call = |key: &str| {
        format!(
            r#"{{"id":1,"method":"execute","params":{{"action":"order","attrs":{{"key":{key}}}}}}}"#
        )
    };
    for (given, answer) in [
        (r#""k-1""#, r#""result":{"outputs":{"key":"k-1"}}"#),
        ("null", r#""result":{"outputs":{"key":null}}"#),
        (
            "true",
            r#""error":{"code":"validation_failed","message":"at .key: an idempotency key must be a string"#,
        ),
        (
            r#""""#,
            r#""error":{"code":"validation_failed","message":"at .key: an idempotency key cannot be empty"#,
        ),
    ] {
        let answers = converse(provider(), &[&call(given)]).await;
        assert!(answers.contains(answer), "{given}: {answers}");
    }
}

/// More than a frame can hold: the action was run, and only its outputs are lost.
#[tokio::test]
async fn outputs_that_are_too_large_leave_the_outcome_unknown() {
    let provider = Plugin::new("p", "1").action("a", "", |_, ()| async {
        Ok(Ordered {
            key: Some("x".repeat(17 * 1024 * 1024)),
        })
    });
    let call = r#"{"id":1,"method":"execute","params":{"action":"a"}}"#;
    let answers = converse(provider, &[call]).await;
    assert!(
        answers.starts_with(
            r#"{"id":1,"error":{"code":"outcome_unknown","message":"the outputs cannot be sent: the size is "#
        ),
        "{:.200}",
        answers
    );
}

#[test]
#[should_panic(expected = "there are two actions called \"a\"")]
fn an_action_is_not_lost_to_another_of_its_name() {
    let action = |_: Context<()>, (): ()| async { Ok(()) };
    drop(
        Plugin::new("p", "1")
            .action("a", "", action)
            .action("a", "", action),
    );
}

#[tokio::test]
async fn actions_from_before_configure_are_kept() {
    let provider = Plugin::new("p", "1")
        .action("a", "", |_, ()| async { Ok(()) })
        .configure(|(): ()| async { Ok("state") })
        .action("b", "", |state: Context<&str>, ()| async move {
            Ok(Ordered {
                key: Some(state.to_string()),
            })
        });
    let answers = converse(
        provider,
        &[
            r#"{"id":1,"method":"configure"}"#,
            r#"{"id":2,"method":"execute","params":{"action":"a"}}"#,
            r#"{"id":3,"method":"execute","params":{"action":"b"}}"#,
        ],
    )
    .await;
    assert!(
        answers.contains("{\"id\":2,\"result\":{\"outputs\":{}}}\n"),
        "{answers}"
    );
    assert!(
        answers.ends_with("{\"id\":3,\"result\":{\"outputs\":{\"key\":\"state\"}}}\n"),
        "{answers}"
    );
}
