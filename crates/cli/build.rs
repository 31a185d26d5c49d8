//! Embeds the files of `templates/`, from which `tenon new` makes plugins, and what `tenon version` says of this build.

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
    describe_build(&variable("CARGO_MANIFEST_DIR"), &variable("OUT_DIR"));
}

/// Sets the variables that `commands/version.rs` reads.
fn describe_build(crate_folder: &Path, out: &Path) {
    println!("cargo::rerun-if-env-changed=TENON_COMMIT");
    let target = env::var("TARGET").expect("cargo sets it");
    println!("cargo::rustc-env=TENON_TARGET={target}");
    println!("cargo::rustc-env=TENON_PROFILE={}", profile(out));
    // For `tenon new`. Programs for other machines are built with other names for the folders of this one, and must not know
    // this one either.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if !flags.contains("--remap-path-prefix") {
        println!("cargo::rustc-env=TENON_SOURCES={}", crate_folder.display());
    }
    if let Some(commit) = env::var("TENON_COMMIT")
        .ok()
        .or_else(|| published_commit(crate_folder))
    {
        println!("cargo::rustc-env=TENON_COMMIT={commit}");
    }
}

/// The name of the profile. `PROFILE` has only the one that it inherits from, so this is the folder above
/// `build/PACKAGE/out`.
fn profile(out: &Path) -> String {
    let folder = out.ancestors().nth(3).and_then(Path::file_name);
    match folder.and_then(|name| name.to_str()) {
        Some(name)
            if out
                .ancestors()
                .nth(2)
                .is_some_and(|path| path.ends_with("build")) =>
        {
            name.to_owned()
        }
        _ => env::var("PROFILE").expect("cargo sets it"),
    }
}

/// The commit that `cargo package` wrote into a published crate.
fn published_commit(crate_folder: &Path) -> Option<String> {
    let text = fs::read_to_string(crate_folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    let commit = after.split('"').nth(1)?;
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit.to_owned())
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
