//! Reading the blocks of a language: what all kinds of blocks have in common.

mod shape;

use std::collections::BTreeMap;

use tenon_values::{Type, Value, is_identifier};

pub use shape::Shape;

use crate::diagnostic::Diagnostic;
use crate::evaluate::Context;
use crate::scope::did_you_mean;
use crate::source::Place;
use crate::syntax::{Attribute, Block, Body, Expression, Name};
use tenon_text::nearest;

/// Reads blocks, and keeps what is wrong with them: every problem is noted, and reading continues.
///
/// ```
/// use tenon_hcl::{Problems, Shape, Source, parse};
///
/// const FILE: Shape<0> = Shape::new("a plugin file", []).blocks(&["plugin"]);
/// const PLUGIN: Shape<1> = Shape::new("a plugin", ["name"]).required(&["command"]);
///
/// let source = Source::new("tenon.hcl", "plugin \"shop\" {\n  comand = [\"./shop\"]\n}\n");
/// let body = parse(&source).expect("it is HCL");
/// let mut problems = Problems::default();
/// problems.file(&body, &FILE);
/// for block in body.blocks_of("plugin") {
///     let [name] = problems.block(block, &PLUGIN).expect("it has its label");
///     assert_eq!(name.text(), "shop");
/// }
/// let summaries: Vec<&str> = problems.0.iter().map(|problem| &*problem.summary).collect();
/// assert_eq!(summaries, ["a plugin has no attribute \"comand\""]);
/// assert_eq!(problems.0[0].help.as_deref(), Some("did you mean `command`?"));
/// ```
#[derive(Debug, Default)]
pub struct Problems(
    /// In the order in which they were found.
    pub Vec<Diagnostic>,
);

impl Problems {
    /// Adds one.
    pub fn note(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds several.
    pub fn note_all(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(diagnostics);
    }

    /// One of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(Diagnostic::is_error)
    }

