//! What a provider answers, byte for byte, over a connection in memory.

#[path = "wire/conversation.rs"]
mod conversation;
#[path = "wire/definitions.rs"]
mod definitions;

use conversation::converse;
use tenon_plugin::{Code, Failure, Number, Plugin, Secret, attributes};

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
            r#"{"id":2,"error":{"code":"invalid_request","message":"the params of describe must be an object"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"add","attrs":[]}}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"`attrs` must be an object"}}"#,
        ),
        (
            r#"{"id":2,"method":7}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"the method is not a non-empty string"}}"#,
        ),
        (
            r#"{"id":2,"method":"configure","params":{"config":{"token":"open"}}}"#,
            r#"{"id":2,"error":{"code":"invalid_request","message":"the plugin is already configured"}}"#,
        ),
        (
            r#"{"id":2,"method":"cancel","params":{}}"#,
            r#"{"id":2,"error":{"code":"unknown_method","message":"unknown method `cancel`"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"ad"}}"#,
            r#"{"id":2,"error":{"code":"unknown_action","message":"unknown action `ad`; did you mean `add`?"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"subtract"}}"#,
            r#"{"id":2,"error":{"code":"unknown_action","message":"unknown action `subtract`; the plugin offers the actions add, fail, keep, lose, panic, refuse, send"}}"#,
        ),
        (
            r#"{"id":2,"method":"execute","params":{"action":"add","attrs":{"off":[1],"unit":[]}}}"#,
            r#"{"id":2,"error":{"code":"validation_failed","message":"the attribute \"off\" is not supported; did you mean `of`?; at .unit: a string is required, but this is a tuple"}}"#,
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
            r#"{"id":2,"error":{"code":"outcome_unknown","message":"the action panicked; see stderr for the place"}}"#,
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
async fn an_invalid_line_is_answered_and_the_next_one_too() {
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
            r#"{"id":1,"error":{"code":"invalid_request","message":"configure must succeed before execute is called"}}"#,
            r#"{"id":2,"error":{"code":"configure_failed","message":"the attribute \"token\" is required"}}"#,
            r#"{"id":3,"error":{"code":"configure_failed","message":"the token is not accepted","detail":"ask for another"}}"#,
            r#"{"id":4,"result":{}}"#,
        ]
    );
}
