//! HCL: files read into a tree, expressions evaluated over [`tenon_values`], and errors shown with
//! their source.
//!
//! [`parse`] reads a file into a [`Body`] of attributes and blocks, each with its [`Place`]. An
//! [`Expression`] is evaluated in a [`Context`]: a [`Scope`] resolves names, and [`Functions`] are the
//! functions that can be called. Unknown values stay unknown, marked values stay marked, and all
//! errors are reported, not only the first. [`Expression::references`] lists the names that an
//! expression uses without evaluating it. [`Problems`] reads blocks by their [`Shape`], and
//! [`Constraint`] reads types.
//!
//! What the blocks of a file mean is left to you. `tests/data/` has the results of Terraform for more
//! than three thousand expressions, and the intended differences.
//!
//! ```
//! use std::collections::BTreeMap;
//! use tenon_hcl::{Context, Functions, Source, Style, parse};
//! use tenon_values::{Type, Value};
//!
//! let source = Source::new("main.hcl", "greeting = \"hello, ${upper(nmae)}\"\n");
//! let body = parse(&source).expect("it is HCL");
//! let scope = BTreeMap::from([("name".to_owned(), Value::from("you"))]);
//! let functions = Functions::standard(None);
//! let greeting = &body.attribute("greeting").expect("it is there").value;
//!
//! let context = Context { scope: &scope, functions: &functions, is_plan: false };
//! let errors = greeting.evaluate(&context).unwrap_err();
//! assert_eq!(errors[0].render(Style::Plain), r#"
//! error: unknown variable `nmae`
//!  --> main.hcl:1:28
//!   |
//! 1 | greeting = "hello, ${upper(nmae)}"
//!   |                            ^^^^
//!   |
//!   = help: did you mean `name`?"#.trim_start());
//!
//! let scope = BTreeMap::from([("nmae".to_owned(), Value::unknown(Type::String))]);
//! let context = Context { scope: &scope, ..context };
//! let value = greeting.evaluate(&context).expect("there is such a name now");
//! assert_eq!(value.to_string(), "(unknown string, not null, begins with \"hello, \")");
//! ```

mod constraint;
mod diagnostic;
mod evaluate;
mod function;
pub mod functions;
mod lower;
mod parse;
mod reader;
mod references;
mod render;
mod scan;
mod scope;
mod source;
mod syntax;
pub mod yaml;

pub use constraint::{Constraint, Defaults};
pub use diagnostic::{Diagnostic, Severity, Style};
pub use evaluate::Context;
pub use function::{Arguments, Function, FunctionError, Parameter};
pub use functions::{Functions, parse_duration};
pub use parse::{Limits, parse, parse_expression, parse_template, parse_within};
pub use reader::{Problems, Shape};
pub use scope::{Found, Missing, Reference, Scope, did_you_mean};
pub use source::{Place, Source};
pub use syntax::{Attribute, Block, Body, Expression, Name};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
