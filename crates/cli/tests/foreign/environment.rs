//! Runtimes start and work with the environment that plugins get, and do not see secrets.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{TENON, run_with, trial_within};

/// Runtimes take their time on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

const SECRET: &str = "s3cret";

const PYTHON: &str = r#"import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": dict(os.environ)}
    print(json.dumps(answer), flush=True)
"#;

/// For Node and Deno alike.
const SCRIPT: &str = r#"import { createInterface } from "node:readline";
import process from "node:process";
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { ...process.env } }));
}
"#;

/// What `tenon call` prints, with secrets and these variables in its environment.
async fn call<A: AsRef<OsStr>>(
    options: &[&str],
    plugin: impl IntoIterator<Item = A>,
    variables: &[(&str, &OsStr)],
    mark: &Mark,
) -> String {
    let secrets = [
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "DENO_AUTH_TOKENS",
        "NPM_TOKEN",
        "TENON_VAR_dsn",
    ];
    let secrets = secrets.map(|name| (name, OsStr::new(SECRET)));
    let variables = [&secrets[..], variables].concat();
    let mut args = vec![OsStr::new("call").to_owned()];
    args.extend(options.iter().map(|option| OsStr::new(option).to_owned()));
    args.extend(["--timeout", "200s", "--"].map(|word| OsStr::new(word).to_owned()));
    args.extend(plugin.into_iter().map(|word| word.as_ref().to_owned()));
    run_with(Path::new(TENON), args, &variables, mark).await
}

/// The environment of a plugin that answers with it.
async fn environment<A: AsRef<OsStr>>(
    plugin: impl IntoIterator<Item = A>,
    variables: &[(&str, &OsStr)],
    mark: &Mark,
) -> Value {
    let printed = call(&["env"], plugin, variables, mark).await;
    assert!(!printed.contains(SECRET), "{printed}");
    serde_json::from_str(&printed).expect("JSON")
}

fn folder_with(name: &str, content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, content).expect("a file");
    (folder, file)
}

#[tokio::test]
async fn python_in_an_environment_of_its_own() {
    trial_within(
        WATCHDOG,
        tools::python_with_msgpack(),
        async |python, mark| {
            let (folder, plugin) = folder_with("plugin.py", PYTHON);
            // Where a module is that it imports.
            std::fs::write(folder.path().join("greeting.py"), "TEXT = 'hi'\n").expect("a file");
            let importing = format!("import greeting, msgpack\n{PYTHON}");
            std::fs::write(&plugin, importing).expect("a file");
            let home = python.parent().and_then(Path::parent).expect("a folder");
            let variables = [
                ("VIRTUAL_ENV", home.as_os_str()),
                ("PYTHONPATH", folder.path().as_os_str()),
            ];
            let words = [python.as_os_str(), plugin.as_os_str()];
            let found = environment(words, &variables, mark).await;
            assert_eq!(found["PYTHONPATH"], folder.path().to_str().unwrap());
        },
    )
    .await;
}

#[tokio::test]
async fn node_with_modules() {
    let node = tools::node_with_vscode_jsonrpc();
    trial_within(WATCHDOG, node, async |(node, modules), mark| {
        let modules = modules.join("node_modules");
        let script = format!("require(\"vscode-jsonrpc/node\");\n{}", COMMON);
        let (_folder, plugin) = folder_with("plugin.cjs", &script);
        let variables = [
            ("NODE_PATH", modules.as_os_str()),
            ("NODE_OPTIONS", OsStr::new("--no-warnings")),
        ];
        let words = [node.as_os_str(), plugin.as_os_str()];
        let found = environment(words, &variables, mark).await;
        assert_eq!(found["NODE_OPTIONS"], "--no-warnings");
    })
    .await;
}

/// Modules that NODE_PATH leads to are found by `require` alone.
const COMMON: &str = r#"
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { ...process.env } }));
});
"#;

#[tokio::test]
async fn deno_with_its_cache() {
    let deno = tools::installed("deno/stamp").and(tools::installed("deno/deno"));
    trial_within(WATCHDOG, deno, async |deno, mark| {
        let (_folder, plugin) = folder_with("plugin.ts", SCRIPT);
        let cache = tempfile::tempdir().expect("a folder");
        let variables = [
            ("DENO_DIR", cache.path().as_os_str()),
            ("DENO_NO_UPDATE_CHECK", OsStr::new("1")),
        ];
        let flags = ["run", "-q", "--allow-env"].map(OsStr::new);
        let words = [&[deno.as_os_str()][..], &flags, &[plugin.as_os_str()]].concat();
        let found = environment(words, &variables, mark).await;
        assert_eq!(found["DENO_DIR"], cache.path().to_str().unwrap());
        let kept = std::fs::read_dir(cache.path()).expect("a folder").count();
        assert!(kept > 0, "nothing was cached in DENO_DIR");
    })
    .await;
}

#[tokio::test]
async fn a_server_by_npx() {
    let server = tools::installed("mcp/stamp").and(tools::on_path("npx"));
    let server = server.and_then(|npx| Ok((npx, tools::installed("mcp")?)));
    trial_within(WATCHDOG, server, async |(npx, prefix), mark| {
        let cache = tempfile::tempdir().expect("a folder");
        let variables = [("npm_config_cache", cache.path().as_os_str())];
        let words = [
            npx.as_os_str(),
            OsStr::new("--offline"),
            OsStr::new("--prefix"),
            prefix.as_os_str(),
            OsStr::new("mcp-server-everything"),
        ];
        let options = ["tools/list", "--protocol", "mcp"];
        let printed = call(&options, words, &variables, mark).await;
        assert!(printed.contains("Echoes back the input"), "{printed}");
    })
    .await;
}
