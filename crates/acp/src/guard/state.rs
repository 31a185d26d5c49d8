//! What both directions share.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_host::Exit;
use tenon_protocols::acp::{Entry, Failure, Profile, Side, method};
use tenon_rpc::forward::{Forward, Slot};
use tenon_rpc::{Event, Format, Id, Payload, Peer, RpcError, Text};
use tokio::sync::watch;
use tokio::time::Instant;

use super::blocking::off_thread;
use super::refusing::Errors;
use super::{Files, Limits, Note, OnNote, OnSummary, Settings, Summary, strict};
use crate::gates::Gates;
use crate::merge::{Bucket, Merger};
use crate::paths::{FolderNames, Roots};
use crate::policy::Policy;
use crate::quirks::Quirks;
use crate::record::{Masks, Record, RecordError};
use crate::sizes;
use crate::turns::Turns;

/// How long the client waits for its answer because of a summary.
const SUMMARY: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) profile: Profile,
    pub(super) policy: Policy,
    pub(super) limits: Limits,
    pub(super) files: Files,
    pub(super) masks: Masks,
    pub(super) exit: Option<Exit>,
    pub(super) login_hint: Option<String>,
    on_note: OnNote,
    on_summary: OnSummary,
    /// Held while it is called, so that an older summary does not follow a newer one.
    reporting: Mutex<()>,
    pub(super) record: Option<Arc<Mutex<Record>>>,
    pub(super) to_agent: Forward<Slot>,
    pub(super) to_client: Forward<Slot>,
    /// Who sends the updates that wait here: it is not read while too many wait.
    pub(super) agent: OnceLock<Peer>,
    state: Mutex<State>,
    /// Errors for each side, so that neither waits because of the other's.
    pub(super) errors: Errors,
    started: Instant,
    /// How many questions the guard has asked itself.
    pub(super) questions: AtomicU64,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) turns: Turns,
    pub(super) gates: Gates,
    pub(super) summary: Summary,
    pub(super) paces: HashMap<String, Pace>,
    pub(super) quirks: Quirks,
    /// Questions to the user that belong to no session: as long as there is one, whatever the agent works on may wait.
    pub(super) asking: usize,
    /// When the last of them was answered.
    pub(super) answered: Option<Instant>,
}

/// How fast things go in a session.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) merger: Option<Merger>,
    /// A task waits to send what the merger holds.
    pub(super) is_scheduled: bool,
    buckets: HashMap<&'static str, Bucket>,
    /// When something happened last.
    pub(super) active: Instant,
    /// Questions to the user that were not answered: as long as there is one, the agent may wait.
    pub(super) asking: usize,
    /// Programs whose end the agent waits for, by terminal, and how often: they may be silent.
    pub(super) running: HashMap<String, usize>,
    /// How often the turn was cancelled.
    pub(super) cancels: watch::Sender<u64>,
    pub(super) roots: Option<Arc<Roots>>,
    /// Held while a call of the agent is examined, which later ones must not overtake.
    pub(super) lane: Arc<tokio::sync::Mutex<()>>,
}

impl State {
    /// The folder of a session, by all its names.
    pub(super) fn folder(&mut self, session: &str) -> FolderNames {
        let pace = self.paces.get(session);
        let roots = pace.and_then(|pace| pace.roots.as_ref());
        if let Some(known) = roots.and_then(|roots| roots.folder()) {
            return known.clone();
        }
        let session = self.turns.session(session);
        FolderNames::only(
            session
                .map(|session| session.folder())
                .unwrap_or(Path::new("")),
        )
    }
}

