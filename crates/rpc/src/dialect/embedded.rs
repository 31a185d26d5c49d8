//! Answers in a line that also holds other text, as in `Loading...{"jsonrpc":"2.0",...}`: a plugin
//! printed something and did not end the line.

use bytes::Bytes;
use tenon_wire::json;

use super::framing::Framing;
use super::{Dialect, Frame, Inbound, Limits, MalformedKind};
use crate::message::{Id, Message};

/// How often a line may be looked through in all. Text can be such that every brace in it might
/// begin a message that continues to the end of the line.
const EFFORT: usize = 16;

/// Takes a line apart into the answers in it and the text around them. `None` if there is no answer
/// in it that is expected, or the dialect has no lines.
///
/// Only answers that are expected count: what a plugin logs may well quote messages that it got.
pub(crate) fn pieces(
    dialect: Dialect,
    line: &Bytes,
    limits: &Limits,
    is_expected: impl Fn(&Id) -> bool,
) -> Option<Vec<Frame>> {
    let envelope = dialect.envelope();
    let read_answer = envelope
        .read_answer
        .filter(|_| dialect.framing() == Framing::Lines)?;
    let text = |bytes: Bytes| {
        let is_blank = bytes.trim_ascii().is_empty();
        (!is_blank).then(|| Frame {
            content: (envelope.read)(&bytes, limits),
            bytes,
        })
    };
    let mut pieces = Vec::new();
    let mut effort = line.len().saturating_mul(EFFORT);
    // Everything before has a piece, or been looked through.
    let (mut piece, mut at) = (0, 0);
    while let Some(found) = memchr::memchr(b'{', &line[at..]) {
        let start = at + found;
        match read_answer(&line.slice(start..), limits) {
            Ok((length, content)) => {
                at = start + length;
                let answer = line.slice(start..at);
                if is_answer(&content, &is_expected) && json::check_utf8(&answer).is_ok() {
                    pieces.extend(text(line.slice(piece..start)));
                    pieces.push(Frame {
                        bytes: answer,
                        content,
                    });
                    piece = at;
                }
            }
            Err(error) if error.at < effort => {
                effort -= error.at;
                at = start + 1;
            }
            Err(_) => break,
        }
    }
    if pieces.is_empty() {
        return None;
    }
    pieces.extend(text(line.slice(piece..)));
    Some(pieces)
}

fn is_answer(content: &Inbound, is_expected: impl Fn(&Id) -> bool) -> bool {
    match content {
        Inbound::Message(Message::Response(response)) => is_expected(&response.id),
        Inbound::Malformed(malformed) => {
            malformed.kind == MalformedKind::Response
                && malformed.id.as_ref().is_some_and(is_expected)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<Vec<String>> {
        let line = Bytes::copy_from_slice(line.as_bytes());
        let is_expected = |id: &Id| *id == Id::from(7);
        let pieces = pieces(
            Dialect::JsonRpcLines,
            &line,
            &Limits::default(),
            is_expected,
        )?;
        let shown = pieces.iter().map(|piece| {
            let kind = match &piece.content {
                Inbound::Message(_) => "message",
                Inbound::Malformed(_) | Inbound::Batch(_) => "text",
            };
            format!("{kind} {}", String::from_utf8_lossy(&piece.bytes))
        });
        Some(shown.collect())
    }

    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"a":"}"}}"#;

    #[test]
    fn an_answer_is_found_wherever_it_stands() {
        let message = format!("message {ANSWER}");
        for (line, expected) in [
            (format!("50%...{ANSWER}"), vec!["text 50%...", &message]),
            (format!("{ANSWER} done"), vec![&*message, "text  done"]),
            (format!("a{ANSWER}b"), vec!["text a", &message, "text b"]),
            (format!("  {ANSWER}  "), vec![&*message]),
            (format!("\u{feff}{ANSWER}"), vec!["text \u{feff}", &message]),
            (
                format!("{{\"a\": {{ {{}} \"{{\" {ANSWER}"),
                vec!["text {\"a\": { {} \"{\" ", &message],
            ),
            (
                format!("{{\"level\":\"info\"}}{ANSWER}"),
                vec!["text {\"level\":\"info\"}", &message],
            ),
            (format!("{ANSWER}{ANSWER}"), vec![&*message, &message]),
        ] {
            assert_eq!(found(&line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn a_quoted_message_is_not_taken_for_an_answer() {
        for line in [
            r#"got {"jsonrpc":"2.0","id":7,"method":"create","params":{}}"#,
            r#"sent {"jsonrpc":"2.0","id":6,"result":{}}"#,
            r#"log {"entry":{"jsonrpc":"2.0","id":7,"result":1}}"#,
            r#"row {"id":7,"result":"ok"}"#,
            r#"cut {"jsonrpc":"2.0","id":7,"result":{"#,
            "no { braces { match }",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    /// Each brace might begin a message; together they must not take forever.
    #[test]
    fn text_full_of_braces_is_given_up() {
        let nested = r#"{"a":["#.repeat(100) + &"1,".repeat(500_000);
        assert_eq!(found(&format!("{nested}{ANSWER}")), None);
        let braces = "{".repeat(1_000_000);
        assert_eq!(found(&format!("{braces}{ANSWER}")).unwrap().len(), 2);
    }

    #[test]
    fn an_answer_has_to_be_text() {
        let found = |line| pieces(Dialect::Orchard, &line, &Limits::default(), |_| true);
        let line = Bytes::from_static(b"\xff{\"id\":7,\"result\":\"\xfe\"}");
        assert!(found(line).is_none());
        let line = Bytes::from_static(b"\xff{\"id\":7,\"result\":1}");
        assert_eq!(found(line).unwrap().len(), 2);
    }
}
