//! Reading what a script answers.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use tenon_protocols::denobridge::{Diagnostic, problem};
use tenon_rpc::{CallError, Method, Payload, Peer, Text};
use tenon_values::json;

use super::Task;

/// The members of an answer, as they were sent.
type Members = BTreeMap<String, Box<RawValue>>;

/// Calls a method of this script. Its answer is an object, or null where that means something.
pub(super) async fn of<M: Method>(
    peer: Peer,
    task: Task<M>,
    params: M::Params,
    script: &str,
) -> Result<M::Result, CallError> {
    let params = Payload::encode(peer.format(), &params).map_err(CallError::Unsendable)?;
    let answer = peer.call_raw(M::NAME, Some(params)).await?;
    let refuse = |problem: String| Err(CallError::Malformed(Text::from(problem)));
    let kind = match answer.bytes().first() {
        // Reading an array would take its elements for the members of an object.
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => match serde_json::from_slice(answer.bytes()) {
            Ok(result) => return Ok(result),
            Err(_) if answer.is_null() => "null",
            Err(error) => {
                let members: Option<Members> = serde_json::from_slice(answer.bytes()).ok();
                let wrong = members.as_ref().map_or(Vec::new(), wrong_members::<M>);
                // The error of the payload would quote it, with the secrets in it.
                let text = match wrong.first() {
                    Some((_, text)) => text.clone(),
                    None => format!("the answer to {}: {}", M::NAME, problem(&error)),
                };
                let members = members.filter(|_| !task.only_reads);
                let repaired = members.and_then(|members| repaired::<M>(members, wrong, script));
                return repaired.map_or_else(|| refuse(text), Ok);
            }
        },
    };
    refuse(format!(
        "{} answers with an object, and not with {kind}",
        M::NAME
    ))
}

/// The names of the members that cannot be read, and what is wrong with each.
fn wrong_members<M: Method>(members: &Members) -> Vec<(String, String)> {
    let wrong = members.iter().filter_map(|(name, value)| {
        let alone = Members::from([(name.clone(), value.clone())]);
        let problem = problem(&read::<M>(&alone).err()?);
        let text = format!("{name} in the answer to {}: {problem}", M::NAME);
        Some((name.clone(), text))
    });
    wrong.collect()
}

/// The same answer without the members that cannot be read, and with an error about each of them among
/// its diagnostics. What a script has made must not be forgotten because of one wrong member: neither
/// the id of a resource nor what is needed to close an ephemeral one.
fn repaired<M: Method>(
    mut members: Members,
    wrong: Vec<(String, String)>,
    script: &str,
) -> Option<M::Result> {
    let mut errors = Vec::new();
    for (name, text) in wrong {
        let value = members.remove(&name)?;
        let mut detail = format!("{text}.");
        if name == "id" {
            let id = id_text(&value);
            detail = format!(
                "{detail} Terraform has stored the resource with the id {id:?} and marked it as tainted."
            );
            members.insert(name, to_raw_value(&id).ok()?);
        }
        let detail = format!("{detail}\n\nScript: {script}");
        let error = Diagnostic::error("Invalid answer from the script", detail);
        errors.push(to_raw_value(&error).ok()?);
    }
    let said = members.remove("diagnostics");
    let said = said.map_or(Vec::new(), |said| {
        let list = serde_json::from_str::<Option<Vec<_>>>(said.get());
        list.map_or(vec![said], Option::unwrap_or_default)
    });
    let all: Vec<_> = said.into_iter().chain(errors).collect();
    members.insert("diagnostics".to_owned(), to_raw_value(&all).ok()?);
    read::<M>(&members).ok()
}

fn read<M: Method>(members: &Members) -> Result<M::Result, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(members)?)
}

/// The text of an id that is not one, to find the resource by: half a character is replaced, and
/// anything that is not a string is written as it came.
fn id_text(value: &RawValue) -> String {
    let read = json::implied(value.get().as_bytes()).ok();
    let text = read.and_then(|id| Some(id.as_text()?.to_string_lossy().into_owned()));
    text.unwrap_or_else(|| value.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_protocols::denobridge::{Create, Open};

    fn repair<M: Method>(answer: &str) -> M::Result {
        let members: Members = serde_json::from_str(answer).unwrap();
        let wrong = wrong_members::<M>(&members);
        repaired::<M>(members, wrong, "./s.py").expect("an answer that can be repaired")
    }

    #[test]
    fn an_id_that_cannot_be_read_does_not_lose_the_resource() {
        for (id, kept, problem) in [
            (r#""vm-\ud83d""#, "vm-\u{fffd}", "surrogate pair"),
            ("true", "true", "a boolean instead of a string or a number"),
            (r#"["a"]"#, r#"["a"]"#, "an array instead of"),
        ] {
            let answer = format!(r#"{{"state": {{"n": 1}}, "id": {id}}}"#);
            let created = repair::<Create>(&answer);
            assert_eq!(created.id.as_deref(), Some(kept));
            assert_eq!(created.state.unwrap().text(), r#"{"n": 1}"#);
            let [error] = &created.diagnostics[..] else {
                panic!("{:?}", created.diagnostics);
            };
            assert!(error.is_error() && error.detail.starts_with("id in the answer to create: "));
            assert!(error.detail.contains(problem), "{}", error.detail);
            assert!(error.detail.ends_with("Script: ./s.py"), "{}", error.detail);
        }
    }

    #[test]
    fn a_time_that_cannot_be_read_does_not_lose_the_private_data() {
        let warning = r#"{"severity": "warning", "summary": "w"}"#;
        for (said, count) in [
            ("null".to_owned(), 1),
            (format!("[{warning}]"), 2),
            (warning.to_owned(), 2),
        ] {
            let opened = repair::<Open>(&format!(
                r#"{{"renewAt": "soon", "privateData": 7, "diagnostics": {said}}}"#
            ));
            assert_eq!(opened.renew_at, None);
            assert_eq!(opened.private_data.unwrap().text(), "7");
            assert_eq!(opened.diagnostics.len(), count);
            let error = opened.diagnostics.last().unwrap();
            assert!(error.is_error() && error.detail.contains("\"soon\""));
        }
    }

    #[test]
    fn of_a_member_that_occurs_twice_the_last_counts() {
        let created = repair::<Create>(r#"{"id": "a", "id": "b"}"#);
        assert_eq!(created.id.as_deref(), Some("b"));
        assert!(created.diagnostics.is_empty());
    }
}
