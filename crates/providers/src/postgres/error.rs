//! What PostgreSQL says when something is wrong.

use std::error::Error as _;

use tenon_plugin::{Code, Failure};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, ErrorPosition, Severity, SqlState};

/// What went wrong after a statement was sent that may change something. If the server says that
/// it failed, it has done nothing; without such an answer it may have committed.
pub(super) fn unanswered(error: &Error) -> Failure {
    match error.as_db_error().is_some_and(is_refusal) {
        true => failure(error),
        false => failure(error).with_code(Code::OutcomeUnknown),
    }
}

/// What went wrong after a text was sent part of which may be committed, whatever the server says.
pub(super) fn in_part(error: &Error) -> Failure {
    failure(error).with_code(Code::OutcomeUnknown)
}

/// Whether this is the server's answer to a statement. A fatal error ends the connection; errors of
/// the class 08 come from what stands between us and the server, as a pooler does; 40003 means
/// that the statement may have been completed.
fn is_refusal(said: &DbError) -> bool {
    let is_fatal = match said.parsed_severity() {
        Some(severity) => matches!(severity, Severity::Fatal | Severity::Panic),
        None => matches!(said.severity(), "FATAL" | "PANIC"),
    };
    let code = said.code();
    !is_fatal
        && !code.code().starts_with("08")
        && *code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
}

/// All that the server says. None of it holds the password: the server never repeats that.
pub(super) fn failure(error: &Error) -> Failure {
    let Some(said) = error.as_db_error() else {
        let mut text = error.to_string();
        // The library's own text says what was tried; the cause says what was wrong with it.
        if let Some(cause) = error.source() {
            let cause = cause.to_string();
            if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        return Failure::new(text);
    };
    let mut text = format!(
        "{} {}: {}",
        said.severity(),
        said.code().code(),
        said.message()
    );
    let position = said.position().map(|position| match position {
        ErrorPosition::Original(position) => format!("character {position} of the query"),
        ErrorPosition::Internal { position, query } => {
            format!("character {position} of {query}")
        }
    });
    let lines = [
        ("detail", said.detail()),
        ("hint", said.hint()),
        ("where", said.where_()),
        ("position", position.as_deref()),
    ];
    for (name, line) in lines {
        if let Some(line) = line {
            text.push_str(&format!("\n  {name}: {line}"));
        }
    }
    Failure::new(text)
}
