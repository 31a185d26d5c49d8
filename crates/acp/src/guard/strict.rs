//! What the message specification demands of ids and texts, and version 1 does not: its profile checks it.

use tenon_protocols::acp::view;
use tenon_rpc::Payload;

/// What is wrong with params or a result, if anything is.
pub(super) fn problem(payload: &Payload) -> Option<&'static str> {
    let session: Option<view::OfSession<'_>> = payload.decode_borrowed().ok();
    if session.is_some_and(|session| !is_uuid(&session.session_id)) {
        return Some("`sessionId` is not a UUID");
    }
    match has_null(payload.bytes()) {
        true => Some("a text contains a null character"),
        false => None,
    }
}

/// As `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, of any version.
fn is_uuid(id: &str) -> bool {
    let lengths = id.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && id
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Whether JSON has a null character in one of its texts: it is always escaped there.
fn has_null(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        if rest[at + 1..].starts_with(b"u0000") {
            return true;
        }
        // What is escaped may be a backslash.
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Option<&'static str> {
        problem(&Payload::from_json(json).unwrap())
    }

    #[test]
    fn ids_are_uuids_and_texts_have_no_null_characters() {
        for right in [
            r#"{"sessionId":"0198A7c1-1111-7222-8333-444455556666","a":"\\u0000 \\\\u0000 \u0001"}"#,
            r#"{"cwd":"/w"}"#,
            "[]",
        ] {
            assert_eq!(found(right), None, "{right}");
        }
        for wrong in [
            r#"{"sessionId":"session-123"}"#,
            r#"{"sessionId":"0198a7c1-1111-7222-8333-44445555666g"}"#,
            r#"{"sessionId":"0198a7c1111172228333444455556666"}"#,
            r#"{"text":"a\u0000b"}"#,
            r#"{"deep":[{"text":"\\\u0000"}]}"#,
        ] {
            assert!(found(wrong).is_some(), "{wrong}");
        }
    }
}
