//! What `tenon call` prints besides results, errors and events.

use serde_json::json;
use serde_json::value::RawValue;
use tenon_protocols::{Listing, Offer, Parameter};
use tenon_rpc::Payload;

use super::{
    ErrorObject, Printer, compact, data, hidden, json_data, laid_out, line, on_one_line, talk,
    to_json,
};
use crate::exit::Failure;

/// What a request of the other side was answered.
pub(crate) enum Answered<'a> {
    With(&'a Payload),
    /// Somebody is asked.
    AtThePrompt,
    /// That there is no such method.
    NotFound {
        /// Whether the next line may give an answer.
        in_conversation: bool,
    },
}

impl Printer {
    /// A request of the other side. What goes to stderr is masked.
    pub(crate) fn asked(
        self,
        method: &str,
        params: Option<&Payload>,
        answered: Answered<'_>,
        masked: &[String],
    ) {
        let params = params.and_then(|params| to_json(params).ok());
        let answer = match &answered {
            Answered::With(answer) => to_json(answer).ok(),
            Answered::AtThePrompt | Answered::NotFound { .. } => None,
        };
        if self.json {
            let method = json!(method);
            let error = json!({ "code": -32601, "message": "Method not found" });
            let mut members: Vec<(&str, &dyn super::ToJson)> = vec![("method", &method)];
            members.extend(params.as_ref().map(|params| ("params", params as _)));
            members.extend(answer.as_ref().map(|answer| ("result", answer as _)));
            if matches!(answered, Answered::NotFound { .. }) {
                members.push(("error", &error));
            }
            // A reader that has gone shows when the result is printed.
            let _gone = json_data(format!("{{\"request\":{}}}", line(&members)));
            return;
        }
        let shown = on_one_line(method);
        if let (true, Some(params)) = (self.events_are_data, &params) {
            drop(data(format!("{shown} {}", compact(params.get()))));
        } else if self.events_are_data {
            drop(data(&shown));
        }
        let hidden = |json: &RawValue| compact(&hidden(json.get(), masked));
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

    /// What a call came to that ran beside others.
    pub(crate) fn finished(
        self,
        number: usize,
        method: &str,
        outcome: &Result<Payload, Failure>,
    ) -> Result<(), Failure> {
        if self.json {
            let (number, method) = (json!(number), json!(method));
            return match outcome {
                Ok(result) => {
                    let result = to_json(result)?;
                    json_data(line(&[
                        ("call", &number),
                        ("method", &method),
                        ("result", &result),
                    ]))
                }
                Err(failure) => {
                    let error = ErrorObject(failure);
                    json_data(line(&[
                        ("call", &number),
                        ("method", &method),
                        ("error", &error),
                    ]))
                }
            };
        }
        talk(format_args!("[{number}] {}", on_one_line(method)));
        match outcome {
            Ok(result) => self.result(method, result),
            Err(failure) => self.error(Some(method), failure),
        }
    }
}

/// A value that a conversation keeps.
pub(crate) fn value(name: &str, value: &Payload, is_json: bool) -> Result<(), Failure> {
    let value = to_json(value)?;
    match is_json {
        true => json_data(line(&[("name", &json!(name)), ("value", &value)])),
        false => laid_out(&value),
    }
}

/// A variable in a list of all of them.
pub(crate) fn variable(name: &str, value: &str) {
    const LONGEST: usize = 100;
    let mut shown: String = value.chars().take(LONGEST).collect();
    if shown.len() < value.len() {
        shown += "...";
    }
    talk(format_args!("${name} = {}", on_one_line(&shown)));
}

/// What a server offers.
pub(crate) fn listing(listing: &Listing, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return listing
            .offers
            .iter()
            .try_for_each(|offer| json_data(json!(offer)));
    }
    data(text(listing).trim_end())
}

fn text(listing: &Listing) -> String {
    let mut text = String::new();
    if let Some(server) = &listing.server {
        text += &format!("{}\n", on_one_line(server));
    }
    if listing.offers.is_empty() {
        text += "(it offers nothing)\n";
    }
    for offers in listing.offers.chunk_by(|one, next| one.kind == next.kind) {
        let kind = offers[0].kind;
        text += &format!("\n{}\n", plural(kind));
        for offer in offers {
            text += &offer_text(offer);
        }
        if let Some(sample) = offers.iter().find_map(|offer| offer.call.as_ref()) {
            let (method, params) = (on_one_line(sample.method), sample.params.to_string());
            let params = tenon_text::json(&params);
            text += &format!("  call one with: {method} '{params}'\n");
        }
    }
    text
}

fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind == "configuration" => kind.to_owned(),
        None => format!("{kind}s"),
    }
}

fn offer_text(offer: &Offer) -> String {
    let mut text = format!("  {}", on_one_line(&offer.name));
    if let Some(result) = &offer.result {
        text += &format!(" -> {}", on_one_line(result));
    }
    text += &about(&offer.about);
    text.push('\n');
    for parameter in &offer.parameters {
        text += &parameter_text(parameter);
    }
    text
}

fn parameter_text(parameter: &Parameter) -> String {
    let (name, ty) = (on_one_line(&parameter.name), on_one_line(&parameter.ty));
    let mut text = format!("      {name}: {ty}");
    if parameter.required {
        text += ", required";
    }
    if let Some(default) = &parameter.default {
        text += &format!(", default {}", tenon_text::json(&default.to_string()));
    }
    text += &about(&parameter.about);
    text.push('\n');
    text
}

/// The first line; `--json` has all of them.
fn about(about: &str) -> String {
    match about.lines().next() {
        Some(line) => format!("  - {}", line.trim()),
        None => String::new(),
    }
}
