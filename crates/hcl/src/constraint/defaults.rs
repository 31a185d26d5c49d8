//! Defaults of optional attributes, at any depth of a type.

use std::collections::BTreeMap;

use tenon_values::convert::convert;
use tenon_values::{Kind, Type, Value};

/// What optional attributes are where they are missing or null.
///
/// They are put into a value before it is converted to its type, as Terraform does: what is put in
/// may have defaults inside itself, and null in the place of a whole object stays null unless that
/// object has a default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// Of the attributes of an object.
    values: BTreeMap<String, DefaultValue>,
    inside: Inside,
}

/// What an attribute of this type is where it is missing or null.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefaultValue {
    pub(super) ty: Type,
    pub(super) value: Value,
}

/// Defaults further inside.
#[derive(Clone, Debug, Default, PartialEq)]
enum Inside {
    #[default]
    Nothing,
    /// Of every element of a list, set or map.
    Each(Box<Defaults>),
    /// Of the elements of a tuple.
    Elements(Vec<Defaults>),
    /// Of attributes of an object.
    Attributes(BTreeMap<String, Defaults>),
}

impl Defaults {
    pub(super) fn of_each(element: Defaults) -> Defaults {
        match element.is_empty() {
            true => Defaults::default(),
            false => Inside::Each(Box::new(element)).into(),
        }
    }

    pub(super) fn of_elements(elements: Vec<Defaults>) -> Defaults {
        match elements.iter().all(Defaults::is_empty) {
            true => Defaults::default(),
            false => Inside::Elements(elements).into(),
        }
    }

    pub(super) fn of_attributes(
        values: BTreeMap<String, DefaultValue>,
        inside: BTreeMap<String, Defaults>,
    ) -> Defaults {
        Defaults {
            values,
            inside: match inside.is_empty() {
                true => Inside::Nothing,
                false => Inside::Attributes(inside),
            },
        }
    }

    /// There is no default at any depth.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.inside == Inside::Nothing
    }

    /// The value with the defaults in it. It still must be converted to the type they belong to.
    #[must_use]
    pub fn apply(&self, value: &Value) -> Value {
        if self.is_empty() {
            return value.clone();
        }
        let (bare, marks) = value.unmark();
        let complete = match bare.kind() {
            Kind::Object(attributes) => {
                let named = attributes.iter();
                self.object(named.map(|(name, value)| (name.to_owned(), value)))
            }
            Kind::Map(entries) => {
                let named = entries.iter();
                self.object(named.map(|(key, value)| (key.to_string_lossy().into_owned(), value)))
            }
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) if !values.is_empty() => {
                let elements = values.iter().enumerate();
                let complete = |(index, value)| match self.inside_element(index) {
                    Some(inside) => inside.apply(value),
                    None => value.clone(),
                };
                Value::tuple(elements.map(complete).collect())
            }
            _ => return value.clone(),
        };
        complete.with_marks(&marks)
    }

    fn object<'v>(&self, given: impl Iterator<Item = (String, &'v Value)>) -> Value {
        let mut complete: BTreeMap<String, Value> = given
            .map(|(name, value)| {
                let value = match self.inside_attribute(&name) {
                    Some(inside) => inside.apply(value),
                    None => value.clone(),
                };
                (name, value)
            })
            .collect();
        for (name, default) in &self.values {
            let value = match complete.get(name) {
                Some(value) if !value.is_known() => default.never_null(value),
                Some(value) if !value.unmark().0.is_null() => continue,
                _ => match self.inside_attribute(name) {
                    Some(inside) => inside.apply(&default.value),
                    None => default.value.clone(),
                },
            };
            complete.insert(name.clone(), value);
        }
        Value::object(complete)
    }

    fn inside_attribute(&self, name: &str) -> Option<&Defaults> {
        match &self.inside {
            Inside::Each(element) => Some(element),
            Inside::Attributes(attributes) => attributes.get(name),
            Inside::Elements(_) | Inside::Nothing => None,
        }
    }

    fn inside_element(&self, index: usize) -> Option<&Defaults> {
        match &self.inside {
            Inside::Each(element) => Some(element),
            Inside::Elements(elements) => elements.get(index),
            Inside::Attributes(_) | Inside::Nothing => None,
        }
    }
}

impl DefaultValue {
    /// What is not known yet will not be null: the default would take its place.
    fn never_null(&self, unknown: &Value) -> Value {
        let typed = match self.value.unmark().0.is_null() {
            true => return unknown.clone(),
            false => convert(unknown, &self.ty),
        };
        let refined = typed.and_then(|typed| typed.refine_not_null());
        refined.unwrap_or_else(|_| unknown.clone())
    }
}

impl From<Inside> for Defaults {
    fn from(inside: Inside) -> Defaults {
        Defaults {
            values: BTreeMap::new(),
            inside,
        }
    }
}
