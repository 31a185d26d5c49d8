//! Text with values in it.

use tenon_values::{Marks, Type, Value};

use super::iteration::Collection;
use super::{Evaluated, Evaluator, Locals, Reported, TEXT_SIZE};
use crate::source::Span;
use crate::syntax::{ForPart, IfPart, Node, Part};

/// What is known of a text so far.
#[derive(Default)]
struct Text {
    /// Everything, or what comes before the first unknown value.
    known: String,
    is_unknown: bool,
    marks: Marks,
}

/// The longest known prefix that an unknown string is refined with, in bytes.
const PREFIX: usize = 128;

impl Evaluator<'_> {
    pub(super) fn template(&mut self, parts: &[Part], span: Span, locals: Locals<'_>) -> Evaluated {
        let mut text = Text::default();
        self.parts(parts, &mut text, span, locals)?;
        let value = match text.is_unknown {
            false => Value::string(&text.known),
            true => beginning_with(&text.known),
        };
        Ok(value.with_marks(&text.marks))
    }

    fn parts(
        &mut self,
        parts: &[Part],
        text: &mut Text,
        span: Span,
        locals: Locals<'_>,
    ) -> Result<(), Reported> {
        let mut outcome = Ok(());
        for part in parts {
            let done = match part {
                Part::Text(literal) => self.append(text, literal, span),
                Part::Value(node) => self.interpolation(node, text, locals),
                Part::If(part) => self.if_part(part, text, span, locals),
                Part::For(part) => self.for_part(part, text, span, locals),
            };
            if done.is_err() {
                outcome = done;
            }
        }
        outcome
    }

    fn append(&mut self, text: &mut Text, more: &str, span: Span) -> Result<(), Reported> {
        if text.is_unknown {
            return Ok(());
        }
        self.spend_on_bytes(more.len(), span)?;
        if text.known.len() + more.len() > TEXT_SIZE {
            let summary = format!("this text is longer than {TEXT_SIZE} bytes");
            return Err(self.fail(summary, span));
        }
        text.known.push_str(more);
        Ok(())
    }

    fn interpolation(
        &mut self,
        node: &Node,
        text: &mut Text,
        locals: Locals<'_>,
    ) -> Result<(), Reported> {
        let (value, marks) = self.value(node, locals)?.unmark();
        text.marks.extend(&marks);
        if value.is_null() {
            let diagnostic = self
                .error("null cannot be inserted into a string", node.span)
                .help("give it another value, for instance with coalesce(..., \"\")");
            return Err(self.report(diagnostic));
        }
        let what = "this value cannot be inserted into a string";
        let value = match value.ty() {
            Type::String | Type::Number | Type::Bool | Type::Dynamic => {
                self.converted(&value, &Type::String, node.span, what)?
            }
            ty => {
                let diagnostic = self
                    .error(what, node.span)
                    .label(format!("this is a {}", ty.friendly()))
                    .help("convert it with jsonencode(...) or join(\", \", ...)");
                return Err(self.report(diagnostic));
            }
        };
        match value.as_text() {
            Some(more) => self.append(text, &more.to_string_lossy(), node.span),
            None => {
                text.is_unknown = true;
                Ok(())
            }
        }
    }

    fn if_part(
        &mut self,
        part: &IfPart,
        text: &mut Text,
        span: Span,
        locals: Locals<'_>,
    ) -> Result<(), Reported> {
        let (condition, marks) = self.condition(&part.condition, locals)?.unmark();
        text.marks.extend(&marks);
        let (taken, other) = match condition.as_bool() {
            Some(true) => (Some(&part.then), &part.otherwise),
            Some(false) => (Some(&part.otherwise), &part.then),
            None => {
                text.is_unknown = true;
                let _errors_do_not_count =
                    self.attempt(|this| this.parts(&part.then, text, span, locals));
                (None, &part.otherwise)
            }
        };
        // The marks must not reveal which side was taken.
        let mut unseen = Text::default();
        let _errors_do_not_count =
            self.attempt(|this| this.parts(other, &mut unseen, span, locals));
        text.marks.extend(&unseen.marks);
        match taken {
            Some(parts) => self.parts(parts, text, span, locals),
            None => Ok(()),
        }
    }

    fn for_part(
        &mut self,
        part: &ForPart,
        text: &mut Text,
        span: Span,
        locals: Locals<'_>,
    ) -> Result<(), Reported> {
        let (collection, marks) = self.collection(&part.each, locals)?;
        text.marks.extend(&marks);
        let Collection::Known(pairs) = collection else {
            text.is_unknown = true;
            return Ok(());
        };
        let mut outcome = Ok(());
        for (key, value) in &pairs {
            self.spend(1, span)?;
            let done = self.with_locals(&part.each, key, value, locals, |this, locals| {
                this.parts(&part.body, text, span, locals)
            });
            if done.is_err() {
                outcome = done;
            }
        }
        outcome
    }
}

/// An unknown text of which the beginning is known.
fn beginning_with(prefix: &str) -> Value {
    let unknown = Value::unknown(Type::String);
    let ends = prefix.char_indices().map(|(at, c)| at + c.len_utf8());
    let length = ends.take_while(|end| *end <= PREFIX).last();
    let refined = match &prefix[..length.unwrap_or(0)] {
        "" => unknown.refine_not_null(),
        prefix => unknown
            .refine_not_null()
            .and_then(|unknown| unknown.refine_prefix(prefix)),
    };
    refined.unwrap_or(unknown)
}
