//! What was done, compared with what was decided.
//!
//! An agent asks for permission, does something itself or through the client, and reports it: three messages that the
//! protocol does not tie together. They are matched by tool call, and by file or command.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;

use serde::Serialize;
use tenon_protocols::acp::{
    CreateTerminalParams, PermissionKind, PermissionOutcome, PermissionParams, PermissionResult,
    ToolKind, view,
};
use tenon_rpc::Payload;

use super::state::{Shared, State};
use super::{Note, Summary};
use crate::facts::Facts;
use crate::paths::spelling;
use crate::policy::Action;
use crate::record::{Source, hide_variables};
use crate::turns::{Completed, Ruling};

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// A file was read.
    Read,
    /// A file was changed.
    Written,
    /// A command was run.
    Run,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Deed::Read => "read",
            Deed::Written => "written",
            Deed::Run => "run",
        })
    }
}

impl Shared {
    /// The client has answered a request for permission, or the policy has.
    pub(super) fn decided(&self, params: &Payload, result: &Payload, is_user: bool) {
        let (Ok(params), Ok(result)) = (
            params.decode_private::<PermissionParams>(),
            result.decode_private::<PermissionResult>(),
        ) else {
            return;
        };
        let kind = match &result.outcome {
            PermissionOutcome::Selected(chosen) => { params.options.iter() }
                .find(|option| option.option_id == chosen.option_id)
                .map(|option| option.kind.clone()),
            // Whatever it is, the agent was not allowed anything.
            _ => Some(PermissionKind::RejectOnce),
        };
        let Some(ruling) = kind.as_ref().and_then(Ruling::of) else {
            return;
        };
        let mut state = self.state();
        if is_user {
            match ruling {
                Ruling::Allowed => state.summary.approved += 1,
                Ruling::Rejected => state.summary.rejected += 1,
            }
        }
        let is_always = kind == Some(PermissionKind::AllowAlways);
        if let Some(session) = state.turns.session(&params.session_id) {
            session.decide(&params.tool_call, ruling, is_always);
        }
    }

    /// The client has read or written a file for the agent.
    pub(super) fn file_done(&self, params: &Payload, deed: Deed) {
        let Ok(file) = view::OfFile::read(params) else {
            return;
        };
        let mut state = self.state();
        let folder = state.folder(&file.session_id);
        let facts = Facts::writing(&file.path, &folder);
        let list = match deed {
            Deed::Read => &mut state.summary.read,
            _ => &mut state.summary.written,
        };
        // As agents report it: `/w/./a` and `/w/a` are one file.
        for name in names(&facts, deed) {
            Summary::count(list, &name);
        }
        if deed == Deed::Written {
            let by = Source::Client;
            let named = named(&[deed], &facts);
            self.judge(state, &file.session_id, named, facts, by, None);
        }
    }

    /// The client has started a program for the agent.
    pub(super) fn program_done(&self, params: &CreateTerminalParams) {
        let mut state = self.state();
        let folder = state.folder(&params.session_id);
        let facts = Facts::running(params, &folder);
        // The values of its variables are masked here and nowhere else: an agent chooses them.
        let mut shown = params.clone();
        hide_variables(shown.env.as_deref_mut().unwrap_or_default());
        let named = named(&[Deed::Run], &Facts::running(&shown, &folder));
        for (_, command) in &named {
            Summary::count(&mut state.summary.run, command);
        }
        self.judge(
            state,
            &params.session_id,
            named,
            facts,
            Source::Client,
            None,
        );
    }

    /// The agent says that it has completed a tool call.
    pub(super) fn completed(&self, session: &str, completed: Completed) {
        let Completed { facts, ruling } = completed;
        let deeds = deeds(&facts);
        let mut state = self.state();
        for deed in &deeds {
            let reported = &mut state.summary.reported;
            let list = match deed {
                Deed::Read => &mut reported.read,
                Deed::Written => &mut reported.written,
                Deed::Run => &mut reported.run,
            };
            for name in names(&facts, *deed) {
                Summary::count(list, &name);
            }
        }
        let (reads, changes): (Vec<Deed>, Vec<Deed>) =
            { deeds.into_iter() }.partition(|deed| *deed == Deed::Read);
        drop(state);
        if !reads.is_empty() {
            self.judge_reading(session, &facts, ruling);
        }
        if !changes.is_empty() {
            let state = self.state();
            let named = named(&changes, &facts);
            self.judge(state, session, named, facts, Source::Agent, ruling);
        }
    }

    /// Reading needs no decision, so only what is against one is noted: of a search, the files that a rule denies.
    fn judge_reading(&self, session: &str, facts: &Facts, ruling: Option<Ruling>) {
        for path in &facts.paths {
            let mut file = Facts {
                kind: facts.kind.clone(),
                paths: BTreeSet::from([path.clone()]),
                ..Facts::default()
            };
            file.follow_links();
            let folder = self.state().folder(session);
            let is_denied = self.policy.decide(&file, &folder).action == Action::Deny;
            if is_denied || ruling == Some(Ruling::Rejected) {
                let name = path.display().to_string();
                self.note_deed(session, (Deed::Read, name), Source::Agent, true);
            }
        }
    }

