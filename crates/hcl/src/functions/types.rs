//! Functions that convert values, and tell or change what is said about them.

use tenon_values::{Attribute, Mark, Marks, Type};

use crate::function::parameter::any;
use crate::function::{Function, Parameter, converted};

pub(super) fn all() -> Vec<Function> {
    vec![
        conversion("tobool", Type::Bool, "The value as a bool."),
        conversion("tolist", Type::list(Type::Dynamic), "The value as a list."),
        conversion("tomap", Type::map(Type::Dynamic), "The value as a map."),
        conversion("tonumber", Type::Number, "The value as a number."),
        conversion("toset", Type::set(Type::Dynamic), "The value as a set."),
        conversion("tostring", Type::String, "The value as a string."),
        Function::new("issensitive", [anything()])
            .describe("Whether the value is marked as a secret.")
            .gives(Type::Bool, |arguments| {
                match arguments[0].is_known() || arguments[0].is_sensitive() {
                    true => Ok(arguments[0].is_sensitive().into()),
                    // What it will be may be a secret still.
                    false => Ok(arguments.unknown()),
                }
            }),
        Function::new("nonsensitive", [anything()])
            .describe("The value without the mark of a secret.")
            .or_null()
            .gives(Type::Dynamic, |arguments| {
                let (value, marks) = arguments[0].unmark();
                let others: Marks = marks
                    .iter()
                    .filter(|mark| **mark != Mark::SENSITIVE)
                    .cloned()
                    .collect();
                Ok(value.with_marks(&others))
            }),
        Function::new("sensitive", [anything()])
            .describe("The value marked as a secret, which is not shown.")
            .or_null()
            .gives(Type::Dynamic, |arguments| Ok(arguments[0].sensitive())),
        Function::new("type", [anything()])
            .describe("The type of the value, as text over as many lines as it needs.")
            .gives(Type::String, |arguments| {
                Ok(written(&arguments[0].ty(), 0).into())
            }),
    ]
}

/// A parameter that takes everything as it is.
fn anything() -> Parameter {
    any("value").or_null().or_dynamic().or_marked()
}

fn conversion(name: &'static str, ty: Type, description: &'static str) -> Function {
    Function::new(name, [anything()])
        .describe(description)
        .or_null()
        .gives(Type::Dynamic, move |arguments| {
            converted(&arguments[0], &ty).map_err(|error| error.at(0))
        })
}

/// As Terraform's console shows it, with the parts of objects and tuples on lines of their own.
fn written(ty: &Type, depth: usize) -> String {
    let inside = "    ".repeat(depth + 1);
    let end = "    ".repeat(depth);
    let element = |element: &Type| written(element, depth);
    match ty {
        Type::Dynamic => "dynamic".to_owned(),
        Type::String | Type::Number | Type::Bool => ty.to_string(),
        Type::List(inner) => format!("list({})", element(inner)),
        Type::Set(inner) => format!("set({})", element(inner)),
        Type::Map(inner) => format!("map({})", element(inner)),
        Type::Tuple(tuple) if tuple.elements().is_empty() => "tuple([])".to_owned(),
        Type::Object(object) if object.attributes().is_empty() => "object({})".to_owned(),
        Type::Tuple(tuple) => {
            let line = |ty: &Type| format!("{inside}{},\n", written(ty, depth + 1));
            let lines: String = tuple.elements().iter().map(line).collect();
            format!("tuple([\n{lines}{end}])")
        }
        Type::Object(object) => {
            let line = |attribute: &Attribute| {
                let ty = written(&attribute.ty, depth + 1);
                format!("{inside}{}: {ty},\n", attribute.name)
            };
            let lines: String = object.attributes().iter().map(line).collect();
            format!("object({{\n{lines}{end}}})")
        }
    }
}
