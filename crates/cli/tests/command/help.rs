//! Help, completions, the manual page, and what is wrong with a command line.

use insta::assert_snapshot;

use crate::support::shell::Shell;

#[tokio::test]
async fn help() {
    let mut shell = Shell::new();
    shell.run("tenon").await;
    shell.run("tenon --help").await;
    shell.run("tenon help call").await;
    shell.run("tenon call --help").await;
    shell.run("tenon serve --help").await;
    shell.run("tenon completions --help").await;
    shell.run("tenon version --help").await;
    shell.run("tenon man --help").await;
    shell.run("tenon echo --help").await;
    shell.run("tenon --version").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn help_on_scenarios_and_terraform() {
    let mut shell = Shell::new();
    for command in ["init", "list", "plan", "run", "teardown", "provider"] {
        shell.run(&format!("tenon {command} --help")).await;
    }
    for command in ["install", "pack", "list", "remove", "docs"] {
        shell.run(&format!("tenon provider {command} --help")).await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn help_on_hooks_state_and_agents() {
    let mut shell = Shell::new();
    for command in ["terraform", "state", "state serve", "acp"] {
        shell.run(&format!("tenon {command} --help")).await;
    }
    for command in [
        "agent",
        "chat",
        "guard",
        "policy",
        "policy check",
        "policy explain",
        "replay",
        "verify",
    ] {
        shell.run(&format!("tenon acp {command} --help")).await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn wrong_usage() {
    let mut shell = Shell::new();
    shell.run("tenon cal").await;
    shell.run("tenon call").await;
    shell.run("tenon call echo").await;
    shell.run("tenon call --repl").await;
    shell.run("tenon call -- tenon echo").await;
    shell.run("tenon call --repl echo -- tenon echo").await;
    shell
        .run("tenon call echo --repl --event -- tenon echo")
        .await;
    shell.run("tenon call echo --socket s -- tenon echo").await;
    shell
        .run("tenon call echo --dialect json -- tenon echo")
        .await;
    shell
        .run("tenon call echo --dialect json-rpc --protocol acp -- tenon echo")
        .await;
    shell.run("tenon call echo --timeout 5 -- tenon echo").await;
    shell
        .run("tenon call echo --timeout -1s -- tenon echo")
        .await;
    shell
        .run("tenon call echo --tiemout 5s -- tenon echo")
        .await;
    shell.run("tenon call echo 1 2 -- tenon echo").await;
    shell.run("tenon completions tcsh").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn wrong_params() {
    let mut shell = Shell::new();
    shell.file("broken.json", "{\n  \"a\": 1,\n}\n");
    shell.run("tenon call echo '{name:1}' -- tenon echo").await;
    shell.run("tenon call echo hello -- tenon echo").await;
    shell.run("tenon call echo '' -- tenon echo").await;
    shell.run("tenon call echo '1 2' -- tenon echo").await;
    shell
        .run("tenon call echo @missing.json -- tenon echo")
        .await;
    shell
        .run("tenon call echo @broken.json -- tenon echo")
        .await;
    shell.run("tenon call echo @. -- tenon echo").await;
    shell
        .run("printf '\\377' | tenon call echo - -- tenon echo")
        .await;
    shell.run("tenon call echo - -- tenon echo").await;
    let binary = "tenon call echo '[{\"$binary\":\"?\"}]' --dialect msgpack-rpc -- tenon echo";
    shell.run(binary).await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn completions_and_manual() {
    let shell = Shell::new();
    for (name, expected) in [
        ("bash", "complete -F _tenon"),
        ("zsh", "#compdef tenon"),
        ("fish", "complete -c tenon"),
    ] {
        let script = shell
            .run_unnoted(&format!("tenon completions {name}"))
            .await;
        assert_eq!(script.code, Some(0));
        assert_eq!(script.stderr, "");
        for word in [expected, "msgpack-rpc", "seasonings", "--timeout"] {
            // A dash has an escape or a quote of its own in some of them.
            let word = word.trim_start_matches('-');
            assert!(script.stdout.contains(word), "{name} lacks {word}");
        }
        assert!(!script.stdout.contains("[folder]"), "{name}");
    }
    for (command, parts) in [
        (
            "tenon man",
            [".TH tenon 1", "Exit codes", "tenon\\-call(1)"],
        ),
        (
            "tenon man call",
            [".TH tenon-call 1", "SH OPTIONS", "\\-\\-timeout"],
        ),
        (
            "tenon man provider pack",
            [".TH tenon-provider-pack 1", "SH OPTIONS", "\\-\\-mirror"],
        ),
    ] {
        let page = shell.run_unnoted(command).await;
        assert_eq!(page.code, Some(0));
        for part in parts {
            assert!(page.stdout.contains(part), "{command} lacks {part}");
        }
    }
    for (words, message) in [
        ("nothing", "unknown command `nothing`; see tenon --help"),
        (
            "provider nothing",
            "unknown command `provider nothing`; see tenon provider --help",
        ),
        ("call x", "unknown command `call x`; see tenon call --help"),
    ] {
        let page = shell.run_unnoted(&format!("tenon man {words}")).await;
        assert_eq!(page.code, Some(2));
        assert!(page.stderr.contains(message), "{}", page.stderr);
    }
}

/// The script must be one that bash can read.
#[tokio::test]
async fn bash_reads_its_completions() {
    let shell = Shell::new();
    let line = "tenon completions bash > script && bash -c '. ./script && complete -p tenon'";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

/// The text and the JSON say the same. What differs from build to build is checked by its form alone.
#[tokio::test]
async fn the_version_says_how_it_was_built() {
    let shell = Shell::new();
    let json = shell.run_unnoted("tenon version --json").await.stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(json["version"], "[version]");
    assert_eq!(json["profile"] == "debug", cfg!(debug_assertions), "{json}");
    let target = json["target"].as_str().expect("a text");
    assert!(target.starts_with(std::env::consts::ARCH), "{target}");
    assert!(target.contains(std::env::consts::OS), "{target}");
    assert_eq!(
        json["features"],
        serde_json::json!(["http", "postgres", "sqlite"])
    );
    assert_eq!(json["protocols"]["seasonings"], serde_json::json!(["1"]));
    assert_eq!(json["protocols"]["mcp"][0], "2025-11-25");
    assert_eq!(json["protocols"]["ipc"], serde_json::json!([]));
    let names = json["protocols"].as_object().expect("an object").len();
    assert_eq!(names, 7, "{json}");

    let text = shell.run_unnoted("tenon version").await.stdout;
    assert_eq!(text.lines().next(), Some("tenon [version]"));
    assert!(text.contains(&format!("\ntarget     {target}\n")), "{text}");
    let has_commit = text.contains("\ncommit     ");
    assert_eq!(has_commit, json["commit"].is_string(), "{text}");
    assert!(text.contains("\n  mcp         2025-11-25, "), "{text}");
}
