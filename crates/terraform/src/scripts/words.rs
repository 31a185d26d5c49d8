//! The texts of errors about scripts.

use std::time::Duration;

use tenon_protocols::Secrets;
use tenon_protocols::denobridge::ErrorData;
use tenon_rpc::{CallError, CloseReason, ErrorCode, RpcError};

use crate::launch::Launch;

/// What the script answered. General codes are left out.
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

/// What the script answered, or what it threw if the answer has no message. Libraries answer
/// "Internal error" to everything that is thrown, and only stderr has the message.
pub(super) fn answer_or_thrown(error: &RpcError, stderr: &[String]) -> String {
    let message = error.message.trim().trim_end_matches('.');
    let says_nothing = matches!(
        message.to_ascii_lowercase().as_str(),
        "" | "error" | "internal error" | "server error" | "internal server error"
    );
    match thrown(stderr).filter(|_| says_nothing) {
        Some(thrown) if message.is_empty() => thrown,
        Some(thrown) => format!("{thrown} (the script answered: {message})"),
        None => answer(error),
    }
}

/// The message of an error in what a script wrote to stderr: after "uncaught error", as the
/// TypeScript library of denobridge writes it, or a line such as `TypeError: x is not a function`.
fn thrown(stderr: &[String]) -> Option<String> {
    let lines: Vec<String> = stderr.iter().map(|line| plain(line)).collect();
    let uncaught = |line: &str| {
        let start = line.get(.."uncaught error".len())?;
        let rest = &line[start.len()..];
        let is_it = start.eq_ignore_ascii_case("uncaught error");
        let rest = rest.trim_start_matches([':', ' ']);
        (is_it && !rest.is_empty()).then(|| rest.to_owned())
    };
    let marked = |(index, line): (usize, &String)| Some((index, uncaught(line)?));
    let named = |(index, line): (usize, &String)| {
        is_error_line(line).then(|| (index, line.trim().to_owned()))
    };
    let numbered = || lines.iter().enumerate().rev();
    let (index, first) = { numbered().find_map(marked) }.or_else(|| numbered().find_map(named))?;
    // The rest of a message of several lines comes before the stack.
    let rest = { lines[index + 1..].iter() }
        .take_while(|line| !line.trim_start().starts_with("at "))
        .take(MESSAGE_LINES);
    let has_stack = { lines[index + 1..].iter().take(MESSAGE_LINES + 1) }
        .any(|line| line.trim_start().starts_with("at "));
    let rest: Vec<&str> = rest.filter(|_| has_stack).map(String::as_str).collect();
    Some([&[first.as_str()], &rest[..]].concat().join("\n"))
}

/// How many more lines of a message are shown first. All of them are in the tail of stderr.
const MESSAGE_LINES: usize = 5;

