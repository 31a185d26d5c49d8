//! `tenon list`.

use std::fs::File;
use std::io::Read;

use serde_json::json;
use tenon_scenario::Scenario;

use super::scenario::{self, Refusal};
use crate::args::ListArgs;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let mut found = Vec::new();
    let mut is_broken = false;
    for path in &args.paths {
        if path.exists() && !path.is_dir() {
            let file = tenon_scenario::load(path);
            let file = file.map_err(|problems| Refusal::Invalid(problems).print(args.json))?;
            output::diagnostics(&file.warnings, args.json);
            found.extend(file.scenarios);
            continue;
        }
        let files = scenario::files(path).map_err(|error| {
            Failure::usage(format!(
                "{} cannot be read: {error}",
                tenon_text::path(path)
            ))
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
    let names = found.iter().map(|one| output::on_one_line(one.name()));
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    for scenario in &found {
        show(scenario, width, args.json)?;
    }
    if found.is_empty() && !args.json {
        output::talk("no scenarios found; `tenon init` writes one to start from");
    }
    match is_broken {
        true => Err(Failure::printed(Code::Usage)),
        false => Ok(()),
    }
}

fn show(scenario: &Scenario, width: usize, is_json: bool) -> Result<(), Failure> {
    let name = scenario.name();
    if is_json {
        return output::json_data(json!({
            "name": name,
            "file": scenario.file.display().to_string(),
            "description": scenario.description,
            "tags": scenario.tags,
        }));
    }
    let (name, file) = (output::on_one_line(name), tenon_text::path(&scenario.file));
    let mut line = format!("{name:width$}  {file}");
    if !scenario.tags.is_empty() {
        let tags = scenario.tags.join(", ");
        line += &format!("  [{}]", output::on_one_line(&tags));
    }
    if let Some(description) = &scenario.description {
        for part in description.trim_end().lines() {
            line += &format!("\n{:width$}  {part}", "");
        }
    }
    output::data(line)
}

fn mentions_scenario(file: &std::path::Path) -> bool {
    /// As much as the parser would take.
    const SIZE: u64 = 8 * 1024 * 1024;
    let mut text = Vec::new();
    let read = File::open(file).and_then(|file| file.take(SIZE).read_to_end(&mut text));
    read.is_ok() && { text.split(|byte| *byte == b'\n') }
        .any(|line| line.trim_ascii_start().starts_with(b"scenario "))
}
