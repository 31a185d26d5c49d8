//! `limits`.

use tenon_hcl::{Diagnostic, Expression, Problems};
use tenon_host::{Limits, parse_size};
use tenon_values::{Number, Type};

const FORM: &str = "write `limits = { memory = \"512MiB\", processes = 32 }`";

/// The limits of `limits = { memory = "512MiB", processes = 32 }`.
pub fn limits(value: &Expression, problems: &mut Problems) -> Limits {
    let wrong = "`limits` is an object with `memory` and `processes`";
    let entries = problems.object(value, wrong, FORM).unwrap_or_default();
    problems.refuse_other_entries(&entries, "`limits`", &["memory", "processes"], FORM);
    let mut limits = Limits::default();
    for (name, value) in &entries {
        match name.text() {
            "memory" => limits.memory = memory(value, problems),
            "processes" => limits.processes = processes(value, problems),
            _ => {}
        }
    }
    limits
}

fn memory(value: &Expression, problems: &mut Problems) -> Option<u64> {
    let text = problems.text(value, "a memory limit")?;
    let size = parse_size(&text);
    size.map_err(|error| problems.note(Diagnostic::error(error).at(value.place()).help(FORM)))
        .ok()
}

fn processes(value: &Expression, problems: &mut Problems) -> Option<u32> {
    let number = problems.constant(value, &Type::Number)?;
    let number = number.as_number().and_then(Number::to_u64);
    let count = number.and_then(|number| u32::try_from(number).ok());
    let count = count.filter(|count| *count > 0);
    if count.is_none() {
        let diagnostic = Diagnostic::error("a process limit is a whole number of at least 1")
            .at(value.place())
            .help(FORM);
        problems.note(diagnostic);
    }
    count
}
