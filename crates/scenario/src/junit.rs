//! Records as JUnit reports, which every CI can read.

use std::fmt::Write;

use crate::event::Status;
use crate::record::Record;

/// A report with a suite for each run, and a test case for each action and each assert that failed.
pub fn junit(records: &[Record]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for record in records {
        record.write_suite(&mut text);
    }
    text.push_str("</testsuites>\n");
    text
}

impl Record {
    fn write_suite(&self, text: &mut String) {
        let suite = &self.scenario;
        let count = |wanted: &[Status]| {
            let nodes = self.nodes.iter();
            nodes.filter(|node| wanted.contains(&node.status)).count()
        };
        let seconds: f64 = { self.nodes.iter() }
            .filter_map(|node| node.duration_ms)
            .map(|milliseconds| milliseconds as f64 / 1000.0)
            .sum();
        let _infallible = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\" timestamp=\"{}\">",
            escaped(suite),
            self.nodes.len() + self.failed_asserts.len() + self.provider_errors.len(),
            count(&[Status::Failed]) + self.failed_asserts.len(),
            count(&[Status::Maybe]) + self.provider_errors.len(),
            count(&[Status::Skipped, Status::Pending]),
            escaped(&self.started_at),
        );
        for node in &self.nodes {
            let seconds = node.duration_ms.unwrap_or_default() as f64 / 1000.0;
            let _infallible = write!(
                text,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.3}\"",
                escaped(suite),
                escaped(&node.address),
            );
            let error = node.error.as_deref().unwrap_or_default();
            let first = error.lines().next().unwrap_or_default();
            let _infallible = match node.status {
                Status::Succeeded => writeln!(text, "/>"),
                Status::Failed | Status::Maybe => {
                    let tag = match node.status {
                        Status::Failed => "failure",
                        _ => "error",
                    };
                    writeln!(
                        text,
                        ">\n      <{tag} message=\"{}\">{}</{tag}>\n    </testcase>",
                        escaped(first),
                        escaped(error)
                    )
                }
                Status::Skipped | Status::Pending => writeln!(
                    text,
                    ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                    escaped(first)
                ),
            };
        }
        for error in &self.provider_errors {
            let _infallible = writeln!(
                text,
                "    <testcase classname=\"{}\" name=\"providers\" time=\"0.000\">\n      <error message=\"not started\">{}</error>\n    </testcase>",
                escaped(suite),
                escaped(error),
            );
        }
        for assert in &self.failed_asserts {
            let _infallible = writeln!(
                text,
                "    <testcase classname=\"{}\" name=\"output.{}\" time=\"0.000\">\n      <failure message=\"assert\">{}</failure>\n    </testcase>",
                escaped(suite),
                escaped(&assert.output),
                escaped(&assert.message),
            );
        }
        text.push_str("  </testsuite>\n");
    }
}

/// As XML wants it. What XML cannot hold at all is left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => escaped.push(character),
            control if control.is_control() => {}
            '\u{fffe}' | '\u{ffff}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_breaks_the_xml() {
        assert_eq!(
            escaped("a<b>&\"\u{1b}\u{0}\n\u{ffff}ü"),
            "a&lt;b&gt;&amp;&quot;\nü"
        );
    }
}
