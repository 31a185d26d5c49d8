//! Files: the scenario's own and those of its components.

use std::collections::HashMap;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Limits, Place, Problems, Source, parse};

use crate::reading::decode::{component_file, scenarios};
use crate::reading::model::{Component, Scenario};

/// A scenario file that was read, with the components it uses.
#[derive(Debug)]
pub struct ScenarioFile {
    /// The path, as it was given.
    pub path: PathBuf,
    /// In the order of the file.
    pub scenarios: Vec<Scenario>,
    /// What may not be meant as it is written.
    pub warnings: Vec<Diagnostic>,
    /// Every text that was read, to tell later whether it has changed.
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

/// The files that a scenario is made of, as far as they can be read: its own, those of its components,
/// and the programs of its providers.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut loader = Loader::default();
    let mut files = vec![path.to_owned()];
    if let Ok(body) = read(path)
        .map_err(|error| vec![error])
        .and_then(|source| parse(&source))
    {
        // What is wrong with them is told by `load`.
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

/// How deep components may use each other. More would only be a slip, and could overflow the stack.
const COMPONENT_DEPTH: usize = 32;

/// Reads component files, each once.
#[derive(Debug, Default)]
pub(crate) struct Loader {
    components: HashMap<PathBuf, Option<Arc<Component>>>,
    /// Those that are being read: a component cannot use itself.
    open: Vec<PathBuf>,
    sources: Vec<Arc<Source>>,
}

impl Loader {
    pub(crate) fn component(
        &mut self,
        path: &Path,
        place: Place,
        problems: &mut Problems,
    ) -> Option<Arc<Component>> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(known) = self.components.get(&identity) {
            return known.clone();
        }
        if self.open.contains(&identity) {
            let diagnostic = Diagnostic::error("a component cannot use itself")
                .at(place)
                .note(self.way_to(&identity));
            problems.note(diagnostic);
            return None;
        }
        if self.open.len() == COMPONENT_DEPTH {
            let summary = format!("components are nested more than {COMPONENT_DEPTH} levels deep");
            problems.note(Diagnostic::error(summary).at(place));
            return None;
        }
        let body = read(path)
            .map_err(|mut error| {
                error.place = Some(place);
                if !path.exists() {
                    error.help = Some("the path is relative to the file it stands in".into());
                }
                vec![error]
            })
            .and_then(|source| {
                self.sources.push(source.clone());
                parse(&source)
            });
        let component = match body {
            Ok(body) => {
                self.open.push(identity.clone());
                let component = component_file(&body, path, self, problems);
                self.open.pop();
                component
            }
            Err(errors) => {
                problems.note_all(errors);
                None
            }
        };
        self.components.insert(identity, component.clone());
        component
    }

    fn way_to(&self, end: &Path) -> String {
        let names: Vec<String> = { self.open.iter().map(PathBuf::as_path) }
            .chain([end])
            .map(|path| path.display().to_string())
            .collect();
        names.join(" uses ")
    }
}

/// A text file, as long as the parser would take it.
pub(crate) fn read(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display();
    let fail = |error: io::Error| {
        let diagnostic = Diagnostic::error(format!("{name} cannot be read: {error}"));
        match error.kind() {
            io::ErrorKind::NotFound => {
                diagnostic.help("is the path right? `tenon list` shows what is here")
            }
            _ => diagnostic,
        }
    };
    let file = std::fs::File::open(path).map_err(fail)?;
    let limit = Limits::default().size as u64 + 1;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 == limit {
        // The parser says that it is too large; the end may be half a character.
        return Ok(Source::new(
            name.to_string(),
            String::from_utf8_lossy(&bytes),
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name.to_string(), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let summary = format!("{name} is not UTF-8 (at byte {at})");
            Err(Diagnostic::error(summary).help("save it as UTF-8"))
        }
    }
}
