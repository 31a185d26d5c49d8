//! Playing the client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_protocols::Protocol;
use tenon_protocols::acp::{Failure, PermissionResult, Profile};
use tenon_rpc::calls::Asked;
use tenon_rpc::{Call, CallError, Connection, Event, Format, Io, Payload, Peer, Reply, Router};
use tokio::sync::watch;
use tokio::time::timeout;

use super::difference::Report;
use super::names::Names;
use super::script::{Act, Answer, GivenAnswer, Script, Step, session, value};

/// Drives an agent with what the recorded client said, and answers the agent's calls as the client did. `limit` is how
/// long an answer may take.
///
/// # Errors
/// The agent has left, or has not answered in time. The report has what was different until then.
pub async fn play_client(
    io: Io,
    script: Script,
    limit: Duration,
) -> (Report, Result<(), CallError>) {
    let stage = Arc::new(Stage {
        state: Mutex::new(State::default()),
        activity: watch::channel(0).0,
        script,
    });
    let router = Router::new(stage.clone())
        .fallback(|call, stage| async move { stage.answer(&call) })
        .event_fallback(|context, event| context.state.see(&event));
    let dialect = Protocol::Acp.dialect();
    let connection = Connection::start_with(io, dialect, Arc::new(router), crate::options());
    let outcome = stage.play(&connection.peer(), limit).await;
    connection.close_within(Duration::from_secs(1)).await;
    (stage.report(), outcome)
}

struct Stage {
    script: Script,
    state: Mutex<State>,
    /// How much the agent has done.
    activity: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    names: Names,
    report: Report,
    /// Which answers to a method were used.
    used: HashMap<String, Vec<bool>>,
    /// What the agent has sent in the turn of a session: kinds of updates, and its text.
    said: HashMap<String, Said>,
}

/// What an agent says in a turn, without how it is cut into chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Said {
    kinds: Vec<String>,
    text: String,
}

impl State {
    /// What belongs to no session is not compared.
    fn hear(&mut self, method: &str, params: Option<&Payload>) {
        if let Some(session) = session(params) {
            self.said.entry(session).or_default().add(method, params);
        }
    }
}

impl Said {
    fn add(&mut self, method: &str, params: Option<&Payload>) {
        let update = value(params);
        let kind = match method {
            "session/update" => update["update"]["sessionUpdate"]
                .as_str()
                .unwrap_or_default(),
            other => other,
        };
        if kind == "agent_message_chunk" {
            let text = update["update"]["content"]["text"].as_str();
            self.text += text.unwrap_or_default();
        }
        // How often something is reported depends on the time that it takes.
        if !self.kinds.iter().any(|known| known == kind) {
            self.kinds.push(kind.to_owned());
            self.kinds.sort_unstable();
        }
    }
}

