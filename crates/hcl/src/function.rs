//! Functions, and the checks and conversions around their bodies.

mod arguments;
mod error;
pub(crate) mod parameter;

use tenon_values::{Marks, Type, Value, convert};

pub use arguments::Arguments;
pub use error::FunctionError;
pub use parameter::Parameter;

type Body = Box<dyn Fn(Arguments) -> Result<Value, FunctionError> + Send + Sync>;
type ResultType = Box<dyn Fn(&[Value]) -> Result<Type, FunctionError> + Send + Sync>;

/// A function that expressions can call.
///
/// The body gets arguments that are converted, known and not null, unless the [`Parameter`] allows
/// others:
///
/// ```
/// use tenon_hcl::{Function, Parameter};
/// use tenon_values::{Type, Value};
///
/// let double = Function::new("double", [Parameter::new("number", Type::Number)])
///     .describe("Twice the number.")
///     .gives(Type::Number, |arguments| {
///         let number = &arguments[0];
///         Ok(number.add(number)?)
///     });
/// assert_eq!(double.call(&[Value::from("21")])?, Value::from(42));
/// let error = double.call(&[]).unwrap_err();
/// assert_eq!(error.to_string(), "double(number) takes 1 argument: number is missing");
/// # Ok::<(), tenon_hcl::FunctionError>(())
/// ```
pub struct Function {
    name: String,
    description: String,
    parameters: Vec<Parameter>,
    variadic: Option<Parameter>,
    result: ResultType,
    may_be_null: bool,
    is_pure: bool,
    body: Body,
}

impl Function {
    /// A function of this name with these parameters. [`Function::gives`] adds the body.
    pub fn new(
        name: impl Into<String>,
        parameters: impl IntoIterator<Item = Parameter>,
    ) -> Function {
        Function {
            name: name.into(),
            description: String::new(),
            parameters: parameters.into_iter().collect(),
            variadic: None,
            result: Box::new(|_| Ok(Type::Dynamic)),
            may_be_null: false,
            is_pure: true,
            body: Box::new(|_| Ok(Value::NULL)),
        }
    }

