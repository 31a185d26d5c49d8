//! Runs as JUnit reports, which every CI can read.

use std::fmt::Write;

use crate::address::earlier_address;
use crate::event::Status;
use crate::records::node::NodeRecord;
use crate::records::record::Record;
use crate::run::AssertOutcome;

/// What a report has a suite for.
#[derive(Debug)]
pub enum Suite {
    /// A run: a test case for each action, each assert, and each provider that failed.
    Run {
        /// What was done.
        record: Box<Record>,
        /// The outcomes of the asserts.
        asserts: Vec<AssertOutcome>,
    },
    /// A teardown: a test case for each action that was to be undone, each earlier execution of
    /// one, and each provider that failed.
    Teardown(Box<Record>),
    /// Something that was not done at all: one test case, an error.
    NotDone {
        /// The scenario, or the file it was to be read from.
        name: String,
        /// Why.
        error: String,
    },
}

impl Suite {
    /// Whether it is a failure.
    pub fn is_bad(&self) -> bool {
        let is_bad =
            |status: Option<Status>| matches!(status, Some(Status::Failed | Status::Maybe));
        match self {
            Suite::Run { record, asserts } => {
                !record.provider_errors.is_empty()
                    || record.nodes.iter().any(|node| is_bad(Some(node.status)))
                    || asserts.iter().any(|assert| assert.error.is_some())
            }
            Suite::Teardown(record) => {
                !record.provider_errors.is_empty()
                    || record.nodes.iter().any(|node| {
                        let mut earlier = node.earlier.iter();
                        is_bad(node.teardown) || earlier.any(|undo| is_bad(undo.status))
                    })
            }
            Suite::NotDone { .. } => true,
        }
    }
}

/// A report with these suites.
pub fn junit(suites: &[Suite]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for suite in suites {
        match suite {
            Suite::Run { record, asserts } => {
                let cases = { record.nodes.iter().map(Case::of_action) }
                    .chain(cases_of_providers(record))
                    .chain(cases_of_asserts(asserts));
                write_suite(
                    &mut text,
                    &record.scenario,
                    &record.started_at,
                    cases.collect(),
                );
            }
            Suite::Teardown(record) => {
                let cases = { record.nodes.iter().flat_map(cases_of_teardown) }
                    .chain(cases_of_providers(record));
                write_suite(
                    &mut text,
                    &record.scenario,
                    &record.started_at,
                    cases.collect(),
                );
            }
            Suite::NotDone { name, error } => {
                let case = Case::new("scenario", Outcome::Error(error));
                write_suite(&mut text, name, "", vec![case]);
            }
        }
    }
    text.push_str("</testsuites>\n");
    text
}

struct Case<'a> {
    name: String,
    milliseconds: u64,
    outcome: Outcome<'a>,
}

