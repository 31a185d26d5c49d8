//! Whether a rule matches a tool call.

use std::path::Path;

use tenon_protocols::acp::ToolKind;

use super::{Action, Rule};
use crate::facts::{Commands, Facts, Meant};
use crate::glob::{Case, Glob};
use crate::paths::{FolderNames, spelling};

pub(super) const FILES_UNKNOWN: &str = "the call does not say which files it is about";
pub(super) const OTHER_NAMES: &str =
    "a file has several names (hard links), and the others are not known";

/// Whether a rule matches.
pub(super) enum Outcome {
    Yes(String),
    No(String),
    /// The call does not say enough.
    Unknown(String),
}

impl Rule {
    pub(super) fn matches(&self, facts: &Facts, folder: &FolderNames) -> Outcome {
        let kind = facts.kind.clone().unwrap_or(ToolKind::Unspecified);
        let mut reasons = Vec::new();
        match self.match_kinds(facts, &kind) {
            None => {}
            Some(Ok(why)) => reasons.push(why),
            Some(Err(why)) => return Outcome::No(why),
        }
        for outcome in [
            self.match_paths(facts, &kind, folder),
            self.match_commands(facts, &kind),
        ] {
            match outcome {
                None => {}
                Some(Outcome::Yes(why)) => reasons.push(why),
                Some(other) => return other,
            }
        }
        let refused = self.not_covered(facts, &kind, folder);
        if let Some(why) = refused.or_else(|| self.not_inside(facts, &kind, folder)) {
            return Outcome::No(why);
        }
        Outcome::Yes(match reasons.is_empty() {
            true => "the rule has no conditions".to_owned(),
            false => reasons.join(", "),
        })
    }

