//! The summary at the end.

use std::path::Path;

use serde_json::json;
use tenon_acp::guard::Summary;
use tenon_host::own_file;

use crate::exit::Failure;
use crate::output;

/// Prints the summary on stderr, with the hash of the record.
pub(super) fn print(summary: &Summary, record: Option<(&Path, &str)>) {
    output::talk(format_args!("guard: {summary}"));
    if let Some((path, hash)) = record {
        let path = tenon_text::path(path);
        output::talk(format_args!("  record {path}\n  sha256 {hash}"));
    }
}

/// Writes the summary to a file.
pub(super) fn write(path: &Path, summary: &Summary, hash: Option<&str>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let path = tenon_text::path(path);
        Failure::usage(format!(
            "the summary could not be written to {path}: {error}"
        ))
    };
    let mut text = json!({ "summary": summary, "sha256": hash }).to_string();
    text.push('\n');
    // Paths and commands are nobody else's business.
    let mut file = own_file::overwrite(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)
}
