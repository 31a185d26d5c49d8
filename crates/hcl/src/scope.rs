//! The names in an expression.

use std::collections::BTreeMap;

use tenon_values::Value;

/// Resolves the names in an expression.
///
/// Values are cheap to clone, but an object of everything would have to be built for every
/// expression. Instead a scope gets the name with the steps that follow it, and resolves as many
/// as it likes: `action.exec_run.build.stdout` may be looked up as far as `build`.
pub trait Scope {
    /// The value that a reference leads to, and how many of its steps were used. The remaining steps
    /// are then taken from the value.
    ///
    /// # Errors
    /// The name cannot be resolved.
    fn look_up(&self, reference: &Reference<'_>) -> Result<Found, Missing>;
}

/// A name and the steps after it that are known without evaluating anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The first name.
    pub root: &'a str,
    /// What follows: `.name` and `["name"]`, as far as they go.
    pub steps: Vec<&'a str>,
}

/// The value that a reference leads to.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// How many of the steps lead to it.
    pub steps: usize,
}

/// A name that cannot be resolved.
#[derive(Clone, Debug)]
pub struct Missing {
    /// What is wrong, in a line.
    pub summary: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Which step is wrong; without one, the root is.
    pub step: Option<usize>,
}

impl Missing {
    /// No such name, with the closest of those there are.
    pub fn name<'a>(
        kind: &str,
        name: &str,
        names: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Missing {
        Missing {
            summary: format!("unknown {kind} `{name}`"),
            help: did_you_mean(name, names),
            step: None,
        }
    }

    /// It is this step that is wrong.
    #[must_use]
    pub fn at_step(mut self, step: usize) -> Missing {
        self.step = Some(step);
        self
    }
}

/// A sentence that offers the closest of some names, or all of them if they are few.
pub fn did_you_mean<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    const FEW: usize = 6;
    if let Some(hint) = tenon_text::did_you_mean(name, names.clone()) {
        return Some(hint);
    }
    let names: Vec<&str> = names.into_iter().take(FEW + 1).collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("there is only `{only}`")),
        names if names.len() <= FEW => Some(format!("there are `{}`", names.join("`, `"))),
        _ => None,
    }
}

/// Names and their values, as they are.
impl Scope for BTreeMap<String, Value> {
    fn look_up(&self, reference: &Reference<'_>) -> Result<Found, Missing> {
        match self.get(reference.root) {
            Some(value) => Ok(Found {
                value: value.clone(),
                steps: 0,
            }),
            None => {
                let names = self.keys().map(String::as_str);
                Err(Missing::name("variable", reference.root, names))
            }
        }
    }
}

/// Nothing at all has a name.
impl Scope for () {
    fn look_up(&self, reference: &Reference<'_>) -> Result<Found, Missing> {
        Err(Missing {
            summary: format!("{:?} cannot be used here", reference.root),
            help: Some("only constant values are allowed here".into()),
            step: None,
        })
    }
}
