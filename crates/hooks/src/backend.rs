//! Where the configuration of a folder keeps its state.

use std::iter;
use std::path::Path;

use serde_json::Value as Json;
use tenon_hcl::{Source, parse};

/// Settings of the `http` backend that choose a server, or how to speak to it.
const OF_A_SERVER: [&str; 8] = [
    "address",
    "lock_address",
    "unlock_address",
    "update_method",
    "lock_method",
    "unlock_method",
    "username",
    "password",
];

/// The backend of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// There is none: the state is a local file.
    Local,
    /// This one.
    Named {
        /// Such as `http`; `cloud` for HCP Terraform.
        kind: String,
        /// The names of its settings that choose a server of the `http` backend.
        settings: Vec<String>,
    },
    /// A file of the configuration could not be read. Terraform says why.
    Unreadable,
}

/// Looks for the backend in the files of a folder, override files last, as Terraform does.
pub fn backend(folder: &Path) -> Backend {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Backend::Unreadable;
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && !name.ends_with('~'))
        .collect();
    names.sort_by_key(|name| (is_override(name), name.clone()));
    let mut found = Backend::Local;
    for name in names {
        let Some(is_json) = is_json(&name) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(folder.join(&name)) else {
            return Backend::Unreadable;
        };
        match if is_json {
            of_json(&text)
        } else {
            of_hcl(&text)
        } {
            Backend::Local => {}
            Backend::Unreadable => return Backend::Unreadable,
            named => found = named,
        }
    }
    found
}

/// Whether a file of the configuration is JSON; `None` if it is another file.
fn is_json(name: &str) -> Option<bool> {
    let has = |endings: [&str; 2]| endings.iter().any(|ending| name.ends_with(ending));
    match (has([".tf.json", ".tofu.json"]), has([".tf", ".tofu"])) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

fn is_override(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem == "override" || stem.ends_with("_override")
}

impl Backend {
    fn named<'a>(kind: &str, settings: impl Iterator<Item = &'a str>) -> Backend {
        Backend::Named {
            kind: kind.to_owned(),
            settings: of_a_server(settings),
        }
    }
}

fn of_a_server<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let found = settings.filter(|name| OF_A_SERVER.contains(name));
    found.map(str::to_owned).collect()
}

/// The settings of a server that `terraform init` has remembered for the `http` backend of a folder: those of its block
/// and of `-backend-config`. Variables are not remembered.
pub fn remembered_settings(folder: &Path) -> Vec<String> {
    let data = std::env::var_os("TF_DATA_DIR").unwrap_or_else(|| ".terraform".into());
    let file = folder.join(data).join("terraform.tfstate");
    let text = std::fs::read(file).unwrap_or_default();
    let json: Json = serde_json::from_slice(&text).unwrap_or_default();
    let backend = &json["backend"];
    let config = backend["config"]
        .as_object()
        .filter(|_| backend["type"] == "http");
    let set = config
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null());
    of_a_server(set.map(|(name, _)| name.as_str()))
}

/// The settings of a server in the values of `-backend-config`: each is `NAME=VALUE`, or a file of settings.
pub fn given_settings(folder: &Path, values: &[&str]) -> Vec<String> {
    let named = |value: &str| match value.split_once('=') {
        Some((name, _)) => vec![name.trim().to_owned()],
        // Terraform says what is wrong with a file that cannot be read.
        None => {
            let text = std::fs::read_to_string(folder.join(value)).unwrap_or_default();
            let body = parse(&Source::new(value, text)).ok();
            let attributes = body.into_iter().flat_map(|body| body.attributes.clone());
            attributes.map(|one| one.name.text().to_owned()).collect()
        }
    };
    let names: Vec<String> = values.iter().flat_map(|value| named(value)).collect();
    of_a_server(names.iter().map(String::as_str))
}

