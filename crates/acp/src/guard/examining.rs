//! What an agent may do: permission, files, terminals.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, Entry, Failure, PermissionParams, PermissionResult, Side, TerminalParams,
    view,
};
use tenon_rpc::{Call, Payload, RpcError};
use tokio::time::Instant;

use super::Note;
use super::agent::{encoded, session_of};
use super::files::file_of;
use super::questions::Question;
use super::state::Shared;
use crate::facts::{Facts, variables};
use crate::paths::{Access, PathError, Roots};
use crate::policy::{Action, Decision, check_options};
use crate::turns::Ruling;

/// A call of the agent that may be made.
pub(super) struct Examined {
    pub(super) entry: Option<&'static Entry>,
    /// The session that it is about.
    pub(super) session: Option<String>,
    pub(super) verdict: Verdict,
}

/// What is done with a call of the agent.
pub(super) enum Verdict {
    Forward,
    Answer(Payload),
    /// The user has to allow it first.
    Ask(Box<Question>),
}

impl Shared {
    /// Checks a call of the agent, and decides who answers it.
    pub(super) fn examine(&self, call: &Call) -> Result<Examined, RpcError> {
        let params = call.params.as_ref();
        self.check_id(&call.id)?;
        let entry = self.check(Side::Client, &call.method, params)?;
        let without_session = Examined {
            entry,
            session: None,
            verdict: Verdict::Forward,
        };
        let Some((known, params)) = entry.zip(params) else {
            return Ok(without_session);
        };
        // A question may belong to a call of the client instead.
        let is_question = known.name == "elicitation/create";
        let has_session = known.has_session || is_question && session_of(Some(params)).is_some();
        if !has_session {
            return Ok(without_session);
        }
        let file = file_of(known, params)?;
        let session = match &file {
            Some(file) => file.session_id.to_string(),
            None => session_of(Some(params)).unwrap_or_default(),
        };
        self.state().turns.agent_calls(&session)?;
        if let Some(pace) = self.state().paces.get_mut(&session) {
            pace.active = Instant::now();
        }
        self.check_rate(known, &session)?;
        let verdict = self.verdict(known, params, &session, file.as_ref(), false)?;
        Ok(Examined {
            entry,
            session: Some(session),
            verdict,
        })
    }

    /// Who answers a call that the user has allowed: everything is checked again, because time has passed.
    pub(super) fn examine_again(&self, call: &Call, session: &str) -> Result<Verdict, RpcError> {
        let known = tenon_protocols::acp::method(&call.method);
        let Some((known, params)) = known.zip(call.params.as_ref()) else {
            return Ok(Verdict::Forward);
        };
        self.state().turns.agent_calls(session)?;
        let file = file_of(known, params)?;
        self.verdict(known, params, session, file.as_ref(), true)
    }

    fn verdict(
        &self,
        known: &Entry,
        params: &Payload,
        session: &str,
        file: Option<&view::OfFile<'_>>,
        is_approved: bool,
    ) -> Result<Verdict, RpcError> {
        let verdict = match (known.name, file) {
            ("session/request_permission", _) => self.permission(&decoded(params)?)?,
            ("fs/read_text_file", Some(file)) => {
                self.file(file, params, Access::Read, is_approved)?
            }
            ("fs/write_text_file", Some(file)) => {
                self.file(file, params, Access::Write, is_approved)?
            }
            ("terminal/create", _) => {
                super::learn(&self.masks, known.name, Some(params));
                self.terminal(session, &decoded(params)?, is_approved)?
            }
            (name, _) if name.starts_with("terminal/") => {
                let params: TerminalParams = decoded(params)?;
                let mut state = self.state();
                let session = state.turns.session(session);
                if !session.is_some_and(|session| session.has_terminal(&params.terminal_id)) {
                    let data = json!({ "terminalId": params.terminal_id, "details": "there is no such terminal" });
                    return Err(Failure::InvalidParams.error(self.profile, data));
                }
                Verdict::Forward
            }
            _ => Verdict::Forward,
        };
        Ok(verdict)
    }

    /// A request for permission is where an agent can be stopped.
    fn permission(&self, params: &PermissionParams) -> Result<Verdict, RpcError> {
        let (mut facts, folder, is_cancelled) = {
            let mut state = self.state();
            let Some(session) = state.turns.session(&params.session_id) else {
                return Ok(Verdict::Forward);
            };
            let facts = session.facts_of(&params.tool_call);
            (facts, session.folder().to_owned(), session.is_cancelled())
        };
        if is_cancelled {
            return Ok(Verdict::Answer(encoded(&PermissionResult::cancelled())?));
        }
        check_options(&params.options, self.profile)?;
        facts.follow_links();
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

    /// A program has to run in the folders of its session, and must not be denied.
    fn terminal(
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
        let (folder, roots) = self.folders(session);
        if let Some(cwd) = params.cwd.as_deref().filter(|_| self.limits.paths) {
            let checked = roots.and_then(|roots| roots.check_folder(cwd));
            checked.map_err(|error| self.unserved(&error, cwd))?;
        }
        let stated = Facts::running(params, &folder);
        let mut facts = stated.clone();
        let ruling = {
            let mut state = self.state();
            let session = state.turns.session(session);
            session.and_then(|session| session.ruling(&facts))
        };
        facts.follow_links();
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

    /// The folder of a session, and all its folders for what is opened below them.
    pub(super) fn folders(&self, session: &str) -> (PathBuf, Result<Arc<Roots>, PathError>) {
        let mut state = self.state();
        let pace = state.paces.get(session);
        let roots = pace.and_then(|pace| pace.roots.clone());
        let folder = { state.turns.session(session) }
            .map(|session| session.folder().to_owned())
            .unwrap_or_default();
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
            about: about.to_owned(),
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
