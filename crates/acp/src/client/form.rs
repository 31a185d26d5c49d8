//! Questions with fields: the JSON Schema of `elicitation/create` as types, and checks of what the user types.

mod field;
mod reading;

use serde_json::{Map, Value};
use tenon_protocols::acp::Raw;

pub use field::{Choice, Field, FieldKind, Format};

/// The fields that an agent asks for, in the order in which it wrote them.
///
/// ```
/// use tenon_acp::client::Form;
/// use tenon_protocols::acp::Raw;
///
/// let schema = r#"{"type": "object", "required": ["port"], "properties": {
///     "port": {"type": "integer", "title": "Port", "minimum": 1, "maximum": 65535}
/// }}"#;
/// let form = Form::read(&Raw::parse(schema)?)?;
/// let port = &form.fields[0];
/// assert_eq!(port.parse("8080")?, Some(8080.into()));
/// assert_eq!(port.parse("0").unwrap_err(), "at least 1 required");
/// assert_eq!(port.parse("").unwrap_err(), "a value is required");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Form {
    /// What the whole form is about.
    pub title: Option<String>,
    /// The fields.
    pub fields: Vec<Field>,
}

/// Why a schema is not a form: it has something that forms cannot have, such as nested objects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct FormError {
    problem: String,
}

impl FormError {
    fn new(problem: impl Into<String>) -> FormError {
        FormError {
            problem: problem.into(),
        }
    }
}

impl Form {
    /// Reads the schema of a form: a flat object of texts, numbers, flags and choices.
    ///
    /// # Errors
    /// It is not such a schema.
    pub fn read(schema: &Raw) -> Result<Form, FormError> {
        reading::read(schema)
    }

    /// Checks the values of all fields.
    ///
    /// # Errors
    /// The first field whose value is missing or wrong, or the name of a value that is not a field.
    pub fn check(&self, content: &Map<String, Value>) -> Result<(), FormError> {
        for field in &self.fields {
            match content.get(&field.name) {
                Some(value) => field.check(value),
                None if field.is_required => Err("a value is required".to_owned()),
                None => Ok(()),
            }
            .map_err(|problem| FormError::new(format!("{}: {problem}", field.name)))?;
        }
        let is_field = |name: &str| self.fields.iter().any(|field| field.name == name);
        match content.keys().find(|name| !is_field(name)) {
            Some(name) => Err(FormError::new(format!(
                "{name}: the form does not have this field"
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
