//! Params and results, in JSON, for every host.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_rpc::{Format, Payload, options::Limits};

/// What a frame has around a result, and to spare.
const ENVELOPE: usize = 1024;

/// The params of a call. The error quotes nothing of them, since they may hold secrets.
pub(crate) fn params<T: DeserializeOwned>(
    method: &str,
    params: Option<Payload>,
) -> Result<T, String> {
    let params = params.unwrap_or_else(|| Payload::new(Format::Json, &b"{}"[..]));
    if !params.bytes().starts_with(b"{") {
        return Err(format!("the params of {method} have to be an object"));
    }
    { params.decode_private() }
        .map_err(|error| format!("the params of {method} cannot be decoded: {error}"))
}

/// A result that every host can read. `what` begins the error: "the result has".
pub(crate) fn encode<T: Serialize>(what: &str, result: &T) -> Result<Payload, String> {
    let payload = Payload::encode(Format::Json, result)
        .map_err(|error| format!("{what} no form in JSON: {error}"))?;
    // A host ends the connection over a frame that is too large, and nobody would know why.
    let limit = Limits::default().frame - ENVELOPE;
    match payload.bytes().len() {
        size if size > limit => Err(format!(
            "{what} {size} bytes, and at most {limit} can be sent"
        )),
        _ => Ok(payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_no_host_would_read_are_errors() {
        let huge = "x".repeat(Limits::default().frame);
        let error = encode("the result has", &huge).unwrap_err();
        assert!(error.contains("at most"), "{error}");
        assert!(error.len() < 200, "{}", error.len());
    }
}
