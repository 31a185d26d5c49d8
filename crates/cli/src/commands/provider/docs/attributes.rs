//! Lists of the attributes and blocks of a schema.

use std::fmt::Write;

use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting, Presence};
use tenon_values::{ObjectType, Type, Value};

/// The section on the schema; empty if there is nothing in it.
pub(super) fn schema(body: &Body) -> String {
    let fields = Fields {
        attributes: &body.attributes,
        blocks: &body.blocks,
    };
    let entries = fields.entries("");
    if entries.is_empty() {
        return String::new();
    }
    let mut text = String::from("## Schema\n");
    write_groups(&entries, |group| format!("### {group}"), &mut text);
    write_nested(&entries, &mut text);
    text
}

/// The type in words, as registries write it: `List of String`.
pub(super) fn type_words(ty: &Type) -> String {
    match ty {
        Type::String => "String".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Bool => "Boolean".to_owned(),
        Type::Dynamic => "Dynamic".to_owned(),
        Type::List(element) => format!("List of {}", type_words(element)),
        Type::Set(element) => format!("Set of {}", type_words(element)),
        Type::Map(element) => format!("Map of {}", type_words(element)),
        Type::Object(_) => "Object".to_owned(),
        Type::Tuple(tuple) => {
            let elements = tuple.elements().iter().map(type_words);
            format!("Tuple of {}", elements.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Text in an item of a list: its further lines are indented, or they would end the item.
pub(super) fn in_item(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim_end);
    let indented = lines.enumerate().map(|(index, line)| match index {
        0 => line.to_owned(),
        _ if line.is_empty() => "\n".to_owned(),
        _ => format!("\n  {line}"),
    });
    indented.collect()
}

/// A value in the font of code.
pub(super) fn code(value: &Value) -> String {
    let value = value.to_string();
    match value.contains('`') {
        true => format!("`` {value} ``"),
        false => format!("`{value}`"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Required,
    Optional,
    ReadOnly,
}

impl Group {
    const ALL: [Group; 3] = [Group::Required, Group::Optional, Group::ReadOnly];

    fn name(self) -> &'static str {
        match self {
            Group::Required => "Required",
            Group::Optional => "Optional",
            Group::ReadOnly => "Read-Only",
        }
    }
}

/// One item of a list.
struct Entry<'a> {
    name: &'a str,
    group: Group,
    /// What stands in parentheses.
    words: Vec<String>,
    /// Sentences.
    about: Vec<String>,
    is_write_only: bool,
    nested: Option<Nested<'a>>,
}

/// A list of what is inside an attribute or a block.
struct Nested<'a> {
    /// What it is inside of: `rule.port`.
    place: String,
    /// What links to it begin with.
    kind: &'static str,
    inside: Inside<'a>,
}

impl Nested<'_> {
    fn anchor(&self) -> String {
        format!("{}--{}", self.kind, self.place.replace('.', "--"))
    }
}

enum Inside<'a> {
    Fields(Fields<'a>),
    Object(&'a ObjectType, Group),
}

struct Fields<'a> {
    attributes: &'a [Attribute],
    blocks: &'a [Block],
}

impl<'a> Fields<'a> {
    fn entries(&self, place: &str) -> Vec<Entry<'a>> {
        let attributes = self.attributes.iter().map(|one| attribute(one, place));
        let blocks = self.blocks.iter().map(|one| block(one, place));
        let mut entries: Vec<Entry<'_>> = attributes.chain(blocks).collect();
        entries.sort_by_key(|one| one.name);
        entries
    }
}

fn attribute<'a>(attribute: &'a Attribute, place: &str) -> Entry<'a> {
    let group = match attribute.presence {
        Presence::Required => Group::Required,
        Presence::Optional | Presence::OptionalComputed => Group::Optional,
        Presence::Computed => Group::ReadOnly,
    };
    let place = format!("{place}{}", attribute.name);
    let (ty, inside) = match &attribute.ty {
        AttributeType::Plain(ty) => {
            let inside = object_in(ty).map(|object| Inside::Object(object, group));
            (type_words(ty), inside)
        }
        AttributeType::Nested(nesting, attributes) => {
            let fields = Fields {
                attributes,
                blocks: &[],
            };
            let ty = match nesting {
                Nesting::Single | Nesting::Group => "Attributes".to_owned(),
                nesting => format!("Attributes {}", nesting_word(*nesting)),
            };
            (ty, Some(Inside::Fields(fields)))
        }
    };
    let mut words = vec![ty];
    let mut flag = |is_set: bool, word: &str| words.extend(is_set.then(|| word.to_owned()));
    flag(attribute.is_sensitive, "Sensitive");
    flag(attribute.is_write_only, "Write-only");
    flag(attribute.deprecation.is_some(), "Deprecated");
    let mut about = vec![in_item(&attribute.description.text)];
    if let Some(default) = attribute
        .default
        .as_ref()
        .filter(|_| !attribute.is_sensitive)
    {
        about.push(format!("Defaults to {}.", code(default)));
    }
    if attribute.replaces && attribute.presence.is_configurable() {
        about.push("A change of it replaces the resource.".to_owned());
    }
    about.extend(deprecation(attribute.deprecation.as_deref()));
    Entry {
        name: &attribute.name,
        group,
        words,
        about,
        is_write_only: attribute.is_write_only,
        nested: inside.map(|inside| Nested {
            place,
            kind: "nestedatt",
            inside,
        }),
    }
}

