//! Rules in HCL that decide which tool calls are allowed, asked for or denied.
//!
//! ```hcl
//! default = "ask"
//!
//! rule "secrets" {
//!   action = "deny"
//!   path   = ["**/.env*", "/etc/**"]
//! }
//!
//! rule "sources" {
//!   action = "allow"
//!   kind   = ["read", "edit"]
//!   path   = ["src/**", "tests/**"]
//! }
//!
//! rule "harmless" {
//!   action  = "allow"
//!   kind    = ["execute"]
//!   command = ["git status*", "cargo {check,test}*"]
//! }
//! ```
//!
//! The first rule that matches decides; if none does, `default` decides. A rule matches if each of its conditions does.
//!
//! - A rule that **allows** needs evidence: all files and all commands of the call must match. A command line is taken
//!   apart first, so `git status*` does not allow `git status && rm -rf /`, and a line with a substitution or a
//!   redirection never matches.
//! - A rule that **asks** or **denies** needs only one: one file or one command that matches.
//! - If such a rule is about files or commands and the call does not state them, the decision is to ask.
//!
//! Patterns of paths are relative to the folder of the session, unless they begin with `/`. In a rule that asks or denies,
//! a pattern that begins with `**/` also matches outside that folder.

mod reading;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tenon_hcl::{Diagnostic, Source};
use tenon_protocols::acp::{PermissionKind, PermissionOption, PermissionResult, ToolKind};

use crate::facts::{Commands, Facts};
use crate::glob::Glob;

/// What is done about a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is allowed without a question.
    Allow,
    /// The user is asked.
    #[default]
    Ask,
    /// It is refused without a question.
    Deny,
}

impl Action {
    const WORDS: [(&'static str, Action); 3] = [
        ("allow", Action::Allow),
        ("ask", Action::Ask),
        ("deny", Action::Deny),
    ];
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Action::WORDS.iter().find(|(_, action)| action == self);
        f.write_str(word.map_or("", |(word, _)| word))
    }
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// What is done if no rule matches.
    pub default: Action,
    /// The line that says so, if there is one.
    default_at: Option<String>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    name: String,
    /// The file and the line.
    at: String,
    action: Action,
    /// Any kind if there is none.
    kinds: Vec<ToolKind>,
    paths: Vec<Glob>,
    commands: Vec<Glob>,
}

/// What is done about a tool call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What is done.
    pub action: Action,
    /// The rule that decided; none if it was the default.
    pub rule: Option<String>,
    /// The file and the line of that rule, or of the default; none if the file does not state a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why, in one line.
    pub why: String,
    /// The rules before it, and why each did not match.
    pub passed: Vec<Passed>,
}

/// A rule that did not match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Passed {
    /// Its name.
    pub rule: String,
    /// Its file and line.
    pub at: String,
    /// Why not.
    pub why: String,
}

/// Whether a rule matches.
enum Outcome {
    Yes(String),
    No(String),
    /// The call does not say enough.
    Unknown(String),
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(source: &Arc<Source>) -> Result<Policy, Vec<Diagnostic>> {
        Policy::parse_with_warnings(source).map(|(policy, _)| policy)
    }

    /// Reads a policy, and says what is probably wrong with it.
    ///
    /// # Errors
    /// Everything that is wrong with it, warnings included.
    pub fn parse_with_warnings(
        source: &Arc<Source>,
    ) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
        reading::policy(source)
    }

    /// The names of the rules and what they do, in order.
    pub fn rules(&self) -> impl Iterator<Item = (&str, Action)> {
        self.rules
            .iter()
            .map(|rule| (rule.name.as_str(), rule.action))
    }

    /// Decides about a tool call in a session with this folder.
    pub fn decide(&self, facts: &Facts, folder: &Path) -> Decision {
        let mut passed = Vec::new();
        for rule in &self.rules {
            let (action, why) = match rule.matches(facts, folder) {
                Outcome::Yes(why) => (rule.action, why),
                // What is not known cannot be allowed, and is not denied either.
                Outcome::Unknown(why) if rule.action != Action::Allow => (Action::Ask, why),
                Outcome::Unknown(why) | Outcome::No(why) => {
                    passed.push(Passed {
                        rule: rule.name.clone(),
                        at: rule.at.clone(),
                        why,
                    });
                    continue;
                }
            };
            return Decision {
                action,
                rule: Some(rule.name.clone()),
                at: Some(rule.at.clone()),
                why,
                passed,
            };
        }
        Decision {
            action: self.default,
            rule: None,
            at: self.default_at.clone(),
            why: format!("no rule matches, and the default is {}", self.default),
            passed,
        }
    }
}

