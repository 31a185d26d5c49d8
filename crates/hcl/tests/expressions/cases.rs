//! The files of cases.

use std::fs;
use std::path::Path;

/// An expression and what it comes to.
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) expression: String,
    /// What follows the `=>`.
    pub(crate) expected: String,
    /// What Terraform comes to, if it is something else on purpose.
    pub(crate) terraform: Option<String>,
}

/// Whether two answers are the same. Errors are in Terraform's words or in ours; that there is one
/// is what counts.
pub(crate) fn agree(answer: &str, other: &str) -> bool {
    let is_error = |text: &str| text.starts_with("error: ");
    answer == other || is_error(answer) && is_error(other)
}

/// All cases of all files.
pub(crate) fn read_cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            cases_of(name, &fs::read_to_string(file).unwrap())
        })
        .collect()
}

fn cases_of(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        if let Some(expected) = line.strip_prefix("=> ").filter(|_| !lines.is_empty()) {
            cases.push(Case {
                file: file.to_owned(),
                line: index + 1 - lines.len(),
                expression: without_pictures(&lines.join("\n")),
                expected: expected.to_owned(),
                terraform: None,
            });
            lines.clear();
        } else if let Some(answer) = line.strip_prefix("terraform => ") {
            cases.last_mut().unwrap().terraform = Some(answer.to_owned());
        } else if !lines.is_empty() || !is_between_cases(line) {
            lines.push(line);
        }
    }
    assert!(
        lines.is_empty(),
        "{file} ends with a case that has no `=>`: {lines:?}"
    );
    cases
}

fn is_between_cases(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("because ")
}

fn without_pictures(text: &str) -> String {
    [("␍", "\r"), ("␉", "\t"), ("␀", "\0"), ("␠", " ")]
        .into_iter()
        .fold(text.to_owned(), |text, (picture, character)| {
            text.replace(picture, character)
        })
}
