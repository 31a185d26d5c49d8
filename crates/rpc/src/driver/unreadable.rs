//! Lines that were meant to be messages, but cannot be read as such: `NaN` in them, say, or nesting
//! without end. If such a line is an answer and were skipped, its call would wait forever.

use memchr::memmem;
use tenon_wire::json::Scanner;

use crate::error::RpcError;

/// What is wrong with it. It is not quoted, since it may hold secrets.
pub(super) fn problem(error: &RpcError) -> String {
    let detail = error.data.as_ref().and_then(|data| data.decode().ok());
    let detail = detail.unwrap_or_else(|| error.message.clone());
    format!("a message that cannot be read: {detail}")
}

/// Whether a line can only have been meant as a message.
pub(super) fn is_meant_as_message(frame: &[u8]) -> bool {
    is_object(frame) && memmem::find(frame, b"\"jsonrpc\"").is_some()
}

/// Where the message begins that a line was meant to be: at its start, or behind text that the peer
/// printed without ending the line. In the latter case only what can only be an answer counts, as
/// logs quote requests.
pub(super) fn start(frame: &[u8], depth: usize) -> Option<usize> {
    if is_object(frame) {
        return Some(0);
    }
    let name = memmem::find(frame, b"\"jsonrpc\"")?;
    let start = memchr::memrchr(b'{', &frame[..name])?;
    let message = &frame[start..];
    let place = |name: &[u8]| memmem::find(message, name).unwrap_or(usize::MAX);
    let is_answer = place(b"\"result\"").min(place(b"\"error\"")) < place(b"\"method\"");
    // One that can be read was not expected, or it would have been found.
    let is_readable = Scanner::new(message, depth).value().is_ok();
    (is_answer && !is_readable).then_some(start)
}

/// Whether a line begins as messages do.
fn is_object(frame: &[u8]) -> bool {
    frame.trim_ascii_start().starts_with(b"{")
}

/// Every number that stands somewhere as the value of a member called `id`.
pub(super) fn ids(frame: &[u8]) -> impl Iterator<Item = i64> {
    const NAME: &[u8] = b"\"id\"";
    memmem::find_iter(frame, NAME).filter_map(|start| {
        let value = frame[start + NAME.len()..].trim_ascii_start();
        let value = value.strip_prefix(b":")?.trim_ascii_start();
        let end = value.iter().position(|byte| !byte.is_ascii_digit());
        let digits = &value[..end.unwrap_or(value.len())];
        std::str::from_utf8(digits).ok()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_in_what_cannot_be_read() {
        let found = |text: &str| ids(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(found(r#"{"jsonrpc":"2.0","id":3,"result":{"n":NaN}}"#), [3]);
        assert_eq!(found(r#"{"result":{"id": 5,}, "id" : 12 }"#), [5, 12]);
        assert!(found(r#"{"id":"a","id":,"id"}"#).is_empty());
    }

    #[test]
    fn an_answer_behind_text_is_found() {
        let start = |text: &str| start(text.as_bytes(), 128);
        assert_eq!(start(r#" {"a":"#), Some(0));
        let answer = r#"{"jsonrpc":"2.0","id":3,"result":NaN}"#;
        assert_eq!(start(&format!("a {{b}} {answer}")), Some(6));
        for quoted in [
            "plain",
            r#"got {"jsonrpc":"2.0","id":3,"method":"create","params":{"result":"#,
            r#"sent {"jsonrpc":"2.0","id":3,"result":{"id":4}}"#,
            r#"say "jsonrpc" and "result""#,
        ] {
            assert_eq!(start(quoted), None, "{quoted}");
        }
    }

    #[test]
    fn printed_text_is_not_taken_for_a_message() {
        for printed in ["hello", "{ a: 1 }", "[1,", "", "say \"jsonrpc\""] {
            assert!(!is_meant_as_message(printed.as_bytes()), "{printed}");
        }
        assert!(is_meant_as_message(br#" {"jsonrpc":"2.0","id":"#));
    }
}
