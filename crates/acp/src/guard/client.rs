//! What the client sends to the agent.

use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_protocols::acp::{Entry, Failure, Side, view};
use tenon_rpc::{Call, CallError, Event, Format, Payload, Peer, Reply, RpcError, Text};
use tokio::time::{Instant, sleep_until, timeout};

use super::blocking::{self, TimedOut, off_thread};
use super::kept::Kept;
use super::refusing::Given;
use super::state::{Shared, State};
use super::{Note, Summary};
use crate::merge::Merger;
use crate::paths::Roots;
use crate::quirks::{Quirk, Quirks};
use crate::turns::Step;

/// How long an agent may take to end a turn that was cancelled.
pub(super) const GRACE: Duration = Duration::from_secs(10);

impl Shared {
    /// A call of the client: it is checked, forwarded, and its answer is checked.
    pub(super) async fn client_calls(self: Arc<Shared>, call: Call) -> Reply {
        let (entry, step, about) = match self.admit_client(&call) {
            Ok(admitted) => admitted,
            Err(error) => {
                return self
                    .refuse(Side::Client, (&call.id, &call.method), error)
                    .await;
            }
        };
        let mut pending = Pending {
            shared: self.clone(),
            step: Some(step),
            client: call.peer.clone(),
            roots: None,
        };
        // Once the agent has read the call, it could put a link in the place of a folder.
        if let Some(Step::New(folders) | Step::Open(_, folders)) = &pending.step {
            pending.roots = open_roots(folders.clone()).await;
        }
        let (caller, id, name) = (call.peer.clone(), call.id.clone(), call.method.clone());
        let limit = self.timeout(entry);
        let turn = match &pending.step {
            Some(Step::Prompt(session)) => Some(session.clone()),
            _ => None,
        };
        let is_kept = self.state().quirks.has(Quirk::IgnoresCancelRequest);
        let passing = Kept::new(self.to_agent.ask(call), is_kept);
        let outcome = match (limit, &turn) {
            (None, _) => Some(passing.await),
            (Some(limit), None) if name == "session/load" => {
                let session = about.as_deref().unwrap_or_default();
                self.while_active(session, pin!(passing), limit).await
            }
            // Only a question that belongs to no session is activity here.
            (Some(limit), None) => self.while_active("", pin!(passing), limit).await,
            (Some(limit), Some(session)) => self.turn(session, passing, limit, &caller).await,
        };
        let given = Given::of(outcome.as_ref());
        self.touch(about.as_deref());
        let answer = match outcome {
            Some(Err(CallError::Closed(reason))) => Err(self.agent_lost(&reason).await),
            Some(outcome) => self.answered(entry, outcome, &caller),
            None => Err(self.timed_out(&name, limit.unwrap_or_default())),
        };
        let (answer, is_explained) = self.with_login_hint(answer);
        if is_explained || !given.is(&answer) {
            self.record_answer(Side::Client, &id, &answer);
        }
        let is_summed_up = pending.finish(&answer);
        if name == "session/close" && answer.is_ok() {
            let summary = self.summary();
            self.note(&Note::Summary(summary));
        }
        if is_summed_up {
            self.report_summary().await;
        }
        // Updates that were sent before the answer arrive before it.
        self.flush();
        self.to_client.caught_up().await;
        answer
    }

    /// What a call changes, and the session that it is about.
    fn admit_client(
        &self,
        call: &Call,
    ) -> Result<(Option<&'static Entry>, Step, Option<String>), RpcError> {
        let params = call.params.as_ref();
        self.check_id(&call.id)?;
        let entry = self.check(Side::Agent, &call.method, params)?;
        let session: Option<view::OfSession<'_>> =
            params.and_then(|params| params.decode_borrowed().ok());
        let session = session.map(|session| session.session_id.into_owned());
        if let (Some(entry), Some(session)) = (entry, &session) {
            self.check_rate(entry, session)?;
        }
        super::learn(&self.masks, &call.method, params);
        let mut state = self.state();
        let step = state.turns.client_calls(&call.method, params)?;
        match (&step, params) {
            (Step::Initialize, Some(params)) => state.gates.learn_client(params),
            (Step::Prompt(_), _) => state.summary.turns += 1,
            _ => {}
        }
        drop(state);
        self.touch(session.as_deref());
        Ok((entry, step, session))
    }

    /// Something happens in a session.
    fn touch(&self, session: Option<&str>) {
        let mut state = self.state();
        if let Some(pace) = session.and_then(|session| state.paces.get_mut(session)) {
            pace.active = Instant::now();
        }
    }

    /// Waits for the end of a turn. If nothing happens in its session for too long, it is cancelled and nothing is returned,
    /// also if the agent says that it was cancelled: the client has not cancelled it, and would not learn why it ended.
    async fn turn(
        &self,
        session: &str,
        passing: Kept,
        limit: Duration,
        client: &Peer,
    ) -> Option<Result<Payload, CallError>> {
        let mut passing = pin!(passing);
        let outcome = self.while_active(session, passing.as_mut(), limit).await;
        if outcome.is_some() {
            return outcome;
        }
        self.note(&Note::Timeout {
            session_id: session.to_owned(),
        });
        let was_cancelled = self.is_cancelled(session);
        self.cancel_turn(session, client);
        let ended = timeout(GRACE, passing).await.ok()?;
        // An agent that is gone will not take the next prompt either.
        let is_gone = matches!(ended, Err(CallError::Closed(_)));
        (is_gone || was_cancelled).then_some(ended)
    }

