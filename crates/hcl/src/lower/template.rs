//! Templates: what the strip markers take away, and how much heredocs are indented.

use hcl_edit::template::{Directive, Element, HeredocTemplate, StringTemplate, Strip, Template};
use tenon_values::Value;

use super::{Each, Kind, Lowering, Node, Part, span};
use crate::source::Span;
use crate::syntax::{ForPart, IfPart};

/// `"..."`. One with nothing but an interpolation in it is what is interpolated, of any type.
pub(super) fn quoted(lowering: &Lowering<'_>, quoted: &StringTemplate, place: Span) -> Node {
    if let Some(Element::Interpolation(only)) = quoted.as_single_element() {
        return Node {
            span: place,
            ..lowering.node(&only.expr)
        };
    }
    let reader = Reader {
        lowering,
        is_heredoc: false,
    };
    finished(reader.pieces(quoted, Trim::default()), place)
}

/// A whole file that is a template.
pub(super) fn bare(lowering: &Lowering<'_>, template: &Template, place: Span) -> Node {
    if let Some(Element::Interpolation(only)) = template.as_single_element() {
        return lowering.node(&only.expr);
    }
    let reader = Reader {
        lowering,
        is_heredoc: false,
    };
    finished(reader.pieces(template, Trim::default()), place)
}

/// `<<END` and `<<-END`, which loses the indentation that its lines share.
pub(super) fn heredoc(lowering: &Lowering<'_>, heredoc: &HeredocTemplate, place: Span) -> Node {
    let reader = Reader {
        lowering,
        is_heredoc: true,
    };
    let mut pieces = reader.pieces(&heredoc.template, Trim::default());
    if lowering.source.slice(place).starts_with("<<-") {
        let mut shared = SharedIndent::default();
        shared.measure(&pieces);
        shared.is_new_line = true;
        shared.remove(&mut pieces);
    }
    finished(pieces, place)
}

/// Which ends of a text lose their white space.
#[derive(Clone, Copy, Default)]
struct Trim {
    start: bool,
    end: bool,
}

/// A template before its neighbouring texts are joined: in a heredoc every line is one piece,
/// because markers reach no further than the line they are in.
enum Piece {
    Text(String),
    Value(Node),
    If(Node, Vec<Piece>, Option<Vec<Piece>>),
    For(Each, Vec<Piece>),
}

struct Reader<'a> {
    lowering: &'a Lowering<'a>,
    is_heredoc: bool,
}

impl Reader<'_> {
    fn pieces(&self, template: &Template, outer: Trim) -> Vec<Piece> {
        let elements: Vec<&Element> = template.iter().collect();
        let mut pieces = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            match element {
                Element::Literal(literal) => {
                    let before = index
                        .checked_sub(1)
                        .map(|before| strips(elements[before]).end);
                    let after = elements.get(index + 1).map(|after| strips(after).start);
                    let trim = Trim {
                        start: before.unwrap_or(outer.start),
                        end: after.unwrap_or(outer.end),
                    };
                    self.push_text(literal, span(literal), trim, &mut pieces);
                }
                Element::Interpolation(interpolation) => {
                    pieces.push(Piece::Value(self.lowering.node(&interpolation.expr)));
                }
                Element::Directive(directive) => pieces.push(self.directive(directive)),
            }
        }
        pieces
    }

    fn push_text(&self, text: &str, place: Span, trim: Trim, pieces: &mut Vec<Piece>) {
        let mut texts = if self.is_heredoc {
            // Theirs has lost its indentation, but not inside of directives.
            let raw = unescaped(self.lowering.source.slice(place));
            raw.split_inclusive('\n').map(str::to_owned).collect()
        } else {
            vec![text.to_owned()]
        };
        if let Some(first) = texts.first_mut().filter(|_| trim.start) {
            *first = first.trim_start().to_owned();
        }
        if let Some(last) = texts.last_mut().filter(|_| trim.end) {
            last.truncate(last.trim_end().len());
        }
        pieces.extend(texts.into_iter().map(Piece::Text));
    }

    fn directive(&self, directive: &Directive) -> Piece {
        match directive {
            Directive::If(directive) => {
                let (first, last) = (&directive.if_expr, &directive.endif_expr);
                let between = directive.else_expr.as_ref().map(|part| part.strip);
                let then = Trim {
                    start: trims(first.strip).end,
                    end: trims(between.unwrap_or(last.strip)).start,
                };
                let otherwise = directive.else_expr.as_ref().map(|part| {
                    let trim = Trim {
                        start: trims(part.strip).end,
                        end: trims(last.strip).start,
                    };
                    self.pieces(&part.template, trim)
                });
                Piece::If(
                    self.lowering.node(&first.cond_expr),
                    self.pieces(&first.template, then),
                    otherwise,
                )
            }
            Directive::For(directive) => {
                let (first, last) = (&directive.for_expr, &directive.endfor_expr);
                let trim = Trim {
                    start: trims(first.strip).end,
                    end: trims(last.strip).start,
                };
                let each = Each {
                    key: first.key_var.as_ref().map(|key| key.as_str().into()),
                    value: first.value_var.as_str().into(),
                    collection: self.lowering.node(&first.collection_expr),
                };
                Piece::For(each, self.pieces(&first.template, trim))
            }
        }
    }
}

