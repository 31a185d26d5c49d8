//! `tenon acp verify`.

use std::fs::File;

use serde_json::json;
use tenon_acp::record::{self, Session, Verdict};

use crate::args::VerifyArgs;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let name = args.record.display();
    let verdict = File::open(&args.record).and_then(record::verify);
    let verdict = verdict.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    let problem = problem(&verdict, args);
    if args.json {
        output::data(json!({
            "intact": problem.is_none(),
            "lines": verdict.lines,
            "sha256": verdict.sha256,
            "sessions": verdict.sessions,
            "problem": problem,
        }))?;
        return match problem {
            None => Ok(()),
            Some(_) => Err(Failure::printed(Code::Failed)),
        };
    }
    match problem {
        None => output::data(text(&verdict)),
        Some(problem) => Err(Failure::new(Code::Failed, format!("{name}: {problem}"))),
    }
}

fn text(verdict: &Verdict) -> String {
    let sessions = match verdict.sessions.len() {
        1 => "1 session".to_owned(),
        count => format!("{count} sessions"),
    };
    let mut text = format!("{} lines, {sessions}", verdict.lines);
    let unclosed: Vec<&Session> = verdict.unclosed().collect();
    text += match unclosed.is_empty() {
        true => ", nothing was changed or cut off",
        false => ", nothing was changed",
    };
    for session in unclosed {
        text += &format!("\nnot closed: {}", span(session));
    }
    text + &format!("\nsha256 {}", verdict.sha256)
}

fn span(session: &Session) -> String {
    let Session {
        first_line,
        last_line,
        began,
        ..
    } = session;
    format!("the session of {began}, lines {first_line} to {last_line}")
}

fn problem(verdict: &Verdict, args: &VerifyArgs) -> Option<String> {
    if let Some(problem) = &verdict.problem {
        return Some(problem.clone());
    }
    if verdict.sessions.is_empty() {
        return Some("it has no lines".to_owned());
    }
    if let Some(problem) = unexpected(verdict, &args.sha256) {
        return Some(problem);
    }
    let unclosed: Vec<String> = verdict.unclosed().map(span).collect();
    match unclosed.is_empty() || args.allow_unclosed {
        true => None,
        false => Some(format!(
            "not closed: {}: complete up to that line, without an end: the guard was killed, as editors do when they \
             close, or still runs, or later lines were cut off\n  \
             hint: --allow-unclosed accepts it if you know that the guard was killed",
            unclosed.join("; ")
        )),
    }
}

/// The first of the expected hashes that is not the end of a session, or what follows the last of them.
fn unexpected(verdict: &Verdict, expected: &[String]) -> Option<String> {
    let is = |hash: &String, session: &Session| {
        { session.sha256.as_ref() }.is_some_and(|end| end.eq_ignore_ascii_case(hash))
    };
    let is_end = |hash: &&String| verdict.sessions.iter().any(|session| is(hash, session));
    if let Some(missing) = expected.iter().find(|hash| !is_end(hash)) {
        return Some(format!(
            "the record is not the expected one: no session ends with the hash {missing}; its last hash is {}",
            verdict.sha256
        ));
    }
    let last = verdict.sessions.last()?;
    match expected.is_empty() || expected.iter().any(|hash| is(hash, last)) {
        true => None,
        false => Some(format!(
            "{} comes after the sessions with the expected hashes; its last hash is {}",
            span(last),
            verdict.sha256
        )),
    }
}
