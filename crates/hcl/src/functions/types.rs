//! Functions that convert values, and read or change their marks.

use tenon_values::{Attribute, Mark, Marks, Type};

use crate::function::parameter::any;
use crate::function::{Function, Parameter, converted};

pub(super) fn all() -> Vec<Function> {
    vec![
        conversion("tobool", Type::Bool, "Converts a value to a bool."),
        conversion(
            "tolist",
            Type::list(Type::Dynamic),
            "Converts a value to a list.",
        ),
        conversion(
            "tomap",
            Type::map(Type::Dynamic),
            "Converts a value to a map.",
        ),
        conversion("tonumber", Type::Number, "Converts a value to a number."),
        conversion(
            "toset",
            Type::set(Type::Dynamic),
            "Converts a value to a set.",
        ),
        conversion("tostring", Type::String, "Converts a value to a string."),
        Function::new("issensitive", [anything()])
            .describe("Reports whether a value is marked as sensitive.")
            .gives(Type::Bool, |arguments| {
                match arguments[0].is_known() || arguments[0].is_sensitive() {
                    true => Ok(arguments[0].is_sensitive().into()),
                    // Its final value may still be sensitive.
                    false => Ok(arguments.unknown()),
                }
            }),
        Function::new("nonsensitive", [anything()])
            .describe("Removes the sensitive mark from a value.")
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
            .describe("Marks a value as sensitive, so that it is not shown.")
            .or_null()
            .gives(Type::Dynamic, |arguments| Ok(arguments[0].sensitive())),
        Function::new("type", [anything()])
            .describe("Returns the type of a value as text, on several lines if needed.")
            .gives(Type::String, |arguments| {
                Ok(written(&arguments[0].ty(), 0).into())
            }),
    ]
}

/// A parameter that accepts any value unchanged.
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

/// As Terraform's console shows it, with each part of an object or a tuple on its own line.
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
