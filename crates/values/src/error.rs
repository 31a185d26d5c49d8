//! What can be wrong with a value, and where.

use std::fmt;

use smol_str::SmolStr;

use crate::NumberError;
use crate::path::{Path, Step};
use crate::types::{Type, TypeError};

/// A problem with a value, or with a value inside it.
///
/// Displayed with the path: `at .servers[2].port: a number is required`.
#[derive(Clone, PartialEq)]
pub struct Error(Box<(Path, Problem)>);

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A value of another kind was found.
    #[error("{} is required, but this is {found}", with_article(wanted))]
    Required {
        /// The required type.
        wanted: Type,
        /// What was found, with its article.
        found: &'static str,
    },
    /// The type is not the required one, and there is no conversion.
    #[error(
        "{} is required, but this is {}",
        with_article(wanted),
        with_article(given)
    )]
    WrongType {
        /// The required type.
        wanted: Type,
        /// The type that was found.
        given: Type,
    },
    /// An object has no such attribute.
    #[error("the attribute {0:?} is not supported")]
    UnsupportedAttribute(SmolStr),
    /// An object has no such attribute, but one with almost the same name.
    #[error("the attribute {name:?} is not supported; did you mean `{meant}`?")]
    MisspeltAttribute {
        /// The name that was given.
        name: SmolStr,
        /// The name that was probably meant.
        meant: SmolStr,
    },
    /// Only the plugin sets this attribute.
    #[error("the attribute {0:?} is computed and cannot be given")]
    ComputedAttribute(SmolStr),
    /// A required attribute of an object is missing.
    #[error("the attribute {0:?} is required")]
    MissingAttribute(SmolStr),
    /// A block is written fewer times than it must be.
    #[error("at least {min} {name:?} {} required, but {}", blocks(*min), there_are(*given))]
    TooFewBlocks {
        /// The name of the block.
        name: SmolStr,
        /// How many there must be.
        min: u64,
        /// How many there are.
        given: u64,
    },
    /// A block is written more often than it may be.
    #[error("at most {max} {name:?} {} allowed, but {}", blocks(*max), there_are(*given))]
    TooManyBlocks {
        /// The name of the block.
        name: SmolStr,
        /// How many there may be.
        max: u64,
        /// How many there are.
        given: u64,
    },
    /// A tuple has too few or too many elements.
    #[error("a tuple of {wanted} elements is required, but this has {given}")]
    TupleLength {
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        given: usize,
    },
    /// The elements of a collection are not of one type.
    #[error(
        "all elements must have one type, but this is {}, after {}",
        with_article(given),
        with_article(first)
    )]
    MixedElements {
        /// The type of the elements before.
        first: Type,
        /// The type of this element.
        given: Type,
    },
    /// No type fits all the elements.
    #[error(
        "there is no type that all the elements could be converted to; convert them one by one first"
    )]
    NotUnifiable,
    /// A text is neither "true" nor "false".
    #[error("a bool is required{hint}")]
    NotABool {
        /// What to write instead. The text itself is not kept: it may be a secret.
        hint: &'static str,
    },
    /// A number is wrong.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// A type that came with a value is wrong.
    #[error("the type of the value is invalid: {0}")]
    Type(#[from] TypeError),
    /// There is no element under this key or at this index.
    #[error("there is no element {0}")]
    NoElement(String),
    /// The operation needs a value, but there is null.
    #[error("a value is required, but this is null")]
    Null,
    /// The operation needs a value that is known already.
    #[error("the value is not known yet")]
    Unknown,
    /// The value is marked, for instance as sensitive, and must not be written out.
    #[error("the value is marked as {0}, so it cannot be written; remove the mark first")]
    Marked(String),
    /// JSON has no infinity.
    #[error("an infinite number cannot be written as JSON")]
    Infinity,
    /// JSON and UTF-8 strings cannot hold these bytes.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// What is known of an unknown value contradicts itself.
    #[error("what is known of this unknown value contradicts itself: {0}")]
    Contradiction(&'static str),
    /// A refinement of an unknown value is not possible for its type.
    #[error("{refinement} cannot be known of {}", with_article(ty))]
    Refinement {
        /// What is said.
        refinement: &'static str,
        /// The type of the value.
        ty: Type,
    },
    /// Two keys of a map are one in normal form C.
    #[error("the key {0:?} appears twice, written in two ways")]
    SameKey(String),
    /// A property of a JSON object is there twice, with two types.
    #[error("the property {0:?} appears twice, with different types")]
    DuplicateProperty(String),
    /// The bytes are not msgpack, or not the msgpack of such a value.
    #[error("{message} (at byte {offset})")]
    Msgpack {
        /// What is wrong.
        message: &'static str,
        /// Where in the bytes.
        offset: usize,
    },
    /// The text is not JSON, or not the JSON of such a value.
    #[error("{message} (at line {line}, column {column})")]
    Json {
        /// What is wrong.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
    /// The value is larger than a limit allows.
    #[error("the value is too large: {what} is limited to {limit}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// To how much.
        limit: usize,
    },
    /// A message of a type that is read or written with serde.
    #[error("{0}")]
    Serde(String),
}

impl Problem {
    /// This text is not a bool.
    pub(crate) fn not_a_bool(text: &str) -> Problem {
        let hint = match text.to_ascii_lowercase().as_str() {
            "true" | "false" => "; write it in lower case",
            "yes" | "on" => "; write \"true\"",
            "no" | "off" => "; write \"false\"",
            _ => ": \"true\" or \"false\"",
        };
        Problem::NotABool { hint }
    }
}

impl Error {
    /// A problem at a path.
    pub fn new(path: Path, problem: impl Into<Problem>) -> Error {
        Error(Box::new((path, problem.into())))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.0
    }

    /// What it is.
    pub fn problem(&self) -> &Problem {
        &self.0.1
    }

    /// The same problem inside a marked value, whose keys are as secret as what is under them.
    pub(crate) fn inside_marked(mut self) -> Error {
        self.0.0.truncate_at_key();
        self
    }

    /// The same problem, with its path one level further out.
    #[must_use]
    pub fn below(mut self, step: Step) -> Error {
        self.0.0.prepend(step);
        self
    }
}

impl<P: Into<Problem>> From<P> for Error {
    /// A problem with the value itself.
    fn from(problem: P) -> Error {
        Error::new(Path::root(), problem)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = &*self.0;
        if path.is_root() {
            return problem.fmt(formatter);
        }
        write!(formatter, "at {path}: {problem}")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Error {}

fn blocks(number: u64) -> &'static str {
    match number {
        1 => "block is",
        _ => "blocks are",
    }
}

fn there_are(number: u64) -> String {
    match number {
        1 => "there is 1".to_owned(),
        _ => format!("there are {number}"),
    }
}

/// The type in words, for the middle of a sentence.
fn with_article(ty: &Type) -> String {
    let article = if matches!(ty, Type::Object(_)) {
        "an"
    } else {
        "a"
    };
    match ty {
        Type::Dynamic => "a value of unknown type".to_owned(),
        Type::Object(object) if !object.attributes().is_empty() => {
            let names: Vec<&str> = object
                .attributes()
                .iter()
                .map(|attribute| attribute.name.as_str())
                .collect();
            let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            let more = if names.len() > 5 { ", ..." } else { "" };
            format!("an object with {shown}{more}")
        }
        ty => format!("{article} {}", ty.friendly()),
    }
}
