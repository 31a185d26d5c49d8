//! Reading a policy from a file.

use std::path::Path;

use tenon_acp::policy::Policy;
use tenon_hcl::{Diagnostic, Source};

use crate::exit::{Code, Failure};
use crate::output;

/// Reads a policy, and prints what is wrong with it. Warnings are printed too.
///
/// # Errors
/// The file cannot be read, or is not a valid policy.
pub(crate) fn read(path: &Path, is_json: bool) -> Result<(Policy, Vec<Diagnostic>), Failure> {
    let name = tenon_text::path(path);
    let text = std::fs::read_to_string(path)
        .map_err(|error| {
            Failure::usage(format!(
                "the policy {name} could not be read: {error}\n  hint: `tenon acp policy check --help` shows a policy to start from"
            ))
        })?;
    match Policy::parse_with_warnings(&Source::new(path.display().to_string(), text)) {
        Ok((policy, warnings)) => {
            output::diagnostics(&warnings, is_json);
            Ok((policy, warnings))
        }
        Err(problems) => {
            output::diagnostics(&problems, is_json);
            Err(Failure::printed(Code::Usage))
        }
    }
}
