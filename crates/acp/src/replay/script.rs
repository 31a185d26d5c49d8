//! What was said on one connection, in a form that can be played.

use std::collections::{HashMap, VecDeque};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_rpc::{ErrorCode, Payload, RpcError};

use crate::record::{Content, Item, Source};

/// The answer to a call.
pub(super) type Answer = Result<Payload, RpcError>;

/// What was said between the beginning and the end of one guard.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The calls of the client, in order.
    pub(super) exchanges: Vec<Exchange>,
    /// What the client did, in order.
    pub(super) acts: Vec<Act>,
    /// The answers of the client, by the method of the agent's call, in the order of the calls.
    pub(super) answers: HashMap<String, Vec<GivenAnswer>>,
    /// Answers whose calls are known, and others.
    paired: usize,
    unpaired: usize,
}

/// A call of the client, and what the agent did about it.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) method: String,
    pub(super) params: Option<Payload>,
    pub(super) steps: Vec<Step>,
    pub(super) is_answered: bool,
}

/// What the agent did.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Event {
        method: String,
        params: Option<Payload>,
    },
    /// It called the client. The number tells calls apart.
    Call {
        number: usize,
        method: String,
        params: Option<Payload>,
    },
    /// The client answered that call, and the agent may have waited for it.
    Answered { number: usize, answer: Answer },
    /// The client cancelled the turn.
    Cancelled,
    /// It answered the call of the client.
    Answer(Answer),
}

/// What the client did.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// It made this call.
    Call(usize),
    /// It sent an event. The agent had done something in the turn before, or not.
    Event {
        method: String,
        params: Option<Payload>,
        after_activity: bool,
    },
    /// The answer to this call had arrived.
    Await(usize),
}

/// An answer of the client to a call of the agent.
#[derive(Clone, Debug)]
pub(super) struct GivenAnswer {
    pub(super) params: Option<Payload>,
    /// Nothing if the client never answered.
    pub(super) answer: Option<Answer>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RecordedError<'a> {
    code: i64,
    message: String,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl Script {
    /// Splits the entries of a record into conversations: one for each guard that has written to it.
    pub fn of(items: impl IntoIterator<Item = Item>) -> Vec<Script> {
        let mut scripts = Vec::new();
        let mut reading: Option<Reading> = None;
        for item in items {
            match item.content {
                Content::Begin => {
                    scripts.extend(reading.take().map(|reading| reading.script));
                    reading = Some(Reading::default());
                }
                Content::Message {
                    from,
                    to,
                    answers,
                    message,
                } => {
                    let answers = answers.map(|id| key(id.get()));
                    let reading = reading.get_or_insert_default();
                    reading.add((from, to), answers, message.get());
                }
                Content::Note(_) | Content::End => {}
            }
        }
        scripts.extend(reading.map(|reading| reading.script));
        scripts
    }

    /// Whether it is known which calls the answers belong to. Records of older versions do not say it.
    pub fn is_paired(&self) -> bool {
        self.paired > 0 || self.unpaired == 0
    }

    /// The name of a recorded call: its method, and which of these calls it is.
    pub(super) fn place(&self, number: usize) -> String {
        let method = &self.exchanges[number].method;
        let calls = self.exchanges[..=number].iter();
        let count = calls.filter(|exchange| exchange.method == *method).count();
        format!("{method} {count}")
    }
}

#[derive(Default)]
struct Reading {
    script: Script,
    /// Calls of the client that were not answered, by the id that it has given to them, the oldest first.
    of_client: HashMap<String, VecDeque<usize>>,
    /// Calls of the agent that were not answered, in the same way.
    of_agent: HashMap<String, VecDeque<Question>>,
    calls: usize,
    /// The agent has done something since the last call of the client.
    is_active: bool,
}

/// A call of the agent that the client has not answered yet.
struct Question {
    exchange: usize,
    number: usize,
    method: String,
    /// Its place among the calls of this method.
    place: usize,
}

impl Reading {
    /// What cannot be read is not played. Both sides choose the ids of their own calls, and the guard those of the calls
    /// that it forwards, so an answer is found by `answers`: the id that its caller knows.
    fn add(&mut self, (from, to): (Source, Option<Source>), answers: Option<String>, text: &str) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(text) else {
            return;
        };
        let id = message.id.map(|id| key(id.get()));
        let params = message.params.and_then(payload);
        let answer = answer(&message);
        match (from, message.method, id, answer) {
            (Source::Client, Some(method), Some(id), _) if id != "null" => {
                self.client_calls(method, id, params);
            }
            (Source::Client, Some(method), ..) => self.client_sends(method, params),
            (Source::Client, None, Some(_), Some(answer)) => match answers {
                Some(id) => self.client_answers(&id, answer),
                None => self.script.unpaired += 1,
            },
            (Source::Agent, Some(method), Some(id), _) if id != "null" => {
                self.agent_calls(method, id, params);
            }
            (Source::Agent, Some(method), ..) => {
                self.is_active = true;
                self.step(
                    session(params.as_ref()).as_deref(),
                    Step::Event { method, params },
                );
            }
            (Source::Agent, None, Some(_), Some(answer)) => match answers {
                Some(id) => self.agent_answers(&id, answer),
                None => self.script.unpaired += 1,
            },
            // What the guard answered itself.
            (Source::Guard, None, Some(id), Some(answer)) => match to {
                Some(Source::Agent) => self.client_answers(&id, answer),
                _ => self.agent_answers(&id, answer),
            },
            _ => {}
        }
    }