impl Stage {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn play(&self, peer: &Peer, limit: Duration) -> Result<(), CallError> {
        let mut asked: HashMap<usize, Asked> = HashMap::new();
        let mut seen = 0;
        for act in &self.script.acts {
            match act {
                Act::Call(number) => {
                    let exchange = &self.script.exchanges[*number];
                    let params = self.translate(exchange.params.as_ref());
                    seen = *self.activity.borrow();
                    if exchange.method == "session/prompt" {
                        let session = session(params.as_ref()).unwrap_or_default();
                        self.state().said.remove(&session);
                    }
                    asked.insert(*number, peer.ask(exchange.method.clone(), params).await?);
                    self.state().report.played += 1;
                }
                Act::Event {
                    method,
                    params,
                    after_activity,
                } => {
                    if *after_activity {
                        let mut activity = self.activity.subscribe();
                        let moved = activity.wait_for(|count| *count > seen);
                        // If the agent does nothing, the event is sent all the same.
                        let _silent = timeout(limit, moved).await;
                    }
                    let params = self.translate(params.as_ref());
                    peer.send_raw(method.clone(), params).await?;
                    self.state().report.played += 1;
                }
                Act::Await(number) => {
                    if let Some(asked) = asked.remove(number) {
                        let answer = timeout(limit, asked).await;
                        let answer = answer.unwrap_or(Err(CallError::TimedOut(limit)));
                        self.answered(*number, answer)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn translate(&self, payload: Option<&Payload>) -> Option<Payload> {
        payload.map(|payload| self.state().names.translate(payload))
    }

    /// Learns today's names from an answer, and compares it with the recorded one.
    fn answered(&self, number: usize, now: Result<Payload, CallError>) -> Result<(), CallError> {
        let exchange = &self.script.exchanges[number];
        let at = self.script.place(number);
        let recorded = exchange.steps.iter().find_map(|step| match step {
            Step::Answer(answer) => Some(answer),
            _ => None,
        });
        let now: Result<Payload, CallError> = match now {
            Err(CallError::Answered(error)) => Err(CallError::Answered(error)),
            Err(error) => return Err(error),
            Ok(now) => Ok(now),
        };
        let mut state = self.state();
        match (recorded, now) {
            (Some(Ok(recorded)), Ok(now)) => {
                let (before, after) = (session(Some(recorded)), session(Some(&now)));
                if let (Some(before), Some(after)) = (before, after) {
                    state.names.add_session(&before, &after);
                }
                let recorded = state.names.translate(recorded);
                state
                    .report
                    .compare(&at, &value(Some(&recorded)), &value(Some(&now)));
            }
            (Some(Err(recorded)), Err(CallError::Answered(now))) => {
                let (before, after) = (json!(recorded.code.number()), json!(now.code.number()));
                state
                    .report
                    .compare(&format!("{at}, code"), &before, &after);
            }
            (Some(Ok(recorded)), Err(error)) => {
                let error = json!({ "error": error.to_string() });
                state
                    .report
                    .differs(&at, Some(value(Some(recorded))), Some(error));
            }
            (Some(Err(recorded)), Ok(now)) => {
                let recorded = json!({ "error": recorded.to_string() });
                state
                    .report
                    .differs(&at, Some(recorded), Some(value(Some(&now))));
            }
            (None, _) | (_, Err(_)) => {}
        }
        if exchange.method == "session/prompt" {
            let recorded = said(&exchange.steps);
            let params = { exchange.params.as_ref() }.map(|params| state.names.translate(params));
            let session = session(params.as_ref()).unwrap_or_default();
            let now = state.said.remove(&session).unwrap_or_default();
            let kinds = |said: &Said| json!(said.kinds);
            let at_kinds = format!("{at}, what was sent");
            state
                .report
                .compare(&at_kinds, &kinds(&recorded), &kinds(&now));
            let at_text = format!("{at}, text");
            state
                .report
                .compare(&at_text, &json!(recorded.text), &json!(now.text));
        }
        Ok(())
    }

    /// An event of the agent.
    fn see(&self, event: &Event) {
        self.state().hear(&event.method, event.params.as_ref());
        self.activity.send_modify(|count| *count += 1);
    }

    /// Answers a call of the agent as the client did.
    fn answer(&self, call: &Call) -> Reply {
        self.activity.send_modify(|count| *count += 1);
        let mut state = self.state();
        state.hear(&call.method, call.params.as_ref());
        let method = call.method.to_string();
        let all = self.script.answers.get(&method);
        let all = all.map_or(&[][..], Vec::as_slice);
        let session_now = session(call.params.as_ref());
        let State { used, names, .. } = &mut *state;
        let used = used.entry(method.clone()).or_default();
        used.resize(all.len(), false);
        let is_same = |given: &GivenAnswer| {
            let params = given.params.as_ref().map(|params| names.translate(params));
            session(params.as_ref()) == session_now
        };
        let open = |at: &usize| !used[*at];
        let chosen = (0..all.len()).filter(open).find(|at| is_same(&all[*at]));
        let chosen = chosen.or_else(|| (0..all.len()).find(open));
        let Some(chosen) = chosen else {
            let params = value(call.params.as_ref());
            state.report.differs(&method, None, Some(params));
            return unrecorded(&method);
        };
        used[chosen] = true;
        let given = &all[chosen];
        match (&*method, &given.answer) {
            ("session/request_permission", Some(Ok(recorded))) => {
                permission(given, recorded, call.params.as_ref())
            }
            (_, Some(Ok(result))) => Ok(state.names.translate(result)),
            (_, Some(Err(error))) => Err(error.clone()),
            (_, None) => unrecorded(&method),
        }
    }

    fn report(&self) -> Report {
        let mut report = self.state().report.clone();
        let acts = self.script.acts.iter();
        let all = acts.filter(|act| !matches!(act, Act::Await(_))).count() as u64;
        report.left = all.saturating_sub(report.played);
        report
    }
}

/// What the recorded agent said before its answer.
fn said(steps: &[Step]) -> Said {
    let mut said = Said::default();
    for step in steps {
        match step {
            Step::Event { method, params } | Step::Call { method, params, .. }
                if session(params.as_ref()).is_some() =>
            {
                said.add(method, params.as_ref());
            }
            Step::Answer(_) => break,
            _ => {}
        }
    }
    said
}

/// The client never answered this.
fn unrecorded(method: &str) -> Reply {
    if method == "session/request_permission" {
        let cancelled = Payload::encode(Format::Json, &PermissionResult::cancelled());
        return cancelled.map_err(|_| Failure::Internal.error(Profile::V1, Value::Null));
    }
    let data = json!({ "method": method, "details": "the record has no answer to this call" });
    Err(Failure::MethodNotFound.error(Profile::V1, data))
}

/// The option that means what the chosen one meant: the names of options change.
fn permission(given: &GivenAnswer, recorded: &Payload, params: Option<&Payload>) -> Answer {
    let (asked, now) = (value(given.params.as_ref()), value(params));
    let answer = value(Some(recorded));
    let chosen = &answer["outcome"]["optionId"];
    let options = |params: &Value| params["options"].as_array().cloned().unwrap_or_default();
    let kind = { options(&asked).into_iter() }
        .find(|option| option["optionId"] == *chosen)
        .map(|option| option["kind"].clone());
    let same =
        kind.and_then(|kind| { options(&now).into_iter() }.find(|option| option["kind"] == kind));
    let result = match same.as_ref().and_then(|option| option["optionId"].as_str()) {
        Some(option) => PermissionResult::selected(option),
        None => PermissionResult::cancelled(),
    };
    Payload::encode(Format::Json, &result)
        .map_err(|_| Failure::Internal.error(Profile::V1, Value::Null))
}
