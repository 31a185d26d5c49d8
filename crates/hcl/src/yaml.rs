//! YAML: read with all digits of its numbers, and written as Terraform writes it.
//!
//! There is one reader with two sets of [`Rules`]. `yamldecode` has to return what Terraform's
//! returns. In a variable file the same rules would change values without a word (`007` would become
//! 7, and a duplicate key would hide a value), so they are stricter there. `tests/yaml.rs` lists all
//! differences.
//!
//! Anchors, aliases and merge keys (`<<`) are supported. Errors quote nothing, because the text may
//! contain secrets.

mod builder;
mod scalar;
mod writer;

use granit_parser::{Marker, Parser};
use tenon_values::Value;

use builder::Builder;
pub use writer::write;

/// How text is turned into values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// For variable files: what is ambiguous is a string (`007`, dates) or an error (duplicate
    /// keys, infinite numbers). Keys are strings exactly as written, an empty document is null, and
    /// the entries of a mapping take precedence over merged ones.
    Strict,
    /// As Terraform's `yamldecode`: keys are resolved like values, `007` is a number, dates become
    /// timestamps, unknown tags are errors, and the last of duplicate or merged keys takes
    /// precedence.
    Terraform,
}

/// The limit of nesting, aliases included.
const DEPTH: usize = 128;

/// The limit of values, with each use of an alias counted: a small file cannot make a large value.
const NODES: usize = 250_000;

/// Reads a YAML text of one document.
///
/// # Errors
/// The first error, with its line and column.
pub fn read(text: &str, rules: Rules) -> Result<Value, String> {
    let mut builder = Builder::new(rules);
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| at(error.marker(), &error.info()))?;
        let before = { span.start.byte_offset() }.and_then(|offset| text.get(..offset));
        builder
            .take(event, before.unwrap_or_default())
            .map_err(|problem| at(&span.start, &problem))?;
    }
    match builder.finish() {
        Some(value) => Ok(value),
        None if rules == Rules::Strict => Ok(Value::NULL),
        None => Err("there is no document".into()),
    }
}

fn at(marker: &Marker, problem: &str) -> String {
    format!(
        "line {}, column {}: {problem}",
        marker.line(),
        marker.col() + 1
    )
}
