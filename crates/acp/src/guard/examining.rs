//! What an agent may do: permission, files, terminals.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, ElicitationResult, Empty, Entry, Failure, PermissionParams,
    PermissionResult, Side, TerminalParams, view,
};
use tenon_rpc::{Call, Payload, RpcError};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::agent::{encoded, session_of};
use super::blocking::{self, off_thread};
use super::files::file_of;
use super::questions::Question;
use super::state::Shared;
use super::{Note, Summary};
use crate::facts::{Facts, variables};
use crate::paths::{Access, FolderNames, PathError, Roots};
use crate::policy::{Action, Decision, check_options};
use crate::turns::Ruling;

/// Held by the call of a session that is examined: the next one waits for it.
pub(super) type Lane = Option<OwnedMutexGuard<()>>;

/// A call of the agent that may be made. It keeps its place as long as it has the lane.
pub(super) struct Examined {
    pub(super) entry: Option<&'static Entry>,
    /// The session that it is about.
    pub(super) session: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) lane: Lane,
}

/// What is done with a call of the agent.
pub(super) enum Verdict {
    Forward,
    Answer(Payload),
    /// The user has to allow it first.
    Ask(Box<Question>),
}

impl Shared {
    /// Checks a call of the agent, and decides who answers it. Files are looked at on other threads; the calls of a session
    /// keep their order as long as the lane is held.
    pub(super) async fn examine(&self, call: &Call) -> Result<Examined, RpcError> {
        let params = call.params.as_ref();
        self.check_id(&call.id)?;
        let entry = self.check(Side::Client, &call.method, params)?;
        let named = session_of(params);
        // A question may belong to a call of the client instead.
        let has_session = |known: &Entry| {
            known.has_session || known.name == "elicitation/create" && named.is_some()
        };
        let Some((known, params)) = entry.filter(|known| has_session(known)).zip(params) else {
            let lane = match named {
                Some(session) => self.lane(&session).await,
                None => None,
            };
            return Ok(Examined {
                entry,
                session: None,
                verdict: Verdict::Forward,
                lane,
            });
        };
        let file = file_of(known, params)?;
        let session = match &file {
            Some(file) => file.session_id.to_string(),
            None => named.unwrap_or_default(),
        };
        self.state().turns.agent_calls(&session)?;
        let lane = self.lane(&session).await;
        if let Some(pace) = self.state().paces.get_mut(&session) {
            pace.active = Instant::now();
        }
        self.check_rate(known, &session)?;
        let verdict = self.verdict(known, params, &session, file.as_ref(), false);
        let verdict = verdict.await?;
        Ok(Examined {
            entry,
            session: Some(session),
            verdict,
            lane,
        })
    }

    /// Who answers a call that the user has allowed: everything is checked again, because time has passed.
    pub(super) async fn examine_again(
        &self,
        call: &Call,
        session: &str,
    ) -> Result<(Verdict, Lane), RpcError> {
        let lane = self.lane(session).await;
        let known = tenon_protocols::acp::method(&call.method);
        let Some((known, params)) = known.zip(call.params.as_ref()) else {
            return Ok((Verdict::Forward, lane));
        };
        self.state().turns.agent_calls(session)?;
        let file = file_of(known, params)?;
        let verdict = self.verdict(known, params, session, file.as_ref(), true);
        Ok((verdict.await?, lane))
    }

    /// Waits until the earlier calls of a session were examined.
    async fn lane(&self, session: &str) -> Lane {
        let lane = {
            let state = self.state();
            state.paces.get(session).map(|pace| pace.lane.clone())
        };
        match lane {
            Some(lane) => Some(lane.lock_owned().await),
            None => None,
        }
    }

    async fn verdict(
        &self,
        known: &Entry,
        params: &Payload,
        session: &str,
        file: Option<&view::OfFile<'_>>,
        is_approved: bool,
    ) -> Result<Verdict, RpcError> {
        let verdict = match (known.name, file) {
            ("session/request_permission", _) => self.permission(decoded(params)?).await?,
            // Nobody would answer it: the client has answered the questions of the turn before it cancelled it.
            ("elicitation/create", _) if self.is_cancelled(session) => {
                Verdict::Answer(encoded(&ElicitationResult::Cancel(Empty::default()))?)
            }
            ("fs/read_text_file", Some(file)) => {
                let call = (file, params);
                self.file(known, call, Access::Read, is_approved).await?
            }
            ("fs/write_text_file", Some(file)) => {
                let call = (file, params);
                self.file(known, call, Access::Write, is_approved).await?
            }
            ("terminal/create", _) => {
                self.terminal(session, &decoded(params)?, is_approved)
                    .await?
            }
            (name, _) if name.starts_with("terminal/") => {
                let params: TerminalParams = decoded(params)?;
                let mut state = self.state();
                let session = state.turns.session(session);
                if !session.is_some_and(|session| session.has_terminal(&params.terminal_id)) {
                    let data =
                        json!({ "terminalId": params.terminal_id, "details": "unknown terminal" });
                    return Err(Failure::InvalidParams.error(self.profile, data));
                }
                Verdict::Forward
            }
            _ => Verdict::Forward,
        };
        Ok(verdict)
    }

