//! Between the author's types and what travels.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::{Diagnostic, Json, Outcome};
use tenon_rpc::{ErrorCode, Format, Limits, Payload, Reply, RpcError};
use tenon_values::{Error, Problem, Step, Value, from_value, to_value};

use super::Failure;
use super::failure::Reason;

/// What a frame has around a result, and to spare.
const ENVELOPE: usize = 1024;

/// The params of a call. The error quotes nothing of them, since they may hold secrets.
pub(super) fn params<T: DeserializeOwned>(
    method: &str,
    params: Option<&Payload>,
) -> Result<T, RpcError> {
    let refuse =
        |problem: String| RpcError::invalid_params(format!("the params of {method} {problem}"));
    let empty = || Payload::new(Format::Json, &b"{}"[..]);
    let params = params.cloned().unwrap_or_else(empty);
    if !params.bytes().starts_with(b"{") {
        return Err(refuse("have to be an object".to_owned()));
    }
    let decoded = params.decode_private();
    decoded.map_err(|error| refuse(format!("cannot be decoded: {error}")))
}

/// A member of the params as a type of the author's.
pub(super) fn read<T: DeserializeOwned>(json: &Json, member: &str) -> Result<T, Failure> {
    read_at(json, &[member])
}

/// The same for a part of a member.
pub(super) fn read_at<T: DeserializeOwned>(json: &Json, place: &[&str]) -> Result<T, Failure> {
    let value = json.value().map_err(|error| unfit(&error, place))?;
    read_value(&value, place)
}

/// The same for a part that is a value already.
pub(super) fn read_value<T: DeserializeOwned>(value: &Value, place: &[&str]) -> Result<T, Failure> {
    from_value(value).map_err(|error| unfit(&error, place))
}

/// The same for a secret, of which not even a key may be quoted.
pub(super) fn read_secret<T: DeserializeOwned>(json: &Json, member: &str) -> Result<T, Failure> {
    let read = json.value().and_then(|value| from_value(&value));
    read.map_err(|error| {
        let detail = match error.problem() {
            // The name of a field of the author's type.
            problem @ (Problem::MissingAttribute(_) | Problem::Null) => problem.to_string(),
            _ => "its type is wrong; it is a secret, so more is not said".to_owned(),
        };
        Failure::diagnosed([Diagnostic::error(title(member), detail).at([member])])
    })
}

fn unfit(error: &Error, place: &[&str]) -> Failure {
    let steps = error.path().steps().iter().map(|step| match step {
        Step::Attribute(name) => name.to_string(),
        Step::Key(key) => key.as_str().unwrap_or_default().to_owned(),
        Step::Index(index) | Step::Element(index) => index.to_string(),
    });
    let path = place.iter().map(ToString::to_string).chain(steps);
    Failure::diagnosed([Diagnostic::error(title(place[0]), error.to_string()).at(path)])
}

fn title(member: &str) -> String {
    format!("`{member}` is not what the script takes")
}

/// What the author gives, as it travels.
pub(super) fn write<T: Serialize>(value: &T, what: &str) -> Result<Json, Failure> {
    to_value(value)
        .and_then(|value| Json::of(&value))
        .map_err(|error| Failure::new(format!("the {what} cannot be written as JSON: {error}")))
}

/// The answer to a call.
pub(super) fn answer<T: Serialize>(result: Result<T, Failure>) -> Reply {
    match result {
        Ok(result) => encode(&result),
        Err(Failure(Reason::Message(message))) => Err(failed(message)),
        // Every result has a place for diagnostics, and nothing that it must have besides.
        Err(Failure(Reason::Diagnostics(diagnostics))) => encode(&Outcome {
            done: None,
            diagnostics,
        }),
    }
}

fn encode<T: Serialize>(result: &T) -> Reply {
    let payload = Payload::encode(Format::Json, result)
        .map_err(|error| failed(format!("the result cannot be written: {error}")))?;
    // A host ends the connection over a frame that is too large, and nobody would know why.
    let limit = Limits::default().frame - ENVELOPE;
    match payload.bytes().len() {
        size if size > limit => Err(failed(format!(
            "the result has {size} bytes, and at most {limit} can be sent"
        ))),
        _ => Ok(payload),
    }
}

fn failed(message: String) -> RpcError {
    RpcError::new(ErrorCode::SERVER_ERROR, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Debug)]
    struct Server {
        #[expect(dead_code, reason = "only read")]
        ports: Vec<u16>,
    }

    fn told(failure: Failure) -> Diagnostic {
        match failure.0 {
            Reason::Diagnostics(mut diagnostics) => diagnostics.remove(0),
            Reason::Message(message) => panic!("{message}"),
        }
    }

    #[test]
    fn what_does_not_fit_is_pointed_at() {
        let json: Json = serde_json::from_str(r#"{"ports": [80, 70000]}"#).unwrap();
        let diagnostic = told(read::<Server>(&json, "props").unwrap_err());
        let place = ["props", "ports", "1"].map(str::to_owned);
        assert_eq!(diagnostic.prop_path.as_deref(), Some(&place[..]));
        assert!(diagnostic.detail.contains("u16"), "{}", diagnostic.detail);
    }

    #[test]
    fn what_json_cannot_hold_is_said() {
        let Failure(Reason::Message(message)) = write(&f64::NAN, "state").unwrap_err() else {
            panic!("no diagnostics");
        };
        assert!(message.starts_with("the state cannot be written as JSON: "));
    }

    #[test]
    fn results_that_no_host_would_read_are_errors() {
        let huge = "x".repeat(Limits::default().frame);
        let error = answer(Ok(huge)).unwrap_err();
        assert_eq!(error.code, ErrorCode::SERVER_ERROR);
        assert!(error.message.contains("at most"), "{}", error.message);
    }
}
