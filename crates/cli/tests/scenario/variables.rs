//! Where variables come from, and which of them wins.

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::Stage;

fn stage() -> Stage {
    let stage = Stage::new(json!({}));
    stage.scenario(
        r#"
  variable "who" {
    type    = string
    default = "default"
  }
  variable "count" {
    type    = number
    default = 1
  }
  output "told" {
    value = "${var.who} ${var.count + 1}"
  }
"#,
    );
    stage
        .shell
        .file("first.hcl", "who   = \"first file\"\ncount = 10\n");
    stage.shell.file("second.json", "{\"who\":\"second file\"}");
    stage.shell.file("third.yaml", "who: third file\n");
    stage
}

#[tokio::test]
async fn later_ones_win() {
    let mut stage = stage();
    for (before, flags, told) in [
        ("", "", "default 2"),
        ("TENON_VAR_who=environment", "", "environment 2"),
        (
            "TENON_VAR_who=environment",
            "--var-file first.hcl",
            "first file 11",
        ),
        (
            "",
            "--var-file first.hcl --var-file second.json",
            "second file 11",
        ),
        (
            "",
            "--var-file second.json --var-file third.yaml",
            "third file 2",
        ),
        (
            "TENON_VAR_count=5",
            "--var who=line --var-file first.hcl",
            "line 11",
        ),
        (
            "TENON_VAR_count=5",
            "--var who=line --var who=last",
            "last 6",
        ),
        ("", "--var who= --var count=2*3", " 7"),
    ] {
        let line = format!("{before} tenon run demo.hcl --no-record {flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(outcome.stdout, format!("told = {told}\n"), "{line}");
    }
}

#[tokio::test]
async fn values_that_do_not_fit() {
    let mut stage = stage();
    stage.shell.file("broken.hcl", "who = \n");
    stage.shell.file("unknown.json", "{\"whom\":1}");
    for flags in [
        "--var whom=x",
        "--var who",
        "--var count=many",
        "--var 'count=[1]'",
        "--var-file missing.hcl",
        "--var-file broken.hcl",
        "--var-file unknown.json",
    ] {
        let outcome = stage.run(&format!("tenon run demo.hcl {flags}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    }
    assert!(stage.files("orchard_").is_empty());
    assert_snapshot!(stage.transcript());
}

/// A resumed run uses the variables of the run.
#[tokio::test]
async fn kept_in_the_record() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = Stage::new(json!({ "execute given 1": [["error", error]] }));
    stage.scenario(
        r#"
  variable "who" {
    type    = string
    default = "default"
  }
  action "put" "a" {
    name = var.who
  }
"#,
    );
    assert_eq!(
        stage.run("tenon run demo.hcl --var who=given").await.code,
        Some(1)
    );
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "given");
}