    /// A request for permission is where an agent can be stopped.
    async fn permission(&self, params: PermissionParams) -> Result<Verdict, RpcError> {
        let (facts, folder) = {
            let mut state = self.state();
            let Some(session) = state.turns.session(&params.session_id) else {
                return Ok(Verdict::Forward);
            };
            let facts = session.facts_of(&params.tool_call);
            (facts, state.folder(&params.session_id))
        };
        let facts = match check_options(&params.options, self.profile) {
            Ok(()) => self.with_links("session/request_permission", facts).await,
            Err(error) => Err(error),
        };
        // Following links takes time, in which the turn may be cancelled.
        if self.is_cancelled(&params.session_id) {
            return Ok(Verdict::Answer(encoded(&PermissionResult::cancelled())?));
        }
        let facts = facts?;
        let decision = self.policy.decide(&facts, &folder);
        let about = { facts.title.as_deref() }.unwrap_or(&params.tool_call.tool_call_id);
        self.note_decision(
            "session/request_permission",
            about,
            &params.session_id,
            &decision,
        );
        let Some(answer) = decision.answer(&params.options) else {
            self.state().summary.asked += 1;
            return Ok(Verdict::Forward);
        };
        match decision.action {
            Action::Deny => self.state().summary.denied += 1,
            Action::Allow | Action::Ask => self.state().summary.allowed += 1,
        }
        encoded(&answer).map(Verdict::Answer)
    }

    /// Whether the turn of a session was cancelled, or the session is closed: its questions are not asked then.
    pub(super) fn is_cancelled(&self, session: &str) -> bool {
        let mut state = self.state();
        let session = state.turns.session(session);
        session.is_none_or(|session| session.is_cancelled())
    }

    /// A program has to run in the folders of its session, and must not be denied.
    async fn terminal(
        &self,
        session: &str,
        params: &CreateTerminalParams,
        is_approved: bool,
    ) -> Result<Verdict, RpcError> {
        let checked = variables(params.env.as_deref()).and_then(|_| check_program(params));
        if let Err(details) = checked {
            let data = json!({ "command": params.command, "details": details });
            return Err(Failure::InvalidParams.error(self.profile, data));
        }
        // Before the user is asked; it is checked again when the call is forwarded.
        let has_room = {
            let mut state = self.state();
            let session = state.turns.session(session);
            session.is_none_or(|session| session.has_room_for_terminal())
        };
        if !has_room {
            return Err(self.too_many_terminals(session));
        }
        let (folder, roots) = self.folders(session);
        if let Some(cwd) = params.cwd.clone().filter(|_| self.limits.paths) {
            let path = cwd.clone();
            let checked = off_thread(blocking::LIMIT, move || roots?.check_folder(&path)).await;
            let checked =
                checked.map_err(|_| self.timed_out("terminal/create", blocking::LIMIT))?;
            checked.map_err(|error| self.unserved(&error, &cwd))?;
        }
        let stated = Facts::running(params, &folder);
        let ruling = {
            let mut state = self.state();
            let session = state.turns.session(session);
            session.and_then(|session| session.ruling(&stated))
        };
        let facts = self.with_links("terminal/create", stated.clone()).await?;
        let decision = self.policy.decide(&facts, &folder);
        // Clients do not ask about this, so what may be denied must have been allowed before.
        let is_in_doubt = decision.is_doubtful && ruling != Some(Ruling::Allowed);
        if decision.action == Action::Deny || is_in_doubt {
            self.note_decision("terminal/create", &params.command, session, &decision);
            return Err(self.denied(&decision, json!({ "command": params.command })));
        }
        if !is_approved && self.must_ask(&decision, &stated, session) {
            self.note_decision("terminal/create", &params.command, session, &decision);
            let question = Question::program(params, &stated);
            return Ok(Verdict::Ask(Box::new(question)));
        }
        Ok(Verdict::Forward)
    }

    /// Adds where the links lead that are in the paths of a tool call.
    async fn with_links(&self, method: &str, mut facts: Facts) -> Result<Facts, RpcError> {
        let followed = off_thread(blocking::LIMIT, move || {
            facts.follow_links();
            facts
        });
        let followed = followed.await;
        followed.map_err(|_| self.timed_out(method, blocking::LIMIT))
    }

    /// The folder of a session, and all its folders for what is opened below them.
    pub(super) fn folders(&self, session: &str) -> (FolderNames, Result<Arc<Roots>, PathError>) {
        let mut state = self.state();
        let pace = state.paces.get(session);
        let roots = pace.and_then(|pace| pace.roots.clone());
        let folder = state.folder(session);
        let roots = roots.ok_or(PathError::Outside(
            "the folders of the session could not be opened",
        ));
        (folder, roots)
    }

    pub(super) fn denied(&self, decision: &Decision, mut data: Value) -> RpcError {
        self.state().summary.denied += 1;
        data["rule"] = json!(decision.rule);
        data["details"] = json!(match decision.action {
            Action::Deny => "denied by the policy",
            Action::Allow | Action::Ask => "the policy may deny this; ask for permission first",
        });
        Failure::PermissionDenied.error(self.profile, data)
    }

    pub(super) fn note_decision(
        &self,
        method: &str,
        about: &str,
        session: &str,
        decision: &Decision,
    ) {
        if let Some(rule) = &decision.rule {
            *self.state().summary.rules.entry(rule.clone()).or_default() += 1;
        }
        self.note(&Note::Decision {
            method: method.to_owned(),
            about: Summary::bounded(about),
            session_id: session.to_owned(),
            decision: decision.clone(),
        });
    }
}

/// Refuses a program that no system can start.
fn check_program(params: &CreateTerminalParams) -> Result<(), &'static str> {
    let mut arguments = params.args.iter().flatten();
    if params.command.trim().is_empty() {
        return Err("the command is empty");
    }
    match params.command.contains('\0') || arguments.any(|argument| argument.contains('\0')) {
        true => Err("the command contains a null character"),
        false => Ok(()),
    }
}

/// The params were checked against their type before.
pub(super) fn decoded<T: serde::de::DeserializeOwned>(params: &Payload) -> Result<T, RpcError> {
    params.decode_private().map_err(unfit)
}

pub(super) fn unfit(_: tenon_rpc::PayloadError) -> RpcError {
    RpcError::invalid_params("Invalid params")
}