fn block<'a>(block: &'a Block, place: &str) -> Entry<'a> {
    let place = format!("{place}{}", block.name);
    let mut words = vec![match block.nesting {
        Nesting::Single | Nesting::Group => "Block".to_owned(),
        nesting => format!("Block {}", nesting_word(nesting)),
    }];
    if !matches!(block.nesting, Nesting::Single | Nesting::Group) {
        words.extend((block.min > 0).then(|| format!("Min: {}", block.min)));
        words.extend(block.max.map(|max| format!("Max: {max}")));
    }
    words.extend(
        block
            .body
            .deprecation
            .is_some()
            .then(|| "Deprecated".to_owned()),
    );
    let mut about = vec![in_item(&block.body.description.text)];
    about.extend(deprecation(block.body.deprecation.as_deref()));
    let fields = Fields {
        attributes: &block.body.attributes,
        blocks: &block.body.blocks,
    };
    Entry {
        name: &block.name,
        group: match block.min > 0 {
            true => Group::Required,
            false => Group::Optional,
        },
        words,
        about,
        is_write_only: false,
        nested: Some(Nested {
            place,
            kind: "nestedblock",
            inside: Inside::Fields(fields),
        }),
    }
}

fn nesting_word(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "Single",
        Nesting::Group => "Group",
        Nesting::List => "List",
        Nesting::Set => "Set",
        Nesting::Map => "Map",
    }
}

fn deprecation(why: Option<&str>) -> Option<String> {
    let why = why.filter(|why| !why.trim().is_empty())?;
    Some(format!("Deprecated: {}", in_item(why)))
}

/// The object that a value of the type is, or holds.
fn object_in(ty: &Type) -> Option<&ObjectType> {
    match ty {
        Type::Object(object) => Some(object),
        Type::List(element) | Type::Set(element) | Type::Map(element) => object_in(element),
        _ => None,
    }
}

fn write_groups(entries: &[Entry<'_>], heading: impl Fn(&str) -> String, text: &mut String) {
    for group in Group::ALL {
        let mut of_group = entries.iter().filter(|one| one.group == group).peekable();
        if of_group.peek().is_none() {
            continue;
        }
        let _never_fails = write!(text, "\n{}\n\n", heading(group.name()));
        let is_write_only = |one: &Entry<'_>| one.group == group && one.is_write_only;
        if entries.iter().any(is_write_only) {
            text.push_str(
                "> **NOTE**: Write-only arguments need Terraform 1.11 or later. Their values are passed to the \
                 provider, and are stored neither in the plan nor in the state.\n\n",
            );
        }
        for one in of_group {
            let _never_fails = write!(text, "- `{}` ({})", one.name, one.words.join(", "));
            for about in one.about.iter().filter(|about| !about.is_empty()) {
                let _never_fails = write!(text, " {about}");
            }
            if let Some(nested) = &one.nested {
                let anchor = nested.anchor();
                let _never_fails = write!(text, " (see [below for nested schema](#{anchor}))");
            }
            text.push('\n');
        }
    }
}

fn write_nested(entries: &[Entry<'_>], text: &mut String) {
    for nested in entries.iter().filter_map(|one| one.nested.as_ref()) {
        let (anchor, place) = (nested.anchor(), &nested.place);
        let inner = match &nested.inside {
            Inside::Fields(fields) => fields.entries(&format!("{place}.")),
            Inside::Object(object, group) => objects(object, *group, &format!("{place}.")),
        };
        let _never_fails = write!(
            text,
            "\n<a id=\"{anchor}\"></a>\n### Nested Schema for `{place}`\n"
        );
        write_groups(&inner, |group| format!("{group}:"), text);
        write_nested(&inner, text);
    }
}

/// The attributes of an object type, which have no descriptions. Where the object is given, so are its
/// attributes, unless they are optional.
fn objects<'a>(object: &'a ObjectType, group: Group, place: &str) -> Vec<Entry<'a>> {
    let entry = |one: &'a tenon_values::Attribute| {
        let group = match (group, one.is_optional) {
            (Group::ReadOnly, _) => Group::ReadOnly,
            (_, true) => Group::Optional,
            (_, false) => Group::Required,
        };
        let nested = object_in(&one.ty).map(|inner| Nested {
            place: format!("{place}{}", one.name),
            kind: "nestedobjatt",
            inside: Inside::Object(inner, group),
        });
        Entry {
            name: &one.name,
            group,
            words: vec![type_words(&one.ty)],
            about: Vec::new(),
            is_write_only: false,
            nested,
        }
    };
    object.attributes().iter().map(entry).collect()
}
