//! Example configurations with placeholder values.

use std::fmt::Write;

use tenon_schema::{Attribute, AttributeType, Block, Body, Function, Nesting, Parameter, Presence};
use tenon_values::Type;

/// A block with everything that users must write; if that is nothing, with the first thing that they may
/// write. Secrets are variables, which are declared in front of it.
pub(super) fn block(header: &str, body: &Body) -> String {
    let mut secrets = Vec::new();
    let mut text = String::new();
    write_body(header, body, 0, &mut text, &mut secrets);
    let variables: String = secrets.iter().map(Secret::declaration).collect();
    variables + text.trim_end()
}

/// A call of a function with everything that users must pass.
pub(super) fn call(provider: &str, name: &str, function: &Function) -> String {
    let required = { function.parameters.iter() }.filter(|one| !one.may_be_left_out());
    let value = |one: &Parameter| value_of_type(&one.name, &one.ty);
    let mut arguments: Vec<String> = required.map(value).collect();
    if let Some(variadic) = &function.variadic {
        arguments.extend([value(variadic), value(variadic)]);
    }
    let arguments = arguments.join(", ");
    format!("output \"example\" {{\n  value = provider::{provider}::{name}({arguments})\n}}")
}

/// A variable for a value that does not belong into a configuration.
struct Secret {
    name: String,
    ty: Type,
    is_ephemeral: bool,
}

impl Secret {
    fn declaration(&self) -> String {
        let Secret { name, ty, .. } = self;
        let ephemeral = match self.is_ephemeral {
            true => "  ephemeral = true\n",
            false => "",
        };
        format!("variable \"{name}\" {{\n  type      = {ty}\n  sensitive = true\n{ephemeral}}}\n\n")
    }
}

fn write_body(
    header: &str,
    body: &Body,
    depth: usize,
    text: &mut String,
    secrets: &mut Vec<Secret>,
) {
    let indent = "  ".repeat(depth);
    let attributes = shown(&body.attributes);
    let blocks: Vec<&Block> = body.blocks.iter().filter(|one| one.min > 0).collect();
    let attributes: Vec<&Attribute> = match attributes.is_empty() && blocks.is_empty() {
        true => first_optional(&body.attributes).into_iter().collect(),
        false => attributes,
    };
    if attributes.is_empty() && blocks.is_empty() {
        let _never_fails = writeln!(text, "{indent}{header} {{}}");
        return;
    }
    let _never_fails = writeln!(text, "{indent}{header} {{");
    let width = attributes.iter().map(|one| one.name.chars().count()).max();
    let width = width.unwrap_or_default();
    for one in &attributes {
        let value = value(one, secrets);
        let _never_fails = writeln!(text, "{indent}  {:width$} = {value}", one.name);
    }
    for (index, one) in blocks.iter().enumerate() {
        for number in 0..one.min {
            if index > 0 || number > 0 || !attributes.is_empty() {
                text.push('\n');
            }
            let header = match one.nesting {
                Nesting::Map => format!("{} \"key{}\"", one.name, number + 1),
                _ => one.name.clone(),
            };
            write_body(&header, &one.body, depth + 1, text, secrets);
        }
    }
    let _never_fails = writeln!(text, "{indent}}}");
}

/// The attributes that users must write.
fn shown(attributes: &[Attribute]) -> Vec<&Attribute> {
    let is_required = |one: &&Attribute| one.presence == Presence::Required;
    attributes.iter().filter(is_required).collect()
}

fn first_optional(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes.iter().find(|one| {
        let is_secret = one.is_sensitive || one.is_write_only;
        one.presence.is_optional() && !is_secret && one.deprecation.is_none()
    })
}

fn value(attribute: &Attribute, secrets: &mut Vec<Secret>) -> String {
    let name = &attribute.name;
    if attribute.is_sensitive || attribute.is_write_only {
        if !secrets.iter().any(|one| one.name == *name) {
            secrets.push(Secret {
                name: name.clone(),
                ty: attribute.implied_type(),
                is_ephemeral: attribute.is_write_only,
            });
        }
        return format!("var.{name}");
    }
    match &attribute.ty {
        AttributeType::Plain(ty) => value_of_type(name, ty),
        AttributeType::Nested(nesting, inner) => {
            let fields = shown(inner);
            let fields = fields
                .iter()
                .map(|one| (one.name.as_str(), value(one, secrets)));
            let object = object(fields.collect());
            match nesting {
                Nesting::Single | Nesting::Group => object,
                Nesting::List | Nesting::Set => format!("[{object}]"),
                Nesting::Map => format!("{{ key = {object} }}"),
            }
        }
    }
}

fn object(fields: Vec<(&str, String)>) -> String {
    if fields.is_empty() {
        return "{}".to_owned();
    }
    let fields = fields
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

fn value_of_type(name: &str, ty: &Type) -> String {
    match ty {
        Type::String | Type::Dynamic => format!("\"{}\"", text_for(name)),
        Type::Number => number_for(name).to_owned(),
        Type::Bool => "true".to_owned(),
        Type::List(element) | Type::Set(element) => format!("[{}]", value_of_type(name, element)),
        Type::Map(element) => format!("{{ key = {} }}", value_of_type(name, element)),
        Type::Tuple(tuple) => {
            let values = tuple.elements().iter().map(|one| value_of_type(name, one));
            format!("[{}]", values.collect::<Vec<_>>().join(", "))
        }
        Type::Object(fields) => {
            let fields = fields.attributes().iter().filter(|one| !one.is_optional);
            let fields = fields.map(|one| (one.name.as_str(), value_of_type(&one.name, &one.ty)));
            object(fields.collect())
        }
    }
}

/// The last word of a name says what it is about: `base_url` is a URL.
fn last_word(name: &str) -> &str {
    name.rsplit(['_', '-']).next().unwrap_or(name)
}

fn text_for(name: &str) -> &'static str {
    match last_word(name) {
        "url" | "urls" | "uri" | "endpoint" | "link" => "https://example.com",
        "mail" | "email" | "emails" => "user@example.com",
        "host" | "hosts" | "hostname" | "domain" => "example.com",
        "folder" | "directory" | "dir" => "/path/to/folder",
        "file" | "path" => "/path/to/file",
        "cidr" => "192.0.2.0/24",
        "ip" | "address" => "192.0.2.1",
        "date" => "2030-01-31",
        "time" | "timestamp" => "2030-01-31T12:00:00Z",
        _ => "example",
    }
}

fn number_for(name: &str) -> &'static str {
    match last_word(name) {
        "port" | "ports" => "8080",
        "timeout" | "seconds" | "interval" => "30",
        "length" | "size" => "16",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_plausible() {
        let server = Type::object([("host", Type::String), ("port", Type::Number)]);
        let list = Type::list(server);
        assert_eq!(
            value_of_type("servers", &list),
            r#"[{ host = "example.com", port = 8080 }]"#
        );
        let ty = "tuple([string, bool, map(number)])".parse().unwrap();
        assert_eq!(
            value_of_type("base_url", &ty),
            r#"["https://example.com", true, { key = 1 }]"#
        );
    }

    #[test]
    fn secrets_are_variables() {
        let body = Body::new([
            Attribute::new("name", Type::String).required(),
            Attribute::new("password", Type::String)
                .required()
                .write_only(),
        ]);
        let text = block("resource \"a_b\" \"example\"", &body);
        assert!(text.starts_with("variable \"password\" {\n"), "{text}");
        assert!(text.contains("ephemeral = true"), "{text}");
        assert!(
            text.contains("  name     = \"example\"\n  password = var.password\n"),
            "{text}"
        );
    }
}
