//! What is published: each crate's metadata and files, and how much a small build depends on.

// The tree is the same on all systems.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "cargo knows what a package contains and what its features need"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

#[track_caller]
fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .args(["--offline", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// The crates of the workspace, as `cargo metadata` describes them.
fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().clone();
    assert!(packages.len() >= 15, "{}", packages.len());
    packages
}

fn text<'v>(package: &'v Value, field: &str) -> &'v str {
    let name = &package["name"];
    package[field]
        .as_str()
        .unwrap_or_else(|| panic!("{name} has no {field}"))
}

fn words<'v>(package: &'v Value, field: &str) -> Vec<&'v str> {
    let words = package[field].as_array().unwrap();
    words.iter().map(|word| word.as_str().unwrap()).collect()
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(text(package, "manifest_path"));
    manifest.parent().unwrap().to_owned()
}

/// The slugs of crates.io that fit our crates. crates.io ignores one that it does not know.
const CATEGORIES: [&str; 14] = [
    "api-bindings",
    "asynchronous",
    "command-line-interface",
    "command-line-utilities",
    "config",
    "data-structures",
    "database",
    "development-tools",
    "development-tools::testing",
    "encoding",
    "network-programming",
    "os::unix-apis",
    "parser-implementations",
    "text-processing",
];

#[test]
fn every_crate_describes_itself() {
    for package in packages() {
        let name = text(&package, "name");
        let description = text(&package, "description");
        assert!(
            description.len() <= 120 && !description.ends_with('.'),
            "{name}: {description}"
        );
        let keywords = words(&package, "keywords");
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        for keyword in keywords {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(keyword.len() <= 20, "{name}: {keyword}");
            assert!(keyword.chars().all(is_plain), "{name}: {keyword}");
        }
        let categories = words(&package, "categories");
        assert!(
            (1..=5).contains(&categories.len()),
            "{name}: {categories:?}"
        );
        for category in categories {
            assert!(CATEGORIES.contains(&category), "{name}: {category}");
        }
        for field in ["license", "rust_version"] {
            text(&package, field);
        }
        let title = format!("# {name}\n");
        let readme = folder(&package).join(text(&package, "readme"));
        let readme = fs::read_to_string(readme).unwrap();
        assert!(readme.starts_with(&title), "the README of {name}");
    }
}

/// Examples in READMEs are doctests, except those of the command.
#[test]
fn every_readme_is_tested() {
    for package in packages() {
        let folder = folder(&package);
        let lib = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let is_tested = lib.contains("#[doc = include_str!(\"../README.md\")]");
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        assert_eq!(
            is_tested,
            readme.contains("```rust"),
            "{}",
            folder.display()
        );
    }
}

#[test]
fn links_in_readmes_lead_somewhere() {
    for package in packages() {
        let folder = folder(&package);
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for link in readme.split("](").skip(1) {
            let link = &link[..link.find([')', '#']).unwrap()];
            let target = folder.join(link);
            assert!(target.is_file(), "{} links to {link}", folder.display());
        }
    }
}

/// A package has the sources, the licences and no tests, which need the rest of the workspace.
#[test]
fn packages_contain_what_is_needed() {
    for package in packages() {
        let name = text(&package, "name");
        let list = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
        let files: BTreeSet<&str> = list.lines().collect();
        let needed = [
            "Cargo.toml",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "src/lib.rs",
        ];
        for file in needed {
            assert!(files.contains(file), "{name} lacks {file}: {list}");
        }
        // What `tenon new` writes: the templates, and the SDKs beside them.
        for template in [
            "build.rs",
            "templates/bash/plugname",
            "templates/python/tenon_plugin/__init__.py",
            "templates/rust/src/main.rs",
            "templates/shared/test",
            "templates/typescript/tenon-sdk/index.js",
        ] {
            assert_eq!(
                files.contains(template),
                name == "tenon-cli",
                "{template}: {list}"
            );
        }
        let generated = "src/generated/tfplugin6.rs";
        assert_eq!(files.contains(generated), name == "tenon-tfplugin");
        assert!(
            !files.iter().any(|file| file.starts_with("tests")),
            "{list}"
        );
    }
}

/// The names of the crates that a package is built from, on this platform.
fn tree(args: &[&str]) -> BTreeSet<String> {
    let mut all = vec!["tree", "--edges", "normal", "--prefix", "none", "--package"];
    all.extend(args);
    let tree = cargo(&all);
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[track_caller]
fn assert_without(tree: &BTreeSet<String>, heavy: &[&str]) {
    for name in heavy {
        assert!(!tree.contains(*name), "{name} in {tree:#?}");
    }
}

/// Servers and clients on sockets pass values on without decoding them.
#[test]
fn sockets_need_no_values() {
    let tree = tree(&["tenon-ipc"]);
    assert!(tree.contains("tenon-protocols"), "{tree:#?}");
    assert_without(&tree, &["tenon-values", "tenon-schema"]);
}

/// The author of a plugin builds the engine, the values and no more. Two of the crates are for signals, so that a plugin can
/// finish what it has begun.
#[test]
fn a_plugin_needs_few_crates() {
    let tree = tree(&["tenon-plugin"]);
    assert!(tree.contains("tenon-rpc"), "{tree:#?}");
    assert!(tree.len() <= 46, "{} crates: {tree:#?}", tree.len());
    assert_without(&tree, &["tenon-host", "rustls", "hyper", "regex", "clap"]);
}

/// `--no-default-features` builds a command without databases and TLS.
#[test]
fn the_command_can_be_built_without_databases_and_tls() {
    let tree = tree(&["tenon-cli", "--no-default-features"]);
    assert!(tree.contains("tenon-providers"), "{tree:#?}");
    let heavy = [
        "rustls",
        "aws-lc-sys",
        "ring",
        "reqwest",
        "rusqlite",
        "tokio-postgres",
    ];
    assert_without(&tree, &heavy);
}
