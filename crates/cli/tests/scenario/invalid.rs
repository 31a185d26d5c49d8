//! Scenarios that are wrong: every problem with the lines it is in, exit code 2, and nothing done.

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::Stage;

/// Neither plan nor run accepts it, and they say the same.
async fn refused(stage: &mut Stage) {
    let planned = stage.run("tenon plan demo.hcl").await;
    assert_eq!(planned.code, Some(2), "{}", planned.stderr);
    let run = stage.shell.run_unnoted("tenon run demo.hcl").await;
    assert_eq!((run.code, run.stderr), (Some(2), planned.stderr));
    assert!(stage.files("orchard_").is_empty());
    assert!(stage.files("puppet.started").is_empty());
}

#[tokio::test]
async fn texts_that_cannot_be_read() {
    let mut stage = Stage::new(json!({}));
    for text in [
        "scenario \"demo\" {\n",
        "scenario \"demo\" {\n  action = = 1\n}\n",
        "scenario \"demo {\n}\n",
        "scenario demo extra {}\n",
        "",
        "scenarios \"demo\" {}\n",
        "scenario \"a\" {}\nscenario \"a\" {}\n",
    ] {
        stage.shell.file("demo.hcl", text);
        refused(&mut stage).await;
    }
    std::fs::write(stage.shell.path("demo.hcl"), b"scenario \"\xff\" {}\n").expect("a file");
    refused(&mut stage).await;
    std::fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    refused(&mut stage).await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn things_that_do_not_fit() {
    let mut stage = Stage::new(json!({}));
    for text in [
        "  action \"putt\" \"a\" {\n    name = \"a\"\n  }\n",
        "  action \"put\" \"a\" {\n  }\n",
        "  action \"put\" \"a\" {\n    name = \"a\"\n    nmae = \"b\"\n  }\n",
        "  action \"put\" \"a\" {\n    name       = \"a\"\n    is_removed = \"maybe\"\n  }\n",
        "  action \"put\" \"a\" {\n    name = action.put.b.name\n  }\n",
        "  action \"put\" \"a\" {\n    name = var.missing\n  }\n",
        "  action \"put\" \"a\" {\n    name = action.put.a.name\n  }\n",
        "  action \"put\" \"a\" {\n    name = action.put.b.name\n  }\n  action \"put\" \"b\" {\n    name = action.put.a.name\n  }\n",
        "  action \"put\" \"a\" {\n    name = \"a\"\n  }\n  action \"put\" \"b\" {\n    name = action.put.a.size\n  }\n",
        "  action \"put\" \"a\" {\n    name    = \"a\"\n    timeout = \"soon\"\n  }\n",
        "  action \"put\" \"a\" {\n    name = \"a\"\n    retry {\n      attempts = 0\n    }\n  }\n",
        "  provider \"puppet\" {\n    greting = 1\n  }\n",
        "  provider \"pupet\" {\n  }\n",
        "  variable \"who\" {\n  }\n",
    ] {
        stage.scenario(text);
        refused(&mut stage).await;
    }
    assert_snapshot!(stage.transcript());
}
