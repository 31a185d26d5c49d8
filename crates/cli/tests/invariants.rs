//! What must stay true of the whole tree, stated as absences.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The Rust files below `crates/<name>/src` of every crate, with the crate's name.
fn sources() -> Vec<(String, PathBuf, String)> {
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
    only_in("tokio::process", |name, _| name == "host");
    only_in("process::Command", |name, _| name == "host");
    only_in("process::{Child", |name, _| name == "host");
}

#[test]
fn stdout_belongs_to_the_protocols() {
    for print in ["println!", "print!(", "dbg!("] {
        only_in(print, |_, _| false);
    }
    only_in("io::stdout()", |_, file| {
        is_file(file, "cli/src/output.rs")
            || is_file(file, "rpc/src/stdio.rs")
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
fn unsafe_code_has_three_places() {
    only_in("unsafe {", |_, file| {
        is_file(file, "host/src/child.rs")
            || is_file(file, "host/src/platform/linux/clone.rs")
            || is_file(file, "host/src/sandbox/linux/kernel.rs")
    });
    only_in("unsafe fn", |_, _| false);
    only_in("unsafe impl", |_, _| false);
}

/// In the host, systems differ in `platform` and `sandbox` alone.
#[test]
fn the_host_knows_systems_in_two_places() {
    for cfg in ["target_os", "target_vendor"] {
        only_in(cfg, |name, file| {
            name != "host"
                || is_file(file, "host/src/platform.rs")
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

/// The modules of a crate that a text names with `crate::`, as far as there are such modules.
fn imports<'t>(
    text: &'t str,
    is_module: impl Fn(&str) -> bool + 't,
) -> impl Iterator<Item = String> {
    let starts = text.split("crate::").skip(1);
    starts.filter_map(move |rest| {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let mut module = rest[..end].trim_end_matches(':');
        while !is_module(module) {
            module = module.rsplit_once("::")?.0;
        }
        Some(module.to_owned())
    })
}

/// A module that imports another, which imports the first one, can only be understood together with
/// it. What a module and its own parts (`super::`) have in common is their own business.
#[test]
fn modules_of_scenarios_do_not_import_each_other() {
    let folder = root().join("crates/scenario/src");
    let mut texts = std::collections::BTreeMap::new();
    for (name, file, text) in sources() {
        if name == "scenario" {
            let path = file.strip_prefix(&folder).unwrap();
            let module = path.with_extension("").to_str().unwrap().replace('/', "::");
            texts.insert(module, text);
        }
    }
    let mut left: Vec<(String, Vec<String>)> = Vec::new();
    for (module, text) in &texts {
        let others = imports(text, |name| texts.contains_key(name));
        let others = others.filter(|other| other != module && module != "lib");
        left.push((module.clone(), others.collect()));
    }
    assert!(left.iter().any(|(_, imports)| imports.len() > 5));
    // What imports nothing that is left is in no cycle.
    loop {
        let names: Vec<String> = left.iter().map(|(name, _)| name.clone()).collect();
        let count = left.len();
        left.retain(|(_, imports)| imports.iter().any(|other| names.contains(other)));
        if left.len() == count {
            break;
        }
    }
    assert!(left.is_empty(), "cycles among or above: {left:#?}");
}

/// Who may depend on whom. A crate that is not listed fails the test: say where it belongs.
#[test]
fn dependencies_point_down() {
    let allowed: &[(&str, &[&str])] = &[
        ("wire", &[]),
        ("rpc", &["tenon-wire"]),
        ("values", &[]),
        ("text", &[]),
        ("schema", &["tenon-text", "tenon-values"]),
        ("host", &["tenon-rpc", "tenon-text"]),
        ("ipc", &["tenon-host", "tenon-protocols", "tenon-rpc"]),
        ("protocols", &["tenon-rpc", "tenon-schema", "tenon-values"]),
        (
            "plugin",
            &[
                "tenon-protocols",
                "tenon-rpc",
                "tenon-schema",
                "tenon-text",
                "tenon-values",
            ],
        ),
        ("hcl", &["tenon-text", "tenon-values"]),
        (
            "providers",
            &["tenon-host", "tenon-plugin", "tenon-rpc", "tenon-values"],
        ),
        (
            "scenario",
            &[
                "tenon-hcl",
                "tenon-host",
                "tenon-protocols",
                "tenon-rpc",
                "tenon-text",
                "tenon-values",
            ],
        ),
        ("tfplugin", &["tenon-schema", "tenon-text", "tenon-values"]),
        (
            "terraform",
            &[
                "tenon-host",
                "tenon-protocols",
                "tenon-rpc",
                "tenon-schema",
                "tenon-text",
                "tenon-tfplugin",
                "tenon-values",
            ],
        ),
        (
            "cli",
            &[
                "tenon-hcl",
                "tenon-host",
                "tenon-ipc",
                "tenon-protocols",
                "tenon-providers",
                "tenon-rpc",
                "tenon-scenario",
                "tenon-text",
                "tenon-values",
            ],
        ),
    ];
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = folder.file_name().into_string().unwrap();
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        let (_, may) = allowed
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("the crate {name} has no place yet"));
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for line in dependencies
            .lines()
            .filter(|line| line.starts_with("tenon-"))
        {
            let dependency = line.split(['.', ' ', '=']).next().unwrap();
            assert!(may.contains(&dependency), "{name} depends on {dependency}");
        }
        let has_tokio = dependencies.lines().any(|line| line.starts_with("tokio"));
        let is_plain = ["wire", "values", "text", "hcl"].contains(&&*name);
        assert!(!(has_tokio && is_plain), "{name} depends on tokio");
        for heavy in ["tonic", "prost", "hyper", "axum"] {
            let has = dependencies.lines().any(|line| line.starts_with(heavy));
            assert!(!has || name == "tfplugin", "{name} depends on {heavy}");
        }
        // One reader of HCL, and one of YAML.
        for parser in ["hcl-edit", "granit-parser"] {
            let has = dependencies.lines().any(|line| line.starts_with(parser));
            assert!(!has || name == "hcl", "{name} depends on {parser}");
        }
    }
}

/// A server on a socket passes values on without looking into them: whoever uses one need not build
/// the types of values.
#[test]
fn sockets_need_no_values() {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo knows what the features of a crate pull in"
    )]
    let mut cargo = std::process::Command::new(env!("CARGO"));
    let output = cargo
        .args(["tree", "--offline", "--locked", "--package", "tenon-ipc"])
        .args(["--edges", "normal", "--prefix", "none"])
        .current_dir(root())
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{:?}", output.stderr);
    let has = |name: &str| {
        tree.lines()
            .any(|line| line.split(' ').next() == Some(name))
    };
    assert!(has("tenon-ipc") && has("tenon-protocols"), "{tree}");
    for values in ["tenon-values", "tenon-schema"] {
        assert!(!has(values), "tenon-ipc depends on {values}");
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

/// What the tests install is what somebody looked at: by hash, and from whichever mirror there is.
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
