//! Planned changes, parts of which may not be known yet.

use std::fmt;

use tenon_protocols::denobridge::Diagnostic;
use tenon_values::{Step, Value};

use crate::data::write;
use crate::parts::{Given, Refusal, read};
use crate::{Attributes, Existing, Failure, Typed};

/// A planned change of a resource.
#[derive(Debug)]
pub enum Plan<P, S> {
    /// It is created.
    Create(Planned<P>),
    /// It is updated. A resource that is replaced is planned twice: this, and then as a new one.
    Update(Existing<P, S>, Planned<P>),
    /// It is deleted.
    Delete(Existing<P, S>),
}

impl Plan<Value, Value> {
    pub(crate) fn read<P: Attributes, S: Attributes>(self) -> Result<Plan<P, S>, Refusal> {
        Ok(match self {
            Plan::Create(planned) => Plan::Create(planned.read()?),
            Plan::Update(existing, planned) => Plan::Update(existing.read()?, planned.read()?),
            Plan::Delete(existing) => Plan::Delete(existing.read()?),
        })
    }
}

/// Planned props. Values from other resources may not be known until these are created. When the
/// plan is applied everything is known, and the plugin is called again.
pub struct Planned<P> {
    /// The props, once all of them are known.
    pub props: Option<P>,
    pub(crate) value: Value,
}

impl Planned<Value> {
    /// Props of which parts may be unknown.
    pub(crate) fn new(value: Value) -> Planned<Value> {
        Planned { props: None, value }
    }

    fn read<P: Attributes>(self) -> Result<Planned<P>, Refusal> {
        let props = match self.value.is_wholly_known() {
            true => Some(read(Given::Props, &self.value)?),
            false => None,
        };
        Ok(Planned {
            props,
            value: self.value,
        })
    }
}

impl<P> Planned<P> {
    /// One of the props, by the names and places that lead to it, also while others are not known
    /// yet. `None` if something in it is unknown. An absent one is null: ask for an `Option` where
    /// that may be.
    ///
    /// # Errors
    /// It does not fit the type.
    pub fn get<T: Typed>(&self, path: &[&str]) -> Result<Option<T>, Failure> {
        let mut found = Some(&self.value);
        for step in path {
            found = match found {
                Some(value) if !value.is_known() => return Ok(None),
                Some(value) => part(value, step),
                None => None,
            };
        }
        match found.unwrap_or(&Value::NULL) {
            value if !value.is_wholly_known() => Ok(None),
            value => T::from_value(value).map(Some).map_err(|error| {
                let steps = error.path().steps().iter().map(step_text);
                let path: Vec<String> = path.iter().map(ToString::to_string).chain(steps).collect();
                let problem = error.problem().to_string();
                Failure::diagnosed([Diagnostic::error("invalid value", problem).at(path)])
            }),
        }
    }
}

fn part<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match (value.attributes(), value.elements()) {
        (Some(attributes), _) => attributes.get(step),
        (_, Some(elements)) => elements.get(step.parse::<usize>().ok()?),
        _ => { value.entries()?.iter() }
            .find(|(key, _)| key.as_str() == Some(step))
            .map(|(_, value)| value),
    }
}

/// A step as diagnostics have it.
pub(crate) fn step_text(step: &Step) -> String {
    match step {
        Step::Attribute(name) => name.to_string(),
        Step::Key(key) => key.as_str().unwrap_or_default().to_owned(),
        Step::Index(index) | Step::Element(index) => index.to_string(),
    }
}

/// Shows only whether everything is known, because props may contain secrets.
impl<P> fmt::Debug for Planned<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Planned")
            .field("is_known", &self.value.is_wholly_known())
            .finish_non_exhaustive()
    }
}

/// The decision about a plan.
#[derive(Debug)]
pub struct Decision<P> {
    pub(crate) verdict: Verdict<P>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub(crate) enum Verdict<P> {
    Keep,
    Replace,
    Modify(P),
}

impl<P> Decision<P> {
    fn new(verdict: Verdict<P>) -> Decision<P> {
        Decision {
            verdict,
            diagnostics: Vec::new(),
        }
    }

    /// The plan stays as it is.
    pub fn keep() -> Decision<P> {
        Decision::new(Verdict::Keep)
    }

    /// The resource cannot be updated like this: it is deleted and created again.
    pub fn replace() -> Decision<P> {
        Decision::new(Verdict::Replace)
    }

    /// The props become these instead. If the resource has them already, nothing changes.
    pub fn modify(props: P) -> Decision<P> {
        Decision::new(Verdict::Modify(props))
    }

    /// With a diagnostic. An error ends the plan.
    #[must_use]
    pub fn diagnostic(mut self, diagnostic: Diagnostic) -> Decision<P> {
        self.diagnostics.push(diagnostic);
        self
    }
}

impl<P: Attributes> Decision<P> {
    pub(crate) fn write(self) -> Result<Decision<Value>, Failure> {
        Ok(Decision {
            verdict: match self.verdict {
                Verdict::Keep => Verdict::Keep,
                Verdict::Replace => Verdict::Replace,
                Verdict::Modify(props) => Verdict::Modify(write(&props, "modified props")?),
            },
            diagnostics: self.diagnostics,
        })
    }
}
