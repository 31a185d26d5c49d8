//! `required_providers` and `provider`.

use std::collections::BTreeMap;
use std::path::Path;

use tenon_hcl::{Attribute, Block, Body, Diagnostic, Expression, Problems, Shape, did_you_mean};

use crate::environment::ProviderEnvironment;
use crate::reading::model::{ProviderBlock, ProviderPermissions, ProviderSource, RequiredProvider};

const REQUIRED_PROVIDERS: Shape<0> = Shape::new("`required_providers`", []).any_attributes();
const PROVIDER: Shape<1> = Shape::new("`provider`", ["name"]).any_attributes();

pub(super) fn required_providers(
    block: &Block,
    folder: &Path,
    problems: &mut Problems,
) -> BTreeMap<String, RequiredProvider> {
    problems.block(block, &REQUIRED_PROVIDERS);
    let entry = |attribute: &Attribute| {
        let required = required_provider(attribute, folder, problems)?;
        Some((attribute.name.text().to_owned(), required))
    };
    block.body.attributes.iter().filter_map(entry).collect()
}

const FORM: &str =
    "write `{ source = \"builtin/exec\" }` or `{ source = \"exec:./path/to/program\" }`";

fn required_provider(
    attribute: &Attribute,
    folder: &Path,
    problems: &mut Problems,
) -> Option<RequiredProvider> {
    let wrong = "a required provider is an object with a source";
    let entries = problems.object(&attribute.value, wrong, FORM)?;
    let names = ["source", "env", "permissions", "limits"];
    let misspelt = problems.refuse_other_entries(&entries, "a required provider", &names, FORM);
    let mut found = None;
    let mut variables = ProviderEnvironment::default();
    let mut permissions = None;
    let mut limits = None;
    for (name, value) in &entries {
        match name.text() {
            "source" => found = Some(value),
            "env" => variables = tenon_settings::environment(value, problems).into(),
            "permissions" => {
                let words = tenon_settings::permissions(value, problems);
                permissions = Some((ProviderPermissions::from(words), value.place()));
            }
            "limits" => limits = Some(tenon_settings::limits(value, problems).into()),
            _ => {}
        }
    }
    let Some(value) = found else {
        if misspelt.contains(&"source") {
            return None;
        }
        let diagnostic = Diagnostic::error("this required provider has no `source`")
            .at(attribute.value.place())
            .help(FORM);
        problems.note(diagnostic);
        return None;
    };
    let program = program(value, folder, problems)?;
    let permissions_place = permissions.as_ref().map(|(_, place)| place.clone());
    let program = match permissions {
        Some((permissions, _)) => ProviderSource::Confined {
            program: Box::new(program),
            permissions,
        },
        None => program,
    };
    let source = match limits {
        Some(limits) => ProviderSource::Limited {
            program: Box::new(program),
            limits,
        },
        None => program,
    };
    Some(RequiredProvider {
        name: attribute.name.clone(),
        source,
        permissions_place,
        environment: variables,
    })
}

fn program(value: &Expression, folder: &Path, problems: &mut Problems) -> Option<ProviderSource> {
    let text = problems.text(value, "the source")?;
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
    let diagnostic = Diagnostic::error(format!("{text:?} is not a provider source"))
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
                    .help("give one of them another `alias = \"...\"`");
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
    let [name] = problems.block(block, &PROVIDER)?;
    if !required.contains_key(name.text()) {
        let mut diagnostic = Diagnostic::error(format!(
            "the provider {:?} is not in `required_providers`",
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
    let alias = problems.optional_text(&block.body, "alias");
    if let Some(alias) = block.body.attribute("alias")
        && let Some(text) = alias.value.as_literal().and_then(|alias| alias.as_str())
    {
        problems.identifier(text, alias.value.place());
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
