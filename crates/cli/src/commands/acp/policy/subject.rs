//! A tool call in one of the forms that it has in messages, records and by hand.

use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_acp::facts::Facts;
use tenon_protocols::acp::{CreateTerminalParams, PermissionOption, ToolCallUpdate};

use crate::exit::Failure;

/// What a policy decides about.
pub(super) struct Subject {
    pub(super) facts: Facts,
    /// The answers that the agent offers, if it asks.
    pub(super) options: Option<Vec<PermissionOption>>,
}

impl Subject {
    /// Reads a tool call from a file, or from stdin if the path is `-`.
    pub(super) fn read(path: &Path, folder: &Path) -> Result<Subject, Failure> {
        let name = match path.as_os_str() == "-" {
            true => "stdin".into(),
            false => tenon_text::path(path).to_string(),
        };
        let mut text = String::new();
        match path.as_os_str() == "-" {
            true => std::io::stdin().lock().read_to_string(&mut text).map(drop),
            false => std::fs::read_to_string(path).map(|read| text = read),
        }
        .map_err(|error| Failure::usage(format!("{name} could not be read: {error}")))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let excerpt = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let problem = error.to_string();
            let problem = match problem.split(" at line").next().unwrap_or_default() {
                "expected ident" | "expected value" => "this is not JSON",
                problem => problem,
            };
            Failure::usage(format!(
                "{name}:{line}:{column}: {problem}\n  {}\n  hint: a tool call is one JSON object",
                tenon_text::line(excerpt)
            ))
        })?;
        Subject::of(value, folder).map_err(|problem| {
            Failure::usage(format!(
                "{name}: {problem}\n  hint: `tenon acp policy explain --help` shows what a tool call looks like"
            ))
        })
    }

    fn of(value: Value, folder: &Path) -> Result<Subject, String> {
        if !value.is_object() {
            return Err("a tool call is a JSON object".into());
        }
        // A line of a record, a message in it, and its params.
        for path in ["/entry/message/message", "/entry/message"] {
            if let Some(inner) = value.pointer(path) {
                return Subject::of(inner.clone(), folder);
            }
        }
        if let (Some(method), Some(params)) = (value["method"].as_str(), value.get("params")) {
            return Subject::of_call(method, params.clone(), folder);
        }
        if value.get("toolCall").is_some() {
            return Subject::of_call("session/request_permission", value, folder);
        }
        if value.get("update").is_some() {
            return Subject::of_call("session/update", value, folder);
        }
        Subject::of_tool_call(value, None, folder)
    }

    fn of_call(method: &str, mut params: Value, folder: &Path) -> Result<Subject, String> {
        let facts = match method {
            "session/request_permission" => {
                let options = fitting(params["options"].take()).ok();
                return Subject::of_tool_call(params["toolCall"].take(), options, folder);
            }
            "session/update" => {
                return Subject::of_tool_call(params["update"].take(), None, folder);
            }
            "fs/read_text_file" | "fs/write_text_file" => {
                let path = params["path"].as_str().ok_or("`path` is missing")?;
                match method == "fs/read_text_file" {
                    true => Facts::reading(path, folder),
                    false => Facts::writing(path, folder),
                }
            }
            "terminal/create" => {
                if params.get("sessionId").is_none() {
                    params["sessionId"] = json!("");
                }
                Facts::running(&fitting::<CreateTerminalParams>(params)?, folder)
            }
            _ => return Err(format!("a policy does not decide about {method:?}")),
        };
        Ok(Subject {
            facts,
            options: None,
        })
    }

    fn of_tool_call(
        mut call: Value,
        options: Option<Vec<PermissionOption>>,
        folder: &Path,
    ) -> Result<Subject, String> {
        const KNOWN: [&str; 5] = ["kind", "title", "locations", "content", "rawInput"];
        if !call.is_object() || KNOWN.iter().all(|name| call.get(name).is_none()) {
            let known = KNOWN.join("`, `");
            return Err(format!("this is not a tool call: it has none of `{known}`"));
        }
        // It is not written by hand.
        if call.get("toolCallId").is_none() {
            call["toolCallId"] = json!("");
        }
        let call: ToolCallUpdate = fitting(call)?;
        let mut facts = Facts::default();
        facts.add_update(&call, folder);
        Ok(Subject { facts, options })
    }
}

fn fitting<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    // Raw parts are read from text only.
    serde_json::from_str(&value.to_string()).map_err(|error| {
        // The place is not one of the file.
        let problem = error.to_string();
        problem
            .split(" at line")
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}