    /// Adds a description of one line.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Function {
        self.description = description.into();
        self
    }

    /// The same function under another name.
    pub(crate) fn named(mut self, name: String) -> Function {
        self.name = name;
        self
    }

    /// Adds a variadic parameter.
    #[must_use]
    pub fn and_more(mut self, parameter: Parameter) -> Function {
        self.variadic = Some(parameter);
        self
    }

    /// Adds the body, which returns a value of this type; of any type with [`Type::Dynamic`].
    #[must_use]
    pub fn gives<B>(self, ty: Type, body: B) -> Function
    where
        B: Fn(Arguments) -> Result<Value, FunctionError> + Send + Sync + 'static,
    {
        self.gives_typed(move |_| Ok(ty.clone()), body)
    }

    /// Adds the body, and the function that finds the type of its result from the arguments, some of
    /// which may be unknown.
    #[must_use]
    pub fn gives_typed<T, B>(mut self, ty: T, body: B) -> Function
    where
        T: Fn(&[Value]) -> Result<Type, FunctionError> + Send + Sync + 'static,
        B: Fn(Arguments) -> Result<Value, FunctionError> + Send + Sync + 'static,
    {
        self.result = Box::new(ty);
        self.body = Box::new(body);
        self
    }

    /// The result may be null, so an unknown result is not refined to be not null.
    #[must_use]
    pub fn or_null(mut self) -> Function {
        self.may_be_null = true;
        self
    }

    /// The result differs from call to call.
    #[must_use]
    pub fn impure(mut self) -> Function {
        self.is_pure = false;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether the same arguments always give the same result. If not, the result is unknown in
    /// plans.
    pub fn is_pure(&self) -> bool {
        self.is_pure
    }

    /// The parameter of the argument at this place; none if there are too many arguments.
    pub fn parameter(&self, index: usize) -> Option<&Parameter> {
        self.parameters.get(index).or(self.variadic.as_ref())
    }

    /// Calls the function.
    ///
    /// # Errors
    /// There are too few or too many arguments, one does not fit its parameter, or the function has
    /// no result for them. The error does not quote marked arguments.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, FunctionError> {
        let called = self.call_openly(arguments, false);
        called.map_err(|error| self.told(error, arguments))
    }

    /// The result as far as it is known without a call: an unknown value of its type, with the marks
    /// of the arguments. For functions that are not pure, in plans.
    ///
    /// # Errors
    /// As for [`Function::call`], as far as they can be found without a call.
    pub fn foresee(&self, arguments: &[Value]) -> Result<Value, FunctionError> {
        let foreseen = self.call_openly(arguments, true);
        foreseen.map_err(|error| self.told(error, arguments))
    }

    fn told(&self, error: FunctionError, arguments: &[Value]) -> FunctionError {
        let parameter = error.argument.and_then(|index| self.parameter(index));
        let is_secret = arguments.iter().any(Value::contains_marked);
        error.told(parameter.map(Parameter::name), is_secret)
    }

    /// As [`Function::call`], with errors that quote the arguments. With `is_foreseen` the body is
    /// not called.
    fn call_openly(&self, arguments: &[Value], is_foreseen: bool) -> Result<Value, FunctionError> {
        self.check_count(arguments.len())?;
        let mut values = Vec::with_capacity(arguments.len());
        let mut marks = Marks::none();
        let (mut is_unknown, mut is_dynamic) = (is_foreseen, false);
        let parameters = self.parameters.iter().chain(self.variadic.iter().cycle());
        for (index, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            let value = parameter
                .convert(argument)
                .map_err(|error| error.at(index))?;
            is_unknown |= !value.is_known() && !parameter.takes_unknown;
            is_dynamic |= is_untyped(&value) && !parameter.takes_dynamic;
            values.push(match parameter.takes_marked {
                true => value,
                false => unmark(&value, &mut marks),
            });
        }
        let result = match is_dynamic {
            true => Type::Dynamic,
            false => (self.result)(&values)?,
        };
        let arguments = Arguments {
            values: &values,
            result: &result,
            may_be_null: self.may_be_null,
        };
        if !is_unknown && !is_dynamic {
            return Ok((self.body)(arguments)?.with_marks(&marks));
        }
        for value in &values {
            unmark(value, &mut marks);
        }
        Ok(arguments.unknown().with_marks(&marks))
    }

    fn check_count(&self, given: usize) -> Result<(), FunctionError> {
        let wanted = self.parameters.len();
        let is_right = match self.variadic {
            Some(_) => given >= wanted,
            None => given == wanted,
        };
        if is_right {
            return Ok(());
        }
        let names: Vec<&str> = self.parameters.iter().map(Parameter::name).collect();
        let more = self
            .variadic
            .as_ref()
            .map(|more| format!("{}...", more.name));
        let signature: Vec<&str> = names.iter().copied().chain(more.as_deref()).collect();
        let least = if more.is_some() { "at least " } else { "" };
        let plural = if wanted == 1 { "" } else { "s" };
        let problem = match names.get(given) {
            Some(missing) => format!("{missing} is missing"),
            None => format!("there are {given}"),
        };
        Err(FunctionError::new(format!(
            "{}({}) takes {least}{wanted} argument{plural}: {problem}",
            self.name,
            signature.join(", ")
        )))
    }
}

impl Parameter {
    /// The argument, checked and converted for the parameter.
    fn convert(&self, argument: &Value) -> Result<Value, FunctionError> {
        let value = converted(argument, &self.ty)?;
        match value.is_null() && !self.takes_null {
            true => Err(FunctionError::new("a value is required, but this is null")),
            false => Ok(value),
        }
    }
}

/// The value as one of this type.
pub(crate) fn converted(value: &Value, ty: &Type) -> Result<Value, FunctionError> {
    convert::convert(value, ty).map_err(|error| match value.contains_marked() {
        // The error has no content, but it names keys and attributes, which may be secret, too.
        true => FunctionError::new(format!("a value of type {} is required", ty.friendly())),
        false => FunctionError::new(error.to_string()),
    })
}

/// The value without marks at any depth, which are added to the others.
fn unmark(value: &Value, marks: &mut Marks) -> Value {
    let (value, found) = value.unmark_deep();
    marks.extend(&found);
    value
}

/// Neither the value nor its type is known.
fn is_untyped(value: &Value) -> bool {
    !value.is_known() && value.ty() == Type::Dynamic
}

impl std::fmt::Debug for Function {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Function")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .field("variadic", &self.variadic)
            .field("is_pure", &self.is_pure)
            .finish_non_exhaustive()
    }
}
