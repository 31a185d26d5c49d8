//! The arguments that a body is called with.

use std::ops::Index;

use tenon_values::{Number, Type, Value};

use super::FunctionError;

/// The arguments of one call, converted for their parameters. Access to an argument without a
/// parameter panics.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    pub(super) values: &'a [Value],
    pub(super) result: &'a Type,
    pub(super) may_be_null: bool,
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

    /// A result that is not known yet, of that type.
    pub fn unknown(&self) -> Value {
        let unknown = Value::unknown(self.result.clone());
        match self.may_be_null {
            true => unknown,
            false => unknown.refine_not_null().unwrap_or(unknown),
        }
    }

    /// The string at this place.
    ///
    /// # Errors
    /// It is not a string, or not UTF-8.
    pub fn text(&self, index: usize) -> Result<&'a str, FunctionError> {
        let value = &self.values[index];
        let required = || FunctionError::required("a string", value).at(index);
        let not_utf8 = || FunctionError::new("the text is not UTF-8").at(index);
        let text = value.as_text().ok_or_else(required)?;
        text.as_str().ok_or_else(not_utf8)
    }

    /// The number at this place.
    ///
    /// # Errors
    /// It is not a number.
    pub fn number(&self, index: usize) -> Result<&'a Number, FunctionError> {
        let value = &self.values[index];
        let required = || FunctionError::required("a number", value).at(index);
        value.as_number().ok_or_else(required)
    }

    /// The whole number at this place.
    ///
    /// # Errors
    /// It is not a whole number, or has more than 64 bits.
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
    /// It is none of them, or unknown.
    pub fn elements(&self, index: usize) -> Result<&'a [Value], FunctionError> {
        let value = &self.values[index];
        let required = || FunctionError::required("a list, set or tuple", value).at(index);
        value.elements().ok_or_else(required)
    }
}

impl Index<usize> for Arguments<'_> {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        &self.values[index]
    }
}
