//! Params and results of hosts.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_rpc::{Format, Payload, options::Limits};

/// Room for the rest of the frame around a result.
const ENVELOPE: usize = 1024;

/// The params of a call. Errors do not quote them, because they may contain secrets.
pub(crate) fn params<T: DeserializeOwned>(
    method: &str,
    params: Option<Payload>,
) -> Result<T, String> {
    let params = params.unwrap_or_else(|| Payload::new(Format::Json, &b"{}"[..]));
    if !params.bytes().starts_with(b"{") {
        return Err(format!("the params of {method} must be an object"));
    }
    { params.decode_private() }
        .map_err(|error| format!("the params of {method} cannot be decoded: {error}"))
}

/// A result that every host can read. `what` begins the error: "the result".
pub(crate) fn encode<T: Serialize>(what: &str, result: &T) -> Result<Payload, String> {
    let payload = Payload::encode(Format::Json, result)
        .map_err(|error| format!("{what} cannot be written as JSON: {error}"))?;
    fitting(what, payload, Limits::default().frame)
}

/// A result that is not larger than a frame. A host closes the connection when a frame is too large,
/// without telling the user why.
pub(crate) fn fitting(what: &str, payload: Payload, frame: usize) -> Result<Payload, String> {
    let limit = frame - ENVELOPE;
    match payload.bytes().len() {
        size if size > limit => Err(format!(
            "{what} cannot be sent: the size is {size} bytes, but at most {limit} are allowed"
        )),
        _ => Ok(payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_too_large_are_errors() {
        let huge = "x".repeat(Limits::default().frame);
        let error = encode("the result", &huge).unwrap_err();
        assert!(error.contains("at most"), "{error}");
        assert!(error.len() < 200, "{}", error.len());
    }
}
