//! Type constraints: types written as expressions, with defaults for optional attributes.

mod defaults;

use std::collections::BTreeMap;
use std::sync::Arc;

use tenon_values::convert::convert;
use tenon_values::{Attribute, ObjectType, Type, Value};

use defaults::DefaultValue;
pub use defaults::Defaults;

use crate::diagnostic::Diagnostic;
use crate::parse::parse_expression;
use crate::source::{Place, Source, Span};
use crate::syntax::{Call, Expression, Kind, Node};

const TYPES: &str = "types are string, number, bool, any, list(...), set(...), map(...), \
                     tuple([...]) and object({ name = ... })";

/// A type that values are converted to, with the defaults of its optional attributes.
///
/// ```
/// use tenon_hcl::{Constraint, Source, parse_expression};
/// use tenon_values::json;
///
/// let text = "object({ name = string, port = optional(number, 80) })";
/// let constraint = Constraint::read(&parse_expression(&Source::new("type", text))?)?;
/// let value = json::implied(br#"{"name": "web"}"#).unwrap();
/// assert_eq!(constraint.convert(&value).unwrap().to_string(), r#"{ name = "web", port = 80 }"#);
/// # Ok::<(), tenon_hcl::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The type, with its optional attributes.
    pub ty: Type,
    /// The defaults of the optional attributes.
    pub defaults: Defaults,
}

impl Constraint {
    /// Reads a type such as `list(object({ a = optional(string, "x") }))`, or the same in quotes.
    ///
    /// # Errors
    /// It is not a type, or a default does not fit the type of its attribute.
    pub fn read(expression: &Expression) -> Result<Constraint, Diagnostic> {
        let Some(text) = expression.as_literal().and_then(Value::as_str) else {
            return Constraint::of_node(&expression.source, &expression.root);
        };
        let quoted = parse_expression(&Source::new("type", text));
        let constraint =
            quoted.and_then(|quoted| Constraint::of_node(&quoted.source, &quoted.root));
        // Places inside of the quotes are of no use outside of them.
        constraint.map_err(|error| Diagnostic {
            place: Some(expression.place()),
            ..error
        })
    }

    /// Converts a value to the type, with defaults for attributes that are missing or null.
    ///
    /// # Errors
    /// It cannot be converted.
    pub fn convert(&self, value: &Value) -> Result<Value, tenon_values::Error> {
        convert(&self.defaults.apply(value), &self.ty)
    }

    pub(crate) fn of_node(source: &Arc<Source>, node: &Node) -> Result<Constraint, Diagnostic> {
        Reader { source }.constraint(node)
    }
}

impl From<Type> for Constraint {
    fn from(ty: Type) -> Constraint {
        Constraint {
            ty,
            defaults: Defaults::default(),
        }
    }
}

struct Reader<'a> {
    source: &'a Arc<Source>,
}

