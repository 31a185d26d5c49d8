//! Fields that are blocks.

use std::collections::{BTreeMap, BTreeSet};

use tenon_schema::{Block, Body, Nesting};

use crate::{Attributes, Typed};

/// Types that a field marked with `#[block]` can have: structs made by
/// [`attributes!`](crate::attributes), alone or several of them.
///
/// | type | blocks |
/// |---|---|
/// | `Rule` | exactly one |
/// | `Option<Rule>` | at most one |
/// | `Vec<Rule>` | any number |
/// | `BTreeSet<Rule>` | any number, in no order |
/// | `BTreeMap<String, Rule>` | any number, with a label each |
pub trait Nested: Typed {
    /// The block of this name.
    fn block(name: &str) -> Block;
}

/// A body of the attributes and blocks of a struct.
pub(crate) fn body<A: Attributes>() -> Body {
    let mut body = Body::new(A::attributes());
    body.blocks = A::blocks();
    body
}

impl<A: Attributes> Nested for A {
    fn block(name: &str) -> Block {
        Block::new(name, Nesting::Single, body::<A>()).between(1, 1)
    }
}

impl<A: Attributes> Nested for Option<A> {
    fn block(name: &str) -> Block {
        Block::new(name, Nesting::Single, body::<A>())
    }
}

impl<A: Attributes> Nested for Vec<A> {
    fn block(name: &str) -> Block {
        Block::new(name, Nesting::List, body::<A>())
    }
}

impl<A: Attributes + Ord> Nested for BTreeSet<A> {
    fn block(name: &str) -> Block {
        Block::new(name, Nesting::Set, body::<A>())
    }
}

impl<A: Attributes> Nested for BTreeMap<String, A> {
    fn block(name: &str) -> Block {
        Block::new(name, Nesting::Map, body::<A>())
    }
}
