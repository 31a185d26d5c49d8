//! `tenon list`.

use serde_json::json;
use tenon_scenario::Scenario;

use super::scenario;
use crate::args::ListArgs;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let mut found = Vec::new();
    let mut is_broken = false;
    for path in &args.paths {
        if path.is_file() {
            found.extend(scenario::open(path, args.json)?.scenarios);
            continue;
        }
        let files = scenario::files(path).map_err(|error| {
            Failure::usage(format!("{} cannot be read: {error}", path.display()))
        })?;
        for file in files {
            // A folder has component files in it as well, and other people's HCL.
            match tenon_scenario::load(&file) {
                Ok(file) => found.extend(file.scenarios),
                Err(_) if !mentions_scenario(&file) => {}
                Err(problems) => {
                    is_broken = true;
                    output::diagnostics(&problems, args.json);
                }
            }
        }
    }
    let is_wanted = |scenario: &&Scenario| {
        args.tags.is_empty() || scenario.tags.iter().any(|tag| args.tags.contains(tag))
    };
    let found: Vec<&Scenario> = found.iter().filter(is_wanted).collect();
    let width = found.iter().map(|one| one.name().len()).max().unwrap_or(0);
    for scenario in &found {
        show(scenario, width, args.json)?;
    }
    if found.is_empty() && !args.json {
        output::talk("there are no scenarios here; `tenon init` writes one to begin with");
    }
    match is_broken {
        true => Err(Failure::told(Code::Usage)),
        false => Ok(()),
    }
}

fn show(scenario: &Scenario, width: usize, is_json: bool) -> Result<(), Failure> {
    let name = scenario.name();
    let file = scenario.file.display();
    if is_json {
        return output::data(json!({
            "name": name,
            "file": file.to_string(),
            "description": scenario.description,
            "tags": scenario.tags,
        }));
    }
    let mut line = format!("{name:width$}  {file}");
    if !scenario.tags.is_empty() {
        line += &format!("  [{}]", scenario.tags.join(", "));
    }
    if let Some(description) = &scenario.description {
        line += &format!("\n{:width$}  {description}", "");
    }
    output::data(line)
}

fn mentions_scenario(file: &std::path::Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("scenario "))
}
