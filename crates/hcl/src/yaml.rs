//! YAML: read with every digit of its numbers, and written as Terraform writes it.
//!
//! There is one reader with two sets of [`Rules`]: those of `yamldecode`, which are Terraform's, and
//! stricter ones for files that people write for us. Anchors, aliases and merge keys (`<<`) are
//! followed. Errors quote nothing: the text may hold secrets.

mod scalar;
mod writer;

use std::collections::{BTreeMap, HashMap};

use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use tenon_values::Value;

use scalar::{key, scalar};
pub use writer::write;

/// What is read as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Of files that people write: what is ambiguous is text (`007`, dates) or refused (a key that
    /// is there twice). Keys are text as it is written, and an empty document is null. What a
    /// mapping says itself wins over what it merges.
    Strict,
    /// Of Terraform's `yamldecode`: keys and values are resolved alike, `007` is a number, dates
    /// become timestamps, tags that are not known are refused, and of a key that is there twice or
    /// merged the last value is kept.
    Terraform,
}

/// How deep values may be nested, aliases included.
const DEPTH: usize = 128;

/// How many values there may be, those of aliases counted each time: a small file stays small.
const NODES: usize = 250_000;

/// The value of a YAML text of one document.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(text: &str, rules: Rules) -> Result<Value, String> {
    let mut builder = Builder::new(rules);
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| at(error.marker(), &error.info()))?;
        builder
            .take(event)
            .map_err(|problem| at(&span.start, &problem))?;
    }
    match builder.document {
        Some(node) => Ok(node.value),
        None if rules == Rules::Strict => Ok(Value::NULL),
        None => Err("there is no document".into()),
    }
}

fn at(marker: &Marker, problem: &str) -> String {
    format!(
        "line {}, column {}: {problem}",
        marker.line(),
        marker.col() + 1
    )
}

/// A value that is complete.
#[derive(Clone)]
struct Node {
    value: Value,
    /// The values in it, itself included.
    size: usize,
    /// How deep it is nested inside.
    height: usize,
}

/// A collection that is not complete yet.
struct Open {
    anchor: usize,
    size: usize,
    height: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Value>),
    Mapping {
        entries: BTreeMap<String, Value>,
        /// What `<<` brings; what is written in the mapping itself wins.
        merged: Vec<Value>,
        key: Option<Key>,
    },
}

enum Key {
    Name(String),
    Merge,
}

struct Builder {
    rules: Rules,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    size: usize,
    document: Option<Node>,
}

