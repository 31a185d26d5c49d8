//! What an agent may do: permission, files, terminals.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, Empty, Entry, Failure, PermissionParams, PermissionResult,
    ReadTextFileParams, ReadTextFileResult, Side, TerminalParams, WriteTextFileParams, view,
};
use tenon_rpc::{Call, Format, Payload, RpcError};
use tokio::time::Instant;

use super::agent::{encoded, session_of};
use super::state::Shared;
use super::{Files, Note};
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
        // A file may have megabytes, so its path and its session are read at once.
        let file = match known.name {
            "fs/read_text_file" | "fs/write_text_file" => {
                Some(view::OfFile::read(params).map_err(unfit)?)
            }
            _ => None,
        };
        let session = match &file {
            Some(file) => file.session_id.to_string(),
            None => session_of(Some(params)).unwrap_or_default(),
        };
        self.state().turns.agent_calls(&session)?;
        if let Some(pace) = self.state().paces.get_mut(&session) {
            pace.active = Instant::now();
        }
        self.check_rate(known, &session)?;
        let verdict = match (known.name, &file) {
            ("session/request_permission", _) => self.permission(&decoded(params)?)?,
            ("fs/read_text_file", Some(file)) => self.file(file, params, Access::Read)?,
            ("fs/write_text_file", Some(file)) => self.file(file, params, Access::Write)?,
            ("terminal/create", _) => {
                super::learn(&self.masks, known.name, Some(params));
                self.terminal(&session, &decoded(params)?)?
            }
            (name, _) if name.starts_with("terminal/") => {
                let params: TerminalParams = decoded(params)?;
                let mut state = self.state();
                let session = state.turns.session(&session);
                if !session.is_some_and(|session| session.has_terminal(&params.terminal_id)) {
                    let data = json!({ "terminalId": params.terminal_id, "details": "there is no such terminal" });
                    return Err(Failure::InvalidParams.error(self.profile, data));
                }
                Verdict::Forward
            }
            _ => Verdict::Forward,
        };
        Ok(Examined {
            entry,
            session: Some(session),
            verdict,
        })
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

    /// A file has to be in the folders of its session, and must not be denied.
    fn file(
        &self,
        file: &view::OfFile<'_>,
        params: &Payload,
        access: Access,
    ) -> Result<Verdict, RpcError> {
        let (folder, roots) = self.folders(&file.session_id);
        let mut facts = match access {
            Access::Read => Facts::reading(&file.path, &folder),
            Access::Write => Facts::writing(&file.path, &folder),
        };
        facts.follow_links();
        let decision = self.policy.decide(&facts, &folder);
        // Clients do not ask about this, so a file with other names, which may be denied, must have been allowed before.
        let is_in_doubt = decision.is_doubtful && facts.has_other_names && {
            let mut state = self.state();
            let session = state.turns.session(&file.session_id);
            session.and_then(|session| session.ruling(&facts)) != Some(Ruling::Allowed)
        };
        if decision.action == Action::Deny || is_in_doubt {
            let method = match access {
                Access::Read => "fs/read_text_file",
                Access::Write => "fs/write_text_file",
            };
            self.note_decision(method, &file.path, &file.session_id, &decision);
            return Err(self.denied(&decision, json!({ "path": file.path })));
        }
        if self.files == Files::Guard {
            let served = roots.and_then(|roots| serve(&roots, params, access));
            let served = served.map_err(|error| self.unserved(&error, &file.path));
            let served = match (served, access) {
                (Err(error), Access::Read) => self.soften("fs/read_text_file", error),
                (served, _) => served,
            };
            return served.map(Verdict::Answer);
        }
        if self.limits.paths {
            match roots.and_then(|roots| roots.check(&file.path, access).map(drop)) {
                // The client may know files that are not on disk: editors have unsaved ones.
                Ok(()) | Err(PathError::NotFound) => {}
                Err(error) => return Err(self.unserved(&error, &file.path)),
            }
        }
        Ok(Verdict::Forward)
    }

    /// The error for a file that is not given to the agent.
    fn unserved(&self, error: &PathError, path: &str) -> RpcError {
        let error = error.error(path, self.profile);
        // Other errors are counted when they are sent.
        if error.code.number() == Failure::PermissionDenied.code() {
            self.state().summary.denied += 1;
        }
        error
    }

    /// A program has to run in the folders of its session, and must not be denied.
    fn terminal(&self, session: &str, params: &CreateTerminalParams) -> Result<Verdict, RpcError> {
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
        let mut facts = Facts::running(params, &folder);
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
        Ok(Verdict::Forward)
    }

    /// The folder of a session, and all its folders for what is opened below them.
    fn folders(&self, session: &str) -> (PathBuf, Result<Arc<Roots>, PathError>) {
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

    fn denied(&self, decision: &Decision, mut data: Value) -> RpcError {
        self.state().summary.denied += 1;
        data["rule"] = json!(decision.rule);
        data["details"] = json!(match decision.action {
            Action::Deny => "denied by the policy",
            Action::Allow | Action::Ask => "the policy may deny this; ask for permission first",
        });
        Failure::PermissionDenied.error(self.profile, data)
    }

    fn note_decision(&self, method: &str, about: &str, session: &str, decision: &Decision) {
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

/// Reads or writes a file instead of the client.
fn serve(roots: &Roots, params: &Payload, access: Access) -> Result<Payload, PathError> {
    let unfit = |_| PathError::Invalid("the params do not fit the method");
    let answer = match access {
        Access::Read => {
            let file: ReadTextFileParams = params.decode_private().map_err(unfit)?;
            let text = roots.read(&file.path, file.line, file.limit)?;
            Payload::encode(Format::Json, &ReadTextFileResult::new(text))
        }
        Access::Write => {
            let file: WriteTextFileParams = params.decode_private().map_err(unfit)?;
            roots.write(&file.path, &file.content)?;
            Payload::encode(Format::Json, &Empty::default())
        }
    };
    answer.map_err(unfit)
}

/// The params were checked against their type before.
fn decoded<T: serde::de::DeserializeOwned>(params: &Payload) -> Result<T, RpcError> {
    params.decode_private().map_err(unfit)
}

fn unfit(_: tenon_rpc::PayloadError) -> RpcError {
    RpcError::invalid_params("Invalid params")
}
