//! The document, and its type.

pub use bench_workload::document::{Resource, mix, resources};
use tenon_values::Type;

/// The type of the resources.
pub fn ty() -> Type {
    let network = Type::object([("address", Type::String), ("public", Type::Bool)]);
    Type::list(Type::object([
        ("description", Type::String),
        ("enabled", Type::Bool),
        ("id", Type::String),
        ("name", Type::String),
        ("network", network),
        ("ports", Type::list(Type::Number)),
        ("region", Type::String),
        ("size", Type::Number),
        ("tags", Type::map(Type::String)),
        ("weight", Type::Number),
    ]))
}