/// Whether a line is the name of an error and its message: `ValueError: bad`, `Error: no`.
fn is_error_line(line: &str) -> bool {
    let Some((name, message)) = line.trim().split_once(": ") else {
        return false;
    };
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    !message.is_empty()
        && name.chars().all(is_name)
        && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// A script that was started and did not answer `health` in time.
pub(super) fn no_answer(limit: Duration, is_deno: bool) -> String {
    let longer = format!(
        "Set timeout to more than {} (seconds) if it needs longer.",
        limit.as_secs()
    );
    match is_deno {
        true => format!(
            "It was started, and did not answer its first call, health, within {limit:?}. Deno downloads \
             what a script imports before it starts it: run `deno cache` on the script once, or check \
             that the network is reachable. {longer}"
        ),
        false => format!(
            "It was started, and did not answer its first call, health, within {limit:?}. A script \
             answers each line that it reads on stdin with a line on stdout, and flushes it. \
             {longer}"
        ),
    }
}

/// Where the script says that the mistake is.
pub(super) fn prop_path(error: &RpcError) -> Option<Vec<String>> {
    let data: ErrorData = error.data.as_ref()?.decode().ok()?;
    data.prop_path
}

/// Why there is no answer, as the end of a sentence.
pub(super) fn sentence(error: &CallError) -> String {
    match error {
        CallError::Answered(error) => format!("it answered with an error: {}", answer(error)),
        CallError::Closed(CloseReason::PeerClosed) => {
            "the script ended before it answered.".to_owned()
        }
        CallError::Closed(CloseReason::BrokenStream(error)) => {
            // What it began with may be a secret.
            format!(
                "the output of the script could not be read: {}.",
                error.problem
            )
        }
        CallError::Closed(reason) => {
            format!("the output of the script could not be read: {reason}.")
        }
        CallError::TimedOut(limit) => format!(
            "the script did not answer within {limit:?}, the limit that timeout sets. Its process is \
             ended."
        ),
        CallError::Malformed(what) => {
            format!("the script's answer breaks the protocol: {what}.")
        }
        CallError::Undecodable(error) => {
            format!("the script's answer is invalid: {error}.")
        }
        other => format!("{other}."),
    }
}

pub(super) fn sentence_start(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A line of stderr without secrets and colours. Secrets are masked before colours are removed, since
/// an escape sequence may be a part of a secret, and afterwards, since a secret may be printed in
/// several colours.
pub(super) fn stderr_line(line: &str, secrets: &Secrets) -> String {
    let hidden = secrets.hide(line);
    let plain = plain(&hidden);
    match plain == hidden {
        true => plain,
        false => secrets.hide(&plain),
    }
}

/// A line without what only a terminal understands: colours, most often.
fn plain(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let sequence = piece.strip_prefix('[').map(|rest| {
            let end = rest.find(|letter: char| ('@'..='~').contains(&letter));
            end.map_or("", |end| &rest[end + 1..])
        });
        text.push_str(sequence.unwrap_or(piece));
    }
    // Everything else is escaped where it is shown, after secrets have been hidden.
    text.retain(|letter| letter != '\u{7}');
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

/// The attribute whose value made Deno refuse to start, from what it wrote to stderr.
pub(super) fn refused_by_deno(stderr: &[String], launch: &Launch) -> Option<&'static str> {
    let lines = stderr.iter().map(|line| plain(line));
    let error = { lines.filter(|_| launch.is_deno) }.find(|line| line.starts_with("error: "))?;
    if launch.has_config_file && error.contains("config file '") {
        return Some("config_file");
    }
    let permissions = launch.permissions.as_ref()?;
    let entries = permissions.allow.iter().chain(&permissions.deny);
    let mut values = { entries.filter_map(|entry| Some(entry.split_once('=')?.1)) }
        .flat_map(|values| values.split(','));
    let is_refused = error.contains("'--allow-")
        || error.contains("'--deny-")
        || values.any(|value| error.contains(&format!("'{value}'")));
    is_refused.then_some("permissions")
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
    fn the_thrown_error_is_shown_if_the_answer_has_no_message() {
        let said = |message: &str, lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            answer_or_thrown(&RpcError::new(ErrorCode::INTERNAL_ERROR, message), &lines)
        };
        let library = [
            "uncaught error Error: an older one",
            "    at old (file:///s.ts:1:1)",
            "\u{1b}[31muncaught error\u{1b}[0m Error: the quota is used up",
            "and so is the reserve",
            "    at create (file:///s.ts:3:9)",
        ];
        assert_eq!(
            said("Internal error", &library),
            "Error: the quota is used up\nand so is the reserve (the script answered: Internal error)"
        );
        assert_eq!(said("no disk", &library), "no disk");
        assert_eq!(said("Internal error", &["working"]), "Internal error");
        let python = [
            "Traceback (most recent call last):",
            "ValueError: bad",
            "bye",
        ];
        assert_eq!(said("", &python), "ValueError: bad");
        assert_eq!(said("", &["uncaught error just text"]), "just text");
        assert_eq!(said("Internal error", &["uncaught errö"]), "Internal error");
    }

    #[test]
    fn a_script_that_does_not_answer_in_time_gets_a_hint() {
        let minute = Duration::from_secs(60);
        for (is_deno, hint) in [
            (true, "Deno downloads what a script imports"),
            (false, "flushes"),
        ] {
            let said = no_answer(minute, is_deno);
            assert!(said.contains(hint) && said.contains("within 60s"), "{said}");
            assert!(
                said.contains("Set timeout to more than 60 (seconds)"),
                "{said}"
            );
        }
    }

    #[test]
    fn general_error_codes_are_left_out() {
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
    fn secrets_are_masked_before_and_after_colours_are_removed() {
        let secrets = Secrets::default();
        secrets.learn_text("key\u{1b}[31mwith\u{7}bell");
        secrets.learn_text("hunter22");
        for (line, expected) in [
            ("key\u{1b}[31mwith\u{7}bell", "(sensitive)"),
            (
                "\u{1b}[1mkey\u{1b}[31mwith\u{7}bell\u{1b}[0m.",
                "(sensitive).",
            ),
            ("is \u{1b}[31mhunter22\u{1b}[0m", "is (sensitive)"),
            ("is hun\u{1b}[31mter\u{1b}[0m22", "is (sensitive)"),
            ("\u{1b}[31mred", "red"),
        ] {
            assert_eq!(stderr_line(line, &secrets), expected);
        }
    }

    #[test]
    fn sentences_begin_with_a_capital_letter() {
        assert_eq!(sentence_start("the end."), "The end.");
        assert_eq!(sentence_start(""), "");
    }
}