    /// The labels of a block, unless they are wrong. Notes everything in the block that does not
    /// belong there, and everything that is missing; a required attribute whose name is misspelt is
    /// noted once.
    pub fn block<'a, const LABELS: usize>(
        &mut self,
        block: &'a Block,
        shape: &Shape<LABELS>,
    ) -> Option<[&'a Name; LABELS]> {
        let labels = self.labels(block, shape);
        let misspelt = self.body(&block.body, shape);
        for name in shape.required {
            if block.body.attribute(name).is_none() && !misspelt.contains(name) {
                let kind = block.kind.text();
                let diagnostic = Diagnostic::error(format!("this `{kind}` has no `{name}`"))
                    .at(block.header())
                    .help(format!("add `{name} = ...`"));
                self.note(diagnostic);
            }
        }
        labels
    }

    /// Notes everything at the top level of a file that does not belong there.
    pub fn file(&mut self, body: &Body, shape: &Shape<0>) {
        self.body(body, shape);
    }

    /// Returns the attributes that were probably meant by misspelt names.
    fn body<const LABELS: usize>(
        &mut self,
        body: &Body,
        shape: &Shape<LABELS>,
    ) -> Vec<&'static str> {
        let is_known =
            |name: &str| shape.takes_any || shape.attributes().any(|known| known == name);
        let absent = shape
            .attributes()
            .filter(|name| body.attribute(name).is_none());
        let mut misspelt = Vec::new();
        for attribute in &body.attributes {
            let name = attribute.name.text();
            if !is_known(name) {
                let meant = nearest(name, absent.clone());
                misspelt.extend(meant);
                self.refuse_attribute(attribute, meant, shape);
            }
        }
        for block in &body.blocks {
            let kind = block.kind.text();
            if !shape.blocks.contains(&kind) {
                let what = shape.name;
                let mut diagnostic = Diagnostic::error(format!("{what} has no block {kind:?}"))
                    .at(block.kind.place());
                diagnostic.help = help_with_block(kind, shape);
                self.note(diagnostic);
            }
        }
        misspelt
    }

    fn refuse_attribute<const LABELS: usize>(
        &mut self,
        attribute: &Attribute,
        meant: Option<&str>,
        shape: &Shape<LABELS>,
    ) {
        let (name, what) = (attribute.name.text(), shape.name);
        let mut diagnostic = Diagnostic::error(format!("{what} has no attribute {name:?}"))
            .at(attribute.name.place());
        diagnostic.help = match shape.blocks.contains(&name) {
            true => Some(format!("`{name}` is a block: write `{name} {{ ... }}`")),
            false if shape.attributes().next().is_none() && !shape.blocks.is_empty() => {
                let blocks = shape.blocks.join("`, `");
                Some(format!("it has only `{blocks}` blocks"))
            }
            false => match meant {
                Some(meant) => Some(format!("did you mean `{meant}`?")),
                None => did_you_mean(name, shape.attributes()),
            },
        };
        self.note(diagnostic);
    }

    fn labels<'a, const LABELS: usize>(
        &mut self,
        block: &'a Block,
        shape: &Shape<LABELS>,
    ) -> Option<[&'a Name; LABELS]> {
        let labels: Vec<&Name> = block.labels.iter().collect();
        match <[&Name; LABELS]>::try_from(labels) {
            Ok(labels) => {
                let mut labels_are_good = true;
                for label in labels {
                    labels_are_good &= match shape.has_free_labels {
                        true => self.title(label.text(), label.place()),
                        false => self.identifier(label.text(), label.place()),
                    };
                }
                labels_are_good.then_some(labels)
            }
            Err(labels) => {
                let (kind, given) = (block.kind.text(), labels.len());
                let form: String = { shape.labels.iter() }
                    .map(|label| format!(" \"{label}\""))
                    .collect();
                let diagnostic = Diagnostic::error(format!(
                    "`{kind}` takes {LABELS} label{}, but has {given}",
                    if LABELS == 1 { "" } else { "s" },
                ))
                .at(block.header())
                .help(format!("write `{kind}{form} {{ ... }}`"));
                self.note(diagnostic);
                None
            }
        }
    }

    /// Whether a text can be a name. What has one is referred to by it.
    pub fn identifier(&mut self, text: &str, place: Place) -> bool {
        let is_good = is_identifier(text);
        if !is_good {
            let diagnostic = Diagnostic::error(format!("{text:?} is not a valid name"))
                .at(place)
                .help("a name begins with a letter or `_` and contains only letters, digits, `_` and `-`");
            self.note(diagnostic);
        }
        is_good
    }

    /// Whether a text can be shown as the name of something that is never referred to.
    fn title(&mut self, text: &str, place: Place) -> bool {
        let is_good = !text.trim().is_empty() && !text.contains(char::is_control);
        if !is_good {
            let diagnostic = Diagnostic::error(format!("{text:?} is not a valid name"))
                .at(place)
                .help("a name is one line and is not blank");
            self.note(diagnostic);
        }
        is_good
    }

    /// The only block of a kind. Further ones are noted.
    pub fn only_block<'a>(&mut self, body: &'a Body, kind: &'a str) -> Option<&'a Block> {
        let mut blocks = body.blocks_of(kind);
        let first = blocks.next()?;
        for other in blocks {
            let diagnostic =
                Diagnostic::error(format!("there can be only one `{kind}` block here"))
                    .at(other.header())
                    .related(first.header(), "the first one");
            self.note(diagnostic);
        }
        Some(first)
    }

    /// Notes everything whose names are those of something before it.
    pub fn refuse_same<'a, const NAMES: usize>(
        &mut self,
        what: &str,
        things: impl IntoIterator<Item = [&'a Name; NAMES]>,
    ) {
        let mut seen: BTreeMap<[&str; NAMES], [&Name; NAMES]> = BTreeMap::new();
        for names in things {
            let texts = names.map(Name::text);
            if let Some(first) = seen.get(&texts) {
                let texts: String = texts.iter().map(|text| format!(" {text:?}")).collect();
                let mut diagnostic = Diagnostic::error(format!("{what}{texts} is defined twice"));
                if let (Some(name), Some(first)) = (names.last(), first.last()) {
                    diagnostic = diagnostic.at(name.place());
                    diagnostic = diagnostic.related(first.place(), "the first one");
                }
                self.note(diagnostic);
            } else {
                seen.insert(texts, names);
            }
        }
    }

    /// The elements of `[a, b]`. What is written otherwise is noted as `wrong`, with its `form`.
    pub fn list(&mut self, value: &Expression, wrong: &str, form: &str) -> Option<Vec<Expression>> {
        let elements = value.as_tuple();
        self.written(elements, value, wrong, form)
    }

    /// The entries of `{ a = b }`. What is written otherwise is noted as `wrong`, with its `form`.
    pub fn object(
        &mut self,
        value: &Expression,
        wrong: &str,
        form: &str,
    ) -> Option<Vec<(Name, Expression)>> {
        let entries = value.as_object();
        self.written(entries, value, wrong, form)
    }

    fn written<T>(
        &mut self,
        found: Option<T>,
        value: &Expression,
        wrong: &str,
        form: &str,
    ) -> Option<T> {
        if found.is_none() {
            let diagnostic = Diagnostic::error(wrong).at(value.place()).help(form);
            self.note(diagnostic);
        }
        found
    }

    /// Notes the entries of an object that are not called one of these. Gives the names that were
    /// probably misspelt.
    pub fn refuse_other_entries<'a>(
        &mut self,
        entries: &[(Name, Expression)],
        what: &str,
        names: &[&'a str],
        form: &str,
    ) -> Vec<&'a str> {
        let mut misspelt = Vec::new();
        for (name, _) in entries {
            let text = name.text();
            if !names.contains(&text) {
                let close = nearest(text, names.iter().copied());
                misspelt.extend(close);
                let help = match close {
                    Some(close) => format!("did you mean `{close}`?"),
                    None => form.to_owned(),
                };
                let diagnostic = Diagnostic::error(format!("{what} has no attribute {text:?}"))
                    .at(name.place())
                    .help(help);
                self.note(diagnostic);
            }
        }
        misspelt
    }

    /// What an expression comes to that may use no names and no files, as a value of this type.
    pub fn constant(&mut self, expression: &Expression, ty: &Type) -> Option<Value> {
        let constant = expression.constant();
        match constant.and_then(|_| expression.evaluate_as(ty, &Context::constant(true))) {
            Ok(value) => Some(value),
            Err(errors) => {
                self.note_all(errors);
                None
            }
        }
    }

    /// A constant text that must be there.
    pub fn text(&mut self, expression: &Expression, what: &str) -> Option<String> {
        if let Some(word) = bare_word(expression) {
            let diagnostic = Diagnostic::error(format!("{what} is a string, which needs quotes"))
                .at(expression.place())
                .help(format!("write `\"{word}\"`"));
            self.note(diagnostic);
            return None;
        }
        let value = self.constant(expression, &Type::String)?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            let diagnostic = Diagnostic::error(format!("{what} cannot be null or a secret"))
                .at(expression.place());
            self.note(diagnostic);
        }
        text
    }

    /// The constant text of an attribute, if it is there and not null.
    pub fn optional_text(&mut self, body: &Body, name: &str) -> Option<String> {
        let attribute = body.attribute(name)?;
        let value = self.constant(&attribute.value, &Type::String)?;
        if value.is_sensitive() {
            self.refuse_value(attribute, "a secret");
        }
        value.as_str().map(str::to_owned)
    }

    /// Whether an attribute is true; false if it is not there, or null.
    pub fn flag(&mut self, body: &Body, name: &str) -> bool {
        let value = body.attribute(name).and_then(|attribute| {
            let value = self.constant(&attribute.value, &Type::Bool)?;
            if value.is_sensitive() {
                self.refuse_value(attribute, "a secret");
            }
            value.as_bool()
        });
        value.unwrap_or(false)
    }

    /// Whether an attribute is true; false if it is not there. Null, which is neither, is noted.
    pub fn definite_flag(&mut self, body: &Body, name: &str) -> bool {
        let value = body.attribute(name).and_then(|attribute| {
            let value = self.constant(&attribute.value, &Type::Bool)?;
            if value.as_bool().is_none() {
                self.refuse_value(attribute, "null or a secret");
            }
            value.as_bool()
        });
        value.unwrap_or(false)
    }

    fn refuse_value(&mut self, attribute: &Attribute, what: &str) {
        let name = attribute.name.text();
        let diagnostic = Diagnostic::error(format!("`{name}` cannot be {what}"));
        self.note(diagnostic.at(attribute.value.place()));
    }
}

/// A word that was probably meant as a text.
fn bare_word(expression: &Expression) -> Option<String> {
    let word = expression.place().text().to_owned();
    let is_value = matches!(&*word, "true" | "false" | "null");
    (is_identifier(&word) && !is_value).then_some(word)
}

/// What to do about a block that does not belong.
fn help_with_block<const LABELS: usize>(kind: &str, shape: &Shape<LABELS>) -> Option<String> {
    let misplaced = shape.misplaced.iter().find(|(known, _)| *known == kind);
    if let Some((_, help)) = misplaced {
        return Some((*help).to_owned());
    }
    if shape.blocks.is_empty() {
        return Some(format!("write `{kind} = ...` if it is an attribute"));
    }
    let close = did_you_mean(kind, shape.blocks.iter().copied());
    close.or_else(|| Some(format!("there are `{}`", shape.blocks.join("`, `"))))
}