    fn client_calls(&mut self, method: String, id: String, params: Option<Payload>) {
        let number = self.script.exchanges.len();
        self.script.exchanges.push(Exchange {
            method,
            params,
            steps: Vec::new(),
            is_answered: false,
        });
        self.script.acts.push(Act::Call(number));
        self.of_client.entry(id).or_default().push_back(number);
        self.is_active = false;
    }

    fn client_sends(&mut self, method: String, params: Option<Payload>) {
        if method == "session/cancel" {
            let session = session(params.as_ref());
            self.step(session.as_deref(), Step::Cancelled);
        }
        // Its ids are those of the record.
        if method != "$/cancel_request" {
            self.script.acts.push(Act::Event {
                method,
                params,
                after_activity: self.is_active,
            });
        }
    }

    fn client_answers(&mut self, id: &str, answer: Answer) {
        self.script.paired += 1;
        let Some(question) = self.of_agent.get_mut(id).and_then(VecDeque::pop_front) else {
            return;
        };
        let Question {
            exchange,
            number,
            method,
            place,
        } = question;
        let given = self.script.answers.get_mut(&method);
        if let Some(given) = given.and_then(|given| given.get_mut(place)) {
            given.answer = Some(answer.clone());
        }
        if let Some(exchange) = self.script.exchanges.get_mut(exchange) {
            exchange.steps.push(Step::Answered { number, answer });
        }
    }

    fn agent_calls(&mut self, method: String, id: String, params: Option<Payload>) {
        self.is_active = true;
        let number = self.calls;
        self.calls += 1;
        let session = session(params.as_ref());
        let step = Step::Call {
            number,
            method: method.clone(),
            params: params.clone(),
        };
        if let Some(exchange) = self.step(session.as_deref(), step) {
            let given = self.script.answers.entry(method.clone()).or_default();
            let question = Question {
                exchange,
                number,
                method,
                place: given.len(),
            };
            given.push(GivenAnswer {
                params,
                answer: None,
            });
            self.of_agent.entry(id).or_default().push_back(question);
        }
    }

    fn agent_answers(&mut self, id: &str, answer: Answer) {
        self.script.paired += 1;
        if let Some(number) = self.of_client.get_mut(id).and_then(VecDeque::pop_front) {
            let exchange = &mut self.script.exchanges[number];
            exchange.steps.push(Step::Answer(answer));
            exchange.is_answered = true;
            self.script.acts.push(Act::Await(number));
        }
    }

    /// Adds a step to the call that it belongs to: the turn of its session, or the last call.
    fn step(&mut self, session: Option<&str>, step: Step) -> Option<usize> {
        let is_turn = |exchange: &Exchange| {
            let is_long = ["session/prompt", "session/load", "session/resume"];
            let is_same = self::session(exchange.params.as_ref()).as_deref() == session;
            !exchange.is_answered && is_long.contains(&exchange.method.as_str()) && is_same
        };
        let exchanges = &mut self.script.exchanges;
        let turn = session.and_then(|_| exchanges.iter().rposition(is_turn));
        let number = turn.or_else(|| exchanges.len().checked_sub(1))?;
        exchanges[number].steps.push(step);
        Some(number)
    }
}

/// An id in one spelling: a text may be written with escapes.
fn key(id: &str) -> String {
    serde_json::from_str::<Value>(id).map_or_else(|_| id.to_owned(), |id| id.to_string())
}

fn payload(text: &RawValue) -> Option<Payload> {
    Payload::from_json(text.get()).ok()
}

fn answer(message: &Message<'_>) -> Option<Answer> {
    if let Some(error) = message.error {
        let error: RecordedError<'_> = serde_json::from_str(error.get()).ok()?;
        let mut rpc = RpcError::new(ErrorCode::Number(error.code), error.message);
        rpc.data = error.data.and_then(payload);
        return Some(Err(rpc));
    }
    message.result.and_then(payload).map(Ok)
}

/// The session that params name.
pub(super) fn session(params: Option<&Payload>) -> Option<String> {
    params?.member(&["sessionId"])?.decode().ok()
}

/// A payload as a value, to be compared.
pub(super) fn value(payload: Option<&Payload>) -> Value {
    payload
        .and_then(|payload| payload.decode().ok())
        .unwrap_or_default()
}
