//! The syntax tree: blocks, attributes and expressions, each with its place.

use std::fmt;
use std::sync::Arc;

use tenon_values::Value;

use crate::source::{Place, Source, Span};

/// The content of a block or of a file.
#[derive(Clone, Debug)]
pub struct Body {
    /// In the order of the file.
    pub attributes: Vec<Attribute>,
    /// In the order of the file.
    pub blocks: Vec<Block>,
    /// The whole of it.
    pub place: Place,
}

impl Body {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.text() == name)
    }

    /// The blocks of this kind.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks
            .iter()
            .filter(move |block| block.kind.text() == kind)
    }
}

/// `name = value`
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name before the `=`.
    pub name: Name,
    /// The value after it.
    pub value: Expression,
}

/// `kind "label" "label" { ... }`
#[derive(Clone, Debug)]
pub struct Block {
    /// The first word.
    pub kind: Name,
    /// The labels between it and the brace.
    pub labels: Vec<Name>,
    /// The content between the braces.
    pub body: Body,
}

impl Block {
    /// The kind with its labels.
    pub fn header(&self) -> Place {
        let end = self.labels.last().unwrap_or(&self.kind);
        Place::new(self.kind.place.source(), self.kind.span.to(end.span))
    }
}

/// A word of the file: a name, a label.
#[derive(Clone, Debug)]
pub struct Name {
    text: Box<str>,
    span: Span,
    place: Place,
}

impl Name {
    pub(crate) fn new(text: &str, source: &Arc<Source>, span: Span) -> Name {
        Name {
            text: text.into(),
            span,
            place: Place::new(source, span),
        }
    }

    /// The word, without quotes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its place.
    pub fn place(&self) -> Place {
        self.place.clone()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An expression with the text it was read from. Cheap to clone.
#[derive(Clone)]
pub struct Expression {
    pub(crate) source: Arc<Source>,
    pub(crate) root: Arc<Node>,
}

impl Expression {
    pub(crate) fn new(source: &Arc<Source>, root: Node) -> Expression {
        Expression {
            source: source.clone(),
            root: Arc::new(root),
        }
    }

    /// Its place.
    pub fn place(&self) -> Place {
        Place::new(&self.source, self.root.span)
    }

    /// The elements of `[a, b]`, if it is written like that: what must be known without evaluating.
    pub fn as_tuple(&self) -> Option<Vec<Expression>> {
        match &self.root.kind {
            Kind::Tuple(elements) => {
                let element = |node: &Node| Expression::new(&self.source, node.clone());
                Some(elements.iter().map(element).collect())
            }
            _ => None,
        }
    }

    /// The entries of `{ a = b }`, if it is written like that with names that are plain words.
    pub fn as_object(&self) -> Option<Vec<(Name, Expression)>> {
        let Kind::Object(items) = &self.root.kind else {
            return None;
        };
        let entry = |(key, value): &(Node, Node)| {
            let Kind::Literal(name) = &key.kind else {
                return None;
            };
            let name = Name::new(name.as_str()?, &self.source, key.span);
            Some((name, Expression::new(&self.source, value.clone())))
        };
        items.iter().map(entry).collect()
    }

    /// The text of a plain quoted string or a heredoc without anything in it to evaluate.
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.root.kind {
            Kind::Literal(value) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.source.slice(self.root.span))
    }
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Literal(Value),
    /// Text with something in it to evaluate.
    Template(Vec<Part>),
    Tuple(Vec<Node>),
    /// A bare word as a key is a literal here.
    Object(Vec<(Node, Node)>),
    Variable(Box<str>),
    Traversal(Box<Node>, Vec<Step>),
    Call(Box<Call>),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<(Node, Node)>),
    Conditional(Box<Conditional>),
    For(Box<For>),
}

/// A piece of a template.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Value(Node),
    If(Box<IfPart>),
    For(Box<ForPart>),
}

#[derive(Clone, Debug)]
pub(crate) struct IfPart {
    pub(crate) condition: Node,
    pub(crate) then: Vec<Part>,
    pub(crate) otherwise: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(crate) struct ForPart {
    pub(crate) each: Each,
    pub(crate) body: Vec<Part>,
}

/// `for key, value in collection`
#[derive(Clone, Debug)]
pub(crate) struct Each {
    pub(crate) key: Option<Box<str>>,
    pub(crate) value: Box<str>,
    pub(crate) collection: Node,
}

/// One step from a value to a value in it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) span: Span,
    pub(crate) kind: StepKind,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// `.name`
    Attribute(Box<str>),
    /// `[key]`
    Index(Node),
    /// `.0`, with the number as a literal.
    LegacyIndex(Node),
    /// `.*`, which takes only the steps with dots after it along.
    AttributeSplat,
    /// `[*]`, which takes everything after it along.
    FullSplat,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: Box<str>,
    pub(crate) name_span: Span,
    pub(crate) arguments: Vec<Node>,
    /// The last argument is expanded: `f(list...)`.
    pub(crate) is_expanded: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Conditional {
    pub(crate) condition: Node,
    pub(crate) then: Node,
    pub(crate) otherwise: Node,
}

#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) each: Each,
    /// There is one if an object is made.
    pub(crate) key: Option<Node>,
    pub(crate) value: Node,
    pub(crate) condition: Option<Node>,
    /// `...` after the value: values with equal keys are grouped.
    pub(crate) is_grouped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
