//! `for` expressions.

use std::collections::BTreeMap;

use tenon_values::{Kind as ValueKind, Marks, Type, Value};

use super::{Evaluated, Evaluator, Local, Locals, Reported};
use crate::syntax::{Each, For, Node};

/// What is iterated over: pairs of a key and a value.
pub(super) enum Collection {
    Known(Vec<(Value, Value)>),
    /// Its elements are not known yet.
    Unknown,
}

impl Evaluator<'_> {
    pub(super) fn for_expression(&mut self, expression: &For, locals: Locals<'_>) -> Evaluated {
        let (collection, mut marks) = self.collection(&expression.each, locals)?;
        let Collection::Known(pairs) = collection else {
            return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
        };
        let mut result = ForResult::new(expression);
        let mut failed = false;
        for (key, value) in &pairs {
            let round = self.with_locals(&expression.each, key, value, locals, |this, locals| {
                this.round(expression, locals, &mut marks, &mut result)
            });
            failed |= round.is_err();
        }
        if failed {
            return Err(Reported);
        }
        Ok(result.into_value().with_marks(&marks))
    }

    fn round(
        &mut self,
        expression: &For,
        locals: Locals<'_>,
        marks: &mut Marks,
        result: &mut ForResult,
    ) -> Result<(), Reported> {
        if let Some(condition) = &expression.condition {
            let (is_wanted, condition_marks) = self.condition(condition, locals)?.unmark();
            marks.extend(&condition_marks);
            match is_wanted.as_bool() {
                Some(true) => {}
                Some(false) => return Ok(()),
                None => {
                    result.is_known = false;
                    return Ok(());
                }
            }
        }
        let key = { expression.key.as_ref() }.map(|key| (key, self.key_text(key, locals, marks)));
        let value = self.value(&expression.value, locals);
        match (key, value) {
            (None, Ok(value)) => result.elements.push(value),
            (Some((node, Ok(Some(key)))), Ok(value)) => {
                let values = result.groups.entry(key).or_default();
                values.push(value);
                if values.len() > 1 && !expression.is_grouped {
                    return Err(self.duplicate(node, marks));
                }
            }
            (Some((_, Ok(None))), Ok(_)) => result.is_known = false,
            _ => return Err(Reported),
        }
        Ok(())
    }

    fn duplicate(&mut self, node: &Node, marks: &Marks) -> Reported {
        let mut diagnostic = self
            .error("two elements have the same key", node.span)
            .help("write `...` after the value to get all values of a key together");
        if !marks.is_empty() {
            diagnostic = diagnostic.note("the key is marked, so it is not shown");
        }
        self.report(diagnostic)
    }

    /// What a `for` goes through, and the marks on it as a whole.
    pub(super) fn collection(
        &mut self,
        each: &Each,
        locals: Locals<'_>,
    ) -> Result<(Collection, Marks), Reported> {
        let node = &each.collection;
        let (value, marks) = self.value(node, locals)?.unmark();
        if value.is_null() {
            return Err(self.fail("null cannot be iterated over", node.span));
        }
        let can_have_elements = match value.ty() {
            Type::Dynamic => true,
            ty => ty.is_collection() || ty.is_structural(),
        };
        if !can_have_elements {
            let found = value.ty().friendly();
            let diagnostic = self
                .error("this value cannot be iterated over", node.span)
                .label(format!("this is a {found}"));
            return Err(self.report(diagnostic));
        }
        let numbered = |values: &[Value]| {
            let pair = |(index, value): (usize, &Value)| (Value::from(index as u64), value.clone());
            values.iter().enumerate().map(pair).collect()
        };
        let pairs = match value.kind() {
            ValueKind::List(values) | ValueKind::Tuple(values) => numbered(values),
            // The elements of a set are their own keys.
            ValueKind::Set(values) => values.iter().map(|v| (v.clone(), v.clone())).collect(),
            ValueKind::Map(entries) => entries
                .iter()
                .map(|(key, value)| (Value::from(key.clone()), value.clone()))
                .collect(),
            ValueKind::Object(attributes) => attributes
                .iter()
                .map(|(name, value)| (Value::string(name), value.clone()))
                .collect(),
            _ => return Ok((Collection::Unknown, marks)),
        };
        Ok((Collection::Known(pairs), marks))
    }

    /// Evaluates something with the names of a `for` standing for one pair.
    pub(super) fn with_locals<T>(
        &mut self,
        each: &Each,
        key: &Value,
        value: &Value,
        outer: Locals<'_>,
        evaluate: impl FnOnce(&mut Self, Locals<'_>) -> T,
    ) -> T {
        let key = each.key.as_deref().map(|name| Local {
            name,
            value: key,
            outer,
        });
        let value = Local {
            name: &each.value,
            value,
            outer: key.as_ref().or(outer),
        };
        evaluate(self, Some(&value))
    }
}

/// What the rounds of a `for` have come to so far.
struct ForResult {
    is_object: bool,
    is_grouped: bool,
    is_known: bool,
    elements: Vec<Value>,
    groups: BTreeMap<String, Vec<Value>>,
}

impl ForResult {
    fn new(expression: &For) -> ForResult {
        ForResult {
            is_object: expression.key.is_some(),
            is_grouped: expression.is_grouped,
            is_known: true,
            elements: Vec::new(),
            groups: BTreeMap::new(),
        }
    }

    fn into_value(self) -> Value {
        if !self.is_known {
            return Value::unknown(Type::Dynamic);
        }
        if !self.is_object {
            return Value::tuple(self.elements);
        }
        let is_grouped = self.is_grouped;
        Value::object(self.groups.into_iter().filter_map(|(key, mut values)| {
            let value = match is_grouped {
                true => Value::tuple(values),
                false => values.pop()?,
            };
            Some((key, value))
        }))
    }
}
