//! Playing the agent.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_protocols::Protocol;
use tenon_rpc::calls::Asked;
use tenon_rpc::{
    Call, CallError, CloseReason, Connection, Io, Payload, Peer, Reply, Router, RpcError,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::difference::Report;
use super::names::Names;
use super::script::{Answer, Exchange, Script, Step, session, value};

/// Answers a client the way the recorded agent did, until the client leaves.
///
/// A call gets the answer of the first call in the record that has the same method, and the same session if there is
/// one; before the answer, everything is sent that the agent sent before it. A call that the record has no answer for
/// is refused and reported.
///
/// `limit` is how long the client may take to answer a call, to cancel a turn that was cancelled, and to say the next
/// thing. What takes longer is reported, and the replay continues without it.
///
/// # Errors
/// No message came from the client for that long, although nothing was left to be done for it.
pub async fn play_agent(
    io: Io,
    script: Script,
    limit: Duration,
) -> (Report, Result<CloseReason, CallError>) {
    let stage = Arc::new(Stage {
        limit,
        state: Mutex::new(State {
            is_played: vec![false; script.exchanges.len()],
            active: Instant::now(),
            calls: 0,
            names: Names::default(),
            report: Report::default(),
            cancelled: HashMap::new(),
        }),
        script,
    });
    let router = Router::new(stage.clone())
        .fallback(|call, stage| async move { stage.answer(call).await })
        .event_fallback(|context, event| {
            context.state.state().active = Instant::now();
            if event.method == "session/cancel"
                && let Some(id) = session(event.params.as_ref())
            {
                context.state.state().cancels(&id).send_replace(true);
            }
        });
    let dialect = Protocol::Acp.dialect();
    let connection = Connection::start_with(io, dialect, Arc::new(router), crate::options());
    let reason = tokio::select! {
        reason = connection.closed() => Ok(reason),
        () = stage.silence() => Err(CallError::TimedOut(limit)),
    };
    (stage.report(), reason)
}

struct Stage {
    script: Script,
    limit: Duration,
    state: Mutex<State>,
}

struct State {
    is_played: Vec<bool>,
    /// When the client said something, or was answered.
    active: Instant,
    /// Calls of the client that were not answered.
    calls: usize,
    names: Names,
    report: Report,
    cancelled: HashMap<String, watch::Sender<bool>>,
}

impl State {
    /// Whether the turn of a session was cancelled.
    fn cancels(&mut self, session: &str) -> &watch::Sender<bool> {
        self.cancelled
            .entry(session.to_owned())
            .or_insert_with(|| watch::channel(false).0)
    }
}

impl Stage {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no message has come from the client for too long.
    async fn silence(&self) {
        loop {
            let (active, is_idle) = {
                let state = self.state();
                (state.active, state.calls == 0)
            };
            let now = Instant::now();
            let deadline = match is_idle {
                true => active.checked_add(self.limit),
                false => now.checked_add(self.limit),
            };
            match deadline {
                Some(deadline) if deadline <= now => return,
                Some(deadline) => sleep_until(deadline).await,
                None => return std::future::pending().await,
            }
        }
    }

    async fn answer(self: Arc<Stage>, call: Call) -> Reply {
        let _in_progress = InProgress::begin(&self);
        self.clone().play(call).await
    }

    async fn play(self: Arc<Stage>, call: Call) -> Reply {
        let Some(number) = self.choose(&call) else {
            let method = call.method.to_string();
            let params = value(call.params.as_ref());
            self.state().report.differs(&method, None, Some(params));
            let data = json!({ "reason": "not_recorded", "method": method });
            let data = Payload::encode(tenon_rpc::Format::Json, &data).ok();
            let mut error = RpcError::internal("the record has no answer to this call");
            error.data = data;
            return Err(error);
        };
        let exchange = &self.script.exchanges[number];
        self.meet(number, exchange, call.params.as_ref());
        let session = session(call.params.as_ref());
        let mut play = Play {
            stage: self.clone(),
            peer: call.peer,
            session,
            asked: HashMap::new(),
        };
        let steps = exchange.steps.clone();
        let mut steps = steps.into_iter();
        for step in steps.by_ref() {
            match play.step(step).await {
                Ok(None) => {}
                Ok(Some(answer)) => {
                    // What the agent sent after its answer is sent after it.
                    tokio::spawn(async move {
                        for step in steps {
                            if play.step(step).await.is_err() {
                                return;
                            }
                        }
                    });
                    return answer;
                }
                Err(_) => return Err(RpcError::internal("the client is gone")),
            }
        }
        // The agent of the record never answered either. A client that waits for it must not wait forever.
        let _never = self.within(std::future::pending::<()>()).await;
        let at = self.script.place(number);
        let data = json!({ "reason": "not_answered", "method": exchange.method });
        self.state()
            .report
            .differs(&at, None, Some(json!("it was not answered in the record")));
        let mut error = RpcError::internal("the record has no answer to this call");
        error.data = Payload::encode(tenon_rpc::Format::Json, &data).ok();
        Err(error)
    }

    /// Waits for the client, but not forever.
    async fn within<T>(&self, waiting: impl Future<Output = T>) -> Option<T> {
        timeout(self.limit, waiting).await.ok()
    }

    /// The client has not done something in time.
    fn late(&self, at: &str) {
        let waited = format!("nothing came in {:?}", self.limit);
        self.state().report.differs(at, None, Some(json!(waited)));
    }

    /// The recorded call that this one stands for.
    fn choose(&self, call: &Call) -> Option<usize> {
        let mut state = self.state();
        let session_now = session(call.params.as_ref());
        let exchanges = self.script.exchanges.iter().enumerate();
        let open = exchanges.filter(|(number, exchange)| {
            !state.is_played[*number] && exchange.method == *call.method
        });
        let open: Vec<(usize, &Exchange)> = open.collect();
        let same =
            |(_, exchange): &&(usize, &Exchange)| session(exchange.params.as_ref()) == session_now;
        let (number, _) = { open.iter().find(same) }.or_else(|| open.first())?;
        state.is_played[*number] = true;
        state.report.played += 1;
        Some(*number)
    }

    /// Learns today's names from a call, and compares it with the recorded one.
    fn meet(&self, number: usize, exchange: &Exchange, params: Option<&Payload>) {
        let mut state = self.state();
        let (recorded, now) = (value(exchange.params.as_ref()), value(params));
        if let (Some(before), Some(after)) =
            (recorded["sessionId"].as_str(), now["sessionId"].as_str())
        {
            state.names.add_session(before, after);
        }
        if let (Some(before), Some(after)) = (recorded["cwd"].as_str(), now["cwd"].as_str()) {
            state.names.add_folder(before, after);
        }
        if exchange.method == "session/prompt"
            && let Some(session) = now["sessionId"].as_str()
        {
            state.cancels(session).send_replace(false);
        }
        // Editors differ in what they can do and where they work.
        let opens = [
            "initialize",
            "session/new",
            "session/load",
            "session/resume",
        ];
        if !opens.contains(&exchange.method.as_str()) {
            let recorded = exchange
                .params
                .as_ref()
                .map(|params| state.names.translate(params));
            let at = self.script.place(number);
            state.report.compare(&at, &value(recorded.as_ref()), &now);
        }
    }

    fn report(&self) -> Report {
        let mut state = self.state();
        let left: Vec<usize> = (0..self.script.exchanges.len())
            .filter(|number| !state.is_played[*number])
            .collect();
        state.report.left = left.len() as u64;
        for number in left {
            let recorded = value(self.script.exchanges[number].params.as_ref());
            let at = self.script.place(number);
            state.report.differs(&at, Some(recorded), None);
        }
        state.report.clone()
    }
}

/// A call of the client, until it is answered.
struct InProgress(Arc<Stage>);

impl InProgress {
    fn begin(stage: &Arc<Stage>) -> InProgress {
        stage.state().calls += 1;
        InProgress(stage.clone())
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.calls -= 1;
        state.active = Instant::now();
    }
}

/// The agent during one call of the client.
struct Play {
    stage: Arc<Stage>,
    peer: Peer,
    session: Option<String>,
    asked: HashMap<usize, (String, Asked)>,
}

impl Play {
    /// Does what the agent did. Returns the answer if this was it.
    async fn step(&mut self, step: Step) -> Result<Option<Answer>, CallError> {
        match step {
            Step::Event { method, params } => {
                let params = self.translate(params);
                self.peer.send_raw(method, params).await?;
            }
            Step::Call {
                number,
                method,
                params,
            } => {
                let params = self.translate(params);
                let asked = self.peer.ask(method.clone(), params).await?;
                self.asked.insert(number, (method, asked));
            }
            Step::Answered { number, answer } => {
                if let Some((method, asked)) = self.asked.remove(&number) {
                    match self.stage.within(asked).await {
                        Some(Err(error @ CallError::Closed(_))) => return Err(error),
                        Some(now) => self.compare(&method, &answer, now),
                        None => self.stage.late(&format!("the answer to {method}")),
                    }
                }
            }
            Step::Cancelled => {
                if let Some(session) = self.session.clone() {
                    let mut cancelled = self.stage.state().cancels(&session).subscribe();
                    let waiting = cancelled.wait_for(|is_cancelled| *is_cancelled);
                    // An error means that the player is gone.
                    let is_late = self.stage.within(waiting).await.is_none();
                    if is_late {
                        self.stage.late("session/cancel");
                    }
                }
            }
            Step::Answer(Ok(result)) => {
                let result = self.translate(Some(result));
                return Ok(result.map(Ok));
            }
            Step::Answer(Err(error)) => return Ok(Some(Err(error))),
        }
        Ok(None)
    }

    fn translate(&self, payload: Option<Payload>) -> Option<Payload> {
        payload.map(|payload| self.stage.state().names.translate(&payload))
    }

    /// Compares the client's answer with the recorded one.
    fn compare(&self, method: &str, recorded: &Answer, now: Result<Payload, CallError>) {
        let mut state = self.stage.state();
        let at = format!("the answer to {method}");
        match (recorded, now) {
            (Ok(recorded), Ok(now)) => {
                let recorded = state.names.translate(recorded);
                state
                    .report
                    .compare(&at, &value(Some(&recorded)), &value(Some(&now)));
            }
            (Err(recorded), Ok(now)) => {
                let recorded = json!({ "error": recorded.code.number() });
                state
                    .report
                    .differs(&at, Some(recorded), Some(value(Some(&now))));
            }
            (Ok(recorded), Err(error)) => {
                let error = json!({ "error": error.to_string() });
                state
                    .report
                    .differs(&at, Some(value(Some(recorded))), Some(error));
            }
            (Err(_), Err(_)) => {}
        }
    }
}
