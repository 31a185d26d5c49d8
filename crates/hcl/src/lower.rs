//! From hcl-edit's tree to ours: the only file that knows both, with `lower/template.rs`.
//!
//! Ours is smaller, keeps the digits of numbers, and has everything done that does not depend on
//! values: strip markers, the indentation of heredocs, keys that are bare words.

mod template;

use std::sync::Arc;

use hcl_edit::expr::{
    self as theirs, BinaryOperator, Expression as Theirs, ObjectKey, TraversalOperator,
    UnaryOperator,
};
use hcl_edit::structure::{self, BlockLabel};
use tenon_values::{Number, Type, Value};

use crate::source::{Place, Source, Span};
use crate::syntax::{
    Attribute, Binary, Block, Body, Call, Conditional, Each, Expression, For, Kind, Name, Node,
    Part, Step, StepKind, Unary,
};

pub(crate) struct Lowering<'a> {
    pub(crate) source: &'a Arc<Source>,
}

impl Lowering<'_> {
    pub(crate) fn body(&self, body: &structure::Body, span: Span) -> Body {
        let mut lowered = Body {
            attributes: Vec::new(),
            blocks: Vec::new(),
            place: Place::new(self.source, span),
        };
        for structure in body {
            match structure {
                structure::Structure::Attribute(attribute) => {
                    lowered.attributes.push(Attribute {
                        name: self.name(&attribute.key, &attribute.key),
                        value: self.expression(&attribute.value),
                    });
                }
                structure::Structure::Block(block) => lowered.blocks.push(self.block(block)),
            }
        }
        lowered
    }

    fn block(&self, block: &structure::Block) -> Block {
        let label = |label: &BlockLabel| self.name(label.as_str(), label);
        Block {
            kind: self.name(&block.ident, &block.ident),
            labels: block.labels.iter().map(label).collect(),
            body: self.body(&block.body, span(block)),
        }
    }

    fn name(&self, text: &str, place: &impl hcl_edit::Span) -> Name {
        Name::new(text, self.source, span(place))
    }

    pub(crate) fn expression(&self, expression: &Theirs) -> Expression {
        Expression::new(self.source, self.node(expression))
    }

    pub(crate) fn template(&self, template: &hcl_edit::template::Template) -> Expression {
        let whole = Span::new(0..self.source.text().len());
        Expression::new(self.source, template::bare(self, template, whole))
    }

    fn node(&self, expression: &Theirs) -> Node {
        let kind = match expression {
            Theirs::Null(_) => Kind::Literal(Value::NULL),
            Theirs::Bool(value) => Kind::Literal(Value::from(**value)),
            Theirs::Number(number) => Kind::Literal(self.number(number, span(expression))),
            Theirs::String(text) => Kind::Literal(Value::string(text.as_str())),
            Theirs::Array(elements) => {
                Kind::Tuple(elements.iter().map(|element| self.node(element)).collect())
            }
            Theirs::Object(object) => {
                let item = |(key, value): (&ObjectKey, &theirs::ObjectValue)| {
                    (self.key(key), self.node(value.expr()))
                };
                Kind::Object(object.iter().map(item).collect())
            }
            Theirs::StringTemplate(quoted) => {
                return template::quoted(self, quoted, span(expression));
            }
            Theirs::HeredocTemplate(heredoc) => {
                return template::heredoc(self, heredoc, span(expression));
            }
            // The parentheses belong to what is shown, not to what is done.
            Theirs::Parenthesis(inner) => {
                let inner = self.node(inner.inner());
                return Node {
                    span: span(expression),
                    ..inner
                };
            }
            Theirs::Variable(name) => Kind::Variable(name.as_str().into()),
            Theirs::Conditional(conditional) => Kind::Conditional(Box::new(Conditional {
                condition: self.node(&conditional.cond_expr),
                then: self.node(&conditional.true_expr),
                otherwise: self.node(&conditional.false_expr),
            })),
            Theirs::FuncCall(call) => self.call(call),
            Theirs::Traversal(traversal) => Kind::Traversal(
                Box::new(self.node(&traversal.expr)),
                traversal
                    .operators
                    .iter()
                    .map(|operator| self.step(operator))
                    .collect(),
            ),
            Theirs::UnaryOp(operation) => {
                let operator = match *operation.operator {
                    UnaryOperator::Neg => Unary::Negate,
                    UnaryOperator::Not => Unary::Not,
                };
                Kind::Unary(operator, Box::new(self.node(&operation.expr)))
            }
            Theirs::BinaryOp(operation) => {
                let operands = (
                    self.node(&operation.lhs_expr),
                    self.node(&operation.rhs_expr),
                );
                Kind::Binary(binary(*operation.operator), Box::new(operands))
            }
            Theirs::ForExpr(expression) => self.for_expression(expression),
        };
        Node {
            span: span(expression),
            kind,
        }
    }

    /// Their numbers are floats where 64 bits do not do; what is written has all the digits.
    fn number(&self, number: &hcl_edit::Number, span: Span) -> Value {
        let written = self.source.slice(span);
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
        let digits = written.trim_end_matches(is_digit);
        let digits = &written[digits.len()..];
        // `- 1` is one number to them, with comments before the digits, too.
        let written = match written.starts_with('-') && !digits.starts_with('-') {
            true => format!("-{digits}"),
            false => digits.to_owned(),
        };
        let theirs = || number.to_string().parse::<Number>();
        match written.parse::<Number>().or_else(|_| theirs()) {
            Ok(number) => Value::number(number),
            Err(_) => Value::unknown(Type::Number),
        }
    }

    fn key(&self, key: &ObjectKey) -> Node {
        match key {
            ObjectKey::Ident(name) => Node {
                span: span(key),
                kind: Kind::Literal(Value::string(name.as_str())),
            },
            // A word like any other here.
            ObjectKey::Expression(Theirs::Null(_)) => Node {
                span: span(key),
                kind: Kind::Literal(Value::string("null")),
            },
            ObjectKey::Expression(expression) => self.node(expression),
        }
    }

    fn call(&self, call: &theirs::FuncCall) -> Kind {
        let mut name = String::new();
        for namespace in &call.name.namespace {
            name.push_str(namespace.as_str());
            name.push_str("::");
        }
        name.push_str(call.name.name.as_str());
        Kind::Call(Box::new(Call {
            name: name.into(),
            name_span: span(&call.name.name),
            arguments: call
                .args
                .iter()
                .map(|argument| self.node(argument))
                .collect(),
            is_expanded: call.args.expand_final(),
        }))
    }

    fn step(&self, operator: &hcl_edit::Decorated<TraversalOperator>) -> Step {
        let kind = match &**operator {
            TraversalOperator::AttrSplat(_) => StepKind::AttributeSplat,
            TraversalOperator::FullSplat(_) => StepKind::FullSplat,
            TraversalOperator::GetAttr(name) => StepKind::Attribute(name.as_str().into()),
            TraversalOperator::Index(key) => StepKind::Index(self.node(key)),
            TraversalOperator::LegacyIndex(index) => StepKind::LegacyIndex(Node {
                span: span(index),
                kind: Kind::Literal(Value::from(**index)),
            }),
        };
        Step {
            span: span(operator),
            kind,
        }
    }

    fn for_expression(&self, expression: &theirs::ForExpr) -> Kind {
        let intro = &expression.intro;
        let node = |expression: &Theirs| self.node(expression);
        Kind::For(Box::new(For {
            each: Each {
                key: intro.key_var.as_ref().map(|key| key.as_str().into()),
                value: intro.value_var.as_str().into(),
                collection: node(&intro.collection_expr),
            },
            key: expression.key_expr.as_ref().map(node),
            value: node(&expression.value_expr),
            condition: expression.cond.as_ref().map(|cond| node(&cond.expr)),
            is_grouped: expression.grouping,
        }))
    }
}

fn span(item: &impl hcl_edit::Span) -> Span {
    Span::new(item.span().unwrap_or_default())
}

fn binary(operator: BinaryOperator) -> Binary {
    match operator {
        BinaryOperator::Or => Binary::Or,
        BinaryOperator::And => Binary::And,
        BinaryOperator::Eq => Binary::Equal,
        BinaryOperator::NotEq => Binary::NotEqual,
        BinaryOperator::Less => Binary::Less,
        BinaryOperator::LessEq => Binary::LessOrEqual,
        BinaryOperator::Greater => Binary::Greater,
        BinaryOperator::GreaterEq => Binary::GreaterOrEqual,
        BinaryOperator::Plus => Binary::Add,
        BinaryOperator::Minus => Binary::Subtract,
        BinaryOperator::Mul => Binary::Multiply,
        BinaryOperator::Div => Binary::Divide,
        BinaryOperator::Mod => Binary::Remainder,
    }
}
