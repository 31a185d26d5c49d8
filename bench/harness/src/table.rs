//! Tables in Markdown.

use std::fmt::Write;

use crate::goal::Goal;

/// Three significant digits, which is more than a run repeats.
pub fn number(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A number, if it was measured.
pub fn shown(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

/// A ratio, if both sides were measured. A difference may come to nothing and have none.
pub fn times(value: Option<f64>) -> String {
    let ratio = value.filter(|ratio| ratio.is_finite());
    ratio.map_or("–".to_owned(), |ratio| number(ratio) + "×")
}

/// One line of a table.
pub fn line(cells: impl IntoIterator<Item = String>) -> String {
    cells
        .into_iter()
        .fold("|".to_owned(), |line, cell| format!("{line} {cell} |"))
        + "\n"
}

/// The goals, and whether they are met.
pub fn goals_table(goals: &[Goal]) -> String {
    let mut text = String::from("| goal | measured | met? |\n|---|---|---|\n");
    for goal in goals {
        let measured = goal
            .measured
            .map_or("not measured".to_owned(), |value| number(value) + goal.unit);
        let aside = goal.apart.map_or(String::new(), |value| {
            format!(" (two cores: {}×)", number(value))
        });
        let met = match goal.met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "–",
        };
        let _ = writeln!(text, "| {} | {measured}{aside} | {met} |", goal.text);
    }
    text
}
