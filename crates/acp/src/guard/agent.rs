//! Calls of the agent to the client.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, CreateTerminalResult, ElicitationResult, Empty, Entry, Failure,
    PermissionOutcome, PermissionParams, PermissionResult, ReadTextFileResult, Side,
    TerminalParams, view,
};
use tenon_rpc::{Call, CallError, Format, Payload, Reply, RpcError};
use tokio::time::timeout;

use super::asking::Waiting;
use super::examining::{Examined, Verdict};
use super::refusing::Given;
use super::state::Shared;
use super::terminals::Place;
use super::{Deed, Note};
use crate::quirks::Quirk;

impl Shared {
    /// A call of the agent: it is checked, and answered here or by the client.
    pub(super) async fn agent_calls(self: Arc<Shared>, call: Call) -> Reply {
        // What was sent before the call arrives before it.
        self.flush();
        let Examined {
            entry,
            session,
            verdict,
            lane,
        } = match self.examine(&call).await {
            Ok(examined) => examined,
            // It is not a mistake that counts, but it costs as much as others.
            Err(error) if self.is_expected(&call.method, &error) => {
                return self.send_error(Side::Agent, &call.id, error).await;
            }
            Err(error) => {
                let called = (&call.id, &call.method);
                return self.refuse(Side::Agent, called, error).await;
            }
        };
        let session = session.unwrap_or_default();
        let (verdict, lane) = match verdict {
            Verdict::Ask(question) => {
                // Later calls of the session pass while the user decides.
                drop(lane);
                let asked = self.ask_user(&call, &session, *question).await;
                let examined = match asked {
                    Ok(()) => self.examine_again(&call, &session).await,
                    Err(error) => Err(error),
                };
                match examined {
                    Ok(examined) => examined,
                    Err(error) => {
                        let called = (&call.id, &call.method);
                        return self.refuse(Side::Agent, called, error).await;
                    }
                }
            }
            verdict => (verdict, lane),
        };
        if let Verdict::Answer(answer) = verdict {
            let answer = Ok(answer);
            self.record_answer(Side::Agent, &call.id, &answer);
            self.client_answered(&call.method, call.params.as_ref(), &answer, false);
            return answer;
        }
        let _place = match Place::take(&self, &session, &call.method) {
            Ok(place) => place,
            Err(error) => {
                let called = (&call.id, &call.method);
                return self.refuse(Side::Agent, called, error).await;
            }
        };
        let waiting = Waiting::begin(&self, &session, &call.method, call.params.as_ref());
        let (caller, id) = (call.peer.clone(), call.id.clone());
        let (name, params) = (call.method.clone(), call.params.clone());
        let passing = self.to_client.ask(call);
        // It has its place among the calls of the session.
        drop(lane);
        let limit = self.timeout(entry);
        let in_time = async {
            match limit {
                None => Some(passing.await),
                Some(limit) => timeout(limit, passing).await.ok(),
            }
        };
        let outcome = tokio::select! {
            biased;
            outcome = in_time => outcome,
            () = waiting.given_up() => {
                let answer = self.give_up(&name, session);
                self.record_answer(Side::Agent, &id, &answer);
                self.client_answered(&name, params.as_ref(), &answer, true);
                return answer;
            }
        };
        let given = Given::of(outcome.as_ref());
        let answer = match outcome {
            Some(Err(CallError::Closed(_))) => {
                Err(Failure::ConnectionLost.error(self.profile, Value::Null))
            }
            Some(outcome) => self
                .relayed(outcome, &caller)
                .and_then(|result| self.check_answer(entry, result)),
            None => Err(self.timed_out(&name, limit.unwrap_or_default())),
        };
        let answer = match answer {
            Err(error) => self.soften(&name, error),
            answer => answer,
        };
        let (answer, is_replaced) = match self.not_offered(&name, params.as_ref(), &answer) {
            Some(cancelled) => (cancelled, true),
            None => (answer, false),
        };
        if is_replaced || !given.is(&answer) {
            self.record_answer(Side::Agent, &id, &answer);
        }
        self.client_answered(&name, params.as_ref(), &answer, true);
        answer
    }

    /// Whether a refusal is nothing new: an agent that always does so.
    fn is_expected(&self, method: &str, error: &RpcError) -> bool {
        method == "fs/write_text_file"
            && error.code.number() == Failure::MethodNotFound.code()
            && self.state().quirks.has(Quirk::WritesWithoutOffer)
    }

