//! Operations on values, by tables: numbers of several precisions, what is certain of unknown
//! values, marks that travel, refinements that agree or contradict, and what is inside a value.

#[path = "operations/arithmetic.rs"]
mod arithmetic;
#[path = "operations/echoes.rs"]
mod echoes;
#[path = "operations/insides.rs"]
mod insides;
#[path = "operations/marks.rs"]
mod marks;
#[path = "operations/refinements.rs"]
mod refinements;
#[path = "operations/sets.rs"]
mod sets;

use tenon_values::{Number, Type, Value};

fn ty(text: &str) -> Type {
    text.parse().unwrap()
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

/// An unknown number between these, not null.
fn between(lower: &str, upper: &str) -> Value {
    let refined = Value::unknown(Type::Number).refine_not_null();
    let refined = refined.and_then(|value| value.refine_lower(number(lower), true));
    refined
        .and_then(|value| value.refine_upper(number(upper), true))
        .unwrap()
}
