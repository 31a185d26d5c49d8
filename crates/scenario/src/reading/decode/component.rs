//! `component` blocks: the use of one, and the file of one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tenon_hcl::{Block, Body, Diagnostic, Expression, Name, did_you_mean};

use super::Problems;
use super::module::{self, MODULE_BLOCKS, depends_on, repeat};
use crate::reading::load::Loader;
use crate::reading::model::{Component, ComponentUse};

pub(super) fn uses(
    body: &Body,
    folder: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Vec<ComponentUse> {
    let mut found: Vec<ComponentUse> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for block in body.blocks_of("component") {
        let Some(component) = component_use(block, folder, loader, problems) else {
            continue;
        };
        let key = format!("{}.{}", component.kind, component.name);
        if let Some(first) = seen.insert(key, found.len()) {
            problems.refuse_second("the component", &component.name, &found[first].name);
        }
        found.push(component);
    }
    found
}

fn component_use(
    block: &Block,
    folder: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<ComponentUse> {
    let labels = problems.labels(block, ["type", "name"]);
    let body = &block.body;
    let known = ["source", "inputs", "for_each", "count", "depends_on"];
    problems.refuse_others(body, "a component", &known, &[]);
    let source = problems.required(block, "source")?;
    let path = problems.required_text(&source.value, "the source")?;
    let path = folder.join(path);
    let component = loader.component(&path, source.value.place(), problems)?;
    let inputs = match body.attribute("inputs") {
        Some(attribute) => inputs(&attribute.value, &component, problems)?,
        None => Vec::new(),
    };
    let repeat = repeat(body, problems);
    let depends_on = depends_on(body, problems);
    let [kind, name] = labels?;
    if kind.text() != component.name.text() {
        let diagnostic = Diagnostic::error(format!(
            "the component in {} is called {:?}, not {:?}",
            component.file.display(),
            component.name.text(),
            kind.text()
        ))
        .at(kind.place())
        .related(component.name.place(), "its name");
        problems.note(diagnostic);
    }
    refuse_missing(&component, &inputs, block, problems);
    Some(ComponentUse {
        kind: kind.clone(),
        name: name.clone(),
        component,
        inputs,
        repeat,
        depends_on,
        place: block.header(),
    })
}

fn inputs(
    expression: &Expression,
    component: &Component,
    problems: &mut Problems,
) -> Option<Vec<(Name, Expression)>> {
    let Some(entries) = expression.as_object() else {
        let diagnostic = Diagnostic::error("`inputs` has to be written as an object")
            .at(expression.place())
            .help("write `inputs = { name = value }`, with plain names");
        problems.note(diagnostic);
        return None;
    };
    let variables = &component.module.variables;
    for (name, _) in &entries {
        if !variables.contains_key(name.text()) {
            let mut diagnostic = Diagnostic::error(format!(
                "the component {:?} has no variable {:?}",
                component.name.text(),
                name.text()
            ))
            .at(name.place());
            let names = variables.keys().map(String::as_str);
            diagnostic.help = did_you_mean(name.text(), names);
            problems.note(diagnostic);
        }
    }
    Some(entries)
}

fn refuse_missing(
    component: &Component,
    inputs: &[(Name, Expression)],
    block: &Block,
    problems: &mut Problems,
) {
    for (name, variable) in &component.module.variables {
        let is_given = inputs.iter().any(|(input, _)| input.text() == name);
        if !is_given && variable.default.is_none() {
            let diagnostic = Diagnostic::error(format!("the input {name:?} is missing"))
                .at(block.header())
                .related(variable.name.place(), "it has no default")
                .help(format!("add `{name} = ...` to the `inputs`"));
            problems.note(diagnostic);
        }
    }
}

/// The one component of a component file.
pub(crate) fn component_file(
    body: &Body,
    file: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<Arc<Component>> {
    problems.refuse_others(body, "a component file", &[], &["component"]);
    let Some(block) = problems.one_block(body, "component") else {
        let diagnostic = Diagnostic::error(format!("there is no component in {}", file.display()))
            .help("a component file has one `component \"name\" { ... }`");
        problems.note(diagnostic);
        return None;
    };
    let labels = problems.labels(block, ["name"]);
    for kind in ["required_providers", "provider"] {
        for inner in block.body.blocks_of(kind) {
            let diagnostic = Diagnostic::error(format!("a component has no `{kind}`"))
                .at(inner.kind.place())
                .help("providers belong to the scenario; its components use them, too");
            problems.note(diagnostic);
        }
    }
    let mut known = vec!["required_providers", "provider"];
    known.extend(MODULE_BLOCKS);
    problems.refuse_others(&block.body, "a component", &["description"], &known);
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let module = module::module(&block.body, folder, loader, problems);
    Some(Arc::new(Component {
        name: labels?[0].clone(),
        file: file.to_owned(),
        module,
    }))
}