impl Shared {
    pub(super) fn new(
        settings: Settings,
        (to_agent, to_client): (Forward<Slot>, Forward<Slot>),
    ) -> Shared {
        let profile = settings.profile;
        let record = settings.record;
        Shared {
            profile,
            policy: settings.policy,
            limits: settings.limits,
            files: settings.files,
            masks: settings.masks,
            exit: settings.exit,
            login_hint: settings.login_hint,
            on_note: settings.on_note,
            on_summary: settings.on_summary,
            reporting: Mutex::default(),
            record: record.map(|record| Arc::new(Mutex::new(record))),
            to_agent,
            to_client,
            agent: OnceLock::new(),
            state: Mutex::new(State {
                turns: Turns::new(profile),
                gates: Gates::new(profile),
                summary: Summary::default(),
                paces: HashMap::new(),
                quirks: Quirks::default(),
                asking: 0,
                answered: None,
            }),
            errors: Errors::default(),
            started: Instant::now(),
            questions: AtomicU64::new(0),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the guard was started.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn summary(&self) -> Summary {
        self.state().summary.clone()
    }

    /// Writes a note into the record.
    pub(super) fn note(&self, note: &Note) {
        self.on_note.see(note);
        if let Some(record) = &self.record {
            let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
            let recorded = record.note(note);
            drop(record);
            self.check_record(recorded);
        }
    }

    pub(super) fn finish_record(&self, summary: &Summary) -> Result<Option<String>, RecordError> {
        let Some(record) = &self.record else {
            return Ok(None);
        };
        let record = &mut *record.lock().unwrap_or_else(PoisonError::into_inner);
        record.note(&Note::Summary(summary.clone()))?;
        record.end().map(Some)
    }

    /// Gives the summary so far to whoever wants it.
    pub(super) async fn report_summary(self: &Arc<Shared>) {
        if !self.on_summary.is_wanted() {
            return;
        }
        let shared = self.clone();
        let reported = off_thread(SUMMARY, move || {
            let _alone = { shared.reporting.lock() }.unwrap_or_else(PoisonError::into_inner);
            shared.on_summary.see(&shared.summary());
        });
        if reported.await.is_err() {
            tracing::warn!("reporting the summary takes too long");
        }
    }

    /// Reports the first line that could not be recorded. The session continues: its changes cannot be undone.
    pub(super) fn check_record(&self, recorded: Result<(), RecordError>) {
        if let Err(error @ RecordError::File { .. }) = recorded {
            let error = error.to_string();
            tracing::error!(error, "the record is incomplete");
            self.on_note.see(&Note::Unrecorded { error });
        }
    }

    /// A call whose id is null cannot be answered.
    pub(super) fn check_id(&self, id: &Id) -> Result<(), RpcError> {
        match id {
            Id::Null => {
                let data = json!({ "details": "the id of a request must not be null" });
                Err(Failure::InvalidRequest.error(self.profile, data))
            }
            _ => Ok(()),
        }
    }

    /// How fast a new session may go.
    pub(super) fn pace(&self) -> Pace {
        let update = method("session/update").and_then(|entry| entry.rate);
        let merger = update.filter(|_| self.limits.rates).map(Merger::new);
        Pace::new(merger, None)
    }

    /// Checks what does not depend on the state: the method, the size, the params.
    pub(super) fn check(
        &self,
        to: Side,
        name: &Text,
        params: Option<&Payload>,
    ) -> Result<Option<&'static Entry>, RpcError> {
        let Some(entry) = method(name) else {
            // Extensions, and methods of later versions: the other side knows.
            return match self.profile == Profile::Seed && !name.starts_with('_') {
                true => Err(RpcError::method_not_found(name, Format::Json)),
                false => Ok(None),
            };
        };
        if self.limits.sizes && !entry.is_event {
            let checked = sizes::check_params(entry, params, self.profile);
            checked.map_err(|too_large| too_large.error(entry, self.profile))?;
        }
        let checked = entry
            .check_params(params)
            .map_err(|error| error.to_string());
        let checked = checked.and_then(|()| match params {
            Some(params) => self.check_strictly(params).map_err(str::to_owned),
            None => Ok(()),
        });
        if let Err(problem) = checked {
            let data = json!({ "method": entry.name, "details": problem });
            return Err(Failure::InvalidParams.error(self.profile, data));
        }
        self.state().gates.check(entry, to, params)?;
        Ok(Some(entry))
    }

    fn check_strictly(&self, payload: &Payload) -> Result<(), &'static str> {
        match self.profile {
            Profile::Seed => strict::problem(payload).map_or(Ok(()), Err),
            Profile::V1 => Ok(()),
        }
    }

