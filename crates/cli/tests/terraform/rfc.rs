//! The two examples of the RFC, as they are printed there: hooks that estimate costs, and a storage with functions.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::Value;

use crate::room;
use crate::tools;
use crate::workspace::{Workspace, trial};

const CONFIGURATION: &str = r#"
terraform {
  backend "http" {}
}
variable "price" {
  type    = number
  default = 10
}
resource "terraform_data" "a" { input = { price = var.price } }
"#;

const PLUGINS: &str = r#"
plugin "cost-estimator" { command = ["node", "cost_estimator.mjs"] }
plugin "cloud-toolkit" { command = ["node", "cloud_toolkit.mjs"] }
hooks   = ["cost-estimator"]
storage = "cloud-toolkit"
"#;

/// What the second example imports, if it is there.
fn zod() -> Option<PathBuf> {
    match { tools::on_path("node") }
        .and_then(|_| tools::installed("schemas", "node_modules/zod/index.js"))
    {
        Ok(zod) => Some(zod),
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "zod is needed under CI=true: {why}");
            tools::say(&format!("skipped: {why}"));
            None
        }
    }
}

/// Writes the examples into the folder. Only what the RFC leaves to the reader is different: where a price is, and a client of S3,
/// which keeps its objects as files.
fn write_examples(workspace: &Workspace, zod: &Path) {
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/typescript");
    let sdk = sdk.canonicalize().unwrap();
    let read = |name: &str| {
        let text = fs::read_to_string(sdk.join("test/rfc").join(name)).unwrap();
        let index = sdk.join("dist/index.js");
        replaced(&text, "'@tenon/sdk'", &format!("'{}'", index.display()))
    };
    let cost = replaced(
        &read("cost_estimator.mjs"),
        "=> ({ monthly: after.price })",
        "=> ({ monthly: after.input.price })",
    );
    let cost = replaced(&cost, "sum + after.price", "sum + after.input.price");
    workspace.write("cost_estimator.mjs", &cost);
    let toolkit = replaced(
        &read("cloud_toolkit.mjs"),
        "\"zod\"",
        &format!("'{}'", zod.display()),
    );
    let toolkit = replaced(
        &toolkit,
        "const objects = new Map();",
        "const objects = files(\"objects\");",
    );
    let files = r#"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
function files(folder) {
  const path = (key) => `${folder}/${encodeURIComponent(key)}`;
  mkdirSync(folder, { recursive: true });
  return {
    get: (key) => existsSync(path(key)) ? readFileSync(path(key)) : undefined,
    set: (key, body) => writeFileSync(path(key), body),
    keys: () => readdirSync(folder).map(decodeURIComponent),
  };
}
"#;
    workspace.write("cloud_toolkit.mjs", &format!("{toolkit}{files}"));
    workspace.write("main.tf", CONFIGURATION);
}

#[track_caller]
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

fn state(workspace: &Workspace, name: &str) -> Value {
    let path = workspace.path(&format!("objects/states%2F{name}"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_examples_work_around_terraform() {
    let Some(zod) = zod() else { return };
    trial(|workspace| {
        write_examples(workspace, &zod);
        workspace.write("tenon.hcl", PLUGINS);
        workspace.run("init").succeeds();
        let applied = workspace.run("apply -auto-approve").succeeds();
        applied.says("Total plan cost: $10/month");
        assert_eq!(state(workspace, "default")["serial"], 1);
        let metadata = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        assert!(
            metadata.contains(r#""estimated_cost":{"monthly":10}"#),
            "{metadata}"
        );
        workspace.run("plan -detailed-exitcode").succeeds();

        // One resource is too dear, and then the whole plan.
        let refused = workspace.run("apply -auto-approve -var price=2000");
        assert_eq!(refused.code, Some(1), "{refused}");
        refused.says("Estimated cost: $2000/month");
        let refused = workspace.run("plan -var price=6000");
        assert_eq!(refused.code, Some(1), "{refused}");
        refused.says("Total plan cost: $6000/month");
        assert_eq!(state(workspace, "default")["serial"], 1);
    });
}

#[test]
fn the_storage_is_served() {
    let Some(zod) = zod() else { return };
    trial(|workspace| {
        write_examples(workspace, &zod);
        let words = ["state", "serve", "--", "node", "cloud_toolkit.mjs"];
        let mut server = workspace.start(&words);
        // The output ends while the server runs.
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let variables: Vec<(String, String)> = stdout
            .lines()
            .filter_map(|line| {
                let line = line.unwrap();
                let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
                Some((name.to_owned(), value.trim_matches('\'').to_owned()))
            })
            .collect();
        workspace.terraform("init", &variables).succeeds();
        for (price, serial) in [(10, 1), (20, 2)] {
            let words = format!("apply -auto-approve -var price={price}");
            workspace.terraform(&words, &variables).succeeds();
            assert_eq!(state(workspace, "default")["serial"], serial);
        }
        room::signal(&server, Signal::TERM);
        let code = room::wait(&mut server, "tenon state serve");
        let mut said = String::new();
        server.stderr.unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(code, Some(0), "{said}");
    });
}
