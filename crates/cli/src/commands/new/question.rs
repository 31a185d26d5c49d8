//! What is asked at a terminal.

use std::io::{self, BufRead};

use crate::args::{Choice, Kind, Language};
use crate::commands::input;
use crate::exit::{Code, Failure};
use crate::output;

/// Asks for what is not given, if there is a terminal.
pub(super) async fn ask(
    language: Option<Language>,
    kind: Option<Kind>,
) -> Result<(Option<Language>, Option<Kind>), Failure> {
    if !input::is_terminal() || !output::shows_prompts() {
        return Ok((language, kind));
    }
    let language = match language {
        None => choose("Language", Language::Python).await?,
        given => given,
    };
    let kind = match kind {
        None => choose("Kind", Kind::All).await?,
        given => given,
    };
    Ok((language, kind))
}

/// Asks until the answer is one of the choices. An empty answer is the default.
async fn choose<C>(what: &'static str, default: C) -> Result<Option<C>, Failure>
where
    C: Choice + Send + 'static,
{
    let names = C::names();
    loop {
        let question = format!("{what} ({}) [{}]: ", names.join(", "), default.name());
        // Ctrl-C must end the command while it waits for an answer.
        let read = tokio::task::spawn_blocking(move || {
            output::prompt(&question);
            let mut answer = String::new();
            let read = io::stdin().lock().read_line(&mut answer);
            read.map(|length| (length, answer))
        });
        let (length, answer) = { read.await.map_err(io::Error::from).flatten() }
            .map_err(|error| Failure::usage(format!("stdin: {error}")))?;
        if length == 0 {
            output::prompt("\n");
            return Err(Failure::new(Code::Interrupted, "nothing was created"));
        }
        let answer = answer.trim();
        if answer.is_empty() {
            return Ok(Some(default));
        }
        if let Ok(chosen) = C::from_str(answer, true) {
            return Ok(Some(chosen));
        }
        let hint = tenon_text::did_you_mean(answer, names.iter().map(String::as_str));
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        let answer = output::on_one_line(answer);
        output::talk(format_args!("unknown choice `{answer}`{hint}"));
    }
}
