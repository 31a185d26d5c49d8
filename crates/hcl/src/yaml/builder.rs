//! The value that the events of a YAML parser make.

use std::collections::{BTreeMap, HashMap};

use granit_parser::{Event, ScalarStyle, StructureStyle, Tag};
use tenon_values::Value;

use super::scalar::{key, scalar};
use super::{DEPTH, NODES, Rules};

/// A complete value.
#[derive(Clone)]
struct Node {
    value: Value,
    /// The values in it, itself included.
    size: usize,
    /// How deep it is nested inside.
    height: usize,
}

/// A collection that is not complete.
struct Open {
    style: StructureStyle,
    anchor: usize,
    size: usize,
    height: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Value>),
    Mapping {
        entries: BTreeMap<String, Value>,
        /// The mappings of `<<`. Entries of the mapping itself take precedence.
        merged: Vec<Value>,
        key: Option<Key>,
    },
}

enum Key {
    Name(String),
    Merge,
}

pub(super) struct Builder {
    rules: Rules,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    size: usize,
    document: Option<Node>,
}

impl Builder {
    pub(super) fn new(rules: Rules) -> Builder {
        Builder {
            rules,
            open: Vec::new(),
            anchors: HashMap::new(),
            size: 0,
            document: None,
        }
    }

    /// The value of the document, if there is one.
    pub(super) fn finish(self) -> Option<Value> {
        self.document.map(|node| node.value)
    }

    /// Adds an event, with the text before it.
    ///
    /// # Errors
    /// It cannot be part of a value.
    pub(super) fn take(&mut self, event: Event<'_>, before: &str) -> Result<(), String> {
        self.refuse_tab(&event, before)?;
        match event {
            Event::DocumentStart(..) if self.document.is_some() => {
                Err("only one document is allowed".into())
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
                    .ok_or("the alias refers to a value that contains it")?;
                self.grow(node.size)?;
                self.attach(node)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "seq")?;
                self.begin(style, anchor, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(style, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), "map")?;
                let mapping = Content::Mapping {
                    entries: BTreeMap::new(),
                    merged: Vec::new(),
                    key: None,
                };
                self.begin(style, anchor, mapping)
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

    /// Terraform's reader follows YAML 1.1, which allows no tab where a line is indented, nor after
    /// the `-`, `?` or `:` at its start. Inside brackets and braces lines have no indentation.
    fn refuse_tab(&self, event: &Event<'_>, before: &str) -> Result<(), String> {
        let is_node = matches!(
            event,
            Event::Scalar(..)
                | Event::Alias(_)
                | Event::SequenceStart(..)
                | Event::MappingStart(..)
        );
        let is_in_flow = { self.open.iter() }.any(|open| open.style == StructureStyle::Flow);
        if self.rules != Rules::Terraform || !is_node || is_in_flow {
            return Ok(());
        }
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let is_indentation =
            { line.bytes() }.all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':'));
        // Nothing is indented after the marker of a document.
        match is_indentation && line.contains('\t') && !line.starts_with("---") {
            true => Err("a tab cannot be used for indentation".into()),
            false => Ok(()),
        }
    }

    /// Collections have only the tags of their own types.
    fn refuse_tag(&self, tag: Option<&Tag>, allowed: &str) -> Result<(), String> {
        let is_other = tag.is_some_and(|tag| tag.core_suffix() != Some(allowed));
        match is_other && self.rules == Rules::Terraform {
            true => Err("a collection cannot have the type that its tag names".into()),
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
                return Err("duplicate key".into());
            }
            *key = Some(name);
        }
        Ok(())
    }

    fn begin(
        &mut self,
        style: StructureStyle,
        anchor: usize,
        content: Content,
    ) -> Result<(), String> {
        if self.takes_key() {
            return Err("a key must be a string".into());
        }
        self.refuse_depth(0)?;
        self.open.push(Open {
            style,
            anchor,
            size: 0,
            height: 0,
            content,
        });
        Ok(())
    }

    /// Adds a complete value, with the number of values in it.
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
                "more than {NODES} values, each use of an alias counted"
            )),
            false => Ok(()),
        }
    }

    fn refuse_depth(&self, height: usize) -> Result<(), String> {
        match self.open.len() + height >= DEPTH {
            true => Err(format!("nested more than {DEPTH} levels deep")),
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
                // Later entries take precedence, and there is no list of mappings.
                Some(Key::Merge) => {
                    let one = node
                        .value
                        .attributes()
                        .ok_or("the value of `<<` must be a mapping")?;
                    let one = one.iter();
                    entries.extend(one.map(|(name, value)| (name.to_owned(), value.clone())));
                }
                None => return Err("a key must be a string".into()),
            },
        }
        Ok(())
    }
}

/// Adds the value of a merge key: a mapping, or a list of mappings of which the first ones take
/// precedence.
fn merge(value: &Value, merged: &mut Vec<Value>) -> Result<(), String> {
    let several = value.elements().unwrap_or(std::slice::from_ref(value));
    for one in several {
        if one.attributes().is_none() {
            return Err("the value of `<<` must be a mapping or a list of mappings".into());
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