    /// Notes what was done without a decision or against one.
    fn judge(
        &self,
        mut state: MutexGuard<'_, State>,
        session: &str,
        named: Vec<(Deed, String)>,
        mut facts: Facts,
        by: Source,
        ruling: Option<Ruling>,
    ) {
        let folder = state.folder(session);
        let known = state.turns.session(session);
        let (exact, is_always) = known.map_or((None, false), |session| {
            (session.ruling(&facts), session.is_always(&facts))
        });
        let ruling = ruling.or(exact);
        drop(state);
        facts.follow_links();
        // What a rule denies was never asked for, so nothing that the user has allowed can be about it.
        let decision = self.policy.decide(&facts, &folder);
        let is_against = match (decision.action, ruling) {
            (Action::Deny, _) | (_, Some(Ruling::Rejected)) => true,
            (_, Some(Ruling::Allowed)) | (Action::Allow, None) => return,
            // "Always" is about what no rule is about.
            (Action::Ask, None) if is_always && decision.rule.is_none() => return,
            (Action::Ask, None) => false,
        };
        for (deed, name) in named {
            // A part of it may have been allowed before.
            let is_allowed = !is_against && {
                let single = single(&facts, deed, &name);
                let mut state = self.state();
                let known = state.turns.session(session);
                known.and_then(|session| session.ruling(&single)) == Some(Ruling::Allowed)
            };
            if !is_allowed {
                self.note_deed(session, (deed, name), by, is_against);
            }
        }
    }

    /// Notes what was done against a decision, or without one.
    fn note_deed(&self, session: &str, (deed, name): (Deed, String), by: Source, is_against: bool) {
        let mut state = self.state();
        let list: &mut BTreeMap<String, u64> = match is_against {
            true => &mut state.summary.against,
            false => &mut state.summary.undecided,
        };
        Summary::count(list, &name);
        drop(state);
        let session_id = session.to_owned();
        self.note(&match is_against {
            true => Note::Against {
                session_id,
                deed,
                name,
                by,
            },
            false => Note::Undecided {
                session_id,
                deed,
                name,
                by,
            },
        });
    }
}

/// What a tool call has done. What it states counts more than its kind, which the agent chooses.
fn deeds(facts: &Facts) -> Vec<Deed> {
    let runs = facts.kind == Some(ToolKind::Execute) || !facts.commands.is_empty();
    // A diff is a change, whatever the kind.
    let writes = facts.has_diff
        || matches!(
            facts.kind,
            Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move)
        );
    let reads = matches!(facts.kind, Some(ToolKind::Read | ToolKind::Search)) && !writes;
    let deeds = [
        (reads, Deed::Read),
        (writes, Deed::Written),
        (runs, Deed::Run),
    ];
    let done = deeds.into_iter().filter(|(is_done, _)| *is_done);
    done.map(|(_, deed)| deed).collect()
}

/// One file or command of several.
fn single(facts: &Facts, deed: Deed, name: &str) -> Facts {
    let mut single = Facts {
        kind: facts.kind.clone(),
        folders: facts.folders.clone(),
        joined: facts.joined.clone(),
        ..Facts::default()
    };
    match deed {
        Deed::Run => drop(single.commands.insert(name.to_owned())),
        Deed::Read | Deed::Written => drop(single.paths.insert(PathBuf::from(name))),
    }
    single
}

/// Deeds with what they were done to.
fn named(deeds: &[Deed], facts: &Facts) -> Vec<(Deed, String)> {
    let of_deed = |deed: &Deed| {
        let names = names(facts, *deed).into_iter();
        let deed = *deed;
        names.map(move |name| (deed, name))
    };
    deeds.iter().flat_map(of_deed).collect()
}

/// What a deed was done to; the title of the tool call if it does not say.
fn names(facts: &Facts, deed: Deed) -> Vec<String> {
    let shown = |path: &PathBuf| path.display().to_string();
    let names: Vec<String> = match deed {
        Deed::Read | Deed::Written => {
            let paths = facts.paths.iter().filter(|path| !has_plain(facts, path));
            paths.map(shown).collect()
        }
        Deed::Run => facts.commands.iter().cloned().collect(),
    };
    match names.is_empty() {
        true => facts.title.iter().cloned().collect(),
        false => names,
    }
}

/// Whether the same path is there without the prefix that Windows has: `\\?\C:\file` is `C:\file`.
fn has_plain(facts: &Facts, path: &Path) -> bool {
    let rest = spelling::below_root(path);
    let is_plain = |alias: &PathBuf| spelling::below_root(alias) == rest;
    let aliases = spelling::aliases(path);
    rest.is_some() && { aliases.iter() }.any(|alias| is_plain(alias) && facts.paths.contains(alias))
}
