//! What the agent sends to the client.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateTerminalParams, CreateTerminalResult, ElicitationResult, Empty, Entry, Failure,
    PermissionParams, PermissionResult, Profile, ReadTextFileParams, ReadTextFileResult, Side,
    TerminalParams, UpdateParams, WriteTextFileParams, view,
};
use tenon_rpc::forward::reply;
use tenon_rpc::{Call, CallError, Event, Format, Payload, Peer, Reply, RpcError};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::state::Shared;
use super::{Deed, Files, Note};
use crate::facts::Facts;
use crate::paths::{Access, PathError, Roots};
use crate::policy::{Action, Decision};
use crate::quirks::Quirk;
use crate::turns::Arrival;

/// What is done with a call of the agent.
enum Verdict {
    Forward,
    Answer(Payload),
}

impl Shared {
    /// A call of the agent: it is checked, and answered here or by the client.
    pub(super) async fn agent_calls(self: Arc<Shared>, call: Call) -> Reply {
        // What was sent before the call arrives before it.
        self.flush();
        let (entry, verdict) = match self.examine(&call) {
            Ok(examined) => examined,
            Err(error) if self.is_expected(&call.method, &error) => return Err(error),
            Err(error) => {
                let called = (&call.id, &call.method);
                return self.refuse(Side::Agent, called, error).await;
            }
        };
        if let Verdict::Answer(answer) = verdict {
            let answer = Ok(answer);
            self.record_answer(Side::Agent, &call.id, &answer);
            self.client_answered(&call.method, call.params.as_ref(), &answer, false);
            return answer;
        }
        let is_question = matches!(
            &*call.method,
            "session/request_permission" | "elicitation/create"
        );
        let session = session_of({ call.params.as_ref() }.filter(|_| is_question));
        let asking = Asking::begin(&self, session.as_deref());
        let (caller, id) = (call.peer.clone(), call.id.clone());
        let (name, params) = (call.method.clone(), call.params.clone());
        let passing = self.to_client.ask(call);
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
            () = asking.given_up() => {
                let answer = self.give_up(&name, session.unwrap_or_default());
                self.record_answer(Side::Agent, &id, &answer);
                return answer;
            }
        };
        let answer = match outcome {
            Some(Err(CallError::Closed(_))) => {
                Err(Failure::ConnectionLost.error(self.profile, Value::Null))
            }
            Some(outcome) => {
                reply(outcome, &caller).and_then(|result| self.check_answer(entry, result))
            }
            None => Err(self.timed_out(&name, limit.unwrap_or_default())),
        };
        let answer = match answer {
            Err(error) => self.soften(&name, error),
            answer => answer,
        };
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
    fn soften(&self, method: &str, error: RpcError) -> Reply {
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
        let size = result.bytes().len();
        if let Some(limit) = entry
            .size
            .filter(|limit| self.limits.sizes && size > *limit)
        {
            let data = json!({ "method": entry.name, "limit": limit, "size": size });
            return Err(Failure::FileTooLarge.error(self.profile, data));
        }
        match entry.check_result(&result) {
            Ok(()) => Ok(result),
            Err(problem) => {
                let data = json!({ "method": entry.name, "reason": "invalid_result", "details": problem.to_string() });
                Err(Failure::Internal.error(self.profile, data))
            }
        }
    }

