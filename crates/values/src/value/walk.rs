//! Visiting and rebuilding what is inside a value.

use std::sync::Arc;

use crate::error::Error;
use crate::path::{Path, Step};
use crate::types::Type;
use crate::value::{Content, Kind, Value, construction};

impl Value {
    /// Calls `visit` with the value and everything inside it, the outer before the inner. What is
    /// below a value for which `visit` returns false is skipped.
    pub fn walk(&self, visit: &mut impl FnMut(&Path, &Value) -> bool) {
        self.walk_at(&mut Path::root(), visit);
    }

    fn walk_at(&self, path: &mut Path, visit: &mut impl FnMut(&Path, &Value) -> bool) {
        if !visit(path, self) {
            return;
        }
        self.each_inside(|step, value| {
            path.push(step);
            value.walk_at(path, visit);
            path.pop();
        });
    }

    /// Calls `visit` with every value directly inside this one, seeing through marks.
    fn each_inside(&self, mut visit: impl FnMut(Step, &Value)) {
        let value = self.unmarked();
        match value.kind() {
            Kind::List(values) | Kind::Tuple(values) | Kind::Set(values) => {
                for (index, inside) in values.iter().enumerate() {
                    visit(Step::to_element(value.ty_ref(), index), inside);
                }
            }
            Kind::Map(entries) => {
                entries
                    .iter()
                    .for_each(|(key, value)| visit(Step::Key(key.clone()), value));
            }
            Kind::Object(attributes) => {
                attributes
                    .iter()
                    .for_each(|(name, value)| visit(Step::Attribute(name.into()), value));
            }
            _ => {}
        }
    }

    /// The value with everything in it, the inner before the outer, replaced by what `change`
    /// makes of it. The types of what contains a changed value are found anew.
    ///
    /// # Errors
    /// One of `change`, or the elements of a collection no longer have one type.
    pub fn transform(
        &self,
        change: &mut impl FnMut(&Path, Value) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        self.transform_at(&mut Path::root(), change)
    }

    fn transform_at(
        &self,
        path: &mut Path,
        change: &mut impl FnMut(&Path, Value) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        let mut values = Vec::new();
        let mut failed = None;
        self.each_inside(|step, value| {
            if failed.is_some() {
                return;
            }
            path.push(step);
            match value.transform_at(path, change) {
                Ok(value) => values.push(value),
                Err(error) => failed = Some(error),
            }
            path.pop();
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let rebuilt = self.rebuilt(values).map_err(|error| at(path, error))?;
        change(path, rebuilt)
    }

    /// This value with others inside, given in the order of [`Value::each_inside`].
    fn rebuilt(&self, values: Vec<Value>) -> Result<Value, Error> {
        let (value, marks) = self.unmark();
        if values.is_empty() {
            return Ok(self.clone());
        }
        let rebuilt = match (&value.0, value.ty_ref()) {
            (_, Type::List(_)) => Value::list(Type::Dynamic, values)?,
            (_, Type::Set(_)) => Value::set(Type::Dynamic, values)?,
            (_, Type::Tuple(_)) => Value::tuple(values),
            (_, Type::Object(ty)) => {
                let names = ty
                    .attributes()
                    .iter()
                    .map(|attribute| attribute.name.as_str());
                Value::object(names.zip(values))
            }
            (Content::Map(map), _) => {
                let (element, values) = construction::of_one_type(Type::Dynamic, values)?;
                let keys = map.items().iter().map(|(key, _)| key.clone());
                Value::map_of(Type::Map(Arc::new(element)), keys.zip(values))
            }
            _ => value,
        };
        Ok(rebuilt.with_marks(&marks))
    }

    /// The value with null in the place of everything unknown.
    #[must_use]
    pub fn unknown_as_null(&self) -> Value {
        let replace = |_: &Path, value: Value| match value.is_known() {
            true => Ok(value),
            false => Ok(Value::null(value.ty()).with_marks(&value.marks())),
        };
        self.transform(&mut { replace })
            .unwrap_or_else(|_| Value::null(self.ty()))
    }
}

fn at(path: &Path, error: Error) -> Error {
    path.steps()
        .iter()
        .rev()
        .fold(error, |error, step| error.below(step.clone()))
}