/// What an element takes away from the texts before and after it.
fn strips(element: &Element) -> Trim {
    match element {
        Element::Literal(_) => Trim::default(),
        Element::Interpolation(interpolation) => trims(interpolation.strip),
        Element::Directive(directive) => match &**directive {
            Directive::If(directive) => Trim {
                start: trims(directive.if_expr.strip).start,
                end: trims(directive.endif_expr.strip).end,
            },
            Directive::For(directive) => Trim {
                start: trims(directive.for_expr.strip).start,
                end: trims(directive.endfor_expr.strip).end,
            },
        },
    }
}

fn trims(strip: Strip) -> Trim {
    Trim {
        start: matches!(strip, Strip::Start | Strip::Both),
        end: matches!(strip, Strip::End | Strip::Both),
    }
}

fn unescaped(text: &str) -> String {
    text.replace("$${", "${").replace("%%{", "%{")
}

/// The indentation that all lines of a heredoc share. Lines with nothing but white space in them
/// do not count; one that begins with something to evaluate has none.
#[derive(Debug)]
struct SharedIndent {
    least: usize,
    is_new_line: bool,
}

impl Default for SharedIndent {
    fn default() -> SharedIndent {
        SharedIndent {
            least: usize::MAX,
            is_new_line: true,
        }
    }
}

impl SharedIndent {
    fn measure(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    if self.is_new_line && !is_blank_line(text) {
                        self.least = self.least.min(indentation(text));
                    }
                    self.is_new_line = text.ends_with('\n');
                }
                Piece::Value(_) => self.see_sequence(),
                Piece::If(_, then, otherwise) => {
                    self.see_sequence();
                    self.measure(then);
                    self.see_sequence();
                    if let Some(otherwise) = otherwise {
                        self.measure(otherwise);
                        self.see_sequence();
                    }
                }
                Piece::For(_, body) => {
                    self.see_sequence();
                    self.measure(body);
                    self.see_sequence();
                }
            }
        }
    }

    fn see_sequence(&mut self) {
        if self.is_new_line {
            self.least = 0;
        }
        self.is_new_line = false;
    }

    fn remove(&mut self, pieces: &mut [Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let is_new_line = self.is_new_line;
                    self.is_new_line = text.ends_with('\n');
                    if is_new_line && !is_blank_line(text) {
                        let indent: usize = text.chars().take(self.least).map(char::len_utf8).sum();
                        text.drain(..indent);
                    }
                }
                Piece::Value(_) => self.is_new_line = false,
                Piece::If(_, then, otherwise) => {
                    self.is_new_line = false;
                    self.remove(then);
                    self.is_new_line = false;
                    self.remove(otherwise.as_deref_mut().unwrap_or_default());
                    self.is_new_line = false;
                }
                Piece::For(_, body) => {
                    self.is_new_line = false;
                    self.remove(body);
                    self.is_new_line = false;
                }
            }
        }
    }
}

fn is_blank_line(text: &str) -> bool {
    text.ends_with('\n') && text.trim_start().is_empty()
}

fn indentation(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).count()
}

/// A template without anything to evaluate is a plain text.
fn finished(pieces: Vec<Piece>, place: Span) -> Node {
    let mut parts = joined(pieces);
    let kind = match parts.as_mut_slice() {
        [] => Kind::Literal(Value::string("")),
        [Part::Text(text)] => Kind::Literal(Value::string(text)),
        _ => Kind::Template(parts),
    };
    Node { span: place, kind }
}

fn joined(pieces: Vec<Piece>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let part = match piece {
            Piece::Text(text) => {
                if let Some(Part::Text(before)) = parts.last_mut() {
                    before.push_str(&text);
                    continue;
                }
                Part::Text(text)
            }
            Piece::Value(node) => Part::Value(node),
            Piece::If(condition, then, otherwise) => Part::If(Box::new(IfPart {
                condition,
                then: joined(then),
                otherwise: joined(otherwise.unwrap_or_default()),
            })),
            Piece::For(each, body) => Part::For(Box::new(ForPart {
                each,
                body: joined(body),
            })),
        };
        parts.push(part);
    }
    parts
}
