//! What pages and lock files say about the tree.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{root, walk};

/// The page that says which test holds which threat names tests that exist.
#[test]
fn every_threat_has_its_test() {
    let page = fs::read_to_string(root().join("docs/reference/security.md")).unwrap();
    let mut named = 0;
    for word in page.split('`') {
        let Some((file, test)) = word.split_once(".rs::") else {
            continue;
        };
        let file = root().join(format!("{file}.rs"));
        let text = fs::read_to_string(&file);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(
            text.contains(&format!("fn {test}(")),
            "{} has no test {test}",
            file.display()
        );
        named += 1;
    }
    assert!(
        named > 30,
        "only {named} tests are named in docs/reference/security.md"
    );
}

/// Whether a word in backticks names a file or a folder. Words such as `tools/call` are methods.
fn is_path(word: &str) -> bool {
    let endings = [".rs", ".md", ".py", ".json", ".jsonl", ".toml", ".hcl", "/"];
    let has_placeholder = word.contains(['<', ' ', '*']);
    endings.iter().any(|ending| word.ends_with(ending)) && !has_placeholder
}

/// A page that names files which have moved misleads new readers. Paths begin at the root, in `crates/`, or
/// anywhere inside a crate's sources.
#[test]
fn every_path_in_the_architecture_exists() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut files = Vec::new();
    walk(&root().join("crates"), &mut files);
    let exists = |word: &str| {
        let path = Path::new(word.trim_end_matches('/'));
        let is_part = |file: &PathBuf| file.ancestors().any(|part| part.ends_with(path));
        root().join(word).exists()
            || root().join("crates").join(word).exists()
            || files.iter().any(is_part)
    };
    let words: Vec<&str> = { page.split('`') }.filter(|word| is_path(word)).collect();
    assert!(words.len() > 150, "only {} paths are named", words.len());
    let missing: Vec<&&str> = words.iter().filter(|word| !exists(word)).collect();
    assert!(missing.is_empty(), "these do not exist: {missing:?}");
}

/// The libraries need an older Rust than the command.
#[test]
fn the_readme_says_which_rust_is_needed() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for (manifest, before) in [
        ("crates/cli/Cargo.toml", "builds Tenon (with"),
        ("Cargo.toml", "The libraries need"),
    ] {
        let text = fs::read_to_string(root().join(manifest)).unwrap();
        let lines = text.lines();
        let version = lines
            .filter_map(|line| line.strip_prefix("rust-version = \""))
            .find_map(|line| line.strip_suffix('"'));
        let version = version.unwrap_or_else(|| panic!("{manifest} names no version of Rust"));
        let sentence = format!("{before} Rust {version} or newer");
        assert!(readme.contains(&sentence), "no `{sentence}` in README.md");
    }
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_foreign = ["target", "node_modules"]
            .iter()
            .any(|name| path.ends_with(name));
        if path.is_dir() && !is_foreign {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Screen readers announce the header of each cell, and a reader who jumps to a table sees nothing else.
#[test]
fn every_column_of_a_table_has_a_header() {
    let mut found = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    for folder in ["docs", "examples"] {
        pages(&root().join(folder), &mut found);
    }
    assert!(found.len() > 40, "only {} pages found", found.len());
    for file in found {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            let is_header = pair[1].starts_with("|---");
            let inner = pair[0]
                .strip_prefix('|')
                .and_then(|line| line.trim_end().strip_suffix('|'));
            let is_empty =
                inner.is_some_and(|line| line.split('|').any(|cell| cell.trim().is_empty()));
            assert!(!is_header || !is_empty, "{}: {}", file.display(), pair[0]);
        }
    }
}

/// What the tests install is pinned by hash, whatever mirror it comes from.
#[test]
fn tools_come_from_lock_files_with_hashes() {
    let mut locks = 0;
    for entry in fs::read_dir(root().join("scripts/locks")).unwrap() {
        let path = entry.unwrap().path();
        let npm = path.join("package-lock.json");
        if npm.exists() {
            let lock: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(&npm).unwrap()).unwrap();
            for (name, package) in lock["packages"].as_object().unwrap() {
                let is_the_tool_itself = name.is_empty();
                assert!(
                    is_the_tool_itself || package["integrity"].is_string(),
                    "{name} has no hash in {}",
                    npm.display()
                );
                assert!(
                    package.get("resolved").is_none(),
                    "{name} has an address in {}: write it with scripts/lock",
                    npm.display()
                );
            }
            locks += 1;
        } else if path.extension().is_some_and(|end| end == "txt") {
            let text = fs::read_to_string(&path).unwrap();
            // A requirement goes over several lines, each but the last with a backslash at its end.
            for requirement in text.replace("\\\n", " ").lines() {
                assert!(
                    requirement.contains("--hash=sha256:"),
                    "no hash in {}: {requirement}",
                    path.display()
                );
            }
            locks += 1;
        }
    }
    assert!(locks >= 7, "only {locks} lock files found");
}
