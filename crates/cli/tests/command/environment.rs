//! Which environment variables a plugin gets.

use serde_json::Value;

use crate::support::shell::Shell;

/// Answers with its environment.
const PLUGIN: &str = r#"import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": dict(os.environ)}
    print(json.dumps(answer), flush=True)
"#;

const SECRETS: &str = "AWS_SECRET_ACCESS_KEY=s3cret GITHUB_TOKEN=s3cret DATABASE_URL=s3cret \
                       PYTHON_TOKEN=s3cret SSH_AUTH_SOCK=s3cret TENON_VAR_dsn=s3cret \
                       TENON_RECORD_KEY=s3cret TF_VAR_password=s3cret";

fn shell() -> Shell {
    let shell = Shell::new();
    shell.file("plugin.py", PLUGIN);
    shell
}

/// The environment of a plugin, given what comes before `tenon` and the options of `tenon call`.
async fn environment(shell: &Shell, before: &str, options: &str) -> Value {
    let line = format!("{before} tenon call env {options} -- python3 plugin.py");
    let outcome = shell.run_unnoted(&line).await;
    assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

#[tokio::test]
async fn a_plugin_gets_no_secrets() {
    let shell = shell();
    let usual = "HTTPS_PROXY=http://proxy TZ=UTC DENO_DIR=/deno VIRTUAL_ENV=/venv";
    let found = environment(&shell, &format!("{SECRETS} {usual}"), "").await;
    assert!(!found.to_string().contains("s3cret"), "{found}");
    for (name, value) in [
        ("HTTPS_PROXY", "http://proxy"),
        ("TZ", "UTC"),
        ("DENO_DIR", "/deno"),
        ("VIRTUAL_ENV", "/venv"),
        ("LC_ALL", "C.UTF-8"),
    ] {
        assert_eq!(found[name], value, "{name}");
    }
}

#[tokio::test]
async fn variables_are_passed_on_if_the_command_line_says_so() {
    let shell = shell();
    let before = "AWS_REGION=here AWS_PROFILE=me STAGE=test OTHER=no";
    let options = "--env 'AWS_*' --env STAGE --env MODE=fast --env EMPTY= --env 'NONE_*'";
    let found = environment(&shell, before, options).await;
    for (name, value) in [
        ("AWS_REGION", "here"),
        ("AWS_PROFILE", "me"),
        ("STAGE", "test"),
        ("MODE", "fast"),
        ("EMPTY", ""),
    ] {
        assert_eq!(found[name], value, "{name}");
    }
    assert!(found["OTHER"].is_null());
    // A value on the command line counts more than what is inherited.
    let found = environment(&shell, before, "--env STAGE --env STAGE=live").await;
    assert_eq!(found["STAGE"], "live");
}

#[tokio::test]
async fn all_variables_but_those_of_tenon_are_passed_on_if_asked_for() {
    let shell = shell();
    let found = environment(&shell, SECRETS, "--env-all").await;
    assert_eq!(found["AWS_SECRET_ACCESS_KEY"], "s3cret");
    for name in ["TENON_VAR_dsn", "TENON_RECORD_KEY"] {
        assert!(found[name].is_null(), "{name}");
        let named = environment(&shell, SECRETS, &format!("--env-all --env {name}")).await;
        assert_eq!(named[name], "s3cret");
    }
}

#[tokio::test]
async fn mistakes_and_hints() {
    let mut shell = shell();
    for line in [
        "tenon call env --env STAGE -- python3 plugin.py",
        "tenon call env --env =s3cret -- python3 plugin.py",
        "tenon call env --env 'A_*=s3cret' -- python3 plugin.py",
        "tenon call env --env STAGE=s3cret --socket ./none",
        "tenon call env --env-all --tcp 1",
        "AWS_REGION=here tenon call env -- sh -c 'echo AWS_REGION is not set >&2; exit 1'",
        "AWS_REGION=here tenon call env -- sh -c 'echo no region >&2; exit 1'",
        "A_B=1 C_D=2 tenon call env -- sh -c 'exit 1'",
        "A_B=1 tenon call env --env A_B -- sh -c 'echo A_B >&2; exit 1'",
        "A_B=1 tenon call env --env-all -- sh -c 'echo A_B >&2; exit 1'",
    ] {
        let outcome = shell.run(line).await;
        assert!(!outcome.stderr.contains("s3cret"), "{}", outcome.stderr);
    }
    insta::assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn a_program_is_looked_for_in_the_path_that_it_gets() {
    let shell = shell();
    shell.program("given", "#!/bin/sh\nexec tenon echo\n");
    for (options, code, expected) in [
        (
            "--env PATH=/nowhere -- given",
            3,
            "given is not in the PATH that --env sets",
        ),
        ("--env PATH=\"$PWD:$PATH\" -- given", 0, ""),
        ("--env PATH=\"$PATH\" -- ./given", 0, ""),
    ] {
        let outcome = shell
            .run_unnoted(&format!("tenon call add '[1,2]' {options}"))
            .await;
        assert_eq!(outcome.code, Some(code), "{options}: {}", outcome.stderr);
        assert!(
            outcome.stderr.contains(expected),
            "{options}: {}",
            outcome.stderr
        );
    }
}
