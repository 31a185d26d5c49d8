//! Lines that were meant to be messages, but cannot be read as such: `NaN` in them, say, or nesting
//! without end. Passing over one would leave somebody waiting if it is an answer.

use memchr::memmem;

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

/// Whether a line begins as messages do.
pub(super) fn is_object(frame: &[u8]) -> bool {
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
    fn what_a_plugin_prints_is_no_message() {
        for printed in ["hello", "{ a: 1 }", "[1,", "", "say \"jsonrpc\""] {
            assert!(!is_meant_as_message(printed.as_bytes()), "{printed}");
        }
        assert!(is_meant_as_message(br#" {"jsonrpc":"2.0","id":"#));
    }
}
