//! Calls of functions. Those that look at expressions instead of values are in `attempts`,
//! `conversion` and `rendering`.

use tenon_values::{Kind as ValueKind, Marks, Type, Value};

use super::{Evaluated, Evaluator, Locals, Reported};
use crate::function::{Function, FunctionError};
use crate::functions::without_core;
use crate::source::Span;
use crate::syntax::Call;

impl Evaluator<'_> {
    pub(super) fn call(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        match without_core(&call.name) {
            "try" => self.try_all(call, span, locals),
            "can" => self.can(call, span, locals),
            "convert" => self.convert_to_type(call, span, locals),
            "templatefile" => self.template_file(call, span, locals),
            "templatestring" => self.template_string(call, span, locals),
            name => match self.context.functions.get(name) {
                Some(function) => self.call_function(function, call, span, locals),
                None => Err(self.no_function(call)),
            },
        }
    }

    fn no_function(&mut self, call: &Call) -> Reported {
        let mut diagnostic =
            self.error(format!("unknown function `{}`", call.name), call.name_span);
        diagnostic.help = self.context.functions.help(&call.name);
        self.report(diagnostic)
    }

    fn call_function(
        &mut self,
        function: &Function,
        call: &Call,
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let mut arguments = self.values(&call.arguments, locals)?;
        let mut marks = Marks::default();
        if call.is_expanded {
            let Some(last) = arguments.pop() else {
                return Err(self.fail("`...` has no argument to expand", span));
            };
            let place = call.arguments.last().map_or(span, |node| node.span);
            match self.expanded(&last, &mut marks, place)? {
                Some(more) => arguments.extend(more),
                None => {
                    // The result may be made of the others as well.
                    for argument in &arguments {
                        marks.extend(&argument.unmark_deep().1);
                    }
                    return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
                }
            }
        }
        for argument in &arguments {
            self.spend_on_argument(argument, function.name(), span)?;
        }
        let result = match !function.is_pure() && self.context.is_plan {
            true => function.foresee(&arguments),
            false => function.call(&arguments),
        };
        let result = result.map_err(|error| self.function_failed(&error, function, call, span))?;
        self.spend_on_text(&result, span)?;
        Ok(result.with_marks(&marks))
    }

    /// The arguments that one with `...` after it expands to; nothing if they are not known yet.
    pub(super) fn expanded(
        &mut self,
        last: &Value,
        marks: &mut Marks,
        span: Span,
    ) -> Result<Option<Vec<Value>>, Reported> {
        self.spend_on(last, span)?;
        let (value, value_marks) = last.unmark();
        marks.extend(&value_marks);
        match value.kind() {
            ValueKind::List(values) | ValueKind::Set(values) | ValueKind::Tuple(values) => {
                Ok(Some(values.to_vec()))
            }
            ValueKind::Unknown(_)
                if matches!(
                    value.ty(),
                    Type::Dynamic | Type::List(_) | Type::Set(_) | Type::Tuple(_)
                ) =>
            {
                Ok(None)
            }
            _ => {
                let found = match value.is_null() {
                    true => "null".into(),
                    false => format!("a {}", value.ty().friendly()),
                };
                let diagnostic = self
                    .error("only a list can be expanded into arguments", span)
                    .label(format!("this is {found}"));
                Err(self.report(diagnostic))
            }
        }
    }

    fn function_failed(
        &mut self,
        error: &FunctionError,
        function: &Function,
        call: &Call,
        span: Span,
    ) -> Reported {
        let place = match error.argument {
            // Arguments past the last are those that it was expanded to.
            Some(index) => call.arguments.get(index).or(call.arguments.last()),
            None => None,
        };
        let place = place.map_or(span, |node| node.span);
        // Errors about how many there are name the function already.
        let text = match error.message.starts_with(function.name()) {
            true => error.message.clone(),
            false => format!("{}: {}", function.name(), error.message),
        };
        let diagnostic = self.error(text, place);
        self.report(diagnostic)
    }
}
