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
//!   redirection never matches. A rule about files does not allow a call that also runs a command, and a rule about
//!   commands does not allow one that also changes a file. A rule about kinds alone allows only what is certain to stay in
//!   the folders of the session.
//! - A rule that **asks** or **denies** needs only one: one file or one command that matches. Commands are also compared
//!   as a shell reads them: `git push*` is found in `sudo /usr/bin/git  'push'` and in `sh -c "cd x; git push"`.
//! - If such a rule is about files or commands and the call does not state them, or they have parts that only the shell
//!   knows, the decision is to ask, unless what follows denies it anyway.
//!
//! Patterns of paths are relative to the folder of the session, unless they begin with `/`. In a rule that asks or denies,
//! a pattern that begins with `**/` also matches outside that folder.

mod covering;
mod matching;
mod reading;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use tenon_hcl::{Diagnostic, Source};
use tenon_protocols::acp::{
    Failure, PermissionKind, PermissionOption, PermissionResult, Profile, ToolKind,
};
use tenon_rpc::RpcError;

use crate::facts::Facts;
use crate::glob::Glob;
use crate::paths::FolderNames;
use matching::Outcome;

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
    /// A rule denies it, perhaps: the call has parts that only the agent or the shell knows, so the user is asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
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
    pub fn decide(&self, facts: &Facts, folder: &FolderNames) -> Decision {
        let mut passed = Vec::new();
        // A rule that denies, perhaps this: then the user is asked, unless what follows denies it anyway.
        let mut doubt: Option<Decision> = None;
        for rule in &self.rules {
            let decision = |action, why, passed| Decision {
                action,
                rule: Some(rule.name.clone()),
                at: Some(rule.at.clone()),
                why,
                is_doubtful: false,
                passed,
            };
            let why = match (rule.matches(facts, folder), rule.action) {
                (Outcome::Yes(why), Action::Deny) => return decision(Action::Deny, why, passed),
                (Outcome::Yes(why), action) => {
                    return doubt.unwrap_or_else(|| decision(action, why, passed));
                }
                // What is not known cannot be allowed, and is not denied either.
                (Outcome::Unknown(why), Action::Ask) => {
                    return doubt.unwrap_or_else(|| decision(Action::Ask, why, passed));
                }
                (Outcome::Unknown(why), Action::Deny) => {
                    doubt.get_or_insert_with(|| Decision {
                        is_doubtful: true,
                        ..decision(Action::Ask, why.clone(), passed.clone())
                    });
                    why
                }
                (Outcome::Unknown(why), Action::Allow) | (Outcome::No(why), _) => why,
            };
            passed.push(Passed {
                rule: rule.name.clone(),
                at: rule.at.clone(),
                why,
            });
        }
        match doubt {
            Some(doubt) if self.default != Action::Deny => doubt,
            _ => Decision {
                action: self.default,
                rule: None,
                at: self.default_at.clone(),
                why: format!("no rule matches, and the default is {}", self.default),
                is_doubtful: false,
                passed,
            },
        }
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
            // Agents do not continue after this.
            (None, Action::Deny) => Some(PermissionResult::cancelled()),
            (None, Action::Ask | Action::Allow) => None,
        }
    }
}

/// Refuses options of which two have the same id. The answer "reject" could be "allow" for the agent.
pub(crate) fn check_options(
    options: &[PermissionOption],
    profile: Profile,
) -> Result<(), RpcError> {
    let mut seen = HashSet::new();
    let mut ids = options.iter().map(|option| option.option_id.as_str());
    match ids.find(|id| !seen.insert(*id)) {
        None => Ok(()),
        Some(id) => {
            let details = format!("two options have the id {id:?}, so an answer could mean either");
            Err(Failure::InvalidParams.error(profile, json!({ "details": details })))
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