enum Outcome<'a> {
    Passed,
    /// It was not done, and that is known.
    Failure(&'a str),
    /// Something else went wrong, or it is not known whether it was done.
    Error(&'a str),
    Skipped(&'a str),
}

impl<'a> Case<'a> {
    fn new(name: impl Into<String>, outcome: Outcome<'a>) -> Case<'a> {
        Case {
            name: name.into(),
            milliseconds: 0,
            outcome,
        }
    }

    fn of_action(node: &'a NodeRecord) -> Case<'a> {
        let error = node.error.as_deref().unwrap_or_default();
        Case {
            milliseconds: node.duration_ms.unwrap_or_default(),
            ..Case::new(&node.address, outcome(node.status, error))
        }
    }

    fn write(&self, text: &mut String, suite: &str) {
        let _infallible = write!(
            text,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
            escaped(suite),
            escaped(&self.name),
            seconds(self.milliseconds),
        );
        let first = |error: &'a str| escaped(error.lines().next().unwrap_or_default());
        let _infallible = match self.outcome {
            Outcome::Passed => writeln!(text, "/>"),
            Outcome::Failure(error) | Outcome::Error(error) => {
                let tag = match self.outcome {
                    Outcome::Failure(_) => "failure",
                    _ => "error",
                };
                writeln!(
                    text,
                    ">\n      <{tag} message=\"{}\">{}</{tag}>\n    </testcase>",
                    first(error),
                    escaped(error)
                )
            }
            Outcome::Skipped(error) => writeln!(
                text,
                ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                first(error)
            ),
        };
    }
}

fn outcome(status: Status, error: &str) -> Outcome<'_> {
    match status {
        Status::Succeeded => Outcome::Passed,
        Status::Failed => Outcome::Failure(error),
        Status::Maybe => Outcome::Error(error),
        Status::Skipped | Status::Pending => Outcome::Skipped(error),
    }
}

fn cases_of_teardown(node: &NodeRecord) -> impl Iterator<Item = Case<'_>> {
    let last = (node.address.clone(), node.teardown, &node.teardown_error);
    let earlier = node.earlier.iter().enumerate().map(|(index, undo)| {
        let address = earlier_address(&node.address, index);
        (address, undo.status, &undo.error)
    });
    let all = std::iter::once(last).chain(earlier);
    all.filter_map(|(address, status, error)| {
        let outcome = outcome(status?, error.as_deref().unwrap_or_default());
        Some(Case::new(address, outcome))
    })
}

fn cases_of_providers(record: &Record) -> impl Iterator<Item = Case<'_>> {
    let errors = record.provider_errors.iter();
    errors.map(|error| Case::new("providers", Outcome::Error(error)))
}

/// `output.NAME`, with a number from the second assert of an output on.
fn cases_of_asserts(asserts: &[AssertOutcome]) -> impl Iterator<Item = Case<'_>> {
    asserts.iter().enumerate().map(|(index, assert)| {
        let is_same = |before: &&AssertOutcome| before.output == assert.output;
        let name = match asserts[..index].iter().filter(is_same).count() {
            0 => format!("output.{}", assert.output),
            before => format!("output.{} ({})", assert.output, before + 1),
        };
        let outcome = match &assert.error {
            Some(error) => Outcome::Failure(error),
            None => Outcome::Passed,
        };
        Case::new(name, outcome)
    })
}

fn write_suite(text: &mut String, name: &str, started_at: &str, cases: Vec<Case<'_>>) {
    let count = |is_counted: fn(&Outcome<'_>) -> bool| {
        { cases.iter() }
            .filter(|case| is_counted(&case.outcome))
            .count()
    };
    let _infallible = write!(
        text,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        escaped(name),
        cases.len(),
        count(|outcome| matches!(outcome, Outcome::Failure(_))),
        count(|outcome| matches!(outcome, Outcome::Error(_))),
        count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        seconds(cases.iter().map(|case| case.milliseconds).sum()),
    );
    if !started_at.is_empty() {
        let _infallible = write!(text, " timestamp=\"{}\"", escaped(started_at));
    }
    text.push_str(">\n");
    for case in &cases {
        case.write(text, name);
    }
    text.push_str("  </testsuite>\n");
}

/// Without a float in between: the sum of no floats is minus zero.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

/// Escaped for XML. Control and other hidden characters, many of which XML cannot hold, are shown as
/// elsewhere.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in tenon_text::lines(text).chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // XML cannot hold these at all.
            '\u{fffe}' | '\u{ffff}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_the_xml() {
        assert_eq!(
            escaped("a<b>&\"\u{1b}\u{0}\n\u{ffff}ü"),
            "a&lt;b&gt;&amp;&quot;\\u{1b}\\u{0}\nü"
        );
    }

    #[test]
    fn times_are_never_negative() {
        let mut text = String::new();
        write_suite(&mut text, "empty", "", Vec::new());
        assert!(text.contains(" time=\"0.000\""), "{text}");
        assert_eq!(seconds(61_007), "61.007");
    }

    #[test]
    fn what_was_not_done_is_an_error_with_its_reason() {
        let suite = Suite::NotDone {
            name: "demo.hcl".into(),
            error: "there is no scenario\n  in demo.hcl".into(),
        };
        assert_eq!(
            junit(&[suite]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites>\n  \
             <testsuite name=\"demo.hcl\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">\n    \
             <testcase classname=\"demo.hcl\" name=\"scenario\" time=\"0.000\">\n      \
             <error message=\"there is no scenario\">there is no scenario\n  in demo.hcl</error>\n    \
             </testcase>\n  </testsuite>\n</testsuites>\n"
        );
    }
}