    /// Nothing if the rule is about all kinds. The agent chooses the kind, so what the call states counts as well: a
    /// rule that allows reading does not allow a call that shows a change, and a rule that denies edits denies it.
    fn match_kinds(&self, facts: &Facts, kind: &ToolKind) -> Option<Result<String, String>> {
        if self.kinds.is_empty() {
            return None;
        }
        let changes = matches!(kind, ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
        // Calls of other kinds have texts that belong to no file.
        let only_looks = matches!(kind, ToolKind::Read | ToolKind::Search);
        let has_change = facts.has_diff || facts.has_text && only_looks;
        let shown = [
            (ToolKind::Edit, has_change && !changes, "shows a change"),
            (
                ToolKind::Execute,
                (runs(facts, kind) || !facts.commands.is_empty()) && *kind != ToolKind::Execute,
                "runs a command",
            ),
        ];
        let mut shown = shown.iter().filter(|(_, is_shown, _)| *is_shown);
        let stated = format!("its kind is {kind}");
        let has = |kind: &ToolKind| self.kinds.contains(kind);
        Some(match (self.action, has(kind)) {
            (Action::Allow, true) => match shown.find(|(kind, ..)| !has(kind)) {
                Some((_, _, what)) => Err(format!("{stated}, but it {what}")),
                None => Ok(stated),
            },
            (Action::Ask | Action::Deny, true) => Ok(stated),
            (Action::Allow, false) => Err(stated),
            (Action::Ask | Action::Deny, false) => match shown.find(|(kind, ..)| has(kind)) {
                Some((_, _, what)) => Ok(format!("it {what}")),
                None => Err(stated),
            },
        })
    }

    /// Nothing if the rule is not about paths.
    fn match_paths(&self, facts: &Facts, kind: &ToolKind, folder: &FolderNames) -> Option<Outcome> {
        if self.paths.is_empty() {
            return None;
        }
        if facts.paths.is_empty() && facts.folders.is_empty() {
            return Some(match is_about_files(kind) || facts.is_incomplete {
                true => Outcome::Unknown(FILES_UNKNOWN.into()),
                false => Outcome::No("the call names no file".into()),
            });
        }
        let files = facts.paths.iter().map(|path| (path, false));
        let folders = facts.folders.iter().map(|path| (path, true));
        let matched = files.chain(folders).map(|(path, is_folder)| {
            let matches = |pattern: &&Glob| self.path_matches(pattern, path, is_folder, folder);
            (shown(path, folder), self.paths.iter().find(matches))
        });
        let outcome = self.all_or_one(matched, facts.is_incomplete, "path");
        let is_certain = match outcome {
            Outcome::Yes(_) => self.action != Action::Allow,
            Outcome::No(_) => self.action == Action::Allow,
            Outcome::Unknown(_) => true,
        };
        if facts.has_other_names && !is_certain {
            return Some(Outcome::Unknown(OTHER_NAMES.into()));
        }
        Some(outcome)
    }

    /// A path that is not text matches no pattern.
    fn path_matches(
        &self,
        pattern: &Glob,
        path: &Path,
        is_folder: bool,
        folder: &FolderNames,
    ) -> bool {
        // What is denied as a folder is denied with everything in it.
        let is_whole = self.action != Action::Allow && pattern.ends_with_name();
        let is_allowing = self.action == Action::Allow;
        let matches_text = |text: &str| pattern.matches_in(text, Case::OF_SYSTEM);
        let matches = |path: &Path| {
            let mut all = path.ancestors().take(if is_whole { usize::MAX } else { 1 });
            all.any(|path| spelling::text(path).is_some_and(|text| matches_text(&text)))
                // `secrets/**` is about a command that is run in `secrets`, and forbids the folder itself.
                || (is_folder || !is_allowing) && matches_text(&format!("{}/", spelling::shown(path)))
        };
        // A pattern without a drive allows nothing on Windows, where it stands for any.
        if let Some(spellings) = spelling::absolute(pattern.text(), path, is_allowing) {
            return spellings.iter().any(|path| matches(path));
        }
        // `**/.env` forbids the file everywhere, but allows it only in the folder of the session.
        let is_everywhere = self.action != Action::Allow && pattern.text().starts_with("**/");
        folder.all_below(path).any(matches)
            || (is_everywhere && spelling::below_root(path).is_some_and(matches))
    }

    /// Nothing if the rule is not about commands.
    fn match_commands(&self, facts: &Facts, kind: &ToolKind) -> Option<Outcome> {
        if self.commands.is_empty() {
            return None;
        }
        if facts.commands.is_empty() {
            let runs = *kind == ToolKind::Execute || runs(facts, kind);
            return Some(match runs || facts.is_incomplete {
                true => Outcome::Unknown("the call does not say which command it runs".into()),
                false => Outcome::No("it runs no command".into()),
            });
        }
        match self.action {
            Action::Allow => self.match_all_commands(facts),
            Action::Ask | Action::Deny => self.match_one_command(facts),
        }
        .into()
    }

    fn match_all_commands(&self, facts: &Facts) -> Outcome {
        let mut parts = Vec::new();
        for line in facts.commands.iter().chain(&facts.joined) {
            let commands = Commands::of(line);
            if commands.is_opaque {
                return Outcome::No(format!(
                    "the command {} has a substitution, a redirection or another part that cannot be read with certainty",
                    quoted(line)
                ));
            }
            parts.extend(commands.parts);
        }
        let matched = parts.into_iter().map(|part| {
            let found = self.commands.iter().find(|pattern| pattern.matches(&part));
            (part, found)
        });
        self.all_or_one(matched, facts.is_incomplete, "command")
    }

    /// However the command is written: as it is, as a shell reads it, and as a part of another one.
    fn match_one_command(&self, facts: &Facts) -> Outcome {
        let lines = || facts.commands.iter().chain(&facts.shells);
        // A rule may also be about the whole line: `curl * | sh`.
        let whole = lines().map(|line| {
            let matches = |pattern: &&Glob| pattern.matches_command(line, Case::OF_SYSTEM);
            let found = self.commands.iter().find(matches);
            (line.clone(), found)
        });
        let whole = self.all_or_one(whole, facts.is_incomplete, "command");
        if let Outcome::Yes(_) = whole {
            return whole;
        }
        let certain = lines().map(|line| (line, true));
        // Only some clients read these.
        let joined = facts.joined.iter().map(|line| (line, false));
        let mut perhaps = None;
        for (line, is_certain) in certain.chain(joined) {
            let commands = Commands::of(line);
            for pattern in &self.commands {
                let shown = quoted(pattern.text());
                let found = match pattern.matches_command(line, Case::OF_SYSTEM) {
                    true => Meant::Yes(line.clone()),
                    false => commands.find(pattern),
                };
                match found {
                    Meant::Yes(text) if is_certain => {
                        let text = quoted(&text);
                        return Outcome::Yes(format!("the command {text} matches {shown}"));
                    }
                    Meant::Yes(text) | Meant::Perhaps(text) => {
                        let text = quoted(&text);
                        perhaps.get_or_insert(format!("the command {text} may match {shown}"));
                    }
                    Meant::No => {}
                }
            }
        }
        perhaps.map_or(whole, Outcome::Unknown)
    }

    /// A rule that allows needs a pattern for all; another one needs one that matches.
    fn all_or_one<'a>(
        &self,
        matched: impl Iterator<Item = (String, Option<&'a Glob>)>,
        is_incomplete: bool,
        what: &str,
    ) -> Outcome {
        let yes = |text: &str, pattern: &Glob| {
            let (text, pattern) = (quoted(text), quoted(pattern.text()));
            format!("the {what} {text} matches {pattern}")
        };
        let no = |text: &str| format!("the {what} {} matches no pattern", quoted(text));
        let (mut last_yes, mut last_no) = (None, None);
        for (text, pattern) in matched {
            match pattern {
                Some(pattern) if self.action != Action::Allow => {
                    return Outcome::Yes(yes(&text, pattern));
                }
                Some(pattern) => last_yes = Some(yes(&text, pattern)),
                None if self.action == Action::Allow => return Outcome::No(no(&text)),
                None => last_no = Some(no(&text)),
            }
        }
        match (last_yes, last_no) {
            _ if is_incomplete => {
                Outcome::Unknown(format!("the call has a {what} that cannot be read"))
            }
            (Some(why), _) => Outcome::Yes(why),
            (None, why) => Outcome::No(why.unwrap_or_else(|| format!("it has no {what}"))),
        }
    }
}

/// Whether calls of a kind are about files, also if they do not say which.
pub(super) fn is_about_files(kind: &ToolKind) -> bool {
    matches!(
        kind,
        ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move
    )
}

/// Whether a call runs something that it does not state as a command.
pub(super) fn runs(facts: &Facts, kind: &ToolKind) -> bool {
    let only_looks = matches!(kind, ToolKind::Read | ToolKind::Search);
    facts.has_terminal || facts.has_code && only_looks
}

fn shown(path: &Path, folder: &FolderNames) -> String {
    let inside = folder.below(path);
    let inside = inside.filter(|path| !path.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}

pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