impl Builder {
    fn new(rules: Rules) -> Builder {
        Builder {
            rules,
            open: Vec::new(),
            anchors: HashMap::new(),
            size: 0,
            document: None,
        }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) if self.document.is_some() => {
                Err("there can be only one document".into())
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.takes_key() {
                    return self.key(&text, style, tag.as_deref());
                }
                let value = scalar(&text, style, tag.as_deref(), self.rules)?;
                self.complete(anchor, value, 0, 0)
            }
            Event::Alias(anchor) => {
                let node = { self.anchors.get(&anchor).cloned() }
                    .ok_or("this alias is part of what it refers to")?;
                self.grow(node.size)?;
                self.attach(node)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "seq")?;
                self.begin(anchor, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "map")?;
                let mapping = Content::Mapping {
                    entries: BTreeMap::new(),
                    merged: Vec::new(),
                    key: None,
                };
                self.begin(anchor, mapping)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Ok(());
                };
                let value = match open.content {
                    Content::Sequence(values) => Value::tuple(values),
                    Content::Mapping {
                        entries, merged, ..
                    } => mapping(entries, &merged),
                };
                self.complete(open.anchor, value, open.size, open.height)
            }
            _ => Ok(()),
        }
    }

    /// Collections have no other types here than their own.
    fn refuse_tag(&self, tag: Option<&Tag>, allowed: &str) -> Result<(), String> {
        let is_other = tag.is_some_and(|tag| tag.core_suffix() != Some(allowed));
        match is_other && self.rules == Rules::Terraform {
            true => Err("this cannot be of the type that its tag names".into()),
            false => Ok(()),
        }
    }

    /// The next value is a key.
    fn takes_key(&self) -> bool {
        let content = self.open.last().map(|open| &open.content);
        matches!(content, Some(Content::Mapping { key: None, .. }))
    }

    fn key(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<(), String> {
        let is_strict = self.rules == Rules::Strict;
        let is_merge = text == "<<" && tag.is_none() && (!is_strict || style == ScalarStyle::Plain);
        let name = match is_merge {
            true => Key::Merge,
            false => Key::Name(key(text, style, tag, self.rules)?),
        };
        if let Some(Open {
            content: Content::Mapping { entries, key, .. },
            ..
        }) = self.open.last_mut()
        {
            if let Key::Name(name) = &name
                && is_strict
                && entries.contains_key(name)
            {
                return Err("this key is there twice".into());
            }
            *key = Some(name);
        }
        Ok(())
    }

    fn begin(&mut self, anchor: usize, content: Content) -> Result<(), String> {
        if self.takes_key() {
            return Err("a key has to be text".into());
        }
        self.refuse_depth(0)?;
        self.open.push(Open {
            anchor,
            size: 0,
            height: 0,
            content,
        });
        Ok(())
    }

    /// A value is complete that has so many others in it.
    fn complete(
        &mut self,
        anchor: usize,
        value: Value,
        inside: usize,
        height: usize,
    ) -> Result<(), String> {
        self.grow(1)?;
        let node = Node {
            value,
            size: inside + 1,
            height,
        };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.attach(node)
    }

    fn grow(&mut self, size: usize) -> Result<(), String> {
        self.size += size;
        match self.size > NODES {
            true => Err(format!(
                "there are more than {NODES} values, aliases included"
            )),
            false => Ok(()),
        }
    }

    fn refuse_depth(&self, height: usize) -> Result<(), String> {
        match self.open.len() + height >= DEPTH {
            true => Err(format!("this is nested more than {DEPTH} deep")),
            false => Ok(()),
        }
    }

    /// Puts a value where it belongs.
    fn attach(&mut self, node: Node) -> Result<(), String> {
        self.refuse_depth(node.height)?;
        let is_strict = self.rules == Rules::Strict;
        let Some(open) = self.open.last_mut() else {
            self.document = Some(node);
            return Ok(());
        };
        open.size += node.size;
        open.height = open.height.max(node.height + 1);
        match &mut open.content {
            Content::Sequence(values) => values.push(node.value),
            Content::Mapping {
                entries,
                merged,
                key,
            } => match key.take() {
                Some(Key::Name(name)) => {
                    entries.insert(name, node.value);
                }
                Some(Key::Merge) if is_strict => merge(&node.value, merged)?,
                // What comes later wins, and there is no list of mappings.
                Some(Key::Merge) => {
                    let one = node.value.attributes().ok_or("`<<` takes a mapping")?;
                    let one = one.iter();
                    entries.extend(one.map(|(name, value)| (name.to_owned(), value.clone())));
                }
                None => return Err("a key has to be text".into()),
            },
        }
        Ok(())
    }
}

/// What a merge key brings: a mapping, or several of which the first wins.
fn merge(value: &Value, merged: &mut Vec<Value>) -> Result<(), String> {
    let several = value.elements().unwrap_or(std::slice::from_ref(value));
    for one in several {
        if one.attributes().is_none() {
            return Err("`<<` takes a mapping, or a list of mappings".into());
        }
        merged.push(one.clone());
    }
    Ok(())
}

