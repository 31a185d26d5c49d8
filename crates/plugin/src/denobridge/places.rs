//! Where in the params of a call an attribute is.

use tenon_protocols::denobridge::Diagnostic;
use tenon_schema::{Attribute, Function};
use tenon_values::{Error, Step};

use crate::parts::{Given, Shape};
use crate::plan::step_text;

/// What the params of a call name what they hold.
pub(super) struct Members {
    props: &'static str,
    write_only: &'static str,
    current: &'static str,
    state: &'static str,
    sensitive: &'static str,
}

impl Members {
    /// Where there is nothing next.
    pub(super) const PLAIN: Members = Members {
        props: "props",
        write_only: "writeOnlyProps",
        current: "props",
        state: "state",
        sensitive: "sensitiveState",
    };

    /// Where something is current, and something next.
    pub(super) const CHANGE: Members = Members {
        props: "nextProps",
        write_only: "nextWriteOnlyProps",
        current: "currentProps",
        state: "currentState",
        sensitive: "currentSensitiveState",
    };
}

/// Where attributes are in the params of a call.
pub(super) enum Places<'a> {
    /// By the member that holds them.
    Members(&'static Members, &'a Shape),
    /// By the position of the argument.
    Arguments(&'a Function),
}

impl<'a> Places<'a> {
    pub(super) fn new(members: &'static Members, shape: &'a Shape) -> Places<'a> {
        Places::Members(members, shape)
    }

    pub(super) fn of_parameters(function: &'a Function) -> Places<'a> {
        Places::Arguments(function)
    }

    /// Diagnostics of the author, whose paths begin with the name of an attribute.
    pub(super) fn all(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.into_iter().map(|one| self.one(one)).collect()
    }

    fn one(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(path) = diagnostic.prop_path.take() {
            let given = match (self, path.first()) {
                (Places::Members(_, shape), Some(name)) if !has(&shape.given, name, |_| true) => {
                    match has(&shape.returned, name, |_| true) {
                        true => Given::State,
                        false => Given::Props,
                    }
                }
                _ => Given::Props,
            };
            diagnostic.prop_path = Some(self.path(given, path));
        }
        diagnostic
    }

    /// What was sent does not fit the author's type.
    pub(super) fn unfit(&self, given: Given, error: &Error) -> Diagnostic {
        let steps = error.path().steps();
        let path = self.path(given, steps.iter().map(step_text).collect());
        let summary = format!("invalid `{}`", path[0]);
        let detail = match (self, steps) {
            // The position in the tuple of arguments is in the path.
            (Places::Arguments(_), [Step::Attribute(_), ..]) => error.problem().to_string(),
            _ => error.to_string(),
        };
        Diagnostic::error(summary, detail).at(path)
    }

    fn path(&self, given: Given, mut path: Vec<String>) -> Vec<String> {
        let name = path.first().map_or("", String::as_str);
        let member = match self {
            Places::Members(members, shape) => match given {
                Given::Props if has(&shape.given, name, |one| one.is_write_only) => {
                    members.write_only
                }
                Given::Props => members.props,
                Given::WriteOnly => members.write_only,
                Given::Current => members.current,
                Given::State if has(&shape.returned, name, |one| one.is_sensitive) => {
                    members.sensitive
                }
                Given::State => members.state,
                Given::Sensitive => members.sensitive,
                Given::Private => "privateData",
            },
            Places::Arguments(function) => {
                arguments(function, &mut path);
                "arguments"
            }
        };
        path.insert(0, member.to_owned());
        path
    }
}

/// The position of an argument in the place of its name.
fn arguments(function: &Function, path: &mut Vec<String>) {
    let Some(name) = path.first_mut() else {
        return;
    };
    let names = function.parameters.iter().map(|one| &one.name);
    if let Some(index) = names.clone().position(|known| known == name) {
        *name = index.to_string();
    } else if function
        .variadic
        .as_ref()
        .is_some_and(|one| one.name == *name)
    {
        let first = names.count();
        match path.get(1).and_then(|index| index.parse::<usize>().ok()) {
            Some(index) => {
                path.remove(0);
                path[0] = (first + index).to_string();
            }
            None => path[0] = first.to_string(),
        }
    }
}

fn has(attributes: &[Attribute], name: &str, is: impl Fn(&Attribute) -> bool) -> bool {
    attributes.iter().any(|one| one.name == name && is(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_schema::Parameter;
    use tenon_values::Type;

    #[test]
    fn attributes_are_in_the_member_that_holds_them() {
        let shape = Shape {
            given: vec![
                Attribute::new("path", Type::String),
                Attribute::new("password", Type::String).write_only(),
            ],
            returned: vec![
                Attribute::new("size", Type::Number),
                Attribute::new("key", Type::String).sensitive(),
            ],
            ..Shape::default()
        };
        let places = Places::new(&Members::CHANGE, &shape);
        for (path, placed) in [
            (&["path", "0"][..], &["nextProps", "path", "0"][..]),
            (&["password"], &["nextWriteOnlyProps", "password"]),
            (&["size"], &["currentState", "size"]),
            (&["key"], &["currentSensitiveState", "key"]),
            (&["other"], &["nextProps", "other"]),
            (&[], &["nextProps"]),
        ] {
            let diagnostic = Diagnostic::error("no", "").at(path.iter().copied());
            let found = places.all(vec![diagnostic]).remove(0).prop_path.unwrap();
            assert_eq!(found, placed);
        }
        let without = Diagnostic::error("no", "");
        assert_eq!(places.all(vec![without.clone()]), [without]);
    }

    #[test]
    fn arguments_have_positions() {
        let parameter = |name: &str| Parameter::new(name, Type::String);
        let function = Function {
            variadic: Some(parameter("rest")),
            ..Function::new([parameter("a"), parameter("b")], Type::String)
        };
        let places = Places::of_parameters(&function);
        for (path, placed) in [
            (&["b"][..], &["arguments", "1"][..]),
            (&["b", "0"], &["arguments", "1", "0"]),
            (&["rest", "1"], &["arguments", "3"]),
            (&["rest"], &["arguments", "2"]),
            (&[], &["arguments"]),
        ] {
            let path = path.iter().map(ToString::to_string).collect();
            assert_eq!(places.path(Given::Props, path), placed);
        }
    }
}
