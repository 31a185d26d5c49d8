//! Text files.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Limits, Source};

/// A text file, as long as the parser would take it.
pub(crate) fn read(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display();
    let fail = |error: io::Error| {
        let diagnostic = Diagnostic::error(format!("{name} cannot be read: {error}"));
        match error.kind() {
            io::ErrorKind::NotFound => {
                diagnostic.help("is the path right? `tenon list` shows what is here")
            }
            _ => diagnostic,
        }
    };
    let file = std::fs::File::open(path).map_err(fail)?;
    let limit = Limits::default().size as u64 + 1;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 == limit {
        // The parser says that it is too large; the end may be half a character.
        return Ok(Source::new(
            name.to_string(),
            String::from_utf8_lossy(&bytes),
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name.to_string(), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let summary = format!("{name} is not UTF-8 (at byte {at})");
            Err(Diagnostic::error(summary).help("save it as UTF-8"))
        }
    }
}
