//! Scripts with invalid answers: each member of each result with each wrong type. Terraform gets an
//! error, and the provider goes on.

use serde_json::{Value as Json, json};
use tenon_values::Value;

use crate::blocks::{assert_error, shown, value, with};
use crate::core::{Core, Held, has_errors};

/// One value of each JSON type.
fn kinds() -> [Json; 8] {
    [
        json!(null),
        json!(true),
        json!(0),
        json!(-1.5),
        json!(""),
        json!("text"),
        json!([]),
        json!({"a": [null]}),
    ]
}

/// The members whose types the protocol fixes, and which types are accepted: one character per type, `+`
/// if it is accepted.
const MEMBERS: [(&str, &str, &str); 12] = [
    ("create", "id", "+-++++--"),
    ("create", "diagnostics", "+-----+-"),
    ("read", "exists", "++------"),
    ("read", "diagnostics", "+-----+-"),
    ("update", "diagnostics", "+-----+-"),
    ("delete", "done", "++------"),
    ("delete", "diagnostics", "+-----+-"),
    ("modifyPlan", "noChanges", "++------"),
    ("modifyPlan", "requiresReplacement", "++------"),
    ("modifyPlan", "diagnostics", "+-----+-"),
    ("create", "state", "++++++++"),
    ("update", "sensitiveState", "++++++++"),
];

/// Calls the method, and returns whether there was an error. The resource itself must be kept.
async fn call(core: &Core, method: &str) -> bool {
    let config = core.config(&[("props", value("{}"))]);
    let state = with(
        &config,
        &[("id", "x".into()), ("write_only_props_version", 1.into())],
    );
    let held = Held {
        state,
        ..core.nothing()
    };
    let other = core.config(&[("props", value(r#"{"other": 1}"#))]);
    let gone = Value::null(core.shapes.resource.ty.clone());
    let said = match method {
        "create" => {
            core.apply(&core.plan(&core.nothing(), &config).await)
                .await
                .diagnostics
        }
        "update" => {
            let after = core.apply(&core.plan(&held, &other).await).await;
            assert!(!after.state.is_null());
            after.diagnostics
        }
        "delete" => {
            let after = core.apply(&core.plan(&held, &gone).await).await;
            assert_eq!(after.state.is_null(), !has_errors(&after.diagnostics));
            after.diagnostics
        }
        "read" => {
            let after = core.read(&held).await;
            assert!(!after.state.is_null() || !has_errors(&after.diagnostics));
            after.diagnostics
        }
        "modifyPlan" => core.plan(&held, &other).await.diagnostics,
        other => panic!("{other}"),
    };
    for line in shown(&said) {
        assert!(!line.contains("panicked"), "{line}");
    }
    has_errors(&said)
}

#[tokio::test]
async fn each_member_of_each_wrong_kind_is_an_error() {
    for (method, member, taken) in MEMBERS {
        let orders: Vec<_> = { kinds().into_iter() }
            .map(|kind| {
                let mut result = json!({"id": "x", "done": true});
                result[member] = kind;
                json!({"result": result})
            })
            .collect();
        let core = Core::new(json!({method: orders})).await;
        for (kind, taken) in kinds().iter().zip(taken.chars()) {
            // `done: null` is the same as absent: not done.
            let is_unsaid = member == "done" && kind.is_null();
            let fails = call(&core, method).await;
            assert_eq!(
                fails,
                taken != '+' || is_unsaid,
                "{method}: {member}: {kind}"
            );
        }
        core.stage.end().await;
    }
}

#[tokio::test]
async fn results_that_are_not_objects_are_errors() {
    for (method, may_be_null) in [
        ("create", false),
        ("read", false),
        ("update", false),
        ("delete", false),
        ("modifyPlan", true),
    ] {
        let orders: Vec<_> = { kinds().into_iter() }
            .map(|kind| json!({"result": kind}))
            .collect();
        let core = Core::new(json!({method: orders})).await;
        for kind in kinds() {
            let fails = call(&core, method).await;
            if !kind.is_object() && !kind.is_null() {
                assert!(fails, "{method}: {kind}");
            }
            assert!(!(kind.is_null() && may_be_null && fails), "{method}");
        }
        core.stage.end().await;
    }
}

#[tokio::test]
async fn invalid_diagnostics_are_errors() {
    let wrong = [
        json!([null]),
        json!(["text"]),
        json!([{}]),
        json!([{"severity": 1}]),
        json!([{"severity": "error", "propPath": "props"}]),
        json!([{"severity": "error", "propPath": [{}]}]),
        json!([{"severity": "error", "summary": []}]),
    ];
    let orders: Vec<_> = { wrong.iter() }
        .map(|said| json!({"result": {"diagnostics": said}}))
        .collect();
    let core = Core::new(json!({"read": orders})).await;
    for said in wrong {
        assert!(call(&core, "read").await, "{said}");
    }
    core.stage.end().await;
}

/// Lines that are not messages are skipped; the answer after them counts.
#[tokio::test]
async fn other_text_on_stdout_is_not_an_answer() {
    let chatter = [
        "hello",
        "",
        "{",
        "[]",
        "{}",
        "null",
        "\u{fffd}\u{0}",
        r#"{"jsonrpc":"2.0","id":99999,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"invokeProgress"}"#,
        r#"{"jsonrpc":"2.0","method":"invokeProgress","params":{"message":7}}"#,
        r#"{"jsonrpc":"2.0","method":"who?","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"who?"}"#,
    ];
    let core = Core::new(json!({"read": {"print": chatter}})).await;
    for _ in 0..3 {
        assert!(!call(&core, "read").await);
    }
    assert_eq!(core.stage.processes().len(), 1);
    core.stage.end().await;
}

#[tokio::test]
async fn malformed_answers_are_errors_without_a_wait() {
    let lines = [
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"state":NaN}}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"result":"#,
        r#"{"jsonrpc":"2.0","id":$ID,"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"both"}}"#,
        r#"{"jsonrpc":"2.0","id":$ID}"#,
        r#"{"id":$ID,"result":{}}"#,
    ];
    for line in lines {
        let core = Core::new(json!({"read": {"line": line}})).await;
        let config = core.config(&[("props", value("{}"))]);
        let state = with(&config, &[("id", "x".into()), ("timeout", 3.into())]);
        // There is an answer or an error in time, and nothing is lost.
        let read = core
            .read(&Held {
                state: state.clone(),
                ..core.nothing()
            })
            .await;
        assert_eq!(read.state, state, "{line}");
        let said = shown(&read.diagnostics);
        assert!(
            !said
                .iter()
                .any(|line| line.contains("did not answer within")),
            "{line}: {said:?}"
        );
        core.stage.end().await;
    }
}

/// A script whose answers have a wrong id is not waited for, even without a timeout.
#[tokio::test]
async fn an_answer_with_a_wrong_id_fails_the_call_immediately() {
    for (line, word) in [
        (
            r#"{"jsonrpc":"2.0","id":"$ID","result":{}}"#,
            "it has the id \"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
            "Parse error",
        ),
    ] {
        let core = Core::new(json!({"create": {"line": line}})).await;
        let given = [("props", value("{}"))];
        let planned = core.plan(&core.nothing(), &core.config(&given)).await;
        let failed = core.apply(&planned).await;
        assert_error(&failed.diagnostics, &["Failed to create resource", word]);
        core.stage.end().await;
    }
}
