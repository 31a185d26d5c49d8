//! What PostgreSQL says when something is wrong.

use std::error::Error as _;

use tenon_plugin::orchard::Failure;
use tokio_postgres::Error;
use tokio_postgres::error::ErrorPosition;

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
