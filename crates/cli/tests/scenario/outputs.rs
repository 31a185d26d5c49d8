//! The outputs of scenarios on stdout: numbers, full disks, closed pipes.

use serde_json::json;

use crate::reports::events;
use crate::stage::{Stage, action, action_after};

const DIGITS: &str = "123456789012345678901234567890.125";

/// JSON has no infinity, so it cannot be printed; that is a failure.
#[tokio::test]
async fn infinite_numbers() {
    let mut stage = Stage::new(json!({}));
    let output = "  output \"large\" {\n    value = [pow(10, 1000000)]\n  }\n";
    stage.scenario(output);
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let said = "an infinite number cannot be written as JSON";
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("large"), "{}", outcome.stderr);
    // Nor can a provider be given one; no secret of an earlier run is to blame.
    stage.scenario(&action("a", "input = pow(10, 1000000)"));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("infinite"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("secret"), "{}", outcome.stderr);
}

#[tokio::test]
async fn numbers_keep_their_digits() {
    let mut stage = Stage::new(json!({
        "schema": { "actions": { "put": {
            "attrs": { "name": { "type": "string" }, "size": { "type": "number" } },
            "outputs": { "type": "object({name=string,size=number})" },
        } } },
        "execute": [["print", format!("{{\"id\":$ID,\"result\":{{\"outputs\":{{\"name\":\"a\",\"size\":{DIGITS}}}}}}}\n")]],
    }));
    stage.scenario(&format!(
        "  action \"put\" \"a\" {{\n    name = \"a\"\n    size = {DIGITS}\n  }}\n  output \"size\" \
         {{\n    value = action.put.a.size\n  }}\n  output \"sizes\" {{\n    value = \
         [{DIGITS}, action.put.a.size]\n  }}\n"
    ));
    let run = stage.run("tenon run demo.hcl --no-record").await;
    assert_eq!(
        run.stdout,
        format!("size = {DIGITS}\nsizes = [{DIGITS},{DIGITS}]\n")
    );
    let run = stage.run("tenon run demo.hcl --no-record --json").await;
    for part in [
        format!("\"name\":\"sizes\",\"value\":[{DIGITS},{DIGITS}]"),
        format!("\"outputs\":{{\"name\":\"a\",\"size\":{DIGITS}}}"),
    ] {
        assert!(run.stdout.contains(&part), "{part} in {}", run.stdout);
    }
    for form in ["", " --json"] {
        let plan = stage.run(&format!("tenon plan demo.hcl{form}")).await;
        assert_eq!(plan.stdout.matches(DIGITS).count(), 2, "{}", plan.stdout);
    }
}

/// Outputs that a schema does not declare are not dropped without a word.
#[tokio::test]
async fn undeclared_outputs() {
    let answer = json!({ "outputs": { "name": "a", "extra": 1, "more": { "x": 1 } } });
    let mut stage = Stage::new(json!({ "execute": ["work", ["answer", answer]] }));
    stage.scenario(&action("a", "count = 2"));
    let outcome = stage.run("tenon run demo.hcl --no-record").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let warning = "warning: the provider \"puppet\": its schema does not declare these outputs of \
                   \"put\", so they are dropped: extra, more\n";
    assert_eq!(
        outcome.stderr.matches(warning).count(),
        1,
        "{}",
        outcome.stderr
    );
    let outcome = stage.run("tenon run demo.hcl --no-record --json").await;
    let seen = events(&outcome.stdout);
    let warnings = seen.iter().filter(|event| event["event"] == "warning");
    assert_eq!(warnings.count(), 1, "{}", outcome.stdout);
}

/// Output that cannot be written is lost: that is reported, and the exit code is not 0.
#[tokio::test]
async fn a_full_disk_behind_stdout() {
    let mut stage = Stage::with_one_action(json!({}));
    let scenario = stage.text("demo.hcl");
    let output = "\n  output \"x\" {\n    value = 1\n  }\n}\n";
    let with_output = scenario.trim_end().trim_end_matches('}').to_owned() + output;
    stage.shell.file("demo.hcl", &with_output);
    for line in [
        "tenon run demo.hcl --no-record",
        "tenon run demo.hcl --no-record --json",
        "tenon plan demo.hcl",
        "tenon plan demo.hcl --json",
        "tenon plan demo.hcl --graph dot",
        "tenon list",
        "tenon completions bash",
        "tenon man",
        "tenon --help",
        "tenon --version",
        "tenon call add '[1,2]' -- tenon echo",
        "tenon builtin exec schema",
    ] {
        let outcome = stage.run(&format!("{line} > /dev/full")).await;
        assert_eq!(outcome.code, Some(1), "{line}: {}", outcome.stderr);
        assert!(
            outcome.stderr.contains("stdout"),
            "{line}: {}",
            outcome.stderr
        );
        let line = format!("{{ {line}; echo $? > code; }} | true");
        stage.run(&line).await;
        assert_eq!(stage.text("code"), "0\n", "{line}");
    }
}

/// Who reads only the first line does not stop the run.
#[tokio::test]
async fn a_reader_that_goes_away() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let line = "{ tenon run demo.hcl --json; echo $? > code; } | head -n 1";
    stage.run(line).await;
    assert_eq!(stage.text("code"), "0\n");
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    assert_eq!(stage.rows("puppet").await, "a b");
    stage.assert_is_closed();
}
