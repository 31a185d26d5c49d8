//! What the hooks of plugins found: a table at the end, or lines of JSON.

use serde_json::{Value, json};
use tenon_hooks::{Finding, Severity};

use super::{json_data, on_one_line, talk};

/// Prints the findings on stderr: the failures last, where they are seen. What hooks have to say about single
/// resources that passed is shown only if `is_verbose`. With `is_stopped`, nothing was applied because of them.
pub(crate) fn findings(findings: &[Finding], is_stopped: bool, is_verbose: bool) {
    let is_shown =
        |one: &&Finding| is_verbose || one.severity != Severity::Info || one.address.is_none();
    let mut rows: Vec<&Finding> = findings.iter().filter(is_shown).collect();
    if rows.is_empty() {
        return;
    }
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
    for finding in &rows {
        evidence(finding);
    }
    let failed = rows.iter().filter(|one| one.severity == Severity::Failure);
    let result = match is_stopped {
        true => ", nothing was applied",
        false => "",
    };
    match failed.count() {
        0 => {}
        1 => talk(format_args!("1 hook failed{result}")),
        count => talk(format_args!("{count} hooks failed{result}")),
    }
}

/// How a plugin failed, which does not fit into a row.
fn evidence(finding: &Finding) {
    if finding.evidence.is_empty() {
        return;
    }
    let about = match &finding.address {
        Some(address) => format!("{} of {}", finding.hook, on_one_line(address)),
        None => finding.hook.to_owned(),
    };
    let plugin = on_one_line(&finding.plugin);
    let text = on_one_line(&finding.text);
    talk(format_args!("\nplugin {plugin}, {about}: {text}"));
    for line in &finding.evidence {
        talk(line);
    }
}

/// Prints a message on stdout as a line of JSON, in the form of Terraform's diagnostics. Its first line is the summary.
pub(crate) fn diagnostic_as_json(severity: Severity, message: &str) {
    let (level, name, title) = match severity {
        Severity::Failure => ("error", "error", "Error"),
        _ => ("warn", "warning", "Warning"),
    };
    let (summary, detail) = message.split_once('\n').unwrap_or((message, ""));
    let about = json!({ "severity": name, "summary": summary, "detail": detail });
    line(
        level,
        &format!("{title}: {summary}"),
        "diagnostic",
        "diagnostic",
        about,
    );
}

/// Prints the findings on stdout, each as a line of JSON in the form of Terraform's own.
pub(crate) fn findings_as_json(findings: &[Finding]) {
    for finding in findings {
        let level = match finding.severity {
            Severity::Info => "info",
            Severity::Warning => "warn",
            Severity::Failure => "error",
        };
        let message = format!("{} ({}): {}", finding.plugin, finding.hook, finding.text);
        let mut about = json!({
            "plugin": finding.plugin,
            "hook": finding.hook,
            "result": finding.severity.to_string(),
            "message": finding.text,
        });
        if let Some(address) = &finding.address {
            about["address"] = json!(address);
        }
        if !finding.evidence.is_empty() {
            about["evidence"] = json!(finding.evidence);
        }
        line(level, &message, "hook_finding", "finding", about);
    }
}

/// Prints how many findings there were, and the exit code, on stdout as a line of JSON.
pub(crate) fn summary_as_json(findings: &[Finding], exit_code: i32) {
    let count = |severity| {
        findings
            .iter()
            .filter(|one| one.severity == severity)
            .count()
    };
    let (warnings, failures) = (count(Severity::Warning), count(Severity::Failure));
    let message = format!("Hooks: {warnings} warnings, {failures} failures");
    let about = json!({ "warnings": warnings, "failures": failures, "exit_code": exit_code });
    line("info", &message, "hook_summary", "hooks", about);
}

fn line(level: &str, message: &str, kind: &str, member: &str, about: Value) {
    // If stdout is closed, `finish` reports that.
    let _gone = json_data(json!({
        "@level": level,
        "@message": message,
        "@module": "tenon.hooks",
        "@timestamp": format!("{:.6}", jiff::Timestamp::now()),
        "type": kind,
        member: about,
    }));
}
