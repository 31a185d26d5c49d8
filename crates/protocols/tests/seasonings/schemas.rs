//! Random schemas, and values by them.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_schema::{Attribute, Block, Body, Nesting};
use tenon_values::{Type, Value};

use crate::types::exact_type;
use crate::values::{Content, value_of};

const NESTINGS: [Nesting; 5] = [
    Nesting::Single,
    Nesting::Group,
    Nesting::List,
    Nesting::Set,
    Nesting::Map,
];

/// A schema of a few attributes and blocks.
pub(crate) fn any_body() -> BoxedStrategy<Body> {
    let nesting = proptest::sample::select(NESTINGS.to_vec());
    // The elements of a list have one type, so that there is nothing dynamic in blocks.
    let inner = vec(exact_type(1), 0..3).prop_map(|types| Body::new(named("a", types)));
    let block = (nesting, inner);
    let ty = prop_oneof![4 => exact_type(2), 1 => Just(Type::Dynamic)];
    (vec(ty, 0..4), vec(block, 0..3))
        .prop_map(|(types, blocks)| {
            let body = Body::new(named("a", types));
            let blocks = blocks.into_iter().enumerate();
            blocks.fold(body, |body, (index, (nesting, inner))| {
                body.with_block(Block::new(format!("b{index}"), nesting, inner))
            })
        })
        .boxed()
}

fn named(prefix: &'static str, types: Vec<Type>) -> impl Iterator<Item = Attribute> {
    let types = types.into_iter().enumerate();
    types.map(move |(index, ty)| Attribute::new(format!("{prefix}{index}"), ty))
}

/// A value by a schema: blocks are there or empty, and never null unless they are single.
pub(crate) fn value_by(body: &Body, content: Content) -> BoxedStrategy<Value> {
    let attributes = body.attributes.iter().map(|one| {
        let name = one.name.clone();
        let value = value_of(&one.implied_type(), content);
        value.prop_map(move |value| (name.clone(), value)).boxed()
    });
    let blocks = body.blocks.iter().map(|one| {
        let name = one.name.clone();
        let value = block_value(one, content);
        value.prop_map(move |value| (name.clone(), value)).boxed()
    });
    let parts: Vec<BoxedStrategy<(String, Value)>> = attributes.chain(blocks).collect();
    parts.prop_map(Value::object).boxed()
}

fn block_value(block: &Block, content: Content) -> BoxedStrategy<Value> {
    let inner = value_by(&block.body, content);
    let ty = block.body.implied_type();
    let several = vec(inner.clone(), 0..3);
    match block.nesting {
        Nesting::Group => inner,
        Nesting::Single => prop_oneof![3 => inner, 1 => Just(Value::null(ty))].boxed(),
        Nesting::List => several
            .prop_map(move |values| Value::list(ty.clone(), values).unwrap())
            .boxed(),
        Nesting::Set => several
            .prop_map(move |values| Value::set(ty.clone(), values).unwrap())
            .boxed(),
        Nesting::Map => vec(("[a-c]", inner), 0..3)
            .prop_map(move |entries| Value::map(ty.clone(), entries).unwrap())
            .boxed(),
    }
}
