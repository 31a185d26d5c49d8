//! `required_providers` and `provider`.

use std::collections::BTreeMap;
use std::path::Path;

use tenon_hcl::{Attribute, Block, Body, Diagnostic, did_you_mean};

use super::Problems;
use crate::model::{ProviderBlock, ProviderSource, RequiredProvider};

pub(super) fn required_providers(
    block: &Block,
    folder: &Path,
    problems: &mut Problems,
) -> BTreeMap<String, RequiredProvider> {
    problems.labels(block, []);
    problems.refuse_other_blocks(&block.body, "`required_providers`", &[]);
    let entry = |attribute: &Attribute| {
        let required = RequiredProvider {
            source: source(attribute, folder, problems)?,
            name: attribute.name.clone(),
        };
        Some((attribute.name.text().to_owned(), required))
    };
    block.body.attributes.iter().filter_map(entry).collect()
}

const FORM: &str =
    "write `{ source = \"builtin/exec\" }` or `{ source = \"exec:./path/to/program\" }`";

fn source(attribute: &Attribute, folder: &Path, problems: &mut Problems) -> Option<ProviderSource> {
    let Some(entries) = attribute.value.as_object() else {
        let diagnostic = Diagnostic::error("a required provider is an object with a source")
            .at(attribute.value.place())
            .help(FORM);
        problems.note(diagnostic);
        return None;
    };
    let mut found = None;
    for (name, value) in &entries {
        match name.text() {
            "source" => found = Some(value),
            other => {
                let diagnostic =
                    Diagnostic::error(format!("a required provider has no attribute {other:?}"))
                        .at(name.place())
                        .help(FORM);
                problems.note(diagnostic);
            }
        }
    }
    let Some(value) = found else {
        let diagnostic = Diagnostic::error("this required provider has no `source`")
            .at(attribute.value.place())
            .help(FORM);
        problems.note(diagnostic);
        return None;
    };
    let text = problems.required_text(value, "the source")?;
    let text = text.as_str();
    if let Some(name) = text
        .strip_prefix("builtin/")
        .filter(|name| !name.is_empty())
    {
        return Some(ProviderSource::Builtin(name.to_owned()));
    }
    if let Some(path) = text.strip_prefix("exec:").filter(|path| !path.is_empty()) {
        // Joining leaves an absolute path as it is.
        let path = folder.join(path);
        let absolute = std::path::absolute(&path).unwrap_or(path);
        return Some(ProviderSource::Program(absolute));
    }
    let diagnostic = Diagnostic::error(format!("{text:?} is no source of a provider"))
        .at(value.place())
        .help(FORM);
    problems.note(diagnostic);
    None
}

pub(super) fn providers(
    body: &Body,
    required: &BTreeMap<String, RequiredProvider>,
    problems: &mut Problems,
) -> Vec<ProviderBlock> {
    let mut found: Vec<ProviderBlock> = Vec::new();
    for block in body.blocks_of("provider") {
        let Some(provider) = provider(block, required, problems) else {
            continue;
        };
        let is_same = |other: &&ProviderBlock| {
            other.name.text() == provider.name.text() && other.alias == provider.alias
        };
        if let Some(first) = found.iter().find(is_same) {
            let label = match &provider.alias {
                Some(alias) => format!("{}.{alias}", provider.name),
                None => provider.name.to_string(),
            };
            let diagnostic =
                Diagnostic::error(format!("the provider {label:?} is configured twice"))
                    .at(provider.place.clone())
                    .related(first.place.clone(), "the first one")
                    .help("tell them apart with another `alias = \"...\"`");
            problems.note(diagnostic);
        }
        found.push(provider);
    }
    found
}

fn provider(
    block: &Block,
    required: &BTreeMap<String, RequiredProvider>,
    problems: &mut Problems,
) -> Option<ProviderBlock> {
    let [name] = problems.labels(block, ["name"])?;
    problems.refuse_other_blocks(&block.body, "`provider`", &[]);
    if !required.contains_key(name.text()) {
        let mut diagnostic = Diagnostic::error(format!(
            "the provider {:?} is not among the required ones",
            name.text()
        ))
        .at(name.place());
        let names = required.keys().map(String::as_str);
        diagnostic.help = did_you_mean(name.text(), names).or_else(|| {
            let name = name.text();
            Some(format!(
                "add `required_providers {{ {name} = {{ source = ... }} }}`"
            ))
        });
        problems.note(diagnostic);
        return None;
    }
    let alias = problems.constant_text(&block.body, "alias");
    if let Some(alias) = block.body.attribute("alias")
        && let Some(text) = alias.value.as_literal().and_then(|alias| alias.as_str())
    {
        problems.is_identifier(text, alias.value.place());
    }
    let is_config = |attribute: &&Attribute| attribute.name.text() != "alias";
    Some(ProviderBlock {
        name: name.clone(),
        alias,
        config: block
            .body
            .attributes
            .iter()
            .filter(is_config)
            .cloned()
            .collect(),
        place: block.header(),
    })
}
