//! A scenario file with the components it uses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Problems, Source, parse};

use crate::reading::decode::{Loader, scenarios};
use crate::reading::file::read;
use crate::reading::model::Scenario;

/// A scenario file that was read, with the components it uses.
#[derive(Debug)]
pub struct ScenarioFile {
    /// The path, as it was given.
    pub path: PathBuf,
    /// In the order of the file.
    pub scenarios: Vec<Scenario>,
    /// Warnings: what is valid, but probably a mistake.
    pub warnings: Vec<Diagnostic>,
    /// Every text that was read, to find out later whether it has changed.
    pub sources: Vec<Arc<Source>>,
}

/// Reads a scenario file and the components it uses.
///
/// # Errors
/// All that is wrong with them.
pub fn load(path: &Path) -> Result<ScenarioFile, Vec<Diagnostic>> {
    let mut loader = Loader::default();
    let mut problems = Problems::default();
    let source = read(path).map_err(|error| vec![error])?;
    loader.sources.push(source.clone());
    let body = parse(&source)?;
    let scenarios = scenarios(&body, path, &mut loader, &mut problems);
    if problems.has_errors() {
        return Err(problems.0);
    }
    Ok(ScenarioFile {
        path: path.to_owned(),
        scenarios,
        warnings: problems.0,
        sources: loader.sources,
    })
}

/// The files of a scenario, as far as they can be read: its own, those of its components,
/// and the programs of its providers.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut loader = Loader::default();
    let mut files = vec![path.to_owned()];
    if let Ok(body) = read(path)
        .map_err(|error| vec![error])
        .and_then(|source| parse(&source))
    {
        // `load` reports what is wrong with them.
        let scenarios = scenarios(&body, path, &mut loader, &mut Problems::default());
        let required = scenarios
            .iter()
            .flat_map(|one| one.required_providers.values());
        let programs = required.filter_map(|required| required.source.path());
        files.extend(programs.map(Path::to_owned));
    }
    files.extend({ loader.sources.iter() }.map(|source| PathBuf::from(source.name())));
    files
}
