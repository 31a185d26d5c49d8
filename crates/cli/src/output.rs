//! Everything that is printed: stdout is data, stderr is talk.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};
use tenon_rpc::{Direction, Payload, Record, RpcError};

use crate::exit::{Code, Failure};

/// How results and events are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    /// Everything goes to stdout as lines of JSON.
    pub(crate) json: bool,
}

impl Printer {
    /// The answer to a call: the data that was asked for.
    pub(crate) fn result(self, method: &str, result: &Payload) -> Result<(), Failure> {
        let result = to_json(result)?;
        if self.json {
            return data(json!({ "method": method, "result": result }));
        }
        if io::stdout().is_terminal() {
            let pretty =
                serde_json::to_string_pretty(&result).unwrap_or_else(|_| result.to_string());
            return data(pretty);
        }
        data(result)
    }

    /// An error answer, when more calls follow.
    pub(crate) fn error(self, method: &str, failure: &Failure) -> Result<(), Failure> {
        if self.json {
            return data(json!({ "method": method, "error": error_value(failure) }));
        }
        talk(format_args!("error: {}", failure.message));
        Ok(())
    }

    /// Something the other side sent by itself.
    pub(crate) fn received(self, kind: &str, method: &str, params: Option<&Payload>) {
        let params = params.map(|params| to_json(params).unwrap_or(Value::Null));
        if self.json {
            let line = json!({ kind: { "method": method, "params": params } });
            // A reader that has gone shows when the result is printed.
            let _gone = data(line);
        } else {
            let params = params.map_or(String::new(), |params| format!(" {params}"));
            talk(format_args!("{kind} {method}{params}"));
        }
    }
}

/// A line on stdout. A reader that has gone has seen all it wanted.
pub(crate) fn data(line: impl Display) -> Result<(), Failure> {
    match writeln!(io::stdout().lock(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::Failed, format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Bytes on stdout.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    match io::stdout().lock().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::Failed, format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// A line on stderr. If even stderr has gone, there is nobody to tell.
pub(crate) fn talk(line: impl Display) {
    let _nobody_left = writeln!(io::stderr().lock(), "{line}");
}

/// A frame on its way, on stderr.
pub(crate) fn trace(record: &Record) {
    let arrow = match record.direction {
        Direction::Out => "→",
        Direction::In => "←",
    };
    match (&record.frame, &record.unreadable) {
        (Some(frame), _) => talk(format_args!("{arrow} {frame}")),
        (None, Some(unreadable)) => talk(format_args!("{arrow} (no message) {unreadable}")),
        (None, None) => {}
    }
}

/// Tells why the command failed, and gives its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    if !failure.message.is_empty() {
        talk(format_args!("error: {}", failure.message));
    }
    ExitCode::from(failure.code as u8)
}

/// Shows help, or what is wrong with the command line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _nobody_left = error.print();
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(Code::Usage as u8),
    }
}

/// The failure as `--json` shows it.
pub(crate) fn error_value(failure: &Failure) -> Value {
    match &failure.answered {
        Some(RpcError {
            code,
            message,
            data,
        }) => {
            let code = match code {
                tenon_rpc::ErrorCode::Number(number) => json!(number),
                tenon_rpc::ErrorCode::Name(name) => json!(name.as_str()),
            };
            let mut error = json!({ "code": code, "message": message });
            if let Some(data) = data {
                error["data"] = to_json(data).unwrap_or(Value::Null);
            }
            error
        }
        None => json!({ "message": failure.message }),
    }
}

fn to_json(payload: &Payload) -> Result<Value, Failure> {
    payload
        .to_format(tenon_rpc::Format::Json)
        .and_then(|payload| payload.decode())
        .map_err(|error| Failure::new(Code::BrokenProtocol, format!("the answer: {error}")))
}
