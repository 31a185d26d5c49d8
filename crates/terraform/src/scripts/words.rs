//! What happened, in words.

use tenon_rpc::{CallError, CloseReason, ErrorCode, RpcError};

/// What the script answered. The codes that mean nothing in particular are left out.
pub(super) fn answer(error: &RpcError) -> String {
    let message = match error.message.trim() {
        "" => "The script answered with an error that has no message.",
        message => message,
    };
    match error.code {
        ErrorCode::SERVER_ERROR | ErrorCode::INTERNAL_ERROR => message.to_owned(),
        _ => format!("{message} ({})", error.code),
    }
}

/// Where the script says that the mistake is.
pub(super) fn prop_path(error: &RpcError) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        prop_path: Vec<String>,
    }
    let data: Data = error.data.as_ref()?.decode().ok()?;
    Some(data.prop_path)
}

/// Why there is no answer, as the end of a sentence.
pub(super) fn sentence(error: &CallError) -> String {
    match error {
        CallError::Answered(error) => format!("it answered with an error: {}", answer(error)),
        CallError::Closed(CloseReason::PeerClosed) => {
            "the script ended before it had answered.".to_owned()
        }
        CallError::Closed(CloseReason::BrokenStream(error)) => {
            // What it began with may be a secret.
            format!(
                "the script could not be understood any more: {}.",
                error.problem
            )
        }
        CallError::Closed(reason) => {
            format!("the script could not be understood any more: {reason}.")
        }
        CallError::TimedOut(limit) => format!(
            "the script did not answer within {limit:?}, which timeout allows. Its process is not \
             used any more."
        ),
        CallError::Malformed(what) => {
            format!("the script's answer breaks the protocol: {what}.")
        }
        CallError::Undecodable(error) => {
            format!("the script's answer is not what it should be: {error}.")
        }
        other => format!("{other}."),
    }
}

pub(super) fn sentence_start(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A line without what only a terminal understands: colours, most often.
pub(super) fn plain(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let sequence = piece.strip_prefix('[').map(|rest| {
            let end = rest.find(|letter: char| ('@'..='~').contains(&letter));
            end.map_or("", |end| &rest[end + 1..])
        });
        text.push_str(sequence.unwrap_or(piece));
    }
    text.retain(|letter| !letter.is_control() || letter == '\t');
    text
}

/// The permission that a script in Deno misses, from the text of its error:
/// `NotCapable: Requires read access to "x", run again with the --allow-read flag`.
pub(super) fn missing_permission(text: &str) -> Option<&str> {
    if !text.contains("Requires ") {
        return None;
    }
    let (_, flag) = text.split_once("--allow-")?;
    let end = flag.find(|letter: char| !letter.is_ascii_lowercase());
    Some(&flag[..end.unwrap_or(flag.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_permission_is_found() {
        let text =
            "NotCapable: Requires read access to \"/x\", run again with the --allow-read flag";
        assert_eq!(missing_permission(text), Some("read"));
        assert_eq!(missing_permission("use --allow-read"), None);
        assert_eq!(missing_permission("Requires care"), None);
    }

    #[test]
    fn codes_that_say_nothing_are_left_out() {
        let said = |code, message: &str| answer(&RpcError::new(code, message));
        assert_eq!(said(ErrorCode::SERVER_ERROR, "disk full"), "disk full");
        assert_eq!(said(ErrorCode::Number(7), "odd"), "odd (code 7)");
        assert!(said(ErrorCode::INTERNAL_ERROR, " ").contains("no message"));
    }

    #[test]
    fn lines_lose_their_colours() {
        assert_eq!(
            plain("\u{1b}[0m\u{1b}[1m\u{1b}[31merror\u{1b}[0m: no\u{7}"),
            "error: no"
        );
        assert_eq!(plain("\u{1b}[38;5;1mred"), "red");
        assert_eq!(plain("cut \u{1b}[3"), "cut ");
        assert_eq!(plain("a\tb"), "a\tb");
    }

    #[test]
    fn sentences_begin_large() {
        assert_eq!(sentence_start("the end."), "The end.");
        assert_eq!(sentence_start(""), "");
    }
}
