//! What must stay true of the whole tree, stated as absences.

// The tree is the same on all systems.
#![cfg(unix)]

mod dependencies;
mod documents;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The Rust files below a folder.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The Rust files below `crates/<name>/src` of every crate, with the crate's name.
fn sources() -> Vec<(String, PathBuf, String)> {
    let mut sources = Vec::new();
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = folder.file_name().into_string().unwrap();
        let mut files = Vec::new();
        walk(&folder.path().join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            sources.push((name.clone(), file, text));
        }
    }
    assert!(
        sources.len() > 20,
        "the sources have moved; so must this test"
    );
    sources
}

/// Lines of code that contain `needle`, outside the places where it is allowed. Comments may say
/// anything.
#[track_caller]
fn only_in(needle: &str, is_allowed: impl Fn(&str, &Path) -> bool) {
    for (name, file, text) in sources() {
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let found = text
            .lines()
            .filter(is_code)
            .find(|line| line.contains(needle));
        if let Some(line) = found {
            assert!(
                is_allowed(&name, &file),
                "{needle} in {}: {line}",
                file.display()
            );
        }
    }
}

fn is_file(file: &Path, end: &str) -> bool {
    file.ends_with(end)
}

#[test]
fn only_the_host_starts_processes() {
    // Terraform is not a plugin: it has the user's terminal.
    let may = |name: &str, file: &Path| name == "host" || is_file(file, "hooks/src/program.rs");
    only_in("tokio::process", may);
    only_in("process::Command", may);
    only_in("process::{Child", |name, _| name == "host");
}

#[test]
fn stdout_belongs_to_the_protocols() {
    for print in ["println!", "print!(", "dbg!("] {
        only_in(print, |_, _| false);
    }
    only_in("io::stdout()", |_, file| {
        is_file(file, "cli/src/output.rs")
            || is_file(file, "rpc/src/stdio/unix.rs")
            || is_file(file, "rpc/src/stdio/windows.rs")
            // The mode of the console that it may be; nothing is written.
            || is_file(file, "host/src/console.rs")
            // The line by which Terraform finds its provider.
            || is_file(file, "tfplugin/src/go_plugin.rs")
            // The schema that a provider prints instead of serving.
            || is_file(file, "plugin/src/serving.rs")
    });
}

#[test]
fn nothing_is_unbounded() {
    only_in("unbounded", |_, _| false);
    only_in("mpsc::channel::<", |_, _| false);
}

#[test]
fn unsafe_code_has_eight_places() {
    only_in("unsafe {", |_, file| {
        is_file(file, "host/src/platform/unix/child.rs")
            || is_file(file, "host/src/platform/unix/linux/clone.rs")
            || is_file(file, "host/src/platform/unix/other/exit.rs")
            || is_file(file, "host/src/platform/windows/kernel.rs")
            || is_file(file, "host/src/platform/windows/kernel/console.rs")
            || is_file(file, "host/src/platform/windows/kernel/names.rs")
            || is_file(file, "host/src/sandbox/linux/kernel.rs")
            || is_file(file, "tfplugin/src/go_plugin/platform/windows/kernel.rs")
    });
    only_in("unsafe fn", |_, _| false);
    only_in("unsafe impl", |_, _| false);
}

/// In the host, systems differ in `platform` and `sandbox` alone; what is for Windows is exported for ipc by `lib.rs`.
#[test]
fn systems_differ_in_three_files_of_the_host() {
    for cfg in ["target_os", "target_vendor"] {
        only_in(cfg, |name, file| {
            name != "host"
                || is_file(file, "host/src/platform.rs")
                || is_file(file, "host/src/platform/unix.rs")
                || is_file(file, "host/src/sandbox.rs")
        });
    }
}

#[test]
fn the_engine_names_no_method() {
    let names = [
        "\"health\"",
        "\"initialize\"",
        "\"init\"",
        "\"describe\"",
        "\"shutdown\"",
        "\"$/cancel",
    ];
    for method in names {
        only_in(method, |name, _| name != "rpc" && name != "wire");
    }
}

#[test]
fn the_engine_names_no_error_of_a_protocol() {
    let names = [
        "\"invalid_request\"",
        "\"unknown_method\"",
        "\"validation_failed\"",
        "\"internal_error\"",
    ];
    for error in names {
        only_in(error, |name, _| name != "rpc" && name != "wire");
    }
}

/// Which ext types of msgpack have a meaning is for protocols to say. The tests of the conversion need
/// an example.
#[test]
fn the_engine_names_no_ext_type() {
    for code in ["\"$unknown\"", "ExtName {"] {
        only_in(code, |name, file| {
            name != "rpc" && name != "wire" || is_file(file, "wire/src/transcode.rs")
        });
    }
}

#[test]
fn nothing_is_left_to_do() {
    for mark in ["todo!", "unimplemented!", "FIXME", "XXX"] {
        only_in(mark, |_, _| false);
    }
}

/// A provider for Terraform deals with names and values; only the adapter knows the messages.
#[test]
fn the_trait_of_providers_has_no_type_of_grpc() {
    for file in ["provider.rs", "requests.rs"] {
        let text = fs::read_to_string(root().join("crates/tfplugin/src").join(file)).unwrap();
        for word in ["tonic", "prost", "proto::"] {
            assert!(!text.contains(word), "{word} in {file}");
        }
    }
}
