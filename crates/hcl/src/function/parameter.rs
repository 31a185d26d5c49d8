//! Parameters of functions.

use tenon_values::Type;

/// One parameter of a [`Function`](crate::Function).
///
/// An argument is converted to the parameter's type. Null is refused; an argument that is unknown,
/// or of a type that is, makes the result unknown; marks are taken off and put on the result. The
/// `or_` methods hand such arguments to the function's body instead.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) takes_null: bool,
    pub(super) takes_unknown: bool,
    pub(super) takes_dynamic: bool,
    pub(super) takes_marked: bool,
}

impl Parameter {
    /// A parameter of this type.
    pub fn new(name: impl Into<String>, ty: Type) -> Parameter {
        Parameter {
            name: name.into(),
            ty,
            takes_null: false,
            takes_unknown: false,
            takes_dynamic: false,
            takes_marked: false,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type that arguments are converted to.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The body is called with null, too.
    #[must_use]
    pub fn or_null(mut self) -> Parameter {
        self.takes_null = true;
        self
    }

    /// The body is called with unknown values of a known type, too.
    #[must_use]
    pub fn or_unknown(mut self) -> Parameter {
        self.takes_unknown = true;
        self
    }

    /// The body is called with unknown values, too, even if their type is not known.
    #[must_use]
    pub fn or_dynamic(mut self) -> Parameter {
        self.takes_unknown = true;
        self.takes_dynamic = true;
        self
    }

    /// The body is called with marked arguments, and has to mark its result.
    #[must_use]
    pub fn or_marked(mut self) -> Parameter {
        self.takes_marked = true;
        self
    }
}

/// A parameter that takes a string.
pub(crate) fn string(name: &str) -> Parameter {
    Parameter::new(name, Type::String)
}

/// A parameter that takes a number.
pub(crate) fn number(name: &str) -> Parameter {
    Parameter::new(name, Type::Number)
}

/// A parameter that takes values of any type as they are.
pub(crate) fn any(name: &str) -> Parameter {
    Parameter::new(name, Type::Dynamic)
}

/// A parameter that takes a list of these.
pub(crate) fn list(name: &str, element: Type) -> Parameter {
    Parameter::new(name, Type::list(element))
}
