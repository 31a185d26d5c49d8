//! `tenon acp verify`.

use std::fs::File;

use serde_json::json;
use tenon_acp::record::{self, Verdict};

use crate::args::VerifyArgs;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let name = args.record.display();
    let verdict = File::open(&args.record).and_then(record::verify);
    let verdict = verdict.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    let problem = problem(&verdict, args.sha256.as_deref());
    if args.json {
        output::data(json!({
            "intact": problem.is_none(),
            "lines": verdict.lines,
            "sha256": verdict.sha256,
            "problem": problem,
        }))?;
        return match problem {
            None => Ok(()),
            Some(_) => Err(Failure::printed(Code::Failed)),
        };
    }
    match problem {
        None => output::data(format_args!(
            "{} lines, nothing was changed or cut off\nsha256 {}",
            verdict.lines, verdict.sha256
        )),
        Some(problem) => Err(Failure::new(Code::Failed, format!("{name}: {problem}"))),
    }
}

fn problem(verdict: &Verdict, expected: Option<&str>) -> Option<String> {
    if let Some(problem) = &verdict.problem {
        return Some(problem.clone());
    }
    if !verdict.is_complete {
        let lines = verdict.lines;
        return Some(format!(
            "the end of the record is missing after line {lines}: its lines are intact, but the guard still runs or \
             was killed, or lines were cut off"
        ));
    }
    let expected = expected?;
    (!verdict.sha256.eq_ignore_ascii_case(expected)).then(|| {
        format!(
            "the record is not the expected one: its last hash is {}",
            verdict.sha256
        )
    })
}
