//! Parsing.

use std::sync::Arc;

use hcl_edit::expr::Expression as Expr;
use hcl_edit::parser;

use crate::diagnostic::Diagnostic;
use crate::lower::Lowering;
use crate::scan;
use crate::source::{Place, Source, Span};
use crate::syntax::{Body, Expression};

/// The limits of a text. A larger text is not parsed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of the text in bytes.
    pub size: usize,
    /// The entries of one `{ key = value }`. The parser compares each entry with all before it.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            size: 8 * 1024 * 1024,
            entries: 2000,
        }
    }
}

/// The maximum number of syntax errors that are reported. Later ones are usually consequences of
/// earlier ones.
const SHOWN_ERRORS: usize = 20;

/// Reads a file.
///
/// # Errors
/// It is too large, or not valid HCL. All errors in lines that can be skipped are reported.
pub fn parse(source: &Arc<Source>) -> Result<Body, Vec<Diagnostic>> {
    parse_within(source, Limits::default())
}

/// Reads a file within these limits.
///
/// # Errors
/// As for [`parse`].
pub fn parse_within(source: &Arc<Source>, limits: Limits) -> Result<Body, Vec<Diagnostic>> {
    let text = readable(source, limits).map_err(|error| vec![error])?;
    match parser::parse_body(&text) {
        Ok(body) => {
            let whole = Span::new(0..source.text().len());
            Ok(Lowering { source }.body(&body, whole))
        }
        Err(error) => Err(all_errors(source, text, &error)),
    }
}

/// Reads one expression.
///
/// # Errors
/// It is too large, or not a valid expression.
pub fn parse_expression(source: &Arc<Source>) -> Result<Expression, Diagnostic> {
    let mut text = without_comments(readable(source, Limits::default())?, source);
    // The parser wants no blanks before an expression, but takes them in parentheses.
    let is_wrapped = text.starts_with([' ', '\t']);
    if is_wrapped {
        text.replace_range(..1, "(");
        text.push(')');
    }
    match parser::parse_expr(text.trim_end()) {
        Ok(Expr::Parenthesis(wrapped)) if is_wrapped => {
            Ok(Lowering { source }.expression(wrapped.inner()))
        }
        Ok(expression) => Ok(Lowering { source }.expression(&expression)),
        Err(error) => Err(diagnostic(source, &error)),
    }
}

/// Reads a template: text with `${...}` and `%{...}` in it, and no quotes around it.
///
/// # Errors
/// It is too large, or not a valid template.
pub fn parse_template(source: &Arc<Source>) -> Result<Expression, Diagnostic> {
    let limits = Limits::default();
    refuse_large(source, limits)?;
    let far_numbers = scan::template(source, limits)?;
    let text = without_far_numbers(source.text().to_owned(), &far_numbers);
    match parser::parse_template(&text) {
        Ok(template) => Ok(Lowering { source }.template(&template)),
        Err(error) => Err(diagnostic(source, &error)),
    }
}

fn refuse_large(source: &Arc<Source>, limits: Limits) -> Result<(), Diagnostic> {
    let size = source.text().len();
    if size <= limits.size {
        return Ok(());
    }
    let summary = format!(
        "{} is too large: it has {size} bytes, and {} are allowed",
        source.name(),
        limits.size
    );
    Err(Diagnostic::error(summary).help("split it into several files"))
}

/// The text as the parser takes it, with every byte where it was.
fn readable(source: &Arc<Source>, limits: Limits) -> Result<String, Diagnostic> {
    refuse_large(source, limits)?;
    let far_numbers = scan::body(source, limits)?;
    // The parser does not know byte order marks; three spaces keep the places right.
    let text = match source.text().strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}"),
        None => source.text().to_owned(),
    };
    Ok(without_far_numbers(text, &far_numbers))
}

/// The parser reads numbers as floats and refuses those that do not fit. Numbers are read from the
/// source afterwards, so the parser gets others of the same length.
fn without_far_numbers(text: String, far_numbers: &scan::FarNumbers) -> String {
    if far_numbers.is_empty() {
        return text;
    }
    let mut bytes = text.into_bytes();
    for number in far_numbers {
        scan::stand_in(&mut bytes[number.clone()]);
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The parser does not accept comments around a single expression.
fn without_comments(text: String, source: &Arc<Source>) -> String {
    let mut bytes = text.into_bytes();
    for comment in scan::comments(source) {
        bytes[comment].fill(b' ');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The parser stops at the first error. A line that is balanced can be skipped and the rest parsed, so
/// that all such errors are reported together.
fn all_errors(source: &Arc<Source>, mut text: String, first: &parser::Error) -> Vec<Diagnostic> {
    let mut errors = vec![diagnostic(source, first)];
    let mut last = boundary(&text, first.location().offset());
    while errors.len() < SHOWN_ERRORS {
        let start = text[..last].rfind('\n').map_or(0, |at| at + 1);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
        if !scan::is_balanced(&text[start..end]) || text[start..end].trim().is_empty() {
            break;
        }
        text.replace_range(start..end, &" ".repeat(end - start));
        match parser::parse_body(&text) {
            Err(error) if error.location().offset() > end => {
                last = boundary(&text, error.location().offset());
                errors.push(diagnostic(source, &error));
            }
            _ => break,
        }
    }
    errors
}

/// The parser may stop inside a character.
fn boundary(text: &str, offset: usize) -> usize {
    let at_most = offset.min(text.len());
    (0..=at_most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

fn diagnostic(source: &Arc<Source>, error: &parser::Error) -> Diagnostic {
    let text = source.text();
    let start = boundary(text, error.location().offset());
    let length = text[start..]
        .chars()
        .next()
        .filter(|c| *c != '\n')
        .map_or(0, char::len_utf8);
    let place = Place::new(source, Span::new(start..start + length));
    // "invalid attribute; expected `=`"
    let message = error.message();
    let (problem, expected) = message.split_once("; ").unwrap_or((message, ""));
    if message.contains("redefined attribute") {
        return Diagnostic::error("this attribute is defined twice").at(place);
    }
    if message.starts_with("invalid nesting depth") {
        return Diagnostic::error("this is nested more than 64 levels deep").at(place);
    }
    if message.starts_with("invalid binary operation; expected at most") {
        return Diagnostic::error("there are more than 128 operators in one expression")
            .at(place)
            .help("move a part of the expression into a local value");
    }
    if let Some((summary, help)) = line_mistake(message, text[start..].chars().next()) {
        return Diagnostic::error(summary).at(place).help(help);
    }
    let diagnostic = Diagnostic::error(format!("syntax error: {problem}")).at(place);
    if expected.is_empty() {
        diagnostic
    } else {
        diagnostic.label(expected)
    }
}

/// The error where the parser expected the end of a line or of a block on one line. What the parser
/// names as expected would mislead.
fn line_mistake(message: &str, found: Option<char>) -> Option<(&'static str, &'static str)> {
    let begins_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '"' | '{');
    match message {
        "invalid attribute; expected `=`" if found.is_some_and(begins_name) => Some((
            "a block that is written on one line cannot hold another block",
            "put the inner block on separate lines",
        )),
        message if message.starts_with("invalid block body; expected `}`, newline") => {
            Some(match found {
                Some('\n' | '\r') | None => (
                    "a block whose first attribute follows its `{` on the same line must end on that line",
                    "begin a new line after the `{`",
                ),
                Some(_) => (
                    "a block that is written on one line can hold only one attribute",
                    "put each attribute on its own line",
                ),
            })
        }
        "expected newline or eof" => Some((
            "an attribute or a block must end with its line",
            "begin a new line here",
        )),
        _ => None,
    }
}