    /// Checks that a result fits its method.
    pub(super) fn check_result(&self, entry: &Entry, result: &Payload) -> Result<(), RpcError> {
        let checked = entry
            .check_result(result)
            .map_err(|error| error.to_string());
        let checked = checked.and_then(|()| self.check_strictly(result).map_err(str::to_owned));
        checked.map_err(|problem| {
            let data =
                json!({ "method": entry.name, "reason": "invalid_result", "details": problem });
            Failure::Internal.error(self.profile, data)
        })
    }

    /// Takes one of the calls that a session may make in a minute.
    pub(super) fn check_rate(&self, entry: &Entry, session: &str) -> Result<(), RpcError> {
        let Some(rate) = entry.rate.filter(|_| self.limits.rates) else {
            return Ok(());
        };
        let now = self.now();
        let mut state = self.state();
        let Some(pace) = state.paces.get_mut(session) else {
            return Ok(());
        };
        let bucket =
            { pace.buckets.entry(entry.name) }.or_insert_with(|| Bucket::whole_minute(rate));
        match bucket.take(now) {
            true => Ok(()),
            false => {
                let wait = bucket.next_at().saturating_sub(now);
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let data = json!({ "sessionId": session, "retryAfterMs": wait, "perMinute": rate.per_minute });
                Err(Failure::RateLimited.error(self.profile, data))
            }
        }
    }

    /// The limit for an answer, if there is one.
    pub(super) fn timeout(&self, entry: Option<&Entry>) -> Option<Duration> {
        let entry = entry.filter(|_| self.limits.timeouts)?;
        match entry.name {
            "session/prompt" => self.limits.idle,
            _ => entry.timeout,
        }
    }

    pub(super) fn timed_out(&self, method: &str, limit: Duration) -> RpcError {
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let mut data = json!({ "method": method, "timeoutMs": limit });
        if tenon_protocols::acp::method(method).is_some_and(|entry| entry.is_retried) {
            data["retry"] = json!(true);
        }
        Failure::Timeout.error(self.profile, data)
    }

    /// The turn of a session was cancelled: questions about it are no longer asked.
    pub(super) fn turn_cancelled(&self, session: &str) {
        let mut state = self.state();
        state.turns.cancel(session);
        if let Some(pace) = state.paces.get(session) {
            pace.cancels.send_modify(|count| *count += 1);
        }
    }

    /// Cancels all turns: the client is gone.
    pub(super) async fn cancel_turns(&self, agent: &Peer) {
        let busy = self.state().turns.busy();
        for session in busy {
            self.turn_cancelled(&session);
            let params = Payload::encode(Format::Json, &json!({ "sessionId": session })).ok();
            let _gone_too = agent.send_raw("session/cancel", params).await;
        }
    }

    /// Sends everything that waits, so that what follows keeps its place.
    pub(super) fn flush(&self) {
        let mut state = self.state();
        let mut ready = Vec::new();
        for pace in state.paces.values_mut() {
            ready.extend(pace.merger.iter_mut().flat_map(Merger::flush));
        }
        self.send_updates(&mut state, ready);
    }

    /// Sends updates to the client. The state is locked: otherwise others could be sent in between.
    pub(super) fn send_updates(&self, _locked: &mut State, updates: Vec<Payload>) {
        let Some(agent) = self.agent.get() else {
            return;
        };
        for params in updates {
            let event = Event {
                method: Text::from_static("session/update"),
                params: Some(params),
            };
            self.to_client.event(agent, event);
        }
    }
}

impl Pace {
    pub(super) fn new(merger: Option<Merger>, roots: Option<Arc<Roots>>) -> Pace {
        Pace {
            merger,
            is_scheduled: false,
            buckets: HashMap::new(),
            active: Instant::now(),
            asking: 0,
            running: HashMap::new(),
            cancels: watch::channel(0).0,
            roots,
            lane: Arc::default(),
        }
    }
}
