//! Secrets that providers write in another form: escaped, encoded, in part, over several lines.

use serde_json::json;

use crate::secrets::{PASSWORD, stage};
use crate::stage::{Stage, action};

/// Nothing that was printed or left behind has any spelling of the secret in it.
#[track_caller]
fn assert_no_spelling(stage: &Stage, printed: &str) {
    let spellings = serde_json::from_str(&stage.text("spellings.json"));
    let mut spellings: Vec<String> = spellings.expect("what it said");
    spellings.push("geheim".to_owned());
    let mut places = vec![("what was printed".to_owned(), printed.to_owned())];
    for name in ["orchard_", "report"] {
        let names = stage.files(name).into_iter();
        places.extend(names.map(|name| (name.clone(), stage.text(&name))));
    }
    for (place, text) in places {
        let told = { spellings.iter() }.find(|spelling| text.contains(spelling.as_str()));
        assert_eq!(told, None, "in {place}: {text}");
    }
}

/// In whatever spelling a provider says it: on stderr, on stdout, in errors and in outputs.
#[tokio::test]
async fn in_every_spelling() {
    for moves in [
        json!(["mutter", "work", "answer"]),
        json!(["mutter", ["exit", 1]]),
        json!([["blab", 1]]),
        json!([["blab", 12]]),
        json!(["refuse"]),
        json!(["hand_back_spellings"]),
    ] {
        for flags in ["", "--verbose", "--json"] {
            let mut stage = Stage::new(json!({ "execute a": moves }));
            let secret = "variable \"token\" {\n  sensitive = true\n}\n";
            let told = "output \"name\" {\n  value = action.put.a.name\n}\n";
            stage.scenario(&format!(
                "{secret}{}{told}",
                action("a", "secret = var.token")
            ));
            let token = "Zürich's \"geheim\"/<&>\\+ key";
            let variables = json!({ "token": token });
            stage.shell.file("secrets.json", &variables.to_string());
            let given = "--var-file secrets.json --junit report.xml";
            let run = stage
                .run(&format!("tenon run demo.hcl {given} {flags}"))
                .await;
            assert!(run.code.is_some_and(|code| code < 100), "{}", run.stderr);
            assert_no_spelling(&stage, &format!("{}{}", run.stdout, run.stderr));
        }
    }
}

/// The record knows a header and the scenario file is gone: the token in the header is a secret.
#[tokio::test]
async fn that_are_a_part_of_what_a_teardown_is_given() {
    let mut stage = Stage::new(json!({ "execute a": ["mutter", "work", "answer"] }));
    let header = "secret = \"Bearer ${var.token}\"";
    stage.scenario(&format!(
        "variable \"token\" {{}}\naction \"put\" \"a\" {{\n  name = \"a\"\n  {header}\n  lifecycle {{\n    \
         teardown {{\n      name = \"a\"\n      is_removed = true\n      {header}\n    }}\n  }}\n}}\n"
    ));
    let token = "geheim.token-0123";
    stage.shell.file("key", &"k".repeat(40));
    let line = format!("TENON_VAR_token={token} tenon run demo.hcl --record-key key --verbose");
    let run = stage.run(&line).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_no_spelling(&stage, &format!("{}{}", run.stdout, run.stderr));
    let record = stage.record_name();
    stage.shell.file("demo.hcl", "");
    let line = format!("tenon teardown {record} --record-key key --verbose");
    let teardown = stage.run(&line).await;
    assert_eq!(teardown.code, Some(0), "{}", teardown.stderr);
    assert!(teardown.stderr.contains("it is "), "{}", teardown.stderr);
    assert_no_spelling(&stage, &format!("{}{}", teardown.stdout, teardown.stderr));
}

/// A secret that is a word of ours does not spoil what we say.
#[tokio::test]
async fn words_of_our_own_are_not_masked() {
    let mut stage = Stage::new(json!({ "execute a": ["confess", ["exit", 1]] }));
    let secret = "variable \"token\" {\n  sensitive = true\n}\n";
    stage.scenario(&format!("{secret}{}", action("a", "secret = var.token")));
    let outcome = stage.run("TENON_VAR_token=plugin tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    let said = &outcome.stderr;
    assert!(
        said.contains("the plugin ended before it answered"),
        "{said}"
    );
    assert!(
        said.contains("I was told ") && said.contains("(sensitive)"),
        "{said}"
    );
}

/// A private key has many lines, and some providers talk a lot: hiding the one in the other must
/// not take longer than the run.
#[tokio::test]
async fn in_many_lines() {
    let mut stage = stage(json!({ "execute a": [["flood", 20_000], "work", "answer"] }));
    let line = |number| format!("line {number} of a key that is quite long and has odd letters\n");
    let key: String = (0..50).map(line).collect();
    let variables = json!({ "password": PASSWORD, "token": key });
    stage.shell.file("secrets.json", &variables.to_string());
    let line = "tenon run demo.hcl --var-file secrets.json";
    let outcome = stage.run(line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}