fn mapping(mut entries: BTreeMap<String, Value>, merged: &[Value]) -> Value {
    for (name, value) in merged
        .iter()
        .filter_map(Value::attributes)
        .flat_map(|one| one.iter())
    {
        if !entries.contains_key(name) {
            entries.insert(name.to_owned(), value.clone());
        }
    }
    Value::object(entries)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn strict(text: &str) -> Result<Value, String> {
        read(text, Rules::Strict)
    }

    fn shown(text: &str) -> String {
        match strict(text) {
            Ok(value) => value.to_string(),
            Err(problem) => problem,
        }
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        for (text, value) in [
            ("0", "0"),
            ("-0", "-0"),
            ("0.1", "0.1"),
            (".5", "0.5"),
            ("7.", "7"),
            ("+12", "12"),
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551617", "18446744073709551617"),
            (
                "-170141183460469231731687303715884105729",
                "-170141183460469231731687303715884105729",
            ),
            (
                "123456789012345678901234567890.5",
                "123456789012345678901234567890.5",
            ),
            ("1e3", "1000"),
            ("-2.5E-3", "-0.0025"),
            ("1e400", "1e400"),
            ("1e100", &format!("1{}", "0".repeat(100))),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("-0b101", "-5"),
            ("!!float 3", "3"),
            ("!!int \"3\"", "3"),
        ] {
            assert_eq!(shown(text), value, "{text}");
        }
    }

    #[test]
    fn texts_that_look_like_numbers_are_texts() {
        for text in [
            "007", "1_000", "1.2.3", "0x", "1e", "--1", "12h", ".", "e5", "0o8", "nan",
        ] {
            assert_eq!(strict(text), Ok(Value::string(text)), "{text}");
        }
        assert_eq!(strict("'12'"), Ok(Value::string("12")));
        assert_eq!(strict("!!str 12"), Ok(Value::string("12")));
    }

    #[test]
    fn collections_anchors_and_merges() {
        assert_eq!(shown(""), "null");
        assert_eq!(
            shown("base: &b {x: 1, y: [~, yes]}\nmore:\n  <<: *b\n  x: 2\nsame: *b\n1: one\n"),
            "{ \"1\" = \"one\", base = { x = 1, y = [null, true] }, \
             more = { x = 2, y = [null, true] }, same = { x = 1, y = [null, true] } }"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_without_the_text() {
        for (text, problem) in [
            ("a: 1\na: 2\n", "line 2, column 1: this key is there twice"),
            (
                "a: .inf\n",
                "line 1, column 4: a number is neither infinite nor NaN here; put it in quotes for text",
            ),
            (
                "a: &a [*a]\n",
                "line 1, column 8: this alias is part of what it refers to",
            ),
            ("? [a]\n: 1\n", "line 1, column 3: a key has to be text"),
            (
                "<<: 1\n",
                "line 1, column 5: `<<` takes a mapping, or a list of mappings",
            ),
            (
                "a\n---\nb\n",
                "line 2, column 1: there can be only one document",
            ),
            (
                "!!int hunter2\n",
                "line 1, column 7: this is not a value of the type int that its tag names",
            ),
        ] {
            assert_eq!(strict(text), Err(problem.to_owned()), "{text}");
        }
        let unclosed = strict("password: \"hunter2\n").unwrap_err();
        assert!(
            unclosed.starts_with("line ") && !unclosed.contains("hunter"),
            "{unclosed}"
        );
    }

    /// Texts of what is special in YAML, and of anything else but the separators that end a line in
    /// YAML 1.1 alone.
    fn text() -> impl Strategy<Value = String> {
        let special = "[ \n\t\r\\\\\"':#,?!&*|>%@`{}\\[\\]a0.~-]{0,12}";
        prop_oneof![
            special,
            "[^\u{2028}\u{2029}]{0,12}",
            "(word ){0,40}[a-z\n ]{0,9}"
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::NULL),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 24, 4, |inner| {
            let entries = prop::collection::btree_map(text(), inner.clone(), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::tuple),
                entries.prop_map(Value::object),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in value()) {
            let text = write(&value, |_| Ok::<(), ()>(())).unwrap();
            let read = read(&text, Rules::Terraform);
            prop_assert_eq!(read, Ok(value), "{}", text);
        }
    }
}
