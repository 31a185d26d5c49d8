//! What a confined plugin tried and was denied.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_host::{Denial, PluginCommand};

use crate::args::{CallArgs, option};
use crate::output;

/// What was denied so far, with `--sandbox-report`.
#[derive(Clone)]
pub(crate) struct Denials(Option<Arc<Mutex<BTreeSet<Denial>>>>);

impl Denials {
    pub(crate) fn new(args: &CallArgs) -> Denials {
        Denials(args.sandbox_report.then(Arc::default))
    }

    /// A command whose denials are noted.
    pub(crate) fn of(&self, command: PluginCommand) -> PluginCommand {
        match self.0.clone() {
            Some(noted) => command.on_denial(move |denial| {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.insert(denial.clone());
            }),
            None => command,
        }
    }

    /// Prints them. The paths are chosen by the plugin.
    pub(crate) fn print(&self) {
        let Some(noted) = &self.0 else { return };
        let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.is_empty() {
            output::talk("sandbox: nothing was denied");
        }
        for denial in noted.iter() {
            let line = match option(denial) {
                Some(option) => format!("sandbox: denied {denial} (allowed by {option})"),
                None => format!("sandbox: denied {denial} (no option allows it)"),
            };
            output::talk(output::on_one_line(&line));
        }
    }
}
