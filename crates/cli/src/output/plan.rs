//! Plans, for people and for tools.

use serde_json::{Value as Json, json};
use tenon_scenario::{Declaration, Masked, NodeId, Plan};
use tenon_values::{Kind, Text, Value};

use super::{data, indented};
use crate::commands::scenario::source;
use crate::exit::Failure;

/// For a person: what would be done, in order, with what.
pub(crate) fn text(plan: &Plan) -> Result<(), Failure> {
    data(format_args!("scenario: {}", plan.scenario.name()))?;
    let actions: Vec<_> = plan.graph.actions().collect();
    let providers = plan.declarations.iter().count();
    data(format_args!(
        "{} and {}, in this order:",
        count(actions.len(), "action"),
        count(providers, "provider")
    ))?;
    for (number, (id, node)) in actions.iter().enumerate() {
        let provider = plan.declaration(*id).map(Declaration::label);
        data(format_args!(
            "\n{:>4}. {}  ({})",
            number + 1,
            node.address,
            provider.unwrap_or_default()
        ))?;
        attributes(plan, *id)?;
    }
    if !plan.outputs.is_empty() {
        data("\noutputs:")?;
        for (name, value) in &plan.outputs {
            data(format_args!("  {name} = {}", shown(value, 2)))?;
        }
    }
    Ok(())
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn attributes(plan: &Plan, id: NodeId) -> Result<(), Failure> {
    let Some(attributes) = plan.attributes.get(&id).and_then(Value::attributes) else {
        return Ok(());
    };
    let width = attributes.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default();
    for (name, value) in attributes.iter() {
        data(format_args!("        {name:width$} = {}", shown(value, 8)))?;
    }
    Ok(())
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
            let entry = |(name, value): (&str, &Value)| format!("{name} = {}", in_one_line(value));
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
pub(crate) fn json(plan: &Plan) -> Result<(), Failure> {
    let action = |(id, node): (NodeId, &tenon_scenario::Node)| {
        let after: Vec<&str> = { plan.graph.actions_before(id).into_iter() }
            .map(|before| plan.graph.address(before))
            .collect();
        json!({
            "address": &*node.address,
            "provider": plan.declaration(id).map(Declaration::label),
            "after": after,
            "attributes": plan.attributes.get(&id).map(known_json),
        })
    };
    let provider = |(_, one): (_, &Declaration)| {
        json!({
            "name": one.name,
            "alias": one.alias,
            "source": source(&one.source),
            "version": one.schema.version,
        })
    };
    let outputs = plan.outputs.iter();
    let outputs: serde_json::Map<String, Json> = outputs
        .map(|(name, value)| (name.clone(), known_json(value)))
        .collect();
    let plan = json!({
        "scenario": plan.scenario.name(),
        "providers": plan.declarations.iter().map(provider).collect::<Vec<_>>(),
        "actions": plan.graph.actions().map(action).collect::<Vec<_>>(),
        "outputs": outputs,
    });
    data(indented(&plan.to_string()))
}

/// A value with `{"$unknown": true}` for what only a run can tell.
fn known_json(value: &Value) -> Json {
    if value.is_sensitive() {
        return json!("(sensitive)");
    }
    if !value.is_known() {
        return json!({ "$unknown": true });
    }
    if value.is_wholly_known() {
        return Masked::of(value).map_or(Json::Null, |masked| masked.json());
    }
    let (value, _) = value.unmark();
    if let Some(attributes) = value.attributes() {
        return attributes
            .iter()
            .map(|(name, value)| (name.to_owned(), known_json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    if let Some(entries) = value.entries() {
        return entries
            .iter()
            .map(|(key, value)| (key.to_string_lossy().into_owned(), known_json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    let elements = value.elements().unwrap_or_default();
    elements.iter().map(known_json).collect::<Vec<_>>().into()
}
