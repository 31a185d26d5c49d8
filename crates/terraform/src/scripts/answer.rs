//! Reading what a script answers.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tenon_rpc::{CallError, Method, Payload, Peer, Text};

/// Calls a method. Its answer is an object, or null where that means something.
pub(super) async fn of<M: Method>(
    peer: Peer,
    _: M,
    params: M::Params,
) -> Result<M::Result, CallError> {
    let params = Payload::encode(peer.format(), &params).map_err(CallError::Unsendable)?;
    let answer = peer.call_raw(M::NAME, Some(params)).await?;
    let refuse = |problem: String| Err(CallError::Malformed(Text::from(problem)));
    let kind = match answer.bytes().first() {
        // Reading an array would take its elements for the members of an object.
        Some(b'[') => "an array",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "true or false",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => match serde_json::from_slice(answer.bytes()) {
            Ok(result) => return Ok(result),
            Err(_) if answer.is_null() => "null",
            // The error of the payload would quote it, with the secrets in it.
            Err(error) => return refuse(wrong_answer::<M>(answer.bytes(), &error)),
        },
    };
    refuse(format!(
        "{} answers with an object, and not with {kind}",
        M::NAME
    ))
}

/// Which member of an answer is wrong, and how, in the words of people who write scripts.
fn wrong_answer<M: Method>(answer: &[u8], error: &serde_json::Error) -> String {
    let is_wrong = |(name, value): &(String, Box<RawValue>)| {
        let alone = std::iter::once((name, value)).collect::<BTreeMap<_, _>>();
        let alone = serde_json::to_string(&alone).unwrap_or_default();
        serde_json::from_str::<M::Result>(&alone).is_err()
    };
    let members: BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(answer).unwrap_or_default();
    let member = members.into_iter().find(is_wrong).map(|(name, _)| name);
    let problem = error.to_string();
    let problem = problem.split(" at line ").next().unwrap_or_default();
    let problem = problem
        .replace("a sequence", "a list")
        .replace("a map", "an object");
    match member {
        Some(member) => format!("{member} in the answer to {}: {problem}", M::NAME),
        None => format!("the answer to {}: {problem}", M::NAME),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_protocols::denobridge::Create;

    #[test]
    fn the_member_that_is_wrong_is_named() {
        let wrong = |answer: &str| {
            let error = serde_json::from_str::<<Create as Method>::Result>(answer).unwrap_err();
            wrong_answer::<Create>(answer.as_bytes(), &error)
        };
        let told = wrong(r#"{"state": 1, "id": true}"#);
        let expected = "id in the answer to create: invalid type: boolean `true`, expected ";
        assert!(told.starts_with(expected), "{told}");
        assert!(wrong(r#"{"id": ["a"], "state": 1}"#).starts_with("id in the answer"));
    }
}