    /// A missing file is empty for an agent that reads what it is about to create.
    pub(super) fn soften(&self, method: &str, error: RpcError) -> Reply {
        let is_missing = matches!(
            Failure::of(&error, true),
            Some(Failure::FileNotFound | Failure::SessionNotFound)
        ) || says_missing(&error);
        if method == "fs/read_text_file"
            && is_missing
            && self.state().quirks.has(Quirk::ReadsBeforeCreating)
        {
            return encoded(&ReadTextFileResult::new(String::new()));
        }
        Err(error)
    }

    /// What an agent gets instead of an answer that it has not offered: it might take any for a permission.
    fn not_offered(&self, name: &str, params: Option<&Payload>, answer: &Reply) -> Option<Reply> {
        if name != "session/request_permission" {
            return None;
        }
        let params: PermissionParams = params?.decode_private().ok()?;
        let result: PermissionResult = answer.as_ref().ok()?.decode_private().ok()?;
        let PermissionOutcome::Selected(chosen) = result.outcome else {
            return None;
        };
        let mut options = params.options.iter();
        if options.any(|option| option.option_id == chosen.option_id) {
            return None;
        }
        self.state().summary.refused += 1;
        let id = &chosen.option_id;
        self.note(&Note::Refused {
            from: Side::Client.into(),
            method: name.to_owned(),
            code: Failure::InvalidParams.code(),
            message: format!("the answer {id:?} is not one of the options, so it is cancelled"),
        });
        Some(encoded(&PermissionResult::cancelled()))
    }

    /// Answers a question that the client has left open although it has cancelled the turn.
    fn give_up(&self, method: &str, session_id: String) -> Reply {
        self.note(&Note::Unanswered {
            method: method.to_owned(),
            session_id,
        });
        match method {
            "session/request_permission" => encoded(&PermissionResult::cancelled()),
            _ => encoded(&ElicitationResult::Cancel(Empty::default())),
        }
    }

    fn check_answer(&self, entry: Option<&Entry>, result: Payload) -> Reply {
        let Some(entry) = entry else {
            return Ok(result);
        };
        self.check_answer_size(entry, &result)?;
        self.check_result(entry, &result)?;
        Ok(result)
    }

    /// Refuses an answer to the agent that is larger than its method allows, whoever gives it.
    pub(super) fn check_answer_size(
        &self,
        entry: &Entry,
        result: &Payload,
    ) -> Result<(), RpcError> {
        let size = result.bytes().len();
        match entry
            .size
            .filter(|limit| self.limits.sizes && size > *limit)
        {
            None => Ok(()),
            Some(limit) => {
                let data = json!({ "method": entry.name, "limit": limit, "size": size });
                Err(Failure::FileTooLarge.error(self.profile, data))
            }
        }
    }

    /// Takes note of what the client has decided or done for the agent, or the guard in its place.
    fn client_answered(
        &self,
        name: &str,
        params: Option<&Payload>,
        answer: &Reply,
        is_client: bool,
    ) {
        let (Ok(result), Some(params)) = (answer, params) else {
            return;
        };
        match name {
            "session/request_permission" => self.decided(params, result, is_client),
            "fs/read_text_file" => self.file_done(params, Deed::Read),
            "fs/write_text_file" => self.file_done(params, Deed::Written),
            "terminal/create" => {
                let created = params.decode_private::<CreateTerminalParams>();
                let terminal = result.decode_private::<CreateTerminalResult>();
                if let (Ok(created), Ok(terminal)) = (created, terminal) {
                    if let Some(session) = self.state().turns.session(&created.session_id) {
                        session.add_terminal(&terminal.terminal_id);
                    }
                    self.program_done(&created);
                }
            }
            "terminal/release" => {
                if let Ok(released) = params.decode_private::<TerminalParams>() {
                    let mut state = self.state();
                    if let Some(session) = state.turns.session(&released.session_id) {
                        session.remove_terminal(&released.terminal_id);
                    }
                    // Some agents continue, and leave the question for its end open.
                    if let Some(pace) = state.paces.get_mut(&released.session_id) {
                        pace.running.remove(&released.terminal_id);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether an error of a client says that a file is not there: there is no code that all of them use.
fn says_missing(error: &RpcError) -> bool {
    let code = error.code.number();
    let text = error.message.to_lowercase();
    code == -32002
        || ["no such file", "not found", "does not exist", "enoent"]
            .iter()
            .any(|words| text.contains(words))
}

pub(super) fn session_of(params: Option<&Payload>) -> Option<String> {
    let session: view::OfSession<'_> = params?.decode_borrowed().ok()?;
    Some(session.session_id.into_owned())
}

pub(super) fn encoded<T: serde::Serialize>(value: &T) -> Result<Payload, RpcError> {
    Payload::encode(Format::Json, value).map_err(|_| RpcError::internal("Internal error"))
}
