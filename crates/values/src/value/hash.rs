//! Hashes that agree with `==`.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::types::Type;
use crate::value::{Content, Value};

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.0).hash(state);
        match &self.0 {
            Content::Bool(value) => value.hash(state),
            Content::Number(number) => number.hash(state),
            Content::String(text) => text.hash(state),
            // Sets that are equal may differ in their order, see `have_same_elements`.
            Content::Sequence(sequence) if matches!(sequence.ty(), Type::Set(_)) => {
                let hash = |value: &Value| {
                    let mut hasher = DefaultHasher::new();
                    value.hash(&mut hasher);
                    hasher.finish()
                };
                let sum = |sum: u64, value: &Value| sum.wrapping_add(hash(value));
                sequence.items().iter().fold(0, sum).hash(state);
            }
            // The type is left out: equal values have equal types, and the values tell enough.
            Content::Sequence(sequence) => sequence.items().hash(state),
            Content::Map(map) => map.items().hash(state),
            Content::Null(ty) => ty.hash(state),
            // All unknown values may share a hash: nothing is looked up by them.
            Content::Unknown(_) => {}
            Content::Marked(marked) => marked.value.hash(state),
        }
    }
}
