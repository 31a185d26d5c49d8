//! Component files, which are read when a file uses them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Place, Problems, Source, parse};

use super::component_file;
use crate::reading::file::read;
use crate::reading::model::Component;

/// How deep components may use each other. More would only be a slip, and could overflow the stack.
const COMPONENT_DEPTH: usize = 32;

/// Reads component files, each once.
#[derive(Debug, Default)]
pub(crate) struct Loader {
    components: HashMap<PathBuf, Option<Arc<Component>>>,
    /// Those that are being read: a component cannot use itself.
    open: Vec<PathBuf>,
    /// Every text that was read.
    pub(crate) sources: Vec<Arc<Source>>,
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
                    error.help = Some("the path is relative to the file that contains it".into());
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
