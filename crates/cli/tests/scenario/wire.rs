//! The bytes that a provider sees.

use serde_json::json;

use crate::stage::Stage;

/// The frames of the protocol, byte for byte: members in their order, no space between them, ids
/// from 1, params even where they are empty.
#[tokio::test]
async fn frames_are_as_the_protocol_says() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(
        r#"
  provider "puppet" {
    greeting = "gr\u00fc\u00df \"dich\""
  }
  action "put" "a" {
    name  = "a"
    input = { list = [1, 2.50, 12345678901234567890], nothing = null, yes = true }
  }
  action "put" "b" {
    name       = action.put.a.name
    is_removed = null
  }
"#,
    );
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let expected = [
        r#"{"id":1,"method":"describe","params":{}}"#,
        r#"{"id":2,"method":"configure","params":{"config":{"greeting":"grüß \"dich\""}}}"#,
        r#"{"id":3,"method":"execute","params":{"action":"put","attrs":{"input":{"list":[1,2.5,12345678901234567890],"nothing":null,"yes":true},"is_removed":false,"name":"a"}}}"#,
        r#"{"id":4,"method":"execute","params":{"action":"put","attrs":{"is_removed":false,"name":"a"}}}"#,
        r#"{"id":5,"method":"shutdown","params":{}}"#,
    ];
    assert_eq!(stage.text("puppet.heard"), expected.join("\n") + "\n");
}

/// A provider without configuration is configured nevertheless, and a teardown begins from the start.
#[tokio::test]
async fn frames_of_a_teardown() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    stage.shell.file("puppet.heard", "");
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let expected = [
        r#"{"id":1,"method":"describe","params":{}}"#,
        r#"{"id":2,"method":"configure","params":{"config":{}}}"#,
        r#"{"id":3,"method":"execute","params":{"action":"put","attrs":{"is_removed":true,"name":"a"}}}"#,
        r#"{"id":4,"method":"shutdown","params":{}}"#,
    ];
    assert_eq!(stage.text("puppet.heard"), expected.join("\n") + "\n");
}

/// What it writes may come in pieces, with spaces and unknown members.
#[tokio::test]
async fn frames_that_look_different() {
    let moves = json!([
        "work",
        [
            "print",
            " { \"more\" : [ 1 ] , \"result\" : { \"outputs\" :"
        ],
        ["sleep", 0.05],
        ["print", " { \"name\" : \"\\u0061\" } } ,"],
        ["sleep", 0.05],
        ["print", " \"id\" : $ID , \"error\" : null } \r\n"],
    ]);
    let mut stage = Stage::with_one_action(json!({ "execute a": moves }));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.record()["nodes"][0]["outputs"]["name"], "a");
}
