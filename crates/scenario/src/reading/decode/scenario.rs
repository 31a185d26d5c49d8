//! `scenario` blocks.

use std::path::Path;

use tenon_hcl::{Block, Body, Diagnostic};
use tenon_values::Type;

use super::Problems;
use super::module::{self, MODULE_BLOCKS};
use super::provider;
use crate::reading::load::Loader;
use crate::reading::model::Scenario;

/// The scenarios of a file.
pub(crate) fn scenarios(
    body: &Body,
    file: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Vec<Scenario> {
    if body.blocks.is_empty() && body.attributes.is_empty() {
        let name = file.display();
        let diagnostic = Diagnostic::error(format!("there is no scenario in {name}"))
            .help("`tenon init` writes one to begin with");
        problems.note(diagnostic);
    }
    problems.refuse_others(body, "a scenario file", &[], &["scenario"]);
    let mut scenarios: Vec<Scenario> = Vec::new();
    for block in body.blocks_of("scenario") {
        let Some(scenario) = scenario(block, file, loader, problems) else {
            continue;
        };
        let first = scenarios
            .iter()
            .find(|other| other.name() == scenario.name());
        if let Some(first) = first {
            problems.refuse_second("the scenario", &scenario.name, &first.name);
        }
        scenarios.push(scenario);
    }
    scenarios
}

fn scenario(
    block: &Block,
    file: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<Scenario> {
    let labels = problems.labels(block, ["name"]);
    let body = &block.body;
    let mut blocks = vec!["required_providers", "provider"];
    blocks.extend(MODULE_BLOCKS);
    problems.refuse_others(body, "a scenario", &["description", "tags"], &blocks);
    let required = problems.one_block(body, "required_providers");
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let required_providers = required
        .map(|block| provider::required_providers(block, &folder, problems))
        .unwrap_or_default();
    let providers = provider::providers(body, &required_providers, problems);
    let tags = body
        .attribute("tags")
        .and_then(|tags| problems.constant(&tags.value, &Type::list(Type::String)));
    let tags = tags
        .iter()
        .flat_map(|tags| tags.elements().unwrap_or_default());
    let scenario = Scenario {
        description: problems.constant_text(body, "description"),
        tags: tags
            .filter_map(|tag| Some(tag.as_str()?.to_owned()))
            .collect(),
        file: file.to_owned(),
        required_providers,
        providers,
        module: module::module(body, folder, loader, problems),
        name: labels?[0].clone(),
    };
    Some(scenario)
}
