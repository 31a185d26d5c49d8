//! What `tenon call` prints: results, errors, events and requests of the other side.

use serde_json::json;
use serde_json::value::RawValue;
use tenon_rpc::Payload;

use super::json::{
    ErrorObject, ToJson, compact, laid_out, line, masked, to_json, with_plain_diagnostics,
    without_secrets, without_sensitive,
};
use super::{data, json_data, on_one_line, talk};
use crate::exit::{Code, Failure};

/// How results and events are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    /// Everything goes to stdout as lines of JSON.
    pub(crate) json: bool,
    /// Events are what was asked for, and go to stdout.
    pub(crate) events_are_data: bool,
    /// Values that are spelled as sensitive are masked.
    pub(crate) hides_sensitive: bool,
}

/// How a request of the other side was answered.
pub(crate) enum Answered<'a> {
    With(&'a Payload),
    /// By a person, later.
    AtThePrompt,
    /// With the error "method not found".
    NotFound {
        /// Whether a line of the conversation can set an answer.
        in_conversation: bool,
    },
}

impl Printer {
    /// The answer to a call: the data that was asked for.
    pub(crate) fn result(self, method: &str, result: &Payload) -> Result<(), Failure> {
        let result = self.shown(result)?;
        if self.json {
            return json_data(line(&[("method", &json!(method)), ("result", &result)]));
        }
        laid_out(&result)
    }

    /// What went wrong, unless it has been printed already.
    pub(crate) fn error(self, method: Option<&str>, failure: &Failure) -> Result<(), Failure> {
        if failure.message.is_empty() {
            return Ok(());
        }
        let error = ErrorObject(failure);
        match method {
            Some(method) if self.json => {
                json_data(line(&[("method", &json!(method)), ("error", &error)]))
            }
            None if self.json => json_data(line(&[("error", &error)])),
            _ => {
                talk(format_args!("error: {}", failure.message));
                Ok(())
            }
        }
    }

    /// An event of the other side. On stderr it is masked.
    pub(crate) fn event(self, method: &str, params: Option<&Payload>) {
        let params = params.and_then(|params| to_json(params).ok());
        let params = params.map(without_secrets);
        if self.json {
            let said = match &params {
                Some(params) => line(&[("method", &json!(method)), ("params", params)]),
                None => json!({ "method": method }).to_string(),
            };
            // An error shows when the result is printed.
            let _gone = json_data(format!("{{\"event\":{said}}}"));
        } else {
            let shown = |json: &RawValue| match self.events_are_data {
                true => compact(json.get()),
                false => compact(&masked(json.get())),
            };
            let params = params.map_or(String::new(), |params| format!(" {}", shown(&params)));
            let said = format!("{}{params}", on_one_line(method));
            match self.events_are_data {
                true => drop(data(said)),
                false => talk(format_args!("event {said}")),
            }
        }
    }

    /// A request of the other side. On stderr it is masked.
    pub(crate) fn asked(self, method: &str, params: Option<&Payload>, answered: Answered<'_>) {
        let params = params.and_then(|params| to_json(params).ok());
        let params = params.map(without_secrets);
        let answer = match &answered {
            Answered::With(answer) => to_json(answer).ok(),
            Answered::AtThePrompt | Answered::NotFound { .. } => None,
        };
        if self.json {
            let method = json!(method);
            let error = json!({ "code": -32601, "message": "Method not found" });
            let mut members: Vec<(&str, &dyn ToJson)> = vec![("method", &method)];
            members.extend(params.as_ref().map(|params| ("params", params as _)));
            members.extend(answer.as_ref().map(|answer| ("result", answer as _)));
            if matches!(answered, Answered::NotFound { .. }) {
                members.push(("error", &error));
            }
            // An error shows when the result is printed.
            let _gone = json_data(format!("{{\"request\":{}}}", line(&members)));
            return;
        }
        let shown = on_one_line(method);
        if let (true, Some(params)) = (self.events_are_data, &params) {
            drop(data(format!("{shown} {}", compact(params.get()))));
        } else if self.events_are_data {
            drop(data(&shown));
        }
        let hidden = |json: &RawValue| compact(&masked(json.get()));
        let params = params.map_or(String::new(), |params| format!(" {}", hidden(&params)));
        let outcome = match answered {
            Answered::With(_) => {
                let answer = answer.map_or(String::new(), |answer| hidden(&answer));
                format!(" -> {answer}")
            }
            Answered::AtThePrompt => String::new(),
            Answered::NotFound { in_conversation } => {
                let how = match in_conversation {
                    true => format!(":answer {shown} JSON"),
                    false => format!("--answer '{shown}=JSON'"),
                };
                format!(" -> method not found\n  hint: {how} gives an answer")
            }
        };
        talk(format_args!("request {shown}{params}{outcome}"));
    }

    /// The outcome of a call that ran in the background.
    pub(crate) fn finished(
        self,
        number: usize,
        method: &str,
        outcome: &Result<Payload, Failure>,
    ) -> Result<(), Failure> {
        if self.json {
            let (number, method) = (json!(number), json!(method));
            let (result, error);
            let outcome: (&str, &dyn ToJson) = match outcome {
                Ok(payload) => {
                    result = self.shown(payload)?;
                    ("result", &result)
                }
                Err(failure) => {
                    error = ErrorObject(failure);
                    ("error", &error)
                }
            };
            return json_data(line(&[("call", &number), ("method", &method), outcome]));
        }
        talk(format_args!("[{number}] {}", on_one_line(method)));
        match outcome {
            Ok(result) => self.result(method, result),
            Err(failure) => self.error(Some(method), failure),
        }
    }

    /// A value that a conversation keeps.
    pub(crate) fn value(self, name: &str, value: &Payload) -> Result<(), Failure> {
        let value = self.shown(value)?;
        match self.json {
            true => json_data(line(&[("name", &json!(name)), ("value", &value)])),
            false => laid_out(&value),
        }
    }

    /// A variable in a list of all of them.
    pub(crate) fn variable(self, name: &str, value: &str) {
        let hidden = { self.hides_sensitive }.then(|| without_sensitive(value));
        match hidden {
            Some(hidden) => variable(
                name,
                hidden.as_deref().unwrap_or(tenon_rpc::trace::MASK_JSON),
            ),
            None => variable(name, value),
        }
    }

    /// A value as it is printed.
    fn shown(self, value: &Payload) -> Result<Box<RawValue>, Failure> {
        let json = to_json(value)?;
        if !self.hides_sensitive {
            return Ok(json);
        }
        let hidden =
            without_sensitive(json.get()).and_then(|text| RawValue::from_string(text).ok());
        hidden
            .map(with_plain_diagnostics)
            .ok_or_else(|| Failure::new(Code::BrokenProtocol, "the answer is nested too deeply"))
    }
}

fn variable(name: &str, value: &str) {
    const LONGEST: usize = 100;
    let mut shown: String = value.chars().take(LONGEST).collect();
    if shown.len() < value.len() {
        shown += "...";
    }
    talk(format_args!("${name} = {}", on_one_line(&shown)));
}
