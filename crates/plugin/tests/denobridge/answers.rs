//! What a script answers, frame for frame.

use crate::accounts::plugin;
use crate::conversation::converse;

/// Each call is answered with the result.
async fn results(cases: &[(&str, &str, &str)]) {
    for (method, params, result) in cases {
        let call = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
        let answers = converse(plugin(), &[&call]).await;
        assert_eq!(answers, [expected], "{method} {params}");
    }
}

#[tokio::test]
async fn a_resource_is_created_read_updated_and_deleted() {
    results(&[
        (
            "create",
            r#"{"props":{"name":"ada"},"writeOnlyProps":{"password":"p"}}"#,
            r#"{"id":"ada","state":{"number":1},"sensitiveState":{"login":"p"}}"#,
        ),
        (
            "create",
            r#"{"props":{"name":"ada"}}"#,
            r#"{"id":"ada","state":{"number":1},"diagnostics":[{"severity":"warning","summary":"no password","detail":"anybody may come in"}]}"#,
        ),
        (
            "read",
            r#"{"id":"ada","props":null}"#,
            r#"{"props":{"age":null,"name":"ada"},"state":{"number":2}}"#,
        ),
        // As the user has written it, without the age that was left out.
        (
            "read",
            r#"{"id":"ada","props":{"name":"ada"}}"#,
            r#"{"props":{"name":"ada"},"state":{"number":2}}"#,
        ),
        ("read", r#"{"id":"gone","props":null}"#, r#"{"exists":false}"#),
        (
            "update",
            r#"{"id":"ada","nextProps":{"name":"ada"},"nextWriteOnlyProps":{"password":"q"},"currentProps":{"name":"ada"},"currentState":{"number":18446744073709551614},"currentSensitiveState":{"login":"p"}}"#,
            r#"{"state":{"number":18446744073709551615},"sensitiveState":{"login":"q"}}"#,
        ),
        (
            "delete",
            r#"{"id":"ada","props":{"name":"ada"},"state":{"number":1}}"#,
            r#"{"done":true}"#,
        ),
        (
            "delete",
            r#"{"id":"ada","props":null,"state":null,"sensitiveState":null}"#,
            r#"{"done":true,"diagnostics":[{"severity":"warning","summary":"never used","detail":""}]}"#,
        ),
    ])
    .await;
}

#[tokio::test]
async fn plans_are_kept_replaced_and_modified() {
    results(&[
        (
            "modifyPlan",
            r#"{"planType":"create","nextProps":{"name":"ada","age":7}}"#,
            r#"{"noChanges":true}"#,
        ),
        (
            "modifyPlan",
            r#"{"planType":"create","nextProps":{"name":"ada"}}"#,
            r#"{"modifiedProps":{"age":18,"name":"ada"}}"#,
        ),
        (
            "modifyPlan",
            r#"{"id":"ada","planType":"update","nextProps":{"name":"ada","age":0},"unknownProps":[["nextProps","age"]]}"#,
            r#"{"noChanges":true}"#,
        ),
        (
            "modifyPlan",
            r#"{"id":"ada","planType":"update","nextProps":{"name":""},"unknownProps":[["nextProps","name"]]}"#,
            r#"{"requiresReplacement":true}"#,
        ),
        (
            "modifyPlan",
            r#"{"id":"ada","planType":"delete","nextProps":null,"currentProps":{"name":"ada"}}"#,
            r#"{"diagnostics":[{"severity":"warning","summary":"it goes","detail":"ada"}]}"#,
        ),
    ])
    .await;
}

#[tokio::test]
async fn the_other_kinds_answer() {
    results(&[
        (
            "read",
            r#"{"props":{"name":"ada"}}"#,
            r#"{"result":{"length":3},"sensitiveResult":{"name":"ada"}}"#,
        ),
        (
            "open",
            r#"{"props":{"name":"ada","age":7}}"#,
            r#"{"result":{"age":7,"name":"ada"},"sensitiveResult":{"token":"token of ada"},"renewAt":60,"privateData":{"number":1}}"#,
        ),
        (
            "renew",
            r#"{"privateData":{"number":1}}"#,
            r#"{"renewAt":120,"privateData":{"number":2}}"#,
        ),
        (
            "renew",
            r#"{"privateData":{"number":2}}"#,
            r#"{"privateData":{"number":3},"diagnostics":[{"severity":"warning","summary":"the last time","detail":""}]}"#,
        ),
        ("close", r#"{"privateData":{"number":3}}"#, r#"{"done":true}"#),
        ("call", r#"{"name":"add","arguments":[1,2]}"#, r#"{"result":3}"#),
        ("call", r#"{"name":"count","arguments":[]}"#, r#"{"result":0}"#),
        ("health", "{}", r#"{"ok":true}"#),
        ("shutdown", "{}", "{}"),
    ])
    .await;
}

#[tokio::test]
async fn a_script_says_how_many_calls_it_takes() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"health"}"#;
    assert_eq!(
        converse(plugin().max_in_flight(32), &[call]).await,
        [r#"{"jsonrpc":"2.0","id":1,"result":{"ok":true,"maxInFlight":32}}"#]
    );
}

#[tokio::test]
async fn progress_comes_before_the_answer() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"props":{"name":"ada"}}}"#;
    assert_eq!(
        converse(plugin(), &[call]).await,
        [
            r#"{"jsonrpc":"2.0","method":"invokeProgress","params":{"message":"one"}}"#,
            r#"{"jsonrpc":"2.0","method":"invokeProgress","params":{"message":"two"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"done":true}}"#,
        ]
    );
}

#[tokio::test]
async fn a_warning_of_an_action_is_sent_with_its_result() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"props":{"name":"warn"}}}"#;
    let answers = converse(plugin(), &[call]).await;
    assert_eq!(
        answers.last().map(String::as_str),
        Some(
            r#"{"jsonrpc":"2.0","id":1,"result":{"done":true,"diagnostics":[{"severity":"warning","summary":"old","detail":"","propPath":["props","name"]}]}}"#
        )
    );
}

/// What is never stored, and what is not shown, is in the schema.
#[test]
fn the_schema_of_a_resource_has_everything_of_it() {
    let plugin = plugin();
    plugin.offer().check().unwrap();
    let resource = &plugin.offer().resources["account"].schema.body;
    let shown: Vec<String> = { resource.attributes.iter() }
        .map(|one| {
            let mut flags = format!("{:?}", one.presence);
            for (is, flag) in [
                (one.is_sensitive, "sensitive"),
                (one.is_write_only, "write-only"),
                (one.is_stable, "stable"),
            ] {
                if is {
                    flags += &format!(" {flag}");
                }
            }
            format!("{}: {} {flags}", one.name, one.implied_type())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "name: string Required",
            "age: number Optional",
            "password: string Optional sensitive write-only",
            "number: number Computed",
            "login: string Computed sensitive",
            "id: string Computed stable",
        ]
    );
    let token = &plugin.offer().ephemeral_resources["token"].body;
    let names: Vec<&str> = { token.attributes.iter() }
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["name", "age", "token"]);
}