    /// Waits for an answer. Nothing if nothing happens in its session for too long: the history of a session that is loaded is
    /// activity as well.
    async fn while_active(
        &self,
        session: &str,
        mut passing: Pin<&mut Kept>,
        limit: Duration,
    ) -> Option<Result<Payload, CallError>> {
        let mut active = Instant::now();
        loop {
            active = active.max(self.last_activity(session).unwrap_or(active));
            let deadline = active + limit;
            if deadline <= Instant::now() {
                return None;
            }
            tokio::select! {
                outcome = &mut passing => return Some(outcome),
                () = sleep_until(deadline) => {}
            }
        }
    }

    fn cancel_turn(&self, session: &str, client: &Peer) {
        self.turn_cancelled(session);
        let params = Payload::encode(Format::Json, &json!({ "sessionId": session })).ok();
        let method = Text::from_static("session/cancel");
        self.to_agent.event(client, Event { method, params });
    }

    /// When something happened last in a session: now, if the agent waits for the user or a program. Nothing of a
    /// session that was closed meanwhile, but for questions that belong to none.
    fn last_activity(&self, session: &str) -> Option<Instant> {
        let state = self.state();
        let pace = state.paces.get(session);
        let is_waiting = pace.is_some_and(|pace| pace.asking > 0 || !pace.running.is_empty());
        match is_waiting || state.asking > 0 {
            true => Some(Instant::now()),
            false => state.answered.max(pace.map(|pace| pace.active)),
        }
    }

    /// An event of the client.
    pub(super) fn client_sends(&self, from: &Peer, event: Event) {
        if let Err(error) = self.check(Side::Agent, &event.method, event.params.as_ref()) {
            return self.drop_event(Side::Client, &event.method, &error.to_string());
        }
        let is_known = { self.state() }
            .turns
            .client_sends(&event.method, event.params.as_ref());
        if !is_known {
            return self.drop_event(Side::Client, &event.method, "unknown session");
        }
        if event.method == "session/cancel"
            && let Some(session) = { event.params.as_ref() }
                .and_then(|params| params.decode_borrowed::<view::OfSession<'_>>().ok())
        {
            self.turn_cancelled(&session.session_id);
        }
        self.to_agent.event(from, event);
    }

    /// Takes note of an answer to the client.
    fn settle(&self, step: Step, answer: Result<&Payload, &RpcError>, roots: Option<Arc<Roots>>) {
        let mut state = self.state();
        let opened = match (&step, answer) {
            (Step::Initialize, Ok(result)) => {
                state.gates.learn_agent(result);
                state.quirks = Quirks::of_result(result);
                state.summary.agent = agent_name(result);
                None
            }
            (Step::New(_), Ok(result)) => {
                let id: Option<view::OfSession<'_>> = result.decode_borrowed().ok();
                id.filter(|id| state.turns.session(&id.session_id).is_none())
                    .map(|id| id.session_id.into_owned())
            }
            (Step::Open(id, _), Ok(_)) => Some(id.clone()),
            (Step::Close(id), Ok(_)) => {
                state.paces.remove(id);
                None
            }
            _ => None,
        };
        state.turns.agent_answers(step, answer);
        // Sessions that updates were sent for, but that were never opened.
        let mut late = Vec::new();
        let State { turns, paces, .. } = &mut *state;
        paces.retain(|id, pace| {
            let is_known = turns.knows(id);
            if !is_known {
                late.extend(pace.merger.iter_mut().flat_map(Merger::flush));
            }
            is_known
        });
        self.send_updates(&mut state, late);
        if let Some(id) = opened
            && state.turns.session(&id).is_some()
        {
            state.summary.sessions += 1;
            let pace = { state.paces.entry(id) }.or_insert_with(|| self.pace());
            pace.roots = roots;
        }
    }
}

/// Opens the folders of a session. Nothing if one cannot be opened: no file of the session can be checked then, so none is
/// given away.
async fn open_roots(folders: Vec<PathBuf>) -> Option<Arc<Roots>> {
    match off_thread(blocking::LIMIT, move || Roots::open(&folders)).await {
        Ok(Ok(roots)) => return Some(Arc::new(roots)),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the folders of a session could not be opened");
        }
        Err(TimedOut) => tracing::warn!("opening the folders of a session takes too long"),
    }
    None
}

/// The name and version of the agent, as it gives them.
fn agent_name(result: &Payload) -> Option<String> {
    let info: Value = result.member(&["agentInfo"])?.decode().ok()?;
    let name = info["name"].as_str()?;
    Some(Summary::bounded(&match info["version"].as_str() {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    }))
}

/// A call of the client that was not answered yet. If it is dropped, because the client has cancelled it or is gone, it
/// counts as failed.
struct Pending {
    shared: Arc<Shared>,
    step: Option<Step>,
    client: Peer,
    /// The folders of the session that it opens.
    roots: Option<Arc<Roots>>,
}

impl Pending {
    /// Takes note of the answer. Returns whether a session was opened or closed, or a turn has ended.
    fn finish(&mut self, answer: &Reply) -> bool {
        let Some(step) = self.step.take() else {
            return false;
        };
        let is_end = match step {
            Step::New(_) | Step::Open(..) | Step::Close(_) => answer.is_ok(),
            Step::Prompt(_) => true,
            Step::None | Step::Initialize => false,
        };
        let roots = self.roots.take();
        self.shared.settle(step, answer.as_ref(), roots);
        is_end
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(step) = self.step.take() {
            // Agents ignore `$/cancel_request` for prompts.
            if let Step::Prompt(session) = &step {
                self.shared.cancel_turn(session, &self.client);
            }
            let cancelled = Failure::Cancelled.error(self.shared.profile, Value::Null);
            self.shared.settle(step, Err(&cancelled), None);
        }
    }
}
