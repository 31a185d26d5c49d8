//! The cty type system.

pub mod convert;
mod error;
pub mod json;
mod marks;
pub mod msgpack;
mod number;
mod path;
mod prefix;
mod refinement;
mod set;
mod text;
mod types;
mod value;

pub use error::{Error, Problem};
pub use marks::{Mark, Marks};
pub use number::{Number, NumberError};
pub use path::{Path, Step};
pub use refinement::{Bound, Refinement};
pub use text::Text;
pub use types::{Attribute, ObjectType, TYPE_DEPTH, TupleType, Type, TypeError};
pub use value::{Attributes, Kind, Value};
