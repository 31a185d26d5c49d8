//! Writing types as HCL does, and naming them in words.

use std::fmt;

use super::{Attribute, ObjectType, TupleType, Type};
use crate::path::is_identifier;

impl Type {
    /// The kind of type in words, for error messages: `list of string`, `object`.
    pub fn friendly(&self) -> String {
        match self {
            Type::String => "string".to_owned(),
            Type::Number => "number".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Dynamic => "dynamic".to_owned(),
            Type::List(element) => format!("list of {}", element.friendly()),
            Type::Set(element) => format!("set of {}", element.friendly()),
            Type::Map(element) => format!("map of {}", element.friendly()),
            Type::Tuple(_) => "tuple".to_owned(),
            Type::Object(_) => "object".to_owned(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::String => formatter.write_str("string"),
            Type::Number => formatter.write_str("number"),
            Type::Bool => formatter.write_str("bool"),
            Type::Dynamic => formatter.write_str("any"),
            Type::List(element) => write!(formatter, "list({element})"),
            Type::Set(element) => write!(formatter, "set({element})"),
            Type::Map(element) => write!(formatter, "map({element})"),
            Type::Tuple(tuple) => {
                formatter.write_str("tuple([")?;
                for (index, element) in tuple.elements().iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{element}")?;
                }
                formatter.write_str("])")
            }
            Type::Object(object) => {
                formatter.write_str("object({")?;
                for (index, attribute) in object.attributes().iter().enumerate() {
                    let separator = if index == 0 { " " } else { ", " };
                    formatter.write_str(separator)?;
                    attribute.fmt(formatter)?;
                }
                let end = if object.attributes().is_empty() {
                    "})"
                } else {
                    " })"
                };
                formatter.write_str(end)
            }
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_identifier(&self.name) {
            formatter.write_str(&self.name)?;
        } else {
            quote(&self.name, formatter)?;
        }
        match self.is_optional {
            true => write!(formatter, " = optional({})", self.ty),
            false => write!(formatter, " = {}", self.ty),
        }
    }
}

/// A quoted name. HCL would take `${` for a template, so it is written `$${`.
fn quote(name: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut quoted = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    let quoted = quoted.replace("${", "$${").replace("%{", "%%{");
    write!(formatter, "\"{quoted}\"")
}

impl fmt::Debug for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Debug for TupleType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Type::Tuple(self.clone()), formatter)
    }
}

impl fmt::Debug for ObjectType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Type::Object(self.clone()), formatter)
    }
}
