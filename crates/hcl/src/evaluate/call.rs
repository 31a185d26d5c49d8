//! Calls of functions, and of the three that are not functions because they look at expressions:
//! `try`, `can` and `templatefile`.

use std::collections::BTreeMap;

use tenon_values::convert::convert;
use tenon_values::{Kind as ValueKind, Marks, Type, Value};

use super::{Context, Evaluated, Evaluator, Locals, Reported};
use crate::function::{Function, FunctionError};
use crate::parse::parse_template;
use crate::scope::did_you_mean;
use crate::source::{Source, Span};
use crate::syntax::{Call, Node};

/// What is looked up here instead of among the functions.
const SPECIAL: [&str; 3] = ["can", "templatefile", "try"];

impl Evaluator<'_> {
    pub(super) fn call(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        match &*call.name {
            "try" => self.try_all(call, span, locals),
            "can" => self.can(call, span, locals),
            "templatefile" => self.template_file(call, span, locals),
            name => match self.context.functions.get(name) {
                Some(function) => self.call_function(function, call, span, locals),
                None => Err(self.no_function(call)),
            },
        }
    }

    fn no_function(&mut self, call: &Call) -> Reported {
        let names = self.context.functions.names().chain(SPECIAL);
        let names: Vec<&str> = names.collect();
        let mut diagnostic = self.error(
            format!("there is no function {:?}", call.name),
            call.name_span,
        );
        diagnostic.help = did_you_mean(&call.name, names);
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
                return Err(self.fail("there is nothing to expand", span));
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
        let result = result.map_err(|error| self.function_failed(&error, call, span))?;
        self.spend_on_text(&result, span)?;
        Ok(result.with_marks(&marks))
    }

    /// The arguments that one with `...` after it stands for; nothing if they are not known yet.
    fn expanded(
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
                    .error("only a list can stand for several arguments", span)
                    .label(format!("this is {found}"));
                Err(self.report(diagnostic))
            }
        }
    }

    fn function_failed(&mut self, error: &FunctionError, call: &Call, span: Span) -> Reported {
        let place = match error.argument {
            // Arguments past the last are those that it was expanded to.
            Some(index) => call.arguments.get(index).or(call.arguments.last()),
            None => None,
        };
        let place = place.map_or(span, |node| node.span);
        // Errors about how many there are name the function already.
        let text = match error.message.starts_with(&*call.name) {
            true => error.message.clone(),
            false => format!("{}: {}", call.name, error.message),
        };
        let diagnostic = self.error(text, place);
        self.report(diagnostic)
    }

    /// The first of some expressions that has no error.
    fn try_all(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        let Some((last, others)) = call.arguments.split_last() else {
            return Err(self.fail("try: one expression or more is needed", span));
        };
        let mut reasons = Vec::new();
        let written = match call.is_expanded {
            true => others,
            false => &call.arguments,
        };
        for argument in written {
            match self.attempt(|this| this.looked_through(argument, locals)) {
                // An unknown part may still turn out to be an error, so nothing is certain yet.
                Ok(value) if !value.is_wholly_known() => {
                    let (_, marks) = value.unmark_deep();
                    return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
                }
                Ok(value) => return Ok(value),
                Err(errors) => reasons.extend(errors),
            }
        }
        if call.is_expanded {
            // What is in a list has no error any more.
            let list = self.value(last, locals)?;
            let mut marks = Marks::default();
            let first = self.expanded(&list, &mut marks, last.span)?;
            let first = first.map(|values| values.into_iter().next());
            match first {
                Some(Some(value)) => return Ok(value.with_marks(&marks)),
                None => return Ok(Value::unknown(Type::Dynamic).with_marks(&marks)),
                Some(None) => {}
            }
        }
        let mut diagnostic = self.error("try: all of the expressions have failed", span);
        for reason in reasons {
            diagnostic = match reason.place {
                Some(place) => diagnostic.related(place, reason.summary),
                None => diagnostic.note(reason.summary),
            };
        }
        Err(self.report(diagnostic))
    }

    /// A value of which all will be looked at.
    fn looked_through(&mut self, node: &Node, locals: Locals<'_>) -> Evaluated {
        let value = self.value(node, locals)?;
        self.spend_on(&value, node.span)?;
        Ok(value)
    }

    /// Whether an expression has no error.
    fn can(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        let [argument] = call.arguments.as_slice() else {
            return Err(self.fail("can: exactly one expression is needed", span));
        };
        Ok(
            match self.attempt(|this| this.looked_through(argument, locals)) {
                Ok(value) if value.is_wholly_known() => Value::TRUE,
                Ok(_) => Value::unknown(Type::Bool),
                Err(_) => Value::FALSE,
            },
        )
    }

    /// A file as a template, with the variables it is given.
    fn template_file(&mut self, call: &Call, span: Span, locals: Locals<'_>) -> Evaluated {
        if self.is_in_template {
            return Err(self.fail("templatefile: a template cannot read another one", span));
        }
        let [path, variables] = call.arguments.as_slice() else {
            let summary = "templatefile: a path and an object of variables are needed";
            return Err(self.fail(summary, span));
        };
        let values = (self.value(path, locals), self.value(variables, locals));
        let (Ok(file), Ok(given)) = values else {
            return Err(Reported);
        };
        let Some(reader) = self.context.functions.get("file") else {
            return Err(self.fail("templatefile: files cannot be read here", span));
        };
        let text = reader.call(std::slice::from_ref(&file)).map_err(|error| {
            let summary = format!("templatefile: {}", error.message);
            self.fail(summary, path.span)
        })?;
        let (text, mut marks) = text.unmark();
        let (given, given_marks) = given.unmark();
        marks.extend(&given_marks);
        let (Some(text), true) = (text.as_str(), given.is_known()) else {
            marks.extend(&given.unmark_deep().1);
            return Ok(Value::unknown(Type::String).with_marks(&marks));
        };
        let scope = self.template_variables(&given, variables)?;
        let name = file.unmark().0;
        let source = Source::new(name.as_str().unwrap_or("template"), text);
        let template = parse_template(&source).map_err(|error| self.report(error))?;
        let mut inner = Evaluator {
            context: &Context {
                scope: &scope,
                ..*self.context
            },
            source: &source,
            diagnostics: Vec::new(),
            steps: self.steps,
            exhausted: None,
            is_in_template: true,
        };
        let outcome = inner.value(&template.root, None);
        self.steps = inner.steps;
        self.exhausted = self.exhausted.take().or(inner.exhausted.take());
        let value = match outcome {
            Ok(value) => value,
            Err(Reported) => {
                let errors = inner.diagnostics;
                return Err(self.report_all(errors));
            }
        };
        convert(&value, &Type::String)
            .map(|value| value.with_marks(&marks))
            .map_err(|error| self.fail(format!("templatefile: {error}"), span))
    }

    fn template_variables(
        &mut self,
        given: &Value,
        node: &Node,
    ) -> Result<BTreeMap<String, Value>, Reported> {
        let text = |key: &tenon_values::Text| key.to_string_lossy().into_owned();
        match given.kind() {
            ValueKind::Object(attributes) => Ok(attributes
                .iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect()),
            ValueKind::Map(entries) => Ok(entries
                .iter()
                .map(|(key, value)| (text(key), value.clone()))
                .collect()),
            _ => Err(self.fail(
                "templatefile: the variables have to be an object",
                node.span,
            )),
        }
    }
}
