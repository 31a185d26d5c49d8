//! `templatefile` and `templatestring`: text that is read as a template.

use std::collections::BTreeMap;

use tenon_values::convert::convert;
use tenon_values::{Kind as ValueKind, Marks, Type, Value, is_identifier};

use super::{Context, Evaluated, Evaluator, Locals, Reported};
use crate::parse::parse_template;
use crate::source::{Source, Span};
use crate::syntax::{Call, Kind, Node, StepKind};

/// The two arguments of a call.
struct Template<'a> {
    function: &'static str,
    text: &'a Node,
    variables: &'a Node,
    span: Span,
}

impl Evaluator<'_> {
    /// A file as a template, with the variables it is given.
    pub(super) fn template_file(
        &mut self,
        call: &Call,
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let template = self.template_call("templatefile", "a path", call, span)?;
        let (path, given) = self.both(&template, locals)?;
        let Some(reader) = self.context.functions.get("file") else {
            return Err(self.fail("templatefile: files cannot be read here", span));
        };
        let text = reader.call(std::slice::from_ref(&path)).map_err(|error| {
            let summary = format!("templatefile: {}", error.message);
            self.fail(summary, template.text.span)
        })?;
        let (text, mut marks) = text.unmark();
        let path = path.unmark().0;
        let name = path.as_str().unwrap_or("template");
        let rendered = self.render(&template, name, &text, &given, &mut marks)?;
        let unknown = || Value::unknown(Type::String);
        Ok(rendered.unwrap_or_else(unknown).with_marks(&marks))
    }

    /// A text from elsewhere as a template. It must be a reference: a template that is written in
    /// the call would be evaluated before it is called.
    pub(super) fn template_string(
        &mut self,
        call: &Call,
        span: Span,
        locals: Locals<'_>,
    ) -> Evaluated {
        let template = self.template_call("templatestring", "a template", call, span)?;
        if !self.is_plain_reference(template.text) {
            let summary = "templatestring: the template must be a reference to a string";
            let diagnostic = self
                .error(summary, template.text.span)
                .help("give the template a name in `locals`, or write it in place of the call");
            return Err(self.report(diagnostic));
        }
        let (text, given) = self.both(&template, locals)?;
        let (text, mut marks) = text.unmark();
        if text.is_null() || !matches!(text.ty(), Type::String | Type::Dynamic) {
            let summary = "templatestring: the template must be a string";
            return Err(self.fail(summary, template.text.span));
        }
        let is_untyped = [&text, &given.unmark().0]
            .iter()
            .any(|value| !value.is_known() && value.ty() == Type::Dynamic);
        let is_secret = !marks.is_empty();
        let before = self.diagnostics.len();
        let rendered = self.render(&template, "template", &text, &given, &mut marks);
        if rendered.is_err() && is_secret {
            // The errors would show the template.
            self.diagnostics.truncate(before);
            let place = self.place(span);
            if let Some(exhausted) = &mut self.exhausted {
                exhausted.place = Some(place);
            }
            let summary = "templatestring: the template is sensitive, and it has an error";
            return Err(self.fail(summary, template.text.span));
        }
        let unknown = || match is_untyped {
            true => Value::unknown(Type::Dynamic),
            false => {
                let unknown = Value::unknown(Type::String);
                unknown.refine_not_null().unwrap_or(unknown)
            }
        };
        Ok(rendered?.unwrap_or_else(unknown).with_marks(&marks))
    }

    fn template_call<'a>(
        &mut self,
        function: &'static str,
        first: &str,
        call: &'a Call,
        span: Span,
    ) -> Result<Template<'a>, Reported> {
        if self.is_in_template {
            let summary = format!("{function}: a template cannot render another one");
            return Err(self.fail(summary, span));
        }
        let [text, variables] = call.arguments.as_slice() else {
            let summary = format!("{function}: {first} and an object of variables are needed");
            return Err(self.fail(summary, span));
        };
        Ok(Template {
            function,
            text,
            variables,
            span,
        })
    }

    /// The values of both arguments, or the errors of both.
    fn both(
        &mut self,
        template: &Template<'_>,
        locals: Locals<'_>,
    ) -> Result<(Value, Value), Reported> {
        let text = self.value(template.text, locals);
        let variables = self.value(template.variables, locals);
        Ok((text?, variables?))
    }

    /// `name`, `name.attribute`, `name[index]`; not in parentheses, and not the only thing in a template.
    fn is_plain_reference(&self, node: &Node) -> bool {
        let is_single = match &node.kind {
            Kind::Variable(_) => true,
            Kind::Traversal(root, steps) => {
                let is_splat = |kind: &StepKind| {
                    matches!(kind, StepKind::AttributeSplat | StepKind::FullSplat)
                };
                matches!(root.kind, Kind::Variable(_))
                    && !steps.iter().any(|step| is_splat(&step.kind))
            }
            _ => false,
        };
        let is_bare = |first: char| !matches!(first, '(' | '"' | '<');
        is_single && self.source.slice(node.span).starts_with(is_bare)
    }

    /// What a text is as a template; nothing if it or what it is given is not known yet.
    fn render(
        &mut self,
        template: &Template<'_>,
        name: &str,
        text: &Value,
        given: &Value,
        marks: &mut Marks,
    ) -> Result<Option<Value>, Reported> {
        let (given, given_marks) = given.unmark();
        marks.extend(&given_marks);
        let (Some(text), true) = (text.as_str(), given.is_known()) else {
            marks.extend(&given.unmark_deep().1);
            return Ok(None);
        };
        let scope = self.template_variables(&given, template)?;
        let source = Source::new(name, text);
        let parsed = parse_template(&source).map_err(|error| self.report(error))?;
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
        let outcome = inner.value(&parsed.root, None);
        self.steps = inner.steps;
        self.exhausted = self.exhausted.take().or(inner.exhausted.take());
        let value = match outcome {
            Ok(value) => value,
            Err(Reported) => {
                let errors = inner.diagnostics;
                return Err(self.report_all(errors));
            }
        };
        convert(&value, &Type::String).map(Some).map_err(|error| {
            let summary = format!("{}: {error}", template.function);
            self.fail(summary, template.span)
        })
    }

    fn template_variables(
        &mut self,
        given: &Value,
        template: &Template<'_>,
    ) -> Result<BTreeMap<String, Value>, Reported> {
        let text = |key: &tenon_values::Text| key.to_string_lossy().into_owned();
        let (function, span) = (template.function, template.variables.span);
        let variables: BTreeMap<String, Value> = match given.kind() {
            ValueKind::Object(attributes) => attributes
                .iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
            ValueKind::Map(entries) => entries
                .iter()
                .map(|(key, value)| (text(key), value.clone()))
                .collect(),
            _ => {
                let summary = format!("{function}: the variables must be an object");
                return Err(self.fail(summary, span));
            }
        };
        match variables.keys().find(|name| !is_identifier(name)) {
            Some(name) => {
                let summary = format!("{function}: {name:?} cannot be the name of a variable");
                Err(self.fail(summary, span))
            }
            None => Ok(variables),
        }
    }
}
