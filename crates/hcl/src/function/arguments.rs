//! What a body is called with.

use std::ops::Index;

use tenon_values::{Number, Type, Value};

use super::FunctionError;

/// The arguments of one call, as the parameters ask for them.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    pub(super) values: &'a [Value],
    pub(super) result: &'a Type,
}

impl<'a> Arguments<'a> {
    /// All of them.
    pub fn all(&self) -> &'a [Value] {
        self.values
    }

    /// The type that the result has, as it was found before the body was called.
    pub fn result_type(&self) -> &'a Type {
        self.result
    }

    /// The string at this place.
    ///
    /// # Errors
    /// It is no string, or not UTF-8.
    pub fn text(&self, index: usize) -> Result<&'a str, FunctionError> {
        let required = || FunctionError::new("a string is required").at(index);
        let text = self.values.get(index).and_then(Value::as_text);
        let not_utf8 = || FunctionError::new("the text is not UTF-8").at(index);
        text.ok_or_else(required)?.as_str().ok_or_else(not_utf8)
    }

    /// The number at this place.
    ///
    /// # Errors
    /// It is no number.
    pub fn number(&self, index: usize) -> Result<&'a Number, FunctionError> {
        let required = || FunctionError::new("a number is required").at(index);
        let number = self.values.get(index).and_then(Value::as_number);
        number.ok_or_else(required)
    }

    /// The whole number at this place.
    ///
    /// # Errors
    /// It is none, or one of more than 64 bits.
    pub fn whole(&self, index: usize) -> Result<i64, FunctionError> {
        let number = self.number(index)?;
        number.to_i64().ok_or_else(|| {
            let error = FunctionError::new("a whole number of at most 64 bits is required");
            error.at(index).because(number.to_short_text())
        })
    }

    /// The elements of the list, set or tuple at this place.
    ///
    /// # Errors
    /// It is none, or not known.
    pub fn elements(&self, index: usize) -> Result<&'a [Value], FunctionError> {
        let required = || FunctionError::new("a list, set or tuple is required").at(index);
        let elements = self.values.get(index).and_then(Value::elements);
        elements.ok_or_else(required)
    }
}

impl Index<usize> for Arguments<'_> {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        &self.values[index]
    }
}
