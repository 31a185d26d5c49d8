//! The names that an expression uses, found without evaluating it.

use crate::evaluate::name_of;
use crate::functions::without_core;
use crate::scope::Reference;
use crate::source::{Place, Span};
use crate::syntax::{Each, Expression, Kind, Node, Part, Step, StepKind};

impl Expression {
    /// The names it refers to, with the steps after them that are known, in the order of the text.
    /// Names that a `for` expression in it defines are not included.
    pub fn references(&self) -> Vec<(Reference<'_>, Place)> {
        self.references_outside(None)
    }

    /// The same without those in the arguments of a function.
    pub fn references_outside(&self, function: Option<&str>) -> Vec<(Reference<'_>, Place)> {
        let mut found = Vec::new();
        Walk {
            visit: &mut |reference, span| found.push((reference, Place::new(&self.source, span))),
            hidden: Vec::new(),
            skipped: function,
        }
        .node(&self.root);
        found
    }

    /// The reference, if the expression is nothing but one, as in `depends_on`.
    pub fn as_reference(&self) -> Option<Reference<'_>> {
        match &self.root.kind {
            Kind::Variable(name) => Some(Reference {
                root: name,
                steps: Vec::new(),
            }),
            Kind::Traversal(root, steps) => {
                let Kind::Variable(name) = &root.kind else {
                    return None;
                };
                let steps = steps.iter().map(name_of).collect::<Option<_>>()?;
                Some(Reference { root: name, steps })
            }
            _ => None,
        }
    }
}

struct Walk<'a, 'v> {
    visit: &'v mut dyn FnMut(Reference<'a>, Span),
    /// Names that `for` expressions define.
    hidden: Vec<&'a str>,
    /// A function whose arguments are skipped.
    skipped: Option<&'v str>,
}

impl<'a> Walk<'a, '_> {
    fn node(&mut self, node: &'a Node) {
        match &node.kind {
            Kind::Literal(_) => {}
            Kind::Template(parts) => self.parts(parts),
            Kind::Tuple(elements) => self.nodes(elements),
            Kind::Object(items) => {
                for (key, value) in items {
                    self.node(key);
                    self.node(value);
                }
            }
            Kind::Variable(name) => self.name(name, &[], node.span),
            Kind::Traversal(root, steps) => {
                match &root.kind {
                    Kind::Variable(name) => self.name(name, steps, node.span),
                    _ => self.node(root),
                }
                for step in steps {
                    if let StepKind::Index(key) = &step.kind {
                        self.node(key);
                    }
                }
            }
            Kind::Call(call) if self.skipped == Some(&*call.name) => {}
            // The second argument is a type, whose words are not names.
            Kind::Call(call) if without_core(&call.name) == "convert" => {
                self.nodes(call.arguments.get(..1).unwrap_or_default());
            }
            Kind::Call(call) => self.nodes(&call.arguments),
            Kind::Unary(_, operand) => self.node(operand),
            Kind::Binary(_, operands) => {
                self.node(&operands.0);
                self.node(&operands.1);
            }
            Kind::Conditional(conditional) => {
                self.node(&conditional.condition);
                self.node(&conditional.then);
                self.node(&conditional.otherwise);
            }
            Kind::For(expression) => self.inside(&expression.each, |this| {
                this.nodes(expression.key.as_slice());
                this.node(&expression.value);
                this.nodes(expression.condition.as_slice());
            }),
        }
    }

    fn nodes(&mut self, nodes: &'a [Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn parts(&mut self, parts: &'a [Part]) {
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Value(node) => self.node(node),
                Part::If(part) => {
                    self.node(&part.condition);
                    self.parts(&part.then);
                    self.parts(&part.otherwise);
                }
                Part::For(part) => self.inside(&part.each, |this| this.parts(&part.body)),
            }
        }
    }

    fn name(&mut self, name: &'a str, steps: &'a [Step], span: Span) {
        if !self.hidden.contains(&name) {
            let reference = Reference {
                root: name,
                steps: steps.iter().map_while(name_of).collect(),
            };
            (self.visit)(reference, span);
        }
    }

    /// The inside of a `for` expression, whose names hide outer ones.
    fn inside(&mut self, each: &'a Each, walk: impl FnOnce(&mut Self)) {
        self.node(&each.collection);
        let before = self.hidden.len();
        self.hidden.extend(each.key.as_deref());
        self.hidden.push(&each.value);
        walk(self);
        self.hidden.truncate(before);
    }
}
