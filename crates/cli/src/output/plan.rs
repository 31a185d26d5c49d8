//! Plans, for people and for tools.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use tenon_hcl::Diagnostic;
use tenon_scenario::{Declaration, Masked, NodeId, Plan};
use tenon_values::{Kind, Text, Value};

use super::json::indented;
use super::{data, json_data, on_one_line};
use crate::commands::scenario::source;
use crate::exit::{Code, Failure};

/// For a person: what would be done, in order, with what.
pub(crate) fn text(plan: &Plan) -> Result<(), Failure> {
    data(rendered(plan))
}

/// The same as text without a last newline.
pub(crate) fn rendered(plan: &Plan) -> String {
    let actions: Vec<_> = plan.graph.actions().collect();
    let providers = plan.declarations.iter().count();
    let mut lines = vec![
        format!("scenario: {}", plan.scenario.name()),
        format!(
            "{} and {}, in this order:",
            count(actions.len(), "action"),
            count(providers, "provider")
        ),
    ];
    for (number, (id, node)) in actions.iter().enumerate() {
        let provider = plan.declaration(*id).map(Declaration::label);
        lines.push(format!(
            "\n{:>4}. {}  ({})",
            number + 1,
            node.address,
            provider.unwrap_or_default()
        ));
        lines.extend(attributes(plan, *id));
    }
    if !plan.outputs.is_empty() {
        lines.push("\noutputs:".to_owned());
        for (name, value) in &plan.outputs {
            lines.push(format!("  {name} = {}", shown(value, 2)));
        }
    }
    lines.join("\n")
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn attributes(plan: &Plan, id: NodeId) -> Vec<String> {
    let Some(attributes) = plan.attributes.get(&id).and_then(Value::attributes) else {
        return Vec::new();
    };
    let names = attributes.iter().map(|(name, _)| on_one_line(name));
    let width = names.map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let line = |(name, value): (&str, &Value)| {
        let name = on_one_line(name);
        format!("        {name:width$} = {}", shown(value, 8))
    };
    attributes.iter().map(line).collect()
}

/// A value as HCL writes it; texts of several lines are indented.
fn shown(value: &Value, indent: usize) -> String {
    let (inner, marks) = value.unmark();
    match inner.as_str() {
        Some(text) if marks.is_empty() && text.trim_end().contains('\n') => {
            let indent = " ".repeat(indent + 4);
            let lines = text.lines().map(|line| format!("\n{indent}{line}"));
            format!("<<{}", lines.collect::<String>())
        }
        _ => in_one_line(value),
    }
}

fn in_one_line(value: &Value) -> String {
    let (inner, marks) = value.unmark();
    let joined = |parts: Vec<String>| parts.join(", ");
    match inner.kind() {
        _ if !marks.is_empty() => "(sensitive)".into(),
        Kind::Unknown(_) => "(known after the run)".into(),
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
            format!("[{}]", joined(values.iter().map(in_one_line).collect()))
        }
        Kind::Object(attributes) if !attributes.is_empty() => {
            let entry = |(name, value): (&str, &Value)| {
                format!("{} = {}", on_one_line(name), in_one_line(value))
            };
            format!("{{ {} }}", joined(attributes.iter().map(entry).collect()))
        }
        Kind::Map(entries) if !entries.is_empty() => {
            let entry = |(key, value): &(Text, Value)| {
                format!("{:?} = {}", key.to_string_lossy(), in_one_line(value))
            };
            format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
        }
        _ => inner.to_string(),
    }
}

/// For tools: one object.
pub(crate) fn json(plan: &Plan, warnings: &[Diagnostic]) -> Result<(), Failure> {
    json_data(indented(&object(plan, warnings)?))
}

/// The plan as one line of JSON. Values are written as text, so that numbers keep all their digits.
fn object(plan: &Plan, warnings: &[Diagnostic]) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Whole<'a> {
        actions: Vec<Action<'a>>,
        outputs: BTreeMap<&'a str, Box<RawValue>>,
        providers: Vec<Provider<'a>>,
        scenario: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        warnings: &'a [Diagnostic],
    }
    #[derive(Serialize)]
    struct Action<'a> {
        address: &'a str,
        after: Vec<&'a str>,
        attributes: Option<Box<RawValue>>,
        provider: Option<String>,
    }
    #[derive(Serialize)]
    struct Provider<'a> {
        alias: Option<&'a str>,
        name: &'a str,
        source: String,
        version: &'a str,
    }
    let action = |(id, _): (NodeId, _)| Action {
        address: plan.graph.address(id),
        after: { plan.graph.actions_before(id).into_iter() }
            .map(|before| plan.graph.address(before))
            .collect(),
        attributes: plan.attributes.get(&id).map(known_json),
        provider: plan.declaration(id).map(Declaration::label),
    };
    let outputs = plan.outputs.iter();
    let whole = Whole {
        actions: plan.graph.actions().map(action).collect(),
        outputs: outputs
            .map(|(name, value)| (name.as_str(), known_json(value)))
            .collect(),
        providers: { plan.declarations.iter() }
            .map(|(_, one)| Provider {
                alias: one.alias.as_deref(),
                name: &one.name,
                source: source(&one.source),
                version: &one.schema.version,
            })
            .collect(),
        scenario: plan.scenario.name(),
        warnings,
    };
    serde_json::to_string(&whole).map_err(|error| Failure::new(Code::Failed, error))
}

/// A value with `{"$unknown": true}` for what is known only during a run.
fn known_json(value: &Value) -> Box<RawValue> {
    let mut text = String::new();
    write_known(value, &mut text);
    // What was written is JSON; null stands in for what never happens.
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn write_known(value: &Value, text: &mut String) {
    if !value.is_sensitive() && !value.is_known() {
        return text.push_str("{\"$unknown\":true}");
    }
    if value.is_sensitive() || value.is_wholly_known() {
        let masked = Masked::of(value);
        return text.push_str(masked.as_ref().map_or("null", |masked| masked.value.get()));
    }
    let (value, _) = value.unmark();
    let named = match (value.attributes(), value.entries()) {
        (Some(attributes), _) => attributes
            .iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        (None, Some(entries)) => entries
            .iter()
            .map(|(key, value)| (key.to_string_lossy().into_owned(), value))
            .collect(),
        (None, None) => Vec::new(),
    };
    let elements = value.elements().unwrap_or_default();
    let (open, close) = match value.elements() {
        Some(_) => ('[', ']'),
        None => ('{', '}'),
    };
    text.push(open);
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_known(element, text);
    }
    for (index, (name, value)) in named.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&serde_json::Value::from(name.as_str()).to_string());
        text.push(':');
        write_known(value, text);
    }
    text.push(close);
}
