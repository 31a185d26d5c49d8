//! `scenario` blocks.

use std::path::Path;

use tenon_hcl::{Block, Body, Diagnostic, Problems, Shape};
use tenon_values::Type;

use super::{Loader, module, provider};
use crate::reading::model::Scenario;

const IN_SCENARIO: &str = "put it into `scenario \"name\" { ... }`";
const FILE: Shape<0> = Shape::new("a scenario file", [])
    .blocks(&["scenario"])
    .misplaced(&[
        (
            "component",
            "this is a component file: a scenario uses it with `component \"type\" \"name\" { source = ... }`",
        ),
        ("action", IN_SCENARIO),
        ("variable", IN_SCENARIO),
        ("provider", IN_SCENARIO),
        ("output", IN_SCENARIO),
        ("locals", IN_SCENARIO),
        ("required_providers", IN_SCENARIO),
    ]);
const SCENARIO: Shape<1> = Shape::new("a scenario", ["name"])
    .optional(&["description", "tags"])
    .blocks(&[
        "required_providers",
        "provider",
        "variable",
        "locals",
        "component",
        "action",
        "output",
    ]);

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
    problems.file(body, &FILE);
    let blocks = body.blocks_of("scenario");
    let scenarios: Vec<Scenario> = { blocks }
        .filter_map(|block| scenario(block, file, loader, problems))
        .collect();
    let names = scenarios.iter().map(|scenario| [&scenario.name]);
    problems.refuse_same("the scenario", names);
    scenarios
}

fn scenario(
    block: &Block,
    file: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<Scenario> {
    let labels = problems.block(block, &SCENARIO);
    let body = &block.body;
    let required = problems.only_block(body, "required_providers");
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
        description: problems.optional_text(body, "description"),
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
