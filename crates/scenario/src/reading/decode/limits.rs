//! `limits` of a required provider.

use tenon_hcl::{Diagnostic, Expression, Problems};
use tenon_host::parse_size;
use tenon_values::{Number, Type};

use crate::reading::model::ProviderLimits;

const FORM: &str = "write `limits = { memory = \"512MiB\", processes = 32 }`";

/// How much a provider may use up. As with `permissions`, only values that are written out are allowed.
pub(super) fn limits(value: &Expression, problems: &mut Problems) -> ProviderLimits {
    let wrong = "`limits` is an object with `memory` and `processes`";
    let entries = problems.object(value, wrong, FORM).unwrap_or_default();
    problems.refuse_other_entries(&entries, "`limits`", &["memory", "processes"], FORM);
    let mut limits = ProviderLimits::default();
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
