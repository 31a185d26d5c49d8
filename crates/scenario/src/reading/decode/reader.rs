//! What reading all kinds of blocks has in common.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tenon_hcl::{
    Attribute, Block, Body, Context, Diagnostic, Expression, Functions, Name, Place, did_you_mean,
};
use tenon_values::{Type, Value};

/// What is wrong with a file, so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Diagnostic>);

impl Problems {
    pub(crate) fn note(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    pub(crate) fn note_all(&mut self, diagnostics: Vec<Diagnostic>) {
        self.0.extend(diagnostics);
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(Diagnostic::is_error)
    }

    /// Notes everything in a body that does not belong there.
    pub(crate) fn refuse_others(
        &mut self,
        body: &Body,
        what: &str,
        attributes: &[&str],
        blocks: &[&str],
    ) {
        for attribute in &body.attributes {
            if !attributes.contains(&attribute.name.text()) {
                self.refuse_attribute(attribute, what, attributes, blocks);
            }
        }
        self.refuse_other_blocks(body, what, blocks);
    }

    fn refuse_attribute(
        &mut self,
        attribute: &Attribute,
        what: &str,
        attributes: &[&str],
        blocks: &[&str],
    ) {
        let name = attribute.name.text();
        let mut diagnostic = Diagnostic::error(format!("{what} has no attribute {name:?}"))
            .at(attribute.name.place());
        diagnostic.help = match blocks.contains(&name) {
            true => Some(format!("`{name}` is a block: write `{name} {{ ... }}`")),
            false if attributes.is_empty() && !blocks.is_empty() => {
                Some(format!("it has only `{}` blocks", blocks.join("`, `")))
            }
            false => did_you_mean(name, attributes.iter().copied()),
        };
        self.note(diagnostic);
    }

    pub(crate) fn refuse_other_blocks(&mut self, body: &Body, what: &str, blocks: &[&str]) {
        for block in &body.blocks {
            let kind = block.kind.text();
            if blocks.contains(&kind) {
                continue;
            }
            let mut diagnostic =
                Diagnostic::error(format!("{what} has no block {kind:?}")).at(block.kind.place());
            diagnostic.help = help_with_block(what, kind, blocks);
            self.note(diagnostic);
        }
    }

    /// The labels of a block, if it has as many as it should.
    pub(crate) fn labels<'a, const N: usize>(
        &mut self,
        block: &'a Block,
        meanings: [&str; N],
    ) -> Option<[&'a Name; N]> {
        let labels: Vec<&Name> = block.labels.iter().collect();
        match <[&Name; N]>::try_from(labels) {
            Ok(labels) => {
                let is_good = labels
                    .iter()
                    .all(|label| self.is_identifier(label.text(), label.place()));
                is_good.then_some(labels)
            }
            Err(labels) => {
                let kind = block.kind.text();
                let form: String = meanings
                    .iter()
                    .map(|label| format!(" \"{label}\""))
                    .collect();
                let given = labels.len();
                let diagnostic = Diagnostic::error(format!(
                    "`{kind}` takes {N} label{}, but here {} {given}",
                    if N == 1 { "" } else { "s" },
                    if given == 1 { "is" } else { "are" },
                ))
                .at(block.header())
                .help(format!("write `{kind}{form} {{ ... }}`"));
                self.note(diagnostic);
                None
            }
        }
    }

    /// Labels are parts of references, so they are names.
    pub(crate) fn is_identifier(&mut self, text: &str, place: Place) -> bool {
        let is_good = text
            .chars()
            .all(|c| c.is_alphanumeric() || "_-".contains(c))
            && text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !is_good {
            let diagnostic = Diagnostic::error(format!("{text:?} is no name"))
                .at(place)
                .help("names begin with a letter and have letters, digits, `_` and `-` in them");
            self.note(diagnostic);
        }
        is_good
    }

    /// At most one block of a kind.
    pub(crate) fn one_block<'a>(&mut self, body: &'a Body, kind: &'a str) -> Option<&'a Block> {
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

    /// A second thing of the same name.
    pub(crate) fn refuse_second(&mut self, what: &str, second: &Name, first: &Name) {
        let diagnostic = Diagnostic::error(format!("{what} {:?} is there twice", second.text()))
            .at(second.place())
            .related(first.place(), "the first one");
        self.note(diagnostic);
    }

    /// An attribute that must be there.
    pub(crate) fn required<'a>(&mut self, block: &'a Block, name: &str) -> Option<&'a Attribute> {
        let found = block.body.attribute(name);
        if found.is_none() {
            let kind = block.kind.text();
            let diagnostic = Diagnostic::error(format!("this `{kind}` has no `{name}`"))
                .at(block.header())
                .help(format!("add `{name} = ...`"));
            self.note(diagnostic);
        }
        found
    }

    /// What an expression comes to that may use no names, as a value of this type.
    pub(crate) fn constant(&mut self, expression: &Expression, ty: &Type) -> Option<Value> {
        let context = Context {
            scope: &(),
            functions: pure_functions(),
            is_plan: true,
        };
        match expression.evaluate_as(ty, &context) {
            Ok(value) => Some(value),
            Err(errors) => {
                self.note_all(errors);
                None
            }
        }
    }

    /// A text that has to be there and may use no names.
    pub(crate) fn required_text(&mut self, expression: &Expression, what: &str) -> Option<String> {
        let value = self.constant(expression, &Type::String)?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            let diagnostic = Diagnostic::error(format!("{what} cannot be null or a secret"))
                .at(expression.place());
            self.note(diagnostic);
        }
        text
    }

    /// A text that may use no names.
    pub(crate) fn constant_text(&mut self, body: &Body, name: &str) -> Option<String> {
        let attribute = body.attribute(name)?;
        let value = self.constant(&attribute.value, &Type::String)?;
        value.as_str().map(str::to_owned)
    }

    /// True or false, false if it is not there.
    pub(crate) fn constant_bool(&mut self, body: &Body, name: &str) -> bool {
        let value = body
            .attribute(name)
            .and_then(|attribute| self.constant(&attribute.value, &Type::Bool));
        value.and_then(|value| value.as_bool()).unwrap_or(false)
    }
}

/// What to do about a block that does not belong.
fn help_with_block(what: &str, kind: &str, blocks: &[&str]) -> Option<String> {
    let help = match (what, kind) {
        ("a scenario file", "component") => "this is a component file: a scenario uses it with `component \"type\" \"name\" { source = ... }`".to_owned(),
        ("a scenario file", "action" | "variable" | "provider" | "output" | "locals" | "required_providers") => {
            "put it into `scenario \"name\" { ... }`".to_owned()
        }
        _ if blocks.is_empty() => format!("write `{kind} = ...` if it is an attribute"),
        _ => {
            let close = did_you_mean(kind, blocks.iter().copied());
            return close.or_else(|| Some(format!("there are `{}`", blocks.join("`, `"))));
        }
    };
    Some(help)
}

/// Functions for what may use no names, and read no files.
pub(crate) fn pure_functions() -> &'static Functions {
    static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| Functions::standard(None));
    &FUNCTIONS
}

/// Things by their names, each once.
pub(crate) fn by_name<T>(
    things: Vec<T>,
    what: &str,
    name: impl Fn(&T) -> &Name,
    problems: &mut Problems,
) -> BTreeMap<String, T> {
    let mut found: BTreeMap<String, T> = BTreeMap::new();
    for thing in things {
        match found.get(name(&thing).text()) {
            Some(first) => problems.refuse_second(what, name(&thing), name(first)),
            None => {
                found.insert(name(&thing).text().to_owned(), thing);
            }
        }
    }
    found
}
