//! Where the configuration of a folder keeps its state.

use std::path::Path;

use serde_json::Value as Json;
use tenon_hcl::{Source, parse};

/// The backend of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// There is none: the state is a local file.
    Local,
    /// This one, such as `http`; `cloud` for HCP Terraform.
    Named(String),
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

fn of_hcl(text: &str) -> Backend {
    let Ok(body) = parse(&Source::new("configuration", text)) else {
        return Backend::Unreadable;
    };
    for terraform in body.blocks_of("terraform") {
        if let Some(backend) = terraform.body.blocks_of("backend").next() {
            let name = backend.labels.first().map(|label| label.text().to_owned());
            return name.map_or(Backend::Unreadable, Backend::Named);
        }
        if terraform.body.blocks_of("cloud").next().is_some() {
            return Backend::Named("cloud".to_owned());
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
            if let Some(name) = backend.as_object().and_then(|one| one.keys().next()) {
                return Backend::Named(name.clone());
            }
        }
        if !terraform["cloud"].is_null() {
            return Backend::Named("cloud".to_owned());
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
        let named = |name: &str| Backend::Named(name.to_owned());
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
}
