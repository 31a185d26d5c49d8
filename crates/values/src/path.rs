//! Where in a value something is.

use std::fmt;

use smol_str::SmolStr;

use crate::{Number, Text, Type, Value};

/// A way from a value to one inside it: `.servers[2].port`.
///
/// Displayed as it is written in HCL. The empty path is the value itself.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Path {
    steps: Vec<Step>,
}

/// One step of a [`Path`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// To an attribute of an object.
    Attribute(SmolStr),
    /// To an element of a list or tuple.
    Index(usize),
    /// To an element of a map.
    Key(Text),
    /// To an element of a set, which has no name but itself. Where it stands in the set's order.
    Element(usize),
}

impl Step {
    /// To the element at this place of a list, tuple or set.
    pub(crate) fn to_element(collection: &Type, index: usize) -> Step {
        match collection {
            Type::Set(_) => Step::Element(index),
            _ => Step::Index(index),
        }
    }
}

impl Path {
    /// The path to the value itself.
    pub const fn root() -> Path {
        Path { steps: Vec::new() }
    }

    /// The steps, outermost first.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// There is no step.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// The path leads through that one, or to it.
    pub fn starts_with(&self, other: &Path) -> bool {
        self.steps.starts_with(&other.steps)
    }

    /// This path, and from there to an attribute.
    #[must_use]
    pub fn attribute(mut self, name: &str) -> Path {
        self.steps.push(Step::Attribute(name.into()));
        self
    }

    /// This path, and from there to an element of a list or tuple.
    #[must_use]
    pub fn index(mut self, index: usize) -> Path {
        self.steps.push(Step::Index(index));
        self
    }

    /// This path, and from there to an element of a map.
    #[must_use]
    pub fn key(mut self, key: impl Into<Text>) -> Path {
        self.steps.push(Step::Key(key.into()));
        self
    }

    /// This path, and from there another step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Path {
        self.steps.push(step);
        self
    }

    /// Adds a step at the front: errors gather their path on the way out.
    pub(crate) fn prepend(&mut self, step: Step) {
        // Errors are rare and paths short: moving the steps is cheaper than a second order.
        self.steps.insert(0, step);
    }

    /// Adds a step at the end, for walks that go in and come back out.
    pub(crate) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Removes the first key of a map and everything after it.
    pub(crate) fn truncate_at_key(&mut self) {
        let is_key = |step: &Step| matches!(step, Step::Key(_));
        if let Some(position) = self.steps.iter().position(is_key) {
            self.steps.truncate(position);
        }
    }

    /// Takes the last step away.
    pub(crate) fn pop(&mut self) {
        self.steps.pop();
    }

    /// The value there, with the marks that were met on the way. None where the path leads
    /// nowhere; below an unknown value everything is unknown.
    pub fn apply(&self, value: &Value) -> Option<Value> {
        let mut current = value.clone();
        for step in &self.steps {
            current = match step {
                Step::Attribute(name) => current.attribute(name).ok()?,
                Step::Index(index) => {
                    let index = Number::from(u64::try_from(*index).ok()?);
                    current.index(&Value::number(index)).ok()?
                }
                Step::Key(key) => current.index(&Value::from(key.clone())).ok()?,
                Step::Element(position) => {
                    let (unmarked, marks) = current.unmark();
                    unmarked
                        .elements()?
                        .get(*position)?
                        .clone()
                        .with_marks(&marks)
                }
            };
        }
        Some(current)
    }
}

impl From<Vec<Step>> for Path {
    fn from(steps: Vec<Step>) -> Path {
        Path { steps }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| step.fmt(formatter))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Attribute(name) if is_identifier(name) => write!(formatter, ".{name}"),
            Step::Attribute(name) => write!(formatter, "[{name:?}]"),
            Step::Index(index) => write!(formatter, "[{index}]"),
            Step::Key(key) => write!(formatter, "[{key:?}]"),
            Step::Element(position) => write!(formatter, "[element {position}]"),
        }
    }
}

/// Whether a name can be written in HCL without quotes: it begins with a letter or `_`, and has only letters, digits, `_`
/// and `-` in it.
pub fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|next| next.is_alphanumeric() || next == '_' || next == '-')
}

impl fmt::Debug for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Path({self})")
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_hcl() {
        let path = Path::root()
            .attribute("servers")
            .index(2)
            .key("a b")
            .attribute("x y");
        assert_eq!(path.to_string(), r#".servers[2]["a b"]["x y"]"#);
        assert_eq!(Path::root().to_string(), "");
    }
}
