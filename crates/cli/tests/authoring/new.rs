//! Every plugin that `tenon new` makes passes its own test.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::{trial, trial_within};

const KINDS: [&str; 6] = ["all", "function", "action", "resource", "storage", "hook"];

/// Building a plugin in Rust for the first time.
const BUILD: Duration = Duration::from_secs(900);

/// Makes a plugin of each kind, and runs its own test.
async fn check(language: &str, kinds: &[&str]) {
    let shell = Shell::new();
    for kind in kinds {
        let line =
            format!("tenon new a-{kind} --lang {language} --kind {kind} && cd a-{kind} && ./test");
        let outcome = shell.run_unnoted(&line).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{language} {kind}: {printed}");
        assert!(
            outcome.stdout.ends_with("all tests passed\n"),
            "{language} {kind}: {printed}"
        );
    }
}

#[tokio::test]
async fn plugins_in_bash_pass_their_tests() {
    trial(tools::on_path("bash"), async |_, _| {
        check("bash", &KINDS[..4]).await;
    })
    .await;
}

/// As the first message, and later, over each dialect of JSON-RPC in lines. The plugin goes on.
#[tokio::test]
async fn a_plugin_in_bash_answers_a_batch_with_an_error() {
    trial(tools::on_path("bash"), async |_, _| {
        let shell = Shell::new();
        let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
        let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
        let start = r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
        let line = format!(
            "tenon new one --lang bash --kind function >&2 && printf '%s\\n' '{batch}' '{ping}' '[]' | one/one && \
             printf '%s\\n' '{start}' '{batch}' '{ping}' | one/one | tail -n 2"
        );
        let outcome = shell.run_unnoted(&line).await;
        let problem = "this plugin takes no batches; send each message in a line of its own";
        let refused = format!(
            r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"{problem}"}}}}"#
        );
        let pong = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
        let expected = [&refused, pong, &refused, &refused, pong];
        let answers: Vec<&str> = outcome.stdout.lines().collect();
        assert_eq!(answers, expected, "{}", outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn plugins_in_python_pass_their_tests() {
    trial_within(BUILD, tools::python(), async |_, _| {
        check("python", &KINDS).await;
    })
    .await;
}

#[tokio::test]
async fn plugins_in_typescript_pass_their_tests() {
    trial_within(BUILD, tools::on_path("node"), async |_, _| {
        check("typescript", &KINDS).await;
    })
    .await;
}

/// The types of the code, which an author's editor and `tsc` check.
#[tokio::test]
async fn plugins_in_typescript_have_types() {
    let tools = tools::installed("typescript/stamp")
        .and(tools::installed("typescript/node_modules"))
        .and_then(|modules| Ok((tools::on_path("node")?, modules)));
    trial_within(BUILD, tools, async |(node, modules), _| {
        let shell = Shell::new();
        for kind in KINDS {
            let line = format!(
                "tenon new a-{kind} --lang typescript --kind {kind} && \
                 '{}' '{}' --project a-{kind} --typeRoots '{}'",
                node.display(),
                modules.join("typescript/bin/tsc").display(),
                modules.join("@types").display(),
            );
            let outcome = shell.run_unnoted(&line).await;
            let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
            assert_eq!(outcome.code, Some(0), "{kind}: {printed}");
        }
    })
    .await;
}

/// As the README of the plugin says.
#[tokio::test]
async fn plugins_in_typescript_run_on_deno_and_bun() {
    let deno = tools::installed("deno/stamp").and(tools::installed("deno/deno"));
    let bun = tools::installed("bun/node_modules/@oven/bun-linux-x64/bin/bun");
    let both = deno.and_then(|deno| Ok((deno, bun?)));
    trial_within(BUILD, both, async |(deno, bun), _| {
        let shell = Shell::new();
        let (deno, bun) = (deno.display(), bun.display());
        // The types of Node, which `deno test` would look for, are not there.
        let tests = format!(
            "tenon new a-all --lang typescript && cd a-all && \
             export HOME=\"$PWD\" DENO_DIR=\"$PWD/.deno\" DENO_NO_UPDATE_CHECK=1 && \
             '{deno}' test --allow-all --no-check --no-lock test_a-all.mjs && '{bun}' test ./test_a-all.mjs"
        );
        let outcome = shell.run_unnoted(&tests).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{printed}");
        for runtime in [format!("'{deno}' run -A --no-lock"), format!("'{bun}'")] {
            let line = format!(
                "cd a-all && HOME=\"$PWD\" tenon call greet '{{\"name\":\"World\"}}' -- {runtime} a-all.mjs"
            );
            let outcome = shell.run_unnoted(&line).await;
            assert_eq!(outcome.stdout, "\"hello, World\"\n", "{}", outcome.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn the_readme_of_a_plugin_is_short() {
    let shell = Shell::new();
    for language in ["python", "typescript", "rust", "bash"] {
        let line =
            format!("tenon new a-{language} --lang {language} && cat a-{language}/README.md");
        let outcome = shell.run_unnoted(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let text = std::fs::read_to_string(shell.path(&format!("a-{language}/README.md")));
        let text = text.expect("a README");
        let lines = text.lines().filter(|line| !line.is_empty()).count();
        assert!(lines <= 10, "{lines} lines: {text}");
    }
}

/// The folder where plugins are built: it is kept, so that dependencies are built once.
fn target() -> PathBuf {
    let tenon = Path::new(env!("CARGO_BIN_EXE_tenon"));
    let target = tenon.ancestors().nth(2).expect("target/debug/tenon");
    target.join("new-plugins")
}

#[tokio::test]
async fn plugins_in_rust_are_built_and_pass_their_tests() {
    let shell = Shell::new();
    let root = root();
    let environment = with_cargo(&shell);
    for kind in KINDS {
        // With the versions of this workspace, which are there.
        let line = format!(
            "{environment}tenon new a-{kind} --lang rust --kind {kind} && cd a-{kind} && cp '{}' . && \
             cargo fmt --check && ./test",
            root.join("Cargo.lock").display()
        );
        let outcome = shell.run_within(BUILD, &line).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{kind}: {printed}");
        assert!(!outcome.stderr.contains("warning"), "{kind}: {printed}");
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// The environment of cargo, which works offline, and builds where dependencies are kept.
fn with_cargo(shell: &Shell) -> String {
    // Of a configuration above it, because a host does not pass every variable on.
    std::fs::create_dir(shell.path(".cargo")).expect("a folder");
    let config = format!(
        "[build]\ntarget-dir = {:?}\n[net]\noffline = true\n",
        target()
    );
    shell.file(".cargo/config.toml", &config);
    let kept = |name: &str| {
        let value = std::env::var(name).unwrap_or_default();
        match value.is_empty() {
            true => String::new(),
            false => format!("export {name}='{value}'; "),
        }
    };
    ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"]
        .map(kept)
        .concat()
}

/// As a `tenon` that was installed needs it: without the sources that it was built from.
#[tokio::test]
async fn a_plugin_in_rust_uses_the_checkout_that_is_given() {
    let shell = Shell::new();
    let environment = with_cargo(&shell);
    let lock = root().join("Cargo.lock").display().to_string();
    std::os::unix::fs::symlink(root(), shell.path("sources")).expect("a link");
    // cargo looks for the crate where the manifest says, and resolves its dependencies.
    let line = format!(
        "{environment}tenon new one --lang rust --kind function --sdk sources && cd one && cp '{lock}' . && \
         cargo tree --invert tenon-plugin --depth 1 && cat Cargo.toml"
    );
    let outcome = shell.run_within(BUILD, &line).await;
    let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
    assert_eq!(outcome.code, Some(0), "{printed}");
    let dependency = r#"tenon-plugin = { path = "[folder]/sources/crates/plugin" }"#;
    assert!(outcome.stdout.contains(dependency), "{printed}");
    assert!(outcome.stdout.contains("one v"), "{printed}");

    let refused = shell
        .run_unnoted("tenon new two --lang rust --sdk one")
        .await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let problem = "one is not a checkout of Tenon: it has no crates/plugin/Cargo.toml";
    assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    let refused = shell
        .run_unnoted("tenon new two --lang python --sdk sources")
        .await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let problem = "--sdk is for plugins in Rust";
    assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    assert!(!shell.path("two").exists());
}

/// Without a terminal nothing is asked.
#[tokio::test]
async fn the_defaults_are_python_and_all() {
    let shell = Shell::new();
    let outcome = shell.run_unnoted("tenon new weather --json").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let made: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(
        (&made["language"], &made["kind"]),
        (&"python".into(), &"all".into())
    );
    let files = made["files"].as_array().expect("files");
    for file in files {
        let file = file.as_str().expect("a name");
        assert!(shell.path("weather").join(file).exists(), "{file}");
    }
    for needed in [
        "weather",
        "weather.py",
        "test",
        "README.md",
        "demo.hcl",
        "main.tf",
        "tenon.hcl",
    ] {
        assert!(
            files.iter().any(|file| file == needed),
            "{needed} in {files:?}"
        );
    }
    // Nothing else was left beside it.
    let names: Vec<_> = std::fs::read_dir(shell.path("."))
        .expect("a folder")
        .flatten()
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
}
