//! What a provider answers, byte for byte, over a connection in memory.

#[path = "wire/conversation.rs"]
mod conversation;

use conversation::converse;
use tenon_plugin::schema::{Action, Attribute, Body};
use tenon_plugin::{
    Code, Context, Failure, IdempotencyKey, Number, Plugin, Secret, Type, Value, attributes,
};
use tenon_protocols::orchard::ProviderSchema;

attributes! {
    struct Config {
        /// Who may come in.
        token: Secret<String>,
    }
    struct Add {
        /// The numbers.
        of: Vec<Number>,
        unit: String = "apples",
    }
    struct Sum {
        total: Number,
        unit: Option<String>,
    }
    struct Small {
        byte: u8,
    }
}

struct Account;

fn provider() -> Plugin<Account> {
    Plugin::new("sums", "1.2.3")
        .configure(|config: Config| async move {
            match config.token.reveal().as_str() {
                "open" => Ok(Account),
                _ => Err(Failure::new("the token is not accepted").with_detail("ask for another")),
            }
        })
        .action("add", "Adds numbers", |_, add: Add| async move {
            let mut total = Number::from(0);
            for number in &add.of {
                total = total.add(number)?;
            }
            let unit = Some(add.unit).filter(|unit| !unit.is_empty());
            Ok(Sum { total, unit })
        })
        .action("fail", "", |_, ()| async {
            Err::<(), _>(Failure::new("it is broken"))
        })
        .action("refuse", "", |_, ()| async {
            Err::<(), _>(Failure::new("slow down").with_code(Code::Other("rate_limited".into())))
        })
        .action("send", "", |_, ()| async {
            Err::<(), _>(Failure::outcome_unknown("the connection was lost"))
        })
        .action("panic", "", |_, ()| async {
            panic!("as asked") as Result<(), Failure>
        })
        .action("keep", "", |_, small: Small| async move {
            Ok(Sum {
                total: small.byte.into(),
                unit: None,
            })
        })
        .action("lose", "", |_, ()| async {
            Ok(Measured { length: f64::NAN })
        })
}

attributes! {
    struct Measured { length: f64 }
}

const OPEN: &str = r#"{"id":1,"method":"configure","params":{"config":{"token":"open"}}}"#;

