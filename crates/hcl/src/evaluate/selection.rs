//! Steps from a value to a value in it: attributes, indexes and splats.

use tenon_values::convert::{Safety, convert, unify};
use tenon_values::{Kind as ValueKind, Problem, Type, Value};

use super::{Evaluated, Evaluator, Locals, Reported};
use crate::scope::did_you_mean;
use crate::source::Span;
use crate::syntax::{Node, Step, StepKind};

impl Evaluator<'_> {
    /// Goes the steps. `span` is where the value comes from.
    pub(super) fn follow(
        &mut self,
        mut value: Value,
        steps: &[Step],
        mut span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let mut rest = steps;
        while let Some((step, after)) = rest.split_first() {
            rest = after;
            value = match &step.kind {
                StepKind::Attribute(name) => self.attribute(&value, name, span, step.span)?,
                StepKind::Index(key) | StepKind::LegacyIndex(key) => {
                    self.index(&value, key, span, locals)?
                }
                StepKind::FullSplat => return self.splat(&value, after, span, locals),
                StepKind::AttributeSplat => {
                    let has_dot = |step: &&Step| {
                        matches!(step.kind, StepKind::Attribute(_) | StepKind::LegacyIndex(_))
                    };
                    let taken = after.iter().take_while(has_dot).count();
                    let (along, after) = after.split_at(taken);
                    rest = after;
                    self.splat(&value, along, span, locals)?
                }
            };
            span = span.to(step.span);
        }
        Ok(value)
    }

    fn attribute(&mut self, value: &Value, name: &str, from: Span, at: Span) -> Evaluated {
        let (inner, marks) = value.unmark();
        if inner.is_null() {
            return Err(self.is_null(from, at));
        }
        let found = match inner.ty() {
            Type::Map(_) => inner.index(&Value::string(name)),
            _ => inner.attribute(name),
        };
        found
            .map(|found| found.with_marks(&marks))
            .map_err(|error| match error.problem() {
                Problem::UnsupportedAttribute(_) => {
                    self.no_attribute(&inner, name, value.is_marked(), at)
                }
                Problem::NoElement(_) => self.no_element(&inner, name, value.is_marked(), at),
                _ => self.no_attributes(&inner, name, at),
            })
    }

    fn is_null(&mut self, from: Span, at: Span) -> Reported {
        let diagnostic = self
            .error(
                "this value is null, so it has no attributes or elements",
                at,
            )
            .related(self.place(from), "this is null");
        self.report(diagnostic)
    }

    fn no_attribute(&mut self, value: &Value, name: &str, is_marked: bool, at: Span) -> Reported {
        let mut diagnostic = self.error(format!("there is no attribute {name:?}"), at);
        // The names in a marked object may be secrets as well: `{ (var.secret) = 1 }`.
        if let (Type::Object(object), false) = (value.ty(), is_marked) {
            let names = object.attributes().iter().map(|attribute| &*attribute.name);
            diagnostic.help = did_you_mean(name, names);
        }
        self.report(diagnostic)
    }

    fn no_element(&mut self, map: &Value, name: &str, is_marked: bool, at: Span) -> Reported {
        let mut diagnostic = self.error(format!("there is no element {name:?}"), at);
        // The keys of a marked map are as secret as its values.
        if let Some(entries) = map.entries().filter(|_| !is_marked) {
            let names = entries.iter().filter_map(|(key, _)| key.as_str());
            diagnostic.help = did_you_mean(name, names);
        }
        self.report(diagnostic)
    }

    fn no_attributes(&mut self, value: &Value, name: &str, at: Span) -> Reported {
        let ty = value.ty();
        let diagnostic = self.error(
            format!("a {} has no attributes, so no {name:?}", ty.friendly()),
            at,
        );
        let diagnostic = match ty {
            Type::List(_) | Type::Tuple(_) => {
                diagnostic.help(format!("take one element with [0], or all with [*].{name}"))
            }
            Type::Set(_) => diagnostic.help(format!("[*].{name} is that of all elements")),
            _ => diagnostic,
        };
        self.report(diagnostic)
    }

    fn index(&mut self, value: &Value, key: &Node, from: Span, locals: Locals<'_>) -> Evaluated {
        let key_value = self.value(key, locals)?;
        let (inner, marks) = value.unmark();
        if inner.is_null() {
            return Err(self.is_null(from, key.span));
        }
        let wanted = match inner.ty() {
            Type::List(_) | Type::Tuple(_) => Type::Number,
            Type::Map(_) | Type::Object(_) => Type::String,
            Type::Dynamic => {
                let (_, key_marks) = key_value.unmark();
                let unknown = Value::unknown(Type::Dynamic).with_marks(&marks);
                return Ok(unknown.with_marks(&key_marks));
            }
            ty => return Err(self.not_indexable(&ty, key.span)),
        };
        if key_value.unmark().0.is_null() {
            return Err(self.fail("null cannot be a key", key.span));
        }
        let what = match wanted {
            Type::Number => "the elements of a list are numbered",
            _ => "a key must be a string",
        };
        let key_value = self.converted(&key_value, &wanted, key.span, what)?;
        let found = match inner.kind() {
            _ if matches!(inner.ty(), Type::Object(_)) => {
                return self
                    .attribute_by_key(&inner, &key_value, value.is_marked(), key.span)
                    .map(|found| found.with_marks(&marks));
            }
            _ => inner.index(&key_value),
        };
        found
            .map(|found| found.with_marks(&marks))
            .map_err(|error| {
                let diagnostic = match (error.problem(), inner.length()) {
                    (Problem::NoElement(shown), Ok(length)) if !value.is_marked() => self
                        .error(format!("there is no element {shown}"), key.span)
                        .label(match wanted {
                            Type::Number => format!("there are {length}, numbered from 0"),
                            _ => format!("there are {length} elements"),
                        }),
                    (Problem::NoElement(shown), _) => {
                        self.error(format!("there is no element {shown}"), key.span)
                    }
                    _ => self.error(error.to_string(), key.span),
                };
                self.report(diagnostic)
            })
    }

    fn attribute_by_key(
        &mut self,
        object: &Value,
        key: &Value,
        is_marked: bool,
        at: Span,
    ) -> Evaluated {
        let (name, marks) = key.unmark();
        let Some(name) = name.as_text() else {
            return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
        };
        let name = name.to_string_lossy();
        match object.attribute(&name) {
            Ok(found) => Ok(found.with_marks(&marks)),
            Err(_) if !marks.is_empty() => Err(self.fail(
                "there is no attribute with this name; the name is sensitive",
                at,
            )),
            Err(_) => Err(self.no_attribute(object, &name, is_marked, at)),
        }
    }

    fn not_indexable(&mut self, ty: &Type, at: Span) -> Reported {
        let diagnostic = self.error(format!("a {} has no elements to index", ty.friendly()), at);
        let diagnostic = match ty {
            Type::Set(_) => {
                diagnostic.help("the elements of a set have no order; tolist(...) gives them one")
            }
            _ => diagnostic,
        };
        self.report(diagnostic)
    }

    /// Takes the same steps from every element. A value that is not a sequence counts as a sequence
    /// of one element, and null as an empty one.
    fn splat(
        &mut self,
        value: &Value,
        steps: &[Step],
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        /// Each splat nests the result one level deeper.
        const SPLATS: usize = 32;
        let nested = steps
            .iter()
            .filter(|step| matches!(step.kind, StepKind::FullSplat));
        if nested.count() >= SPLATS {
            let summary = format!("more than {SPLATS} consecutive `[*]`");
            return Err(self.fail(summary, span));
        }
        let (inner, marks) = value.unmark();
        let is_sequence = matches!(inner.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if inner.is_null() {
            return match is_sequence {
                true => Err(self.fail("null has no elements", span)),
                false => Ok(Value::tuple(Vec::new()).with_marks(&marks)),
            };
        }
        if inner.ty() == Type::Dynamic {
            return Ok(inner.with_marks(&marks));
        }
        if !is_sequence {
            let only = self.follow(inner.clone(), steps, span, locals)?;
            // Should it turn out to be null, there would be no element at all.
            let is_certain = inner.is_known() || inner.range().is_not_null();
            return Ok(match is_certain {
                true => Value::tuple(vec![only]),
                false => Value::unknown(Type::Dynamic),
            }
            .with_marks(&marks));
        }
        let result = match inner.kind() {
            ValueKind::List(values) | ValueKind::Set(values) => {
                let values = self.follow_each(values, steps, span, locals)?;
                self.list_of(values, &inner, steps, span, locals)?
            }
            ValueKind::Tuple(values) => {
                Value::tuple(self.follow_each(values, steps, span, locals)?)
            }
            _ => self.unknown_splat(&inner, steps, span, locals)?,
        };
        Ok(result.with_marks(&marks))
    }

    fn follow_each(
        &mut self,
        values: &[Value],
        steps: &[Step],
        span: Span,
        locals: Locals<'_>,
    ) -> Result<Vec<Value>, Reported> {
        let mut followed = Vec::with_capacity(values.len());
        for value in values {
            self.spend(1, span)?;
            followed.push(self.follow(value.clone(), steps, span, locals)?);
        }
        Ok(followed)
    }

    fn list_of(
        &mut self,
        values: Vec<Value>,
        from: &Value,
        steps: &[Step],
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        for value in &values {
            self.spend_on(value, span)?;
        }
        let types: Vec<Type> = values.iter().map(Value::ty).collect();
        let element = match types.first() {
            None => {
                let element = from.ty().element().cloned().unwrap_or(Type::Dynamic);
                self.follow(Value::unknown(element), steps, span, locals)?
                    .ty()
            }
            Some(_) => match unify(&types, Safety::Unsafe) {
                Some(element) => element,
                None => {
                    let diagnostic = self
                        .error(
                            "the elements that [*] leads to are of different types",
                            span,
                        )
                        .help("a `for` expression can put them into a tuple");
                    return Err(self.report(diagnostic));
                }
            },
        };
        let values = values
            .iter()
            .map(|value| convert(value, &element))
            .collect();
        let list = |values| Value::list(element.clone(), values);
        Result::and_then(values, list).map_err(|error| self.fail(error.to_string(), span))
    }

    fn unknown_splat(
        &mut self,
        value: &Value,
        steps: &[Step],
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let mut element = |ty: &Type| -> Result<Type, Reported> {
            self.spend(1, span)?;
            let unknown = Value::unknown(ty.clone());
            Ok(self.follow(unknown, steps, span, locals)?.ty())
        };
        let ty = match value.ty() {
            Type::List(ty) | Type::Set(ty) => Type::list(element(&ty)?),
            Type::Tuple(tuple) => Type::tuple(
                tuple
                    .elements()
                    .iter()
                    .map(element)
                    .collect::<Result<Vec<_>, _>>()?,
            ),
            _ => Type::Dynamic,
        };
        let unknown = Value::unknown(ty);
        let range = value.range();
        let refined = unknown.refine_not_null().and_then(|refined| {
            let refined = match refined.ty() {
                Type::List(_) => refined.refine_shortest(range.shortest())?,
                _ => return Ok(refined),
            };
            match range.longest() {
                Some(longest) => refined.refine_longest(longest),
                None => Ok(refined),
            }
        });
        Ok(refined.unwrap_or(unknown))
    }
}