    fn examine(&self, call: &Call) -> Result<(Option<&'static Entry>, Verdict), RpcError> {
        let params = call.params.as_ref();
        self.check_id(&call.id)?;
        let entry = self.check(Side::Client, &call.method, params)?;
        let Some((known, params)) = entry.zip(params) else {
            return Ok((entry, Verdict::Forward));
        };
        if !known.has_session {
            return Ok((entry, Verdict::Forward));
        }
        // A file may have megabytes, so its path and its session are read at once.
        let file = match known.name {
            "fs/read_text_file" | "fs/write_text_file" => {
                Some(borrowed::<view::OfFile<'_>>(params)?)
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
            ("terminal/create", _) => self.terminal(&session, &decoded(params)?)?,
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
        Ok((entry, verdict))
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
        let (folder, roots) = {
            let mut state = self.state();
            let roots = state
                .paces
                .get(&*file.session_id)
                .and_then(|pace| pace.roots.clone());
            let session = state.turns.session(&file.session_id);
            (session.map(|session| session.folder().to_owned()), roots)
        };
        let folder = folder.unwrap_or_default();
        let mut facts = match access {
            Access::Read => Facts::reading(&file.path, &folder),
            Access::Write => Facts::writing(&file.path, &folder),
        };
        facts.follow_links();
        let decision = self.policy.decide(&facts, &folder);
        if decision.action == Action::Deny {
            let method = match access {
                Access::Read => "fs/read_text_file",
                Access::Write => "fs/write_text_file",
            };
            self.note_decision(method, &file.path, &file.session_id, &decision);
            return Err(self.denied(&decision, json!({ "path": file.path })));
        }
        let roots = roots.ok_or(PathError::Outside(
            "the folders of the session could not be opened",
        ));
        if self.files == Files::Guard {
            let served = roots.and_then(|roots| serve(&roots, params, access));
            let served = served.map_err(|error| error.error(&file.path, self.profile));
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
                Err(error) => {
                    self.state().summary.denied += 1;
                    return Err(error.error(&file.path, self.profile));
                }
            }
        }
        Ok(Verdict::Forward)
    }

    fn terminal(&self, session: &str, params: &CreateTerminalParams) -> Result<Verdict, RpcError> {
        let folder = {
            let mut state = self.state();
            let session = state.turns.session(session);
            session.map(|session| session.folder().to_owned())
        };
        let decision = self
            .policy
            .decide(&Facts::running(params), &folder.unwrap_or_default());
        if decision.action == Action::Deny {
            self.note_decision("terminal/create", &params.command, session, &decision);
            return Err(self.denied(&decision, json!({ "command": params.command })));
        }
        Ok(Verdict::Forward)
    }

    fn denied(&self, decision: &Decision, mut data: Value) -> RpcError {
        self.state().summary.denied += 1;
        data["rule"] = json!(decision.rule);
        data["details"] = json!("denied by the policy");
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
                if let Ok(released) = params.decode_private::<TerminalParams>()
                    && let Some(session) = self.state().turns.session(&released.session_id)
                {
                    session.remove_terminal(&released.terminal_id);
                }
            }
            _ => {}
        }
    }

    /// An event of the agent.
    pub(super) fn agent_sends(self: &Arc<Shared>, from: &Peer, event: Event) {
        if let Err(error) = self.check(Side::Client, &event.method, event.params.as_ref()) {
            return self.drop_event(Side::Agent, &event.method, &error.to_string());
        }
        match event.params {
            Some(params) if event.method == "session/update" => {
                if let Err(why) = self.update(params) {
                    self.drop_event(Side::Agent, &event.method, why);
                }
            }
            params => {
                self.flush();
                let method = event.method;
                self.to_client.event(from, Event { method, params });
            }
        }
    }

