//! Paths to parts of values, as plugins write them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};
use tenon_schema::Nesting;
use tenon_values::{Path, Type};

use super::value::Shape;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// An attribute, or the key of a map.
    Name(String),
    /// The index in a list.
    Index(usize),
}

impl Serialize for Segment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Segment::Name(name) => serializer.serialize_str(name),
            Segment::Index(index) => index.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Segment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Segment, D::Error> {
        struct SegmentVisitor;

        impl Visitor<'_> for SegmentVisitor {
            type Value = Segment;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or an index")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Segment, E> {
                Ok(Segment::Name(name.to_owned()))
            }

            fn visit_u64<E: serde::de::Error>(self, index: u64) -> Result<Segment, E> {
                usize::try_from(index)
                    .map(Segment::Index)
                    .map_err(E::custom)
            }
        }

        deserializer.deserialize_any(SegmentVisitor)
    }
}

/// The path that the segments mean by a schema. It ends before a set, whose elements have no names,
/// and where a segment leads nowhere.
pub fn resolve<'a>(segments: &[Segment], shape: impl Into<Shape<'a>>) -> Path {
    let mut path = Path::root();
    let mut place = Place::At(shape.into());
    for segment in segments {
        let Some((next, longer)) = place.step(segment, path.clone()) else {
            break;
        };
        (place, path) = (next, longer);
    }
    path
}

/// Where a path has come to.
enum Place<'a> {
    At(Shape<'a>),
    /// Inside a value of the type `any`.
    Anywhere,
}

impl<'a> Place<'a> {
    fn step(&self, segment: &Segment, path: Path) -> Option<(Place<'a>, Path)> {
        let shape = match self {
            Place::At(shape) => *shape,
            Place::Anywhere => {
                let path = match segment {
                    Segment::Name(name) => path.key(name.as_str()),
                    Segment::Index(index) => path.index(*index),
                };
                return Some((Place::Anywhere, path));
            }
        };
        match (shape, segment) {
            (Shape::Type(Type::Dynamic), segment) => Place::Anywhere.step(segment, path),
            (Shape::Type(Type::Map(element)), Segment::Name(name)) => {
                Some((Place::At(Shape::Type(element)), path.key(name.as_str())))
            }
            (Shape::Nested(Nesting::Map, fields, blocks), Segment::Name(name)) => {
                let inner = Shape::Object(fields, blocks);
                Some((Place::At(inner), path.key(name.as_str())))
            }
            (Shape::Type(Type::List(element)), Segment::Index(index)) => {
                Some((Place::At(Shape::Type(element)), path.index(*index)))
            }
            (Shape::Nested(Nesting::List, fields, blocks), Segment::Index(index)) => {
                let inner = Shape::Object(fields, blocks);
                Some((Place::At(inner), path.index(*index)))
            }
            (Shape::Type(Type::Tuple(tuple)), Segment::Index(index)) => {
                let element = tuple.elements().get(*index)?;
                Some((Place::At(Shape::Type(element)), path.index(*index)))
            }
            (shape, Segment::Name(name)) => {
                let part = shape.part(name)?;
                Some((Place::At(part), path.attribute(name)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_rpc::wire::Packed;
    use tenon_schema::{Attribute, Block, Body};

    use super::*;

    fn body() -> Body {
        let ty: Type = "object({ m = map(number), t = tuple([string, bool]) })"
            .parse()
            .unwrap();
        let inner = Body::new([Attribute::new("x", ty)]);
        Body::new([
            Attribute::new("any", Type::Dynamic),
            Attribute::new("tags", Type::set(Type::String)),
        ])
        .with_block(Block::new("rule", Nesting::List, inner.clone()))
        .with_block(Block::new("label", Nesting::Set, inner.clone()))
        .with_block(Block::new("named", Nesting::Map, inner.clone()))
        .with_block(Block::new("one", Nesting::Single, inner))
    }

    #[test]
    fn paths_follow_the_schema() {
        for (written, path) in [
            (json!(["rule", 1, "x", "m", "k"]), r#".rule[1].x.m["k"]"#),
            (json!(["rule", 1, "x", "t", 1]), ".rule[1].x.t[1]"),
            (json!(["rule", 1, "x", "t", 2]), ".rule[1].x.t"),
            (json!(["named", "k", "x"]), r#".named["k"].x"#),
            (json!(["one", "x"]), ".one.x"),
            (json!(["any", "a", 0]), r#".any["a"][0]"#),
            (json!(["label", 0, "x"]), ".label"),
            (json!(["tags", 0]), ".tags"),
            (json!(["rule", "x"]), ".rule"),
            (json!(["nothing", "x"]), ""),
            (json!([]), ""),
        ] {
            let packed = Packed::encode(&written).unwrap();
            let segments: Vec<Segment> = packed.decode().unwrap();
            assert_eq!(resolve(&segments, &body()).to_string(), path, "{written}");
        }
        for wrong in [json!([-1]), json!([null]), json!([["a"]]), json!([0.5])] {
            let packed = Packed::encode(&wrong).unwrap();
            assert!(packed.decode::<Vec<Segment>>().is_err(), "{wrong}");
        }
    }
}
