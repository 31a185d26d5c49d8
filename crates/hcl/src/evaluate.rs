//! Evaluation of expressions.
//!
//! Every part of an expression is evaluated even if another has failed, so that all errors are
//! found; [`Reported`] means that an error has been noted. Unknown values stay unknown, and marked
//! values stay marked.

mod attempts;
mod call;
mod conditional;
mod conversion;
mod iteration;
mod operation;
mod rendering;
mod selection;
mod spending;
mod template;

use std::sync::Arc;

use tenon_values::convert::convert;
use tenon_values::{Marks, Type, Value};

use crate::diagnostic::Diagnostic;
use crate::functions::Functions;
use crate::scope::{Missing, Reference, Scope};
use crate::source::{Place, Source, Span};
use crate::syntax::{Expression, Kind, Node, Step, StepKind};

/// What an expression can use: names and functions.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The names.
    pub scope: &'a dyn Scope,
    /// The functions that can be called.
    pub functions: &'a Functions,
    /// Whether this is a plan. The results of functions that differ from call to call, such as
    /// `timestamp`, are unknown then.
    pub is_plan: bool,
}

impl Context<'static> {
    /// For expressions that may use no names and no files.
    pub fn constant(is_plan: bool) -> Context<'static> {
        Context {
            scope: &(),
            functions: Functions::without_files(),
            is_plan,
        }
    }
}

/// The maximum length of a text.
const TEXT_SIZE: usize = 16 * 1024 * 1024;

impl Expression {
    /// Its value, if it uses no names and no files, and is the same each time.
    ///
    /// # Errors
    /// All errors.
    pub(crate) fn constant(&self) -> Result<Value, Vec<Diagnostic>> {
        let value = self.evaluate(&Context::constant(true))?;
        match value.is_wholly_known() {
            true => Ok(value),
            // Functions that give something else each time are unknown in a plan.
            false => Err(vec![
                Diagnostic::error("this must be constant, but it is different each time it is evaluated")
                    .at(self.place())
                    .help("use functions such as `uuid` and `timestamp` in `locals` or in attributes of actions"),
            ]),
        }
    }

    /// Evaluates it.
    ///
    /// # Errors
    /// All errors, not only the first.
    pub fn evaluate(&self, context: &Context<'_>) -> Result<Value, Vec<Diagnostic>> {
        let mut evaluator = Evaluator {
            context,
            source: &self.source,
            diagnostics: Vec::new(),
            steps: spending::STEPS,
            exhausted: None,
            is_in_template: false,
        };
        let outcome = evaluator.value(&self.root, None);
        // Whether it ran out of steps says nothing about an expression: not even `can` may use it.
        match (outcome, evaluator.exhausted) {
            (Ok(value), None) => Ok(value),
            (_, Some(exhausted)) => Err(vec![exhausted]),
            (Err(Reported), None) => Err(evaluator.diagnostics),
        }
    }

    /// Evaluates it and converts the value to this type.
    ///
    /// # Errors
    /// All errors.
    pub fn evaluate_as(&self, ty: &Type, context: &Context<'_>) -> Result<Value, Vec<Diagnostic>> {
        let value = self.evaluate(context)?;
        convert(&value, ty).map_err(|error| {
            let summary = format!("this value does not fit: {error}");
            vec![Diagnostic::error(summary).at(self.place())]
        })
    }
}

/// An error has been noted.
pub(crate) struct Reported;

pub(crate) type Evaluated = Result<Value, Reported>;

pub(crate) struct Evaluator<'a> {
    context: &'a Context<'a>,
    source: &'a Arc<Source>,
    diagnostics: Vec<Diagnostic>,
    steps: u64,
    exhausted: Option<Diagnostic>,
    /// A template that is rendered may not render another: it might be itself.
    is_in_template: bool,
}

/// A name that a `for` has given to a value, and those around it.
#[derive(Clone, Copy)]
pub(crate) struct Local<'a> {
    name: &'a str,
    value: &'a Value,
    outer: Locals<'a>,
}

type Locals<'a> = Option<&'a Local<'a>>;

fn find<'a>(mut locals: Locals<'a>, name: &str) -> Option<&'a Value> {
    while let Some(local) = locals {
        if local.name == name {
            return Some(local.value);
        }
        locals = local.outer;
    }
    None
}