impl Rule {
    fn matches(&self, facts: &Facts, folder: &Path) -> Outcome {
        let kind = facts.kind.clone().unwrap_or(ToolKind::Unspecified);
        if !self.kinds.is_empty() && !self.kinds.contains(&kind) {
            return Outcome::No(format!("its kind is {kind}"));
        }
        let mut reasons = Vec::new();
        if !self.kinds.is_empty() {
            reasons.push(format!("its kind is {kind}"));
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
        Outcome::Yes(match reasons.is_empty() {
            true => "the rule has no conditions".to_owned(),
            false => reasons.join(", "),
        })
    }

    /// Nothing if the rule is not about paths.
    fn match_paths(&self, facts: &Facts, kind: &ToolKind, folder: &Path) -> Option<Outcome> {
        if self.paths.is_empty() {
            return None;
        }
        if facts.paths.is_empty() {
            let is_about_files = matches!(
                kind,
                ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move
            );
            return Some(match is_about_files || facts.is_incomplete {
                true => Outcome::Unknown("the call does not say which files it is about".into()),
                false => Outcome::No("it is about no file".into()),
            });
        }
        let matched = facts.paths.iter().map(|path| {
            let found =
                { self.paths.iter() }.find(|pattern| self.path_matches(pattern, path, folder));
            (shown(path, folder), found)
        });
        Some(self.all_or_one(matched, facts.is_incomplete, "path"))
    }

    /// A path that is not text matches no pattern.
    fn path_matches(&self, pattern: &Glob, path: &Path, folder: &Path) -> bool {
        let matches = |path: &Path| path.to_str().is_some_and(|path| pattern.matches(path));
        if pattern.text().starts_with('/') {
            return matches(path);
        }
        // `**/.env` forbids the file everywhere, but allows it only in the folder of the session.
        let is_everywhere = self.action != Action::Allow && pattern.text().starts_with("**/");
        let below = |folder: &Path| path.strip_prefix(folder).is_ok_and(matches);
        below(folder) || (is_everywhere && below(Path::new("/")))
    }

    /// Nothing if the rule is not about commands.
    fn match_commands(&self, facts: &Facts, kind: &ToolKind) -> Option<Outcome> {
        if self.commands.is_empty() {
            return None;
        }
        if facts.commands.is_empty() {
            return Some(match *kind == ToolKind::Execute || facts.is_incomplete {
                true => Outcome::Unknown("the call does not say which command it runs".into()),
                false => Outcome::No("it runs no command".into()),
            });
        }
        let mut parts = Vec::new();
        for line in &facts.commands {
            let commands = Commands::of(line);
            if commands.is_opaque && self.action == Action::Allow {
                return Some(Outcome::No(format!(
                    "the command {} contains a substitution or a redirection",
                    quoted(line)
                )));
            }
            // A rule may also be about the whole line: `curl * | sh`.
            if self.action != Action::Allow && commands.parts.len() > 1 {
                parts.push(line.clone());
            }
            parts.extend(commands.parts);
        }
        let matched = parts.into_iter().map(|part| {
            let found = self.commands.iter().find(|pattern| pattern.matches(&part));
            (part, found)
        });
        Some(self.all_or_one(matched, facts.is_incomplete, "command"))
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

fn shown(path: &Path, folder: &Path) -> String {
    let inside = path.strip_prefix(folder).ok();
    let inside = inside.filter(|path| !path.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}

fn quoted(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl Decision {
    /// The answer to the agent's request for permission, chosen among its own options. Nothing if the user is to
    /// decide: also when there is no option that allows just this call.
    pub fn answer(&self, options: &[PermissionOption]) -> Option<PermissionResult> {
        let option = |kind| options.iter().find(|option| option.kind == kind);
        let chosen = match self.action {
            Action::Ask => None,
            // Never "always": the policy decides about each call.
            Action::Allow => option(PermissionKind::AllowOnce),
            Action::Deny => {
                option(PermissionKind::RejectOnce).or_else(|| option(PermissionKind::RejectAlways))
            }
        };
        match (chosen, self.action) {
            (Some(option), _) => Some(PermissionResult::selected(option.option_id.clone())),
            // Agents do not go on after this.
            (None, Action::Deny) => Some(PermissionResult::cancelled()),
            (None, Action::Ask | Action::Allow) => None,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Some(rule) => write!(f, "{}: rule {rule:?}: {}", self.action, self.why),
            None => write!(f, "{}: {}", self.action, self.why),
        }
    }
}
