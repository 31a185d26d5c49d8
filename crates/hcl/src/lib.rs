//! HCL.
mod diagnostic;
mod evaluate;
mod function;
pub mod functions;
mod lower;
mod parse;
mod references;
mod render;
mod scan;
mod scope;
mod source;
mod suggest;
mod syntax;

pub use diagnostic::{Diagnostic, Severity, Style};
pub use evaluate::Context;
pub use function::{Arguments, Function, FunctionError, Parameter};
pub use functions::Functions;
pub use parse::{Limits, parse, parse_expression, parse_template, parse_within};
pub use scope::{Found, Missing, Reference, Scope, did_you_mean};
pub use source::{Place, Source};
pub use syntax::{Attribute, Block, Body, Expression, Name};