impl Evaluator<'_> {
    fn value(&mut self, node: &Node, locals: Locals<'_>) -> Evaluated {
        self.spend(1, node.span)?;
        let value = self.part(node, locals)?;
        self.refuse_large(&value, node.span)?;
        Ok(value)
    }

    fn part(&mut self, node: &Node, locals: Locals<'_>) -> Evaluated {
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Template(parts) => self.template(parts, node.span, locals),
            Kind::Tuple(elements) => Ok(Value::tuple(self.values(elements, locals)?)),
            Kind::Object(items) => self.object(items, locals),
            Kind::Variable(name) => self.traversal(name, node.span, &[], locals),
            Kind::Traversal(root, steps) => match &root.kind {
                Kind::Variable(name) => self.traversal(name, root.span, steps, locals),
                _ => {
                    let value = self.value(root, locals)?;
                    self.follow(value, steps, root.span, locals)
                }
            },
            Kind::Call(call) => self.call(call, node.span, locals),
            Kind::Unary(operator, operand) => self.unary(*operator, operand, locals),
            Kind::Binary(operator, operands) => self.binary(*operator, operands, node.span, locals),
            Kind::Conditional(conditional) => self.conditional(conditional, node.span, locals),
            Kind::For(expression) => self.for_expression(expression, locals),
        }
    }

    /// All of them, so that the errors of all are found.
    fn values(&mut self, nodes: &[Node], locals: Locals<'_>) -> Result<Vec<Value>, Reported> {
        let mut values = Vec::with_capacity(nodes.len());
        let mut failed = false;
        for node in nodes {
            match self.value(node, locals) {
                Ok(value) => values.push(value),
                Err(Reported) => failed = true,
            }
        }
        if failed { Err(Reported) } else { Ok(values) }
    }

    fn object(&mut self, items: &[(Node, Node)], locals: Locals<'_>) -> Evaluated {
        let mut entries = Vec::with_capacity(items.len());
        let mut marks = Marks::default();
        let (mut is_known, mut failed) = (true, false);
        for (key, value) in items {
            let key = self.key(key, locals, &mut marks);
            let value = self.value(value, locals);
            match (key, value) {
                (Ok(Some(key)), Ok(value)) => entries.push((key, value)),
                (Ok(None), Ok(_)) => is_known = false,
                _ => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        Ok(match is_known {
            true => Value::object(entries),
            // Without the keys there is no type.
            false => Value::unknown(Type::Dynamic),
        }
        .with_marks(&marks))
    }

    fn key(
        &mut self,
        node: &Node,
        locals: Locals<'_>,
        marks: &mut Marks,
    ) -> Result<Option<String>, Reported> {
        if let Kind::Traversal(..) = &node.kind
            && !self.source.slice(node.span).starts_with('(')
        {
            let diagnostic = self
                .error("this key may be a reference or a name with dots", node.span)
                .help("put a reference in parentheses, a name in quotes");
            return Err(self.report(diagnostic));
        }
        self.key_text(node, locals, marks)
    }

    /// A key of an object: a text, or nothing if it is not known yet.
    fn key_text(
        &mut self,
        node: &Node,
        locals: Locals<'_>,
        marks: &mut Marks,
    ) -> Result<Option<String>, Reported> {
        let (key, key_marks) = self.value(node, locals)?.unmark();
        marks.extend(&key_marks);
        if key.is_null() {
            return Err(self.fail("a key cannot be null", node.span));
        }
        let key = self.converted(&key, &Type::String, node.span, "a key must be a string")?;
        Ok(key
            .as_text()
            .map(|text| text.to_string_lossy().into_owned()))
    }

    /// The value that a name and the steps after it refer to.
    fn traversal(
        &mut self,
        name: &str,
        span: Span,
        steps: &[Step],
        locals: Locals<'_>,
    ) -> Evaluated {
        if let Some(value) = find(locals, name) {
            return self.follow(value.clone(), steps, span, locals);
        }
        let reference = Reference {
            root: name,
            steps: steps.iter().map_while(name_of).collect(),
        };
        match self.context.scope.look_up(&reference) {
            Ok(found) => {
                let (led, left) = steps.split_at(found.steps.min(steps.len()));
                let span = led.last().map_or(span, |last| span.to(last.span));
                self.follow(found.value, left, span, locals)
            }
            Err(missing) => Err(self.missing(missing, span, steps)),
        }
    }

    fn missing(&mut self, missing: Missing, root: Span, steps: &[Step]) -> Reported {
        let span = match missing.step {
            Some(step) => steps.get(step).map_or(root, |step| step.span),
            None => root,
        };
        let mut diagnostic = self.error(missing.summary, span);
        diagnostic.help = missing.help;
        self.report(diagnostic)
    }

    /// The value as one of another type, or an error that begins with `what`.
    fn converted(&mut self, value: &Value, ty: &Type, span: Span, what: &str) -> Evaluated {
        self.spend_on(value, span)?;
        let converted = convert(value, ty).map_err(|error| {
            // Where a secret stops being a number says something about it.
            let label = match value.contains_marked() {
                true => format!("a {} is required", ty.friendly()),
                false => error.to_string(),
            };
            let diagnostic = self.error(what, span).label(label);
            self.report(diagnostic)
        })?;
        // As text a number has all its digits.
        if value.unmark().0.as_number().is_some() {
            self.spend_on_text(&converted, span)?;
        }
        Ok(converted)
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span)
    }

    fn error(&self, summary: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::error(summary).at(self.place(span))
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        // A `for` meets the same error in each of its rounds.
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn fail(&mut self, summary: impl Into<String>, span: Span) -> Reported {
        let diagnostic = self.error(summary, span);
        self.report(diagnostic)
    }

    /// Evaluates without reporting the errors, which are returned: they may turn out not to matter.
    fn attempt<T>(
        &mut self,
        evaluate: impl FnOnce(&mut Self) -> Result<T, Reported>,
    ) -> Result<T, Vec<Diagnostic>> {
        let before = std::mem::take(&mut self.diagnostics);
        let outcome = evaluate(self);
        let after = std::mem::replace(&mut self.diagnostics, before);
        outcome.map_err(|Reported| after)
    }

    fn report_all(&mut self, diagnostics: Vec<Diagnostic>) -> Reported {
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
        Reported
    }
}

/// The name of a step that needs no evaluating.
pub(crate) fn name_of(step: &Step) -> Option<&str> {
    match &step.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Index(key) | StepKind::LegacyIndex(key) => match &key.kind {
            Kind::Literal(key) => key.as_str(),
            _ => None,
        },
        StepKind::AttributeSplat | StepKind::FullSplat => None,
    }
}
