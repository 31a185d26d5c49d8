//! The tables of snippets: text files with a case after each `###`.

use std::fmt::Write;

/// One case of a table.
pub(super) struct Case {
    /// What stands after `###`.
    pub(super) title: String,
    /// What is given to the scenario, a line each: `--var a=b`, `--var-file path`, `TENON_VAR_a=b`.
    pub(super) given: Vec<String>,
    /// The files, by their paths; the first is `main.hcl`.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// `says` or `plans`, and what.
    pub(super) outcome: (String, String),
    /// Everything before the outcome, as it is written.
    written: String,
}

/// Reads a table. What stands before the first case is a comment.
pub(super) fn read(text: &str) -> (String, Vec<Case>) {
    let mut parts = text.split("\n### ");
    let preface = parts.next().unwrap_or_default().to_owned();
    (preface, parts.map(case).collect())
}

/// The table as a text again, with what came of each case now.
pub(super) fn write(preface: &str, cases: &[Case], outcomes: &[(String, String)]) -> String {
    let mut text = preface.to_owned();
    for (case, (kind, outcome)) in cases.iter().zip(outcomes) {
        let end = if outcome.is_empty() { "" } else { "\n" };
        write!(text, "\n### {}--- {kind}\n{outcome}{end}", case.written)
            .expect("a string takes it");
    }
    text
}

fn case(text: &str) -> Case {
    let outcome = ["says", "plans"].iter().find_map(|kind| {
        let (before, outcome) = text.split_once(&format!("\n--- {kind}\n"))?;
        Some((before, ((*kind).to_owned(), outcome.trim_end().to_owned())))
    });
    // A case that was just added has none.
    let (before, outcome) =
        outcome.unwrap_or_else(|| (text, ("says".to_owned(), "nothing yet".to_owned())));
    let mut sections = before.split("\n--- ");
    let first = sections.next().unwrap_or_default();
    let (title, main) = first.split_once('\n').unwrap_or((first, ""));
    let mut case = Case {
        title: title.to_owned(),
        given: Vec::new(),
        files: Vec::new(),
        outcome,
        written: format!("{}\n", before.trim_end()),
    };
    case.put("main.hcl", main);
    for section in sections {
        match section.split_once('\n').unwrap_or((section, "")) {
            ("given", lines) => case.given = lines.lines().map(str::to_owned).collect(),
            (path, content) => case.put(path, content),
        }
    }
    case
}

impl Case {
    fn put(&mut self, head: &str, content: &str) {
        let content = format!("{}\n", content.trim_end_matches('\n'));
        let (path, content) = match head.strip_suffix(" escaped") {
            Some(path) => (path, unescaped(&content)),
            None => (head, content.into_bytes()),
        };
        // An escaped `main.hcl` takes the place of the empty one after the title.
        self.files.retain(|(other, _)| other != path);
        self.files.push((path.to_owned(), content));
    }
}

/// `\r`, `\xff` and the like as bytes, for what no editor would leave as it is.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let rest = match part.strip_prefix('x') {
            Some(hexadecimal) => {
                let (digits, rest) = hexadecimal.split_at(2);
                bytes.push(u8::from_str_radix(digits, 16).expect("two digits after \\x"));
                rest
            }
            None => {
                bytes.push(b'\r');
                part.strip_prefix('r').expect("there are \\r and \\x..")
            }
        };
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}
