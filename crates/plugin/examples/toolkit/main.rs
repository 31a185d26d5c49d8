//! Storage and functions in one plugin: `toolkit folder FOLDER` or `toolkit sqlite FILE`.
//!
//! ```console
//! $ . <(tenon state serve -- toolkit folder states)
//! $ tenon provider pack toolkit --write-config -- toolkit folder states
//! ```

mod folder;
mod sqlite;

use std::process::ExitCode;
use std::sync::Arc;

use tenon_plugin::{Diagnostic, Failure, Plugin, Storage, attributes};

use folder::FolderStore;
use sqlite::SqliteStore;

attributes! {
    struct StateLocation {
        /// The name of the state.
        path: String,
    }
    struct ListStates {
        /// What the names begin with.
        prefix: String = "",
        /// How many at most.
        max: usize = 100,
    }
}

/// A storage whose states have a location.
trait Located: Storage {
    /// The URL of a state.
    fn location(&self, path: &str) -> String;
}

fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["folder", folder] => Ok(serve(FolderStore::new(folder)?)),
        ["sqlite", file] => Ok(serve(SqliteStore::open(file)?)),
        _ => Err(Failure::new(
            "usage: toolkit folder FOLDER, or toolkit sqlite FILE",
        )),
    }
}

fn serve(store: impl Located) -> ExitCode {
    let store = Arc::new(store);
    let (located, listed) = (store.clone(), store.clone());
    Plugin::new("toolkit", "1.0.0")
        .storage(move |_| store.clone())
        .function(
            "state_location",
            "The URL of a state in this storage",
            move |state: StateLocation| {
                let store = located.clone();
                async move {
                    match state.path.is_empty() {
                        true => Err(Failure::diagnosed([Diagnostic::error(
                            "the name of the state is empty",
                            "",
                        )
                        .at(["path"])])),
                        false => Ok(store.location(&state.path)),
                    }
                }
            },
        )
        .function(
            "list_states",
            "The names of the states in this storage",
            move |list: ListStates| {
                let store = listed.clone();
                async move {
                    let mut paths = store.list(&list.prefix).await?;
                    paths.truncate(list.max);
                    Ok(paths)
                }
            },
        )
        .serve_as::<String>([])
}
