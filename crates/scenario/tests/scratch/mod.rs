//! Scenario files in a folder of their own, planned against providers that are never started.

#![allow(dead_code, reason = "each test program uses what it needs")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use tenon_hcl::{Diagnostic, Style};
use tenon_scenario::{Inputs, Plan, ProviderSource, Scenario, Schemas, load};

/// The providers that come with the command.
const BUILTINS: [&str; 5] = ["exec", "file", "http", "postgres", "sqlite"];

/// A folder with files in it, which goes away with this.
pub(crate) struct Scratch {
    folder: PathBuf,
    _kept: TempDir,
}

impl Scratch {
    /// With these files, by their paths.
    pub(crate) fn new<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Scratch {
        let kept = tempfile::tempdir().expect("a folder for the files");
        // Messages name components by their real paths, which differ where the folder is a link.
        let folder = kept.path().canonicalize().expect("the folder is there");
        for (name, text) in files {
            let path = folder.join(name);
            let parent = path.parent().expect("a path in the folder");
            std::fs::create_dir_all(parent).expect("a folder for the file");
            std::fs::write(path, text).expect("the file");
        }
        Scratch {
            folder,
            _kept: kept,
        }
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The only scenario of `main.hcl`.
    pub(crate) fn scenario(&self) -> Result<Arc<Scenario>, Vec<Diagnostic>> {
        let mut scenarios = load(&self.path("main.hcl"))?.scenarios;
        assert_eq!(scenarios.len(), 1, "one scenario is wanted");
        Ok(Arc::new(scenarios.remove(0)))
    }

    /// What a run of it would do.
    pub(crate) fn plan(&self, inputs: &Inputs) -> Result<Plan, Vec<Diagnostic>> {
        plan(&self.scenario()?, inputs)
    }

    /// Diagnostics as a person reads them, without the name of the folder, which is never the same.
    pub(crate) fn shown(&self, diagnostics: &[Diagnostic]) -> String {
        let rendered: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| format!("{}\n", diagnostic.render(Style::Plain)))
            .collect();
        let folder = format!("{}/", self.folder.display());
        rendered.join("\n").replace(&folder, "")
    }
}

/// What a run of a scenario would do.
pub(crate) fn plan(scenario: &Arc<Scenario>, inputs: &Inputs) -> Result<Plan, Vec<Diagnostic>> {
    let variables = inputs.resolve(scenario, &BTreeMap::new())?;
    Plan::new(scenario, &schemas(scenario), variables)
}

/// What the providers of a scenario offer: `builtin/shop` is `providers/shop.json`, and so is
/// `exec:./bin/shop`. Those that are not there offer nothing.
fn schemas(scenario: &Scenario) -> Schemas {
    let mut schemas = Schemas {
        builtins: BUILTINS.map(str::to_owned).to_vec(),
        ..Schemas::default()
    };
    for required in scenario.required_providers.values() {
        let name = match required.source.program() {
            ProviderSource::Builtin(name) => Some(name.as_str()),
            ProviderSource::Program(path) => path.file_name().and_then(|name| name.to_str()),
            ProviderSource::Confined { .. } | ProviderSource::Limited { .. } => None,
        };
        if let Some(schema) = name.and_then(schema) {
            schemas.known.insert(required.source.clone(), schema);
        }
    }
    schemas
}

fn schema(name: &str) -> Option<Arc<tenon_protocols::orchard::ProviderSchema>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers");
    let text = std::fs::read(folder.join(format!("{name}.json"))).ok()?;
    let schema: tenon_protocols::orchard::ProviderSchema =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}.json: {error}"));
    schema.check().unwrap_or_else(|error| panic!("{error}"));
    Some(Arc::new(schema))
}
