//! What a rule that allows does not cover.

use std::path::PathBuf;

use tenon_protocols::acp::ToolKind;

use super::matching::{FILES_UNKNOWN, OTHER_NAMES, is_about_files, quoted, runs};
use super::{Action, Rule};
use crate::facts::Facts;
use crate::paths::FolderNames;

impl Rule {
    /// What the call also does, and a rule that allows something else must not allow.
    pub(super) fn not_covered(
        &self,
        facts: &Facts,
        kind: &ToolKind,
        folder: &FolderNames,
    ) -> Option<String> {
        if self.action != Action::Allow {
            return None;
        }
        // Without a condition on commands, a rule is about commands if it is about everything, or about running them.
        let is_running =
            |kind: &ToolKind| matches!(kind, ToolKind::Execute | ToolKind::Unspecified);
        let is_about_commands = !self.commands.is_empty()
            || self.paths.is_empty()
                && (self.kinds.is_empty() || self.kinds.iter().any(is_running));
        if let Some(command) = facts.commands.iter().next().filter(|_| !is_about_commands) {
            let command = quoted(command);
            return Some(format!(
                "it runs the command {command}, and the rule is not about commands"
            ));
        }
        if runs(facts, kind) && !is_about_commands {
            return Some("it runs something, and the rule is not about commands".to_owned());
        }
        // Elsewhere the same command may be another one: `make` runs what the folder says.
        let is_outside = |path: &&PathBuf| folder.below(path).is_none();
        let outside = facts.folders.iter().find(is_outside);
        if let Some(path) = outside.filter(|_| !self.commands.is_empty() && self.paths.is_empty()) {
            let path = quoted(&path.display().to_string());
            return Some(format!(
                "it runs in the folder {path}, which is outside the folder of the session"
            ));
        }
        // A command that is allowed may use files. A change that the call itself makes is another matter.
        let changes =
            facts.has_diff || matches!(kind, ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
        let is_about_files = self.commands.is_empty() || !self.paths.is_empty();
        let path = { facts.paths.iter() }
            .next()
            .filter(|_| changes && !is_about_files)?;
        let path = quoted(&path.display().to_string());
        Some(format!(
            "it changes the file {path}, and the rule is not about files"
        ))
    }

    /// Why a call is not certain to stay in the folders of the session, for a rule that allows kinds and does not say where. One
    /// without any condition allows everything.
    pub(super) fn not_inside(
        &self,
        facts: &Facts,
        kind: &ToolKind,
        folder: &FolderNames,
    ) -> Option<String> {
        let has_place = !self.paths.is_empty() || !self.commands.is_empty();
        if self.action != Action::Allow || self.kinds.is_empty() || has_place {
            return None;
        }
        let mut paths = facts.paths.iter().chain(&facts.folders);
        if let Some(path) = paths.find(|path| !folder.contains(path)) {
            let path = quoted(&path.display().to_string());
            return Some(format!(
                "the path {path} is outside the folders of the session, and the rule has no `path`"
            ));
        }
        let is_nowhere = facts.paths.is_empty() && facts.folders.is_empty();
        match () {
            () if facts.is_incomplete => {
                Some("the call has a path or a command that cannot be read".to_owned())
            }
            () if is_nowhere && is_about_files(kind) => Some(FILES_UNKNOWN.to_owned()),
            () if facts.has_other_names => Some(OTHER_NAMES.to_owned()),
            () => None,
        }
    }
}