fn of_hcl(text: &str) -> Backend {
    let Ok(body) = parse(&Source::new("configuration", text)) else {
        return Backend::Unreadable;
    };
    for terraform in body.blocks_of("terraform") {
        if let Some(backend) = terraform.body.blocks_of("backend").next() {
            let settings = backend.body.attributes.iter().map(|one| one.name.text());
            return match backend.labels.first() {
                Some(kind) => Backend::named(kind.text(), settings),
                None => Backend::Unreadable,
            };
        }
        if terraform.body.blocks_of("cloud").next().is_some() {
            return Backend::named("cloud", iter::empty());
        }
    }
    Backend::Local
}

fn of_json(text: &str) -> Backend {
    let Ok(json) = serde_json::from_str::<Json>(text) else {
        return Backend::Unreadable;
    };
    // A block is an object, or a list of objects.
    let blocks = |json: &Json| match json {
        Json::Array(blocks) => blocks.clone(),
        Json::Null => Vec::new(),
        block => vec![block.clone()],
    };
    for terraform in blocks(&json["terraform"]) {
        for backend in blocks(&terraform["backend"]) {
            if let Some((kind, body)) = backend.as_object().and_then(|one| one.iter().next()) {
                let bodies = blocks(body);
                let settings = bodies.iter().filter_map(Json::as_object).flatten();
                let set = settings.filter(|(_, value)| !value.is_null());
                return Backend::named(kind, set.map(|(name, _)| name.as_str()));
            }
        }
        if !terraform["cloud"].is_null() {
            return Backend::named("cloud", iter::empty());
        }
    }
    Backend::Local
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn of(files: &[(&str, &str)]) -> Backend {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        backend(folder.path())
    }

    #[test]
    fn the_backend_of_a_folder_is_found() {
        let named = |kind: &str| Backend::named(kind, iter::empty());
        let http = "terraform {\n  backend \"http\" {}\n}\n";
        assert_eq!(of(&[]), Backend::Local);
        assert_eq!(
            of(&[("a.tf", "variable \"x\" {}\n"), ("b.tf", http)]),
            named("http")
        );
        assert_eq!(of(&[("b.txt", http), (".b.tf", http)]), Backend::Local);
        assert_eq!(of(&[("a.tf", "terraform {")]), Backend::Unreadable);
        assert_eq!(
            of(&[("a.tf", "terraform {\n  cloud {}\n}\n")]),
            named("cloud")
        );
        let json = r#"{"terraform": [{"backend": {"s3": {"bucket": "b"}}}]}"#;
        assert_eq!(of(&[("a.tf.json", json)]), named("s3"));
        assert_eq!(of(&[("a.tofu", http)]), named("http"));
        assert_eq!(
            of(&[("a_override.tf", http), ("z.tf.json", json)]),
            named("http")
        );
    }

    #[test]
    fn settings_that_choose_a_server_are_found() {
        let set = |name: &str| Backend::named("http", iter::once(name));
        let block = "terraform {\n  backend \"http\" {\n    retry_max = 1\n    address = \"http://x\"\n  }\n}\n";
        assert_eq!(of(&[("a.tf", block)]), set("address"));
        let json = r#"{"terraform": {"backend": {"http": {"retry_max": 1, "lock_method": "POST", "password": null}}}}"#;
        assert_eq!(of(&[("a.tf.json", json)]), set("lock_method"));

        let folder = tempfile::tempdir().unwrap();
        assert!(remembered_settings(folder.path()).is_empty());
        let remember = |kind: &str| {
            let text = format!(
                r#"{{"version": 3, "backend": {{"type": "{kind}", "config": {{"address": "http://x", "username": null}}}}}}"#
            );
            fs::create_dir_all(folder.path().join(".terraform")).unwrap();
            fs::write(folder.path().join(".terraform/terraform.tfstate"), text).unwrap();
            remembered_settings(folder.path())
        };
        assert_eq!(remember("http"), ["address"]);
        assert!(remember("s3").is_empty());

        fs::write(
            folder.path().join("x.conf"),
            "username = \"u\"\nretry_max = 1\n",
        )
        .unwrap();
        let given = given_settings(
            folder.path(),
            &["address=http://x", "retry_max=1", "x.conf", "gone"],
        );
        assert_eq!(given, ["address", "username"]);
    }
}
