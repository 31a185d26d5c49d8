//! What the hooks of plugins found, as a table at the end.

use tenon_hooks::{Finding, Severity};

use super::{on_one_line, talk};

/// Prints the findings on stderr: the failures last, where they are seen.
pub(crate) fn findings(findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    let mut rows: Vec<&Finding> = findings.iter().collect();
    rows.sort_by_key(|finding| finding.severity);
    let cells = rows.iter().map(|finding| {
        let about = finding.address.as_deref().unwrap_or("-");
        [
            finding.severity.to_string(),
            on_one_line(&finding.plugin).into_owned(),
            finding.hook.to_owned(),
            on_one_line(about).into_owned(),
            on_one_line(&finding.text).into_owned(),
        ]
    });
    let header = ["result", "plugin", "hook", "resource", "message"].map(str::to_owned);
    let table: Vec<[String; 5]> = std::iter::once(header).chain(cells).collect();
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..4).map(|column| width(column).unwrap_or(0)).collect();
    talk("");
    for row in &table {
        let [a, b, c, d, text] = row;
        let line = format!(
            "{a:<0$}  {b:<1$}  {c:<2$}  {d:<3$}  {text}",
            widths[0], widths[1], widths[2], widths[3]
        );
        talk(line.trim_end());
    }
    let failed = rows.iter().filter(|one| one.severity == Severity::Failure);
    match failed.count() {
        0 => {}
        1 => talk("1 hook failed"),
        count => talk(format_args!("{count} hooks failed")),
    }
}
