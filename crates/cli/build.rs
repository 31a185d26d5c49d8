//! Embeds the files of `templates/`, from which `tenon new` makes plugins.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let variable = |name: &str| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let templates = variable("CARGO_MANIFEST_DIR").join("templates");
    let mut files = Vec::new();
    collect(&templates, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&templates).expect("it was found there");
        let name = name.to_str().expect("names are plain");
        let file = file
            .to_str()
            .expect("the folder of the crate has a name in UTF-8");
        writeln!(text, "    ({name:?}, include_bytes!({file:?})),").expect("memory");
    }
    text.push_str("]\n");
    fs::write(variable("OUT_DIR").join("templates.rs"), text).expect("OUT_DIR can be written");
}

/// Every file below a folder. The SDKs are links to folders, which are followed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder that can be read").path();
        match path.is_dir() {
            // What Python leaves behind when the SDK is tested.
            true if path.ends_with("__pycache__") => {}
            true => collect(&path, files),
            // The SDK for `require` is not needed beside a module.
            false
                if path
                    .extension()
                    .is_some_and(|ending| ending == "cjs" || ending == "cts") => {}
            false => files.push(path),
        }
    }
}