impl Reader<'_> {
    fn wrong(&self, span: Span, problem: impl Into<String>) -> Diagnostic {
        Diagnostic::error("this is not a type")
            .at(Place::new(self.source, span))
            .label(problem)
            .help(TYPES)
    }

    fn constraint(&self, node: &Node) -> Result<Constraint, Diagnostic> {
        match &node.kind {
            Kind::Variable(word) => match word.parse::<Type>() {
                Ok(ty) => Ok(ty.into()),
                Err(error) => Err(self.wrong(node.span, error.message)),
            },
            Kind::Call(call) => self.constructed(call, node.span),
            _ => Err(self.wrong(node.span, "a type is required")),
        }
    }

    /// `list(...)` and the like.
    fn constructed(&self, call: &Call, span: Span) -> Result<Constraint, Diagnostic> {
        let collection: fn(Type) -> Type = match &*call.name {
            "list" => Type::list,
            "set" => Type::set,
            "map" => Type::map,
            "tuple" => return self.tuple(call, span),
            "object" => return self.object(call, span),
            word => {
                let problem = match word.parse::<Type>() {
                    Ok(_) => format!("`{word}` takes no arguments"),
                    Err(error) => error.message,
                };
                return Err(self.wrong(call.name_span, problem));
            }
        };
        let element = self.constraint(self.only(call, span)?)?;
        Ok(Constraint {
            ty: collection(element.ty),
            defaults: Defaults::of_each(element.defaults),
        })
    }

    fn only<'n>(&self, call: &'n Call, span: Span) -> Result<&'n Node, Diagnostic> {
        match call.arguments.as_slice() {
            [only] => Ok(only),
            _ => Err(self.wrong(span, format!("`{}` takes one argument", call.name))),
        }
    }

    fn tuple(&self, call: &Call, span: Span) -> Result<Constraint, Diagnostic> {
        let only = self.only(call, span)?;
        let Kind::Tuple(elements) = &only.kind else {
            return Err(self.wrong(only.span, "a list of types is required: `tuple([string])`"));
        };
        let elements: Result<Vec<Constraint>, Diagnostic> =
            elements.iter().map(|node| self.constraint(node)).collect();
        let (types, defaults): (Vec<_>, Vec<_>) = elements?
            .into_iter()
            .map(|element| (element.ty, element.defaults))
            .unzip();
        Ok(Constraint {
            ty: Type::tuple(types),
            defaults: Defaults::of_elements(defaults),
        })
    }

    fn object(&self, call: &Call, span: Span) -> Result<Constraint, Diagnostic> {
        let only = self.only(call, span)?;
        let Kind::Object(items) = &only.kind else {
            let problem = "attributes in braces are required: `object({ name = string })`";
            return Err(self.wrong(only.span, problem));
        };
        let mut attributes: Vec<Attribute> = Vec::new();
        let mut values = BTreeMap::new();
        let mut inside = BTreeMap::new();
        for (key, node) in items {
            let name = match &key.kind {
                Kind::Literal(name) => name.as_str(),
                _ => None,
            };
            let Some(name) = name else {
                return Err(self.wrong(key.span, "the name of an attribute is required"));
            };
            if attributes.iter().any(|attribute| attribute.name == name) {
                let problem = format!("the attribute {name:?} is defined twice");
                return Err(self.wrong(key.span, problem));
            }
            let (constraint, is_optional, default) = self.attribute(node)?;
            values.extend(default.map(|value| {
                let ty = constraint.ty.clone();
                (name.to_owned(), DefaultValue { ty, value })
            }));
            if !constraint.defaults.is_empty() {
                inside.insert(name.to_owned(), constraint.defaults);
            }
            attributes.push(Attribute {
                name: name.into(),
                ty: constraint.ty,
                is_optional,
            });
        }
        Ok(Constraint {
            ty: Type::Object(ObjectType::new(attributes)),
            defaults: Defaults::of_attributes(values, inside),
        })
    }

    /// The type of an attribute, whether it is optional, and its default.
    fn attribute(&self, node: &Node) -> Result<(Constraint, bool, Option<Value>), Diagnostic> {
        let call = match &node.kind {
            Kind::Call(call) if &*call.name == "optional" => call,
            _ => return Ok((self.constraint(node)?, false, None)),
        };
        match call.arguments.as_slice() {
            [ty] => Ok((self.constraint(ty)?, true, None)),
            [ty, default] => {
                let constraint = self.constraint(ty)?;
                let default = self.default(default, &constraint.ty)?;
                Ok((constraint, true, Some(default)))
            }
            _ => {
                let problem = "`optional` takes a type and optionally a default";
                Err(self.wrong(node.span, problem))
            }
        }
    }

    fn default(&self, node: &Node, ty: &Type) -> Result<Value, Diagnostic> {
        let expression = Expression::new(self.source, node.clone());
        let value = expression.constant();
        // The first error will do: the type is not read any further either.
        let value = value.map_err(|mut errors| errors.swap_remove(0))?;
        convert(&value, ty).map_err(|error| {
            Diagnostic::error("the default does not fit the type of its attribute")
                .at(expression.place())
                .label(match value.contains_marked() {
                    true => format!("a value of type {} is required", ty.friendly()),
                    false => error.to_string(),
                })
        })
    }
}
