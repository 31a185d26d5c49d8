//! The report for CI that `--junit` asks for.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tenon_scenario::{Suite, junit};

use crate::exit::{Code, Failure};
use crate::output;
use crate::platform::{self, Place};

/// A report that is written when the work is over, whatever came of it.
pub(crate) struct Report {
    path: Option<PathBuf>,
    /// Its name if there is nothing to report about any scenario.
    name: String,
    suites: Vec<Suite>,
}

impl Report {
    /// Makes sure that the report can be written before anything is done. Until it is finished
    /// the file says that the work was not, which is the truth if this process is killed.
    ///
    /// # Errors
    /// The file cannot be written, or is one of the inputs.
    pub(crate) fn begin(
        path: Option<&Path>,
        subject: &Path,
        inputs: impl FnOnce() -> Vec<PathBuf>,
    ) -> Result<Report, Failure> {
        let report = Report {
            path: path.map(Path::to_owned),
            name: subject.display().to_string(),
            suites: Vec::new(),
        };
        let Some(path) = path else {
            return Ok(report);
        };
        if let Some(input) = inputs()
            .iter()
            .find(|input| platform::is_same_file(path, input))
        {
            return Err(Failure::usage(format!(
                "the report {} would overwrite {}, which this command reads",
                tenon_text::path(path),
                tenon_text::path(input)
            )));
        }
        if is_something_else(path) {
            return Err(Failure::usage(format!(
                "the report would overwrite {}, which is not a report; remove it, or choose another \
                 path",
                tenon_text::path(path)
            )));
        }
        // What is not a regular file takes one report only.
        let begun = match platform::place(path) {
            Place::Device => try_device(path),
            Place::Stream => Ok(()),
            Place::File => {
                let unfinished = report.not_done("it started and did not finish");
                write(path, &[unfinished])
            }
        };
        begun.map_err(|failure| Failure::usage(failure.message))?;
        Ok(report)
    }

    pub(crate) fn add(&mut self, suite: Suite) {
        self.suites.push(suite);
    }

    fn not_done(&self, error: &str) -> Suite {
        Suite::NotDone {
            name: self.name.clone(),
            error: error.to_owned(),
        }
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The failure of the work; if there is none, that the report could not be written.
    pub(crate) fn finish(mut self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return outcome;
        };
        // The report must not look like that of a success.
        if let (Err(failure), false) = (&outcome, self.suites.iter().any(Suite::is_bad)) {
            let reason = match (failure.message.as_str(), failure.code) {
                ("", Code::Interrupted) => "it was interrupted",
                ("", _) => "it failed",
                (message, _) => message,
            };
            let suite = self.not_done(reason);
            self.suites.push(suite);
        }
        match (outcome, write(path, &self.suites)) {
            (Err(first), Err(second)) => {
                output::talk(format_args!("error: {}", second.message));
                Err(first)
            }
            (Ok(()), written) => written,
            (outcome, Ok(())) => outcome,
        }
    }
}

/// Whether there is a file that is not XML and not empty: a scenario may read it while it runs, with
/// `file(...)` or in a provider, which is not known before.
fn is_something_else(path: &Path) -> bool {
    const BEGINNING: u64 = 512;
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut text = Vec::new();
    let read = is_file
        && fs::File::open(path)
            .and_then(|file| file.take(BEGINNING).read_to_end(&mut text))
            .is_ok();
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
    let first = text.trim_ascii_start().first();
    read && first.is_some_and(|first| *first != b'<')
}

fn try_device(path: &Path) -> Result<(), Failure> {
    let mut options = fs::OpenOptions::new();
    let opened = options.write(true).open(path);
    let tried = opened.and_then(|mut device| device.write(&[]));
    tried
        .map(drop)
        .map_err(|error| cannot_be_written(path, &error))
}

fn write(path: &Path, suites: &[Suite]) -> Result<(), Failure> {
    fs::write(path, junit(suites)).map_err(|error| cannot_be_written(path, &error))
}

fn cannot_be_written(path: &Path, error: &io::Error) -> Failure {
    let problem = format!(
        "the report {} cannot be written: {error}",
        tenon_text::path(path)
    );
    Failure::new(Code::Failed, problem)
}
