//! Questions of the guard itself: a rule wants the user to be asked, and the agent has not done so.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, Diff, Failure, PermissionKind, PermissionOption, PermissionOutcome,
    PermissionParams, PermissionResult, Raw, Side, ToolCallUpdate, ToolContent, ToolKind,
};
use tenon_rpc::{Call, Id, Payload, RpcError, Text};

use super::agent::encoded;
use super::asking::Waiting;
use super::refusing::json_id;
use super::state::Shared;
use crate::facts::Facts;
use crate::paths::{Access, Roots};
use crate::policy::{Action, Decision};
use crate::record::Source;
use crate::turns::{Ruling, changes};

const METHOD: &str = "session/request_permission";
/// Larger changes are asked about without their text: editors do not take larger updates either.
const SHOWN: usize = 100 * 1024;

/// What the user is asked about, as a tool call.
pub(super) struct Question {
    kind: ToolKind,
    title: String,
    input: Value,
    content: Option<Vec<ToolContent>>,
    /// What an answer is about, if that is more than what the tool call says.
    about: Option<Facts>,
}

impl Question {
    /// About a file. `text` is what is to be written.
    pub(super) fn file(
        path: &str,
        access: Access,
        text: Option<String>,
        roots: Option<&Roots>,
    ) -> Question {
        let (kind, title) = match access {
            Access::Read => (ToolKind::Read, "Read"),
            Access::Write => (ToolKind::Edit, "Write"),
        };
        let change = text.filter(|text| text.len() <= SHOWN).map(|text| {
            let old = roots.and_then(|roots| roots.read(path, None, None).ok());
            let mut diff = Diff::new(path, text);
            diff.old_text = old.filter(|old| old.len() <= SHOWN);
            vec![ToolContent::Diff(diff)]
        });
        Question {
            kind,
            title: format!("{title} {path}"),
            input: json!({ "path": path }),
            content: change,
            about: None,
        }
    }

    /// About a program.
    pub(super) fn program(params: &CreateTerminalParams, facts: &Facts) -> Question {
        let line = facts.commands.iter().next().cloned().unwrap_or_default();
        let mut input = json!({ "command": line });
        if let Some(cwd) = &params.cwd {
            input["cwd"] = json!(cwd);
        }
        Question {
            kind: ToolKind::Execute,
            title: format!("Run {line}"),
            input,
            content: None,
            about: Some(facts.clone()),
        }
    }
}

impl Shared {
    /// Whether the user has to be asked before this is done. Without a rule about it, a permission for exactly this or
    /// "always" for its kind is enough, and so is a policy that states no default.
    pub(super) fn must_ask(&self, decision: &Decision, facts: &Facts, session: &str) -> bool {
        let is_ruled = decision.rule.is_some();
        let is_default = decision.at.is_some() && changes(facts);
        if decision.action != Action::Ask || !(is_ruled || is_default) {
            return false;
        }
        let mut state = self.state();
        !state.turns.session(session).is_some_and(|session| {
            let is_allowed = session.ruling(facts) == Some(Ruling::Allowed);
            is_allowed || !is_ruled && session.is_always(facts)
        })
    }

    /// Asks the user instead of the agent that makes a call.
    ///
    /// # Errors
    /// The user has not allowed it.
    pub(super) async fn ask_user(
        self: &Arc<Shared>,
        call: &Call,
        session: &str,
        question: Question,
    ) -> Result<(), RpcError> {
        // The client answers no more questions of a turn that it has cancelled.
        if self.is_cancelled(session) {
            self.state().summary.denied += 1;
            let mut data = question.input;
            data["details"] = json!("the turn was cancelled, so the user is not asked");
            return Err(Failure::PermissionDenied.error(self.profile, data));
        }
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let id = format!("tenon-guard-{number}");
        // An agent that knew the name could change what the user is shown, with updates of this tool call.
        let mut secret = [0; 8];
        getrandom::fill(&mut secret).map_err(|_| RpcError::internal("Internal error"))?;
        let name = format!("{id}-{:016x}", u64::from_be_bytes(secret));
        let tool_call = ToolCallUpdate {
            kind: Some(question.kind),
            title: Some(question.title),
            raw_input: Raw::of(&question.input).ok(),
            content: question.content,
            ..ToolCallUpdate::new(name)
        };
        let options = [
            ("allow", "Allow", PermissionKind::AllowOnce),
            ("reject", "Reject", PermissionKind::RejectOnce),
        ];
        let options = options.map(|(id, name, kind)| PermissionOption::new(id, name, kind));
        let params = PermissionParams::new(session, tool_call.clone(), options.to_vec());
        let params = encoded(&params)?;
        let id = Id::from(&*id);
        self.record_question(&id, &params);
        self.state().summary.asked += 1;
        let waiting = Waiting::begin(self, session, METHOD, None);
        let asked = self.to_client.ask(Call {
            id,
            method: Text::from_static(METHOD),
            params: Some(params),
            peer: call.peer.clone(),
        });
        let answer = tokio::select! {
            biased;
            answer = asked => answer.ok(),
            () = waiting.given_up() => None,
        };
        let answer: Option<PermissionResult> =
            answer.and_then(|answer| answer.decode_private().ok());
        let is_allowed = matches!(
            answer.map(|answer| answer.outcome),
            Some(PermissionOutcome::Selected(chosen)) if chosen.option_id == "allow"
        );
        let mut state = self.state();
        let ruling = match is_allowed {
            true => {
                state.summary.approved += 1;
                Ruling::Allowed
            }
            false => {
                state.summary.rejected += 1;
                Ruling::Rejected
            }
        };
        if let Some(session) = state.turns.session(session) {
            match &question.about {
                Some(facts) => session.rule(facts, ruling),
                None => session.decide(&tool_call, ruling, false),
            }
        }
        drop(state);
        match is_allowed {
            true => Ok(()),
            false => {
                let mut data = question.input;
                data["details"] = json!("the user has not allowed this");
                Err(Failure::PermissionDenied.error(self.profile, data))
            }
        }
    }

    /// Records a call that comes from neither side.
    fn record_question(&self, id: &Id, params: &Payload) {
        let Some(record) = &self.record else {
            return;
        };
        let params: Value = params.decode().unwrap_or_default();
        let call =
            json!({ "jsonrpc": "2.0", "id": json_id(id), "method": METHOD, "params": params });
        let mut record = record
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let recorded = record.answer(Source::from(Side::Client), &call.to_string());
        drop(record);
        self.check_record(recorded);
    }
}