    fn update(self: &Arc<Shared>, params: Payload) -> Result<(), &'static str> {
        let view: view::Update<'_> = params
            .decode_borrowed()
            .map_err(|_| "it does not fit its type")?;
        self.check_size(&params)?;
        let id = view.session_id.into_owned();
        let is_tool_call = view.update.tool_call_id.is_some();
        let has_options = view.update.kind == "config_option_update";
        let mut state = self.state();
        match state.turns.agent_updates(&id) {
            Arrival::Stray => return Err("there is no such session"),
            Arrival::Known | Arrival::Early => {}
        }
        let mut completed = None;
        if is_tool_call
            && let Some(session) = state.turns.session_or_early(&id)
            && let Ok(update) = params.decode_private::<UpdateParams>()
        {
            completed = session.note(&update.update);
        }
        let params = match has_options {
            true => { &state.gates }
                .without_boolean_options(&params, &["update", "configOptions"])
                .unwrap_or(params),
            false => params,
        };
        let now = self.now();
        if !state.paces.contains_key(&id) {
            // The session is being opened.
            state.paces.insert(id.clone(), self.pace());
        }
        let ready = match state.paces.get_mut(&id) {
            None => vec![params],
            Some(pace) => {
                pace.active = Instant::now();
                match &mut pace.merger {
                    None => vec![params],
                    Some(merger) => {
                        let ready = merger.push(params, now);
                        if let Some(at) = merger.next_at()
                            && !std::mem::replace(&mut pace.is_scheduled, true)
                        {
                            self.schedule(id.clone(), at.saturating_sub(now));
                        }
                        ready
                    }
                }
            }
        };
        self.send_updates(&mut state, ready);
        drop(state);
        if let Some(completed) = completed {
            self.completed(&id, completed);
        }
        Ok(())
    }

    /// Large diffs are common, so an update that is too large is only noted, unless the strict reading is wanted.
    fn check_size(&self, params: &Payload) -> Result<(), &'static str> {
        let limit = tenon_protocols::acp::method("session/update").and_then(|entry| entry.size);
        let size = params.bytes().len();
        match limit {
            Some(limit) if self.limits.sizes && size > limit => match self.profile {
                Profile::Seed => Err("it is larger than the limit"),
                Profile::V1 => {
                    self.note(&Note::Large { size, limit });
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// Sends what waits in a session as soon as it may be sent.
    fn schedule(self: &Arc<Shared>, id: String, wait: Duration) {
        let shared = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut wait = wait;
            loop {
                tokio::time::sleep(wait).await;
                let Some(shared) = shared.upgrade() else {
                    return;
                };
                let now = shared.now();
                let mut state = shared.state();
                let Some(pace) = state.paces.get_mut(&id) else {
                    return;
                };
                let Some(merger) = &mut pace.merger else {
                    return;
                };
                let ready = merger.pull(now);
                let next = merger.next_at();
                pace.is_scheduled = next.is_some();
                shared.send_updates(&mut state, ready);
                drop(state);
                match next {
                    Some(at) => wait = at.saturating_sub(now),
                    None => return,
                }
            }
        });
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

/// How long a client has to answer its open questions after it has cancelled a turn.
const OPEN_QUESTIONS: Duration = Duration::from_secs(2);

/// A question to the user, until it is answered.
struct Asking(Option<Question>);

struct Question {
    shared: Arc<Shared>,
    session: String,
    /// How often the turn was cancelled before the question.
    cancels: watch::Receiver<u64>,
}

impl Asking {
    fn begin(shared: &Arc<Shared>, session: Option<&str>) -> Asking {
        let question = session.and_then(|session| {
            let mut state = shared.state();
            let pace = state.paces.get_mut(session)?;
            pace.asking += 1;
            Some(Question {
                shared: shared.clone(),
                session: session.to_owned(),
                cancels: pace.cancels.subscribe(),
            })
        });
        Asking(question)
    }

    /// Waits until the turn is cancelled and the client has had time to answer.
    async fn given_up(&self) {
        let Some(question) = &self.0 else {
            return std::future::pending().await;
        };
        let mut cancels = question.cancels.clone();
        if cancels.changed().await.is_err() {
            // The session is closed, and what it has asked is answered by the client.
            return std::future::pending().await;
        }
        tokio::time::sleep(OPEN_QUESTIONS).await;
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(question) = &self.0
            && let Some(pace) = question.shared.state().paces.get_mut(&question.session)
        {
            pace.asking = pace.asking.saturating_sub(1);
            pace.active = Instant::now();
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

fn session_of(params: Option<&Payload>) -> Option<String> {
    let session: view::OfSession<'_> = params?.decode_borrowed().ok()?;
    Some(session.session_id.into_owned())
}

/// The params were checked against their type before.
fn decoded<T: serde::de::DeserializeOwned>(params: &Payload) -> Result<T, RpcError> {
    params.decode_private().map_err(unfit)
}

fn borrowed<'a, T: serde::Deserialize<'a>>(params: &'a Payload) -> Result<T, RpcError> {
    params.decode_borrowed().map_err(unfit)
}

fn unfit(_: tenon_rpc::PayloadError) -> RpcError {
    RpcError::invalid_params("Invalid params")
}

fn encoded<T: serde::Serialize>(value: &T) -> Result<Payload, RpcError> {
    Payload::encode(Format::Json, value).map_err(|_| RpcError::internal("Internal error"))
}
