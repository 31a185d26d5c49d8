//! What crates and modules depend on.

use std::collections::BTreeMap;
use std::fs;

use crate::{root, sources};

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
        (
            "protocols",
            &[
                "tenon-rpc",
                "tenon-schema",
                "tenon-text",
                "tenon-values",
                "tenon-wire",
            ],
        ),
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
                "tenon-settings",
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
        ("settings", &["tenon-hcl", "tenon-host", "tenon-values"]),
        ("state", &["tenon-host", "tenon-protocols", "tenon-rpc"]),
        (
            "hooks",
            &[
                "tenon-hcl",
                "tenon-host",
                "tenon-protocols",
                "tenon-rpc",
                "tenon-settings",
                "tenon-text",
                "tenon-values",
            ],
        ),
        (
            "acp",
            &[
                "tenon-hcl",
                "tenon-host",
                "tenon-protocols",
                "tenon-rpc",
                "tenon-text",
            ],
        ),
        (
            "packed",
            &[
                "tenon-host",
                "tenon-protocols",
                "tenon-rpc",
                "tenon-schema",
                "tenon-tfplugin",
                "tenon-values",
            ],
        ),
        (
            "cli",
            &[
                "tenon-acp",
                "tenon-hcl",
                "tenon-hooks",
                "tenon-host",
                "tenon-ipc",
                "tenon-protocols",
                "tenon-providers",
                "tenon-rpc",
                "tenon-scenario",
                "tenon-schema",
                "tenon-state",
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
        let dependencies = without_tests(&manifest);
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
        // gRPC is Terraform's way to its providers, HTTP its way to the state.
        for (heavy, place) in [
            ("tonic", "tfplugin"),
            ("prost", "tfplugin"),
            ("hyper", "state"),
        ] {
            let has = dependencies.lines().any(|line| line.starts_with(heavy));
            assert!(!has || name == place, "{name} depends on {heavy}");
        }
        // One reader of HCL, and one of YAML.
        for parser in ["hcl-edit", "granit-parser"] {
            let has = dependencies.lines().any(|line| line.starts_with(parser));
            assert!(!has || name == "hcl", "{name} depends on {parser}");
        }
    }
}

/// A manifest without the sections of what only tests need, whatever comes after them.
fn without_tests(manifest: &str) -> String {
    let mut is_for_tests = false;
    let lines = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            is_for_tests = line.contains("dev-dependencies");
        }
        !is_for_tests
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn sections_after_the_dependencies_of_tests_count() {
    let manifest = "[dev-dependencies]\na = 1\n[target.'cfg(unix)'.dependencies]\nb = 1";
    assert_eq!(
        without_tests(manifest),
        "[target.'cfg(unix)'.dependencies]\nb = 1"
    );
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
    let mut texts = BTreeMap::new();
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