/// The answer to one call after a good configuration.
async fn answer(call: &str) -> String {
    let answers = converse(provider(), &[OPEN, call]).await;
    let (configured, answer) = answers.split_once('\n').unwrap();
    assert_eq!(configured, r#"{"id":1,"result":{}}"#);
    answer.trim_end().to_owned()
}

#[tokio::test]
async fn an_id_without_a_method_is_answered() {
    let error =
        r#""error":{"code":"invalid_request","message":"an id without method, result or error"}"#;
    assert_eq!(
        answer(r#"{"id":7}"#).await,
        format!(r#"{{"id":7,{error}}}"#)
    );
    assert_eq!(
        answer(r#"{"id":8,"params":{"config":{"token":"hunter2"}}}"#).await,
        format!(r#"{{"id":8,{error}}}"#)
    );
}

#[tokio::test]
async fn params_that_cannot_be_decoded_are_not_quoted() {
    for params in [
        r#"{"action":4242424}"#,
        r#"{"action":["hunter2"]}"#,
        r#""hunter2""#,
    ] {
        let call = format!(r#"{{"id":2,"method":"execute","params":{params}}}"#);
        let answer = answer(&call).await;
        assert!(answer.contains("the params of execute "), "{answer}");
        assert!(
            !answer.contains("hunter2") && !answer.contains("4242424"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_whole_run() {
    let answers = converse(
        Plugin::new("greeter", "1.0.0").action("add", "Adds numbers", |_, add: Add| async move {
            Ok(Sum { total: add.of[0].clone(), unit: None })
        }),
        &[
            r#"{"id":1,"method":"describe","params":{}}"#,
            r#"{"id":2,"method":"configure","params":{"config":{}}}"#,
            r#"{"id":9223372036854775807,"method":"execute","params":{"action":"add","attrs":{"of":[123456789012345678901234567890.5]}}}"#,
            r#"{"id":4,"method":"shutdown"}"#,
        ],
    )
    .await;
    assert_eq!(
        answers,
        concat!(
            r#"{"id":1,"result":{"schema":{"name":"greeter","version":"1.0.0","protocol":"1","config":{},"#,
            r#""actions":{"add":{"description":"Adds numbers","attrs":{"of":{"type":"list(number)","required":true,"description":"The numbers."},"#,
            r#""unit":{"type":"string","required":false,"default":"apples"}},"#,
            r#""outputs":{"type":"object({ total = number, unit = string })","required":false}}}}}}"#,
            "\n",
            r#"{"id":2,"result":{}}"#,
            "\n",
            r#"{"id":9223372036854775807,"result":{"outputs":{"total":123456789012345678901234567890.5,"unit":null}}}"#,
            "\n",
            r#"{"id":4,"result":{}}"#,
            "\n",
        )
    );
}

#[tokio::test]
async fn attributes_are_filled_in() {
    let call = r#"{"id":2,"method":"execute","params":{"action":"add","attrs":{"of":[1,"2"],"unit":null}}}"#;
    let expected = r#"{"id":2,"result":{"outputs":{"total":3,"unit":"apples"}}}"#;
    assert_eq!(answer(call).await, expected);
}

#[tokio::test]
async fn every_failure_has_its_code() {
    let cases = [
        (
            r#"{"id":2,"method":"execute","params":{"attrs":{"password":"hunter2"}}}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"the params of execute cannot be decoded: missing field `action` at line 1 column 32"}}"#,
        ),
        (
            r#"{"id":2,"method":"describe","params":"hunter2"}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"the params of describe have to be an object"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"add","attrs":[]}}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"`attrs` has to be an object"}}"#,
        ),
        (
            r#"{"id":2,"method":7}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"the method is no name"}}"#,
        ),
        (
            r#"{"id":2,"method":"configure","params":{"config":{"token":"open"}}}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"configure has succeeded already; it is called once"}}"#,
        ),
        (
            r#"{"id":2,"method":"cancel","params":{}}"#,
            r#"{"id":2,"error":{"code":"unknown_method","message":"unknown method: cancel"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"ad"}}"#,
            r#"{"id":2,"error":{"code":"unknown_action","message":"unknown action: ad; did you mean add?"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"subtract"}}"#,
            r#"{"id":2,"error":{"code":"unknown_action","message":"unknown action: subtract; the plugin offers the actions add, fail, keep, lose, panic, refuse, send"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"add","attrs":{"off":[1],"unit":[]}}}"#,
            r#"{"id":2,"error":{"code":"validation_failed","message":"the attribute \"off\" is not supported; did you mean \"of\"?; at .unit: a string is required, but this is a tuple"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"keep","attrs":{"byte":300}}}"#,
            r#"{"id":2,"error":{"code":"validation_failed","message":"at .byte: the number does not fit into u8, which is from 0 to 255"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"fail"}}"#,
            r#"{"id":2,"error":{"code":"execute_failed","message":"it is broken"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"refuse"}}"#,
            r#"{"id":2,"error":{"code":"rate_limited","message":"slow down"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"panic"}}"#,
            r#"{"id":2,"error":{"code":"outcome_unknown","message":"the action panicked; stderr says where"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"send"}}"#,
            r#"{"id":2,"error":{"code":"outcome_unknown","message":"the connection was lost"}}"#,
        ),
    ];
    for (call, expected) in cases {
        assert_eq!(answer(call).await, expected, "{call}");
    }
    let lost = answer(r#"{"id":2,"method":"execute","params":{"action":"lose"}}"#).await;
    assert!(lost.contains(r#""code":"outcome_unknown""#), "{lost}");
    assert!(lost.contains("at .length: "), "{lost}");
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_next_one_too() {
    let answers = converse(provider(), &["hello?", OPEN]).await;
    let (refused, configured) = answers.split_once('\n').unwrap();
    assert!(
        refused.starts_with(r#"{"id":0,"error":{"code":"invalid_request","#),
        "{refused}"
    );
    assert_eq!(configured, "{\"id\":1,\"result\":{}}\n");
}

#[tokio::test]
async fn a_panic_ends_nothing_else() {
    let panic = r#"{"id":2,"method":"execute","params":{"action":"panic"}}"#;
    let add = r#"{"id":3,"method":"execute","params":{"action":"add","attrs":{"of":[]}}}"#;
    let answers = converse(provider(), &[OPEN, panic, add]).await;
    let last = r#"{"id":3,"result":{"outputs":{"total":0,"unit":"apples"}}}"#;
    assert_eq!(answers.lines().nth(2), Some(last));
}

#[tokio::test]
async fn configure_comes_first_and_may_be_tried_again() {
    let add = r#"{"id":1,"method":"execute","params":{"action":"add","attrs":{"of":[1]}}}"#;
    let without = r#"{"id":2,"method":"configure"}"#;
    let wrong = r#"{"id":3,"method":"configure","params":{"config":{"token":"hunter2"}}}"#;
    let right = r#"{"id":4,"method":"configure","params":{"config":{"token":"open"}}}"#;
    let answers = converse(provider(), &[add, without, wrong, right]).await;
    assert_eq!(
        answers.lines().collect::<Vec<_>>(),
        [
            r#"{"id":1,"error":{"code":"invalid_request","message":"configure has to succeed before anything is executed"}}"#,
            r#"{"id":2,"error":{"code":"configure_failed","message":"the attribute \"token\" is required"}}"#,
            r#"{"id":3,"error":{"code":"configure_failed","message":"the token is not accepted","detail":"ask for another"}}"#,
            r#"{"id":4,"result":{}}"#,
        ]
    );
}

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
            r#"{"id":3,"error":{"code":"outcome_unknown","message":"the action was run, but its outputs are not what the schema says: the attribute \"a\" is required"}}"#,
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
            r#""error":{"code":"validation_failed","message":"at .key: an idempotency key has to be a string"#,
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
            r#"{"id":1,"error":{"code":"outcome_unknown","message":"the outputs have"#
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
            Ok(Sum {
                total: 1.into(),
                unit: Some(state.to_string()),
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
        answers.ends_with("{\"total\":1,\"unit\":\"state\"}}}\n"),
        "{answers}"
    );
}
