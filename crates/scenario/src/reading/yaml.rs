//! YAML files of variables, read with every digit of their numbers.
//!
//! Scalars without quotes are resolved as in YAML 1.2, with the further words of 1.1 for true and
//! false (`yes`, `off`). Anchors, aliases and merge keys (`<<`) are followed; tags other than those
//! of the core schema are ignored. Errors quote nothing: the file may hold secrets.

mod scalar;

use std::collections::{BTreeMap, HashMap};

use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use tenon_values::Value;

use scalar::scalar;

/// How deep values may be nested, aliases included.
const DEPTH: usize = 128;

/// How many values there may be, those of aliases counted each time: a small file stays small.
const NODES: usize = 250_000;

/// The value of a YAML text of one document; null if it is empty.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut builder = Builder::default();
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| at(error.marker(), &error.info()))?;
        builder
            .take(event)
            .map_err(|problem| at(&span.start, &problem))?;
    }
    Ok(builder.document.map_or(Value::NULL, |node| node.value))
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

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    size: usize,
    document: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) if self.document.is_some() => {
                Err("a file of variables has only one document".into())
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.takes_key() {
                    return self.key(&text, style, tag.as_deref());
                }
                let value = scalar(&text, style, tag.as_deref())?;
                self.complete(anchor, value, 0, 0)
            }
            Event::Alias(anchor) => {
                let node = { self.anchors.get(&anchor).cloned() }
                    .ok_or("this alias is part of what it refers to")?;
                self.grow(node.size)?;
                self.attach(node)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(anchor, Content::Sequence(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.begin(
                anchor,
                Content::Mapping {
                    entries: BTreeMap::new(),
                    merged: Vec::new(),
                    key: None,
                },
            ),
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

    /// The next value is a key.
    fn takes_key(&self) -> bool {
        let content = self.open.last().map(|open| &open.content);
        matches!(content, Some(Content::Mapping { key: None, .. }))
    }

    fn key(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<(), String> {
        let is_merge = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
        if let Some(Open {
            content: Content::Mapping { entries, key, .. },
            ..
        }) = self.open.last_mut()
        {
            if !is_merge && entries.contains_key(text) {
                return Err("this key is there twice".into());
            }
            *key = Some(match is_merge {
                true => Key::Merge,
                false => Key::Name(text.to_owned()),
            });
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
                Some(Key::Merge) => merge(&node.value, merged)?,
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
    use super::*;

    fn shown(text: &str) -> String {
        match read(text) {
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
            assert_eq!(read(text), Ok(Value::string(text)), "{text}");
        }
        assert_eq!(read("'12'"), Ok(Value::string("12")));
        assert_eq!(read("!!str 12"), Ok(Value::string("12")));
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
                "line 2, column 1: a file of variables has only one document",
            ),
            (
                "!!int hunter2\n",
                "line 1, column 7: this is not a value of the type int that its tag names",
            ),
        ] {
            assert_eq!(read(text), Err(problem.to_owned()), "{text}");
        }
        let unclosed = read("password: \"hunter2\n").unwrap_err();
        assert!(
            unclosed.starts_with("line ") && !unclosed.contains("hunter"),
            "{unclosed}"
        );
    }
}
