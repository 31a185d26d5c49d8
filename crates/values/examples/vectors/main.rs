//! Checks a file of cty vectors, as `tests/data/cty_vectors.json` is one, against this crate.
//!
//!     cargo run -p tenon-values --example vectors -- FILE
//!
//! Prints one line per list, `name: passed/total`, and says on standard error what failed.

mod checks;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        return fail("usage: cargo run -p tenon-values --example vectors -- FILE");
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return fail(&format!("{path}: {error}")),
    };
    let lists = match checks::read(&text).and_then(|file| checks::run(&file)) {
        Ok(lists) => lists,
        Err(error) => return fail(&format!("{path} is not a file of cty vectors: {error}")),
    };
    let mut out = std::io::stdout().lock();
    let mut code = ExitCode::SUCCESS;
    for list in lists {
        for failure in &list.failures {
            code = fail(&format!("{}: {failure}", list.name));
        }
        let passed = list.total - list.failures.len();
        if writeln!(out, "{}: {passed}/{}", list.name, list.total).is_err() {
            return ExitCode::FAILURE;
        }
    }
    code
}

fn fail(message: &str) -> ExitCode {
    // Nothing can be reported if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{message}");
    ExitCode::FAILURE
}
