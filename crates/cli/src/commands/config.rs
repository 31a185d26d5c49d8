//! What the user configures for a plugin.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value as Json};
use tenon_hcl::{Context, Diagnostic, Source, parse};
use tenon_values::json;

use crate::args::ConfigArgs;
use crate::exit::{Code, Failure};
use crate::output;

/// The configuration of all files and options; later ones win, and options win over files.
///
/// # Errors
/// A file cannot be read, or is not an object of constants.
pub(crate) fn read(args: &ConfigArgs) -> Result<Map<String, Json>, Failure> {
    let mut config = Map::new();
    for file in &args.config_files {
        config.extend(read_file(file)?);
    }
    for (name, text) in &args.config {
        config.insert(name.clone(), value(text));
    }
    Ok(config)
}

/// JSON if it can be read as JSON, otherwise a text: quotes make a text of anything.
fn value(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| Json::from(text))
}

fn read_file(path: &Path) -> Result<Map<String, Json>, Failure> {
    let fail = |problem: &dyn std::fmt::Display| {
        let path = tenon_text::path(path);
        Failure::usage(format!("--config-file: {path}: {problem}"))
    };
    let text = fs::read_to_string(path).map_err(|error| fail(&error))?;
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        return serde_json::from_str(&text).map_err(|error| {
            let problem = format!("{error}\n  hint: write an object: {{ \"name\": value }}");
            fail(&problem)
        });
    }
    let source = Source::new(path.display().to_string(), text);
    read_hcl(&source).map_err(|problems| {
        output::diagnostics(&problems, false);
        Failure::printed(Code::Usage)
    })
}

fn read_hcl(source: &std::sync::Arc<Source>) -> Result<Map<String, Json>, Vec<Diagnostic>> {
    let body = parse(source)?;
    let mut problems: Vec<Diagnostic> = Vec::new();
    for block in &body.blocks {
        let diagnostic = Diagnostic::error("a configuration file cannot have blocks");
        problems.push(diagnostic.at(block.header()).help("write `name = value`"));
    }
    let mut config = Map::new();
    let context = Context::constant(false);
    for attribute in &body.attributes {
        let value = match attribute.value.evaluate(&context) {
            Ok(value) => value,
            Err(errors) => {
                problems.extend(errors);
                continue;
            }
        };
        let encoded = json::encode(&value, &value.ty()).ok();
        match encoded.and_then(|text| serde_json::from_str(&text).ok()) {
            Some(value) => {
                config.insert(attribute.name.text().to_owned(), value);
            }
            None => {
                let diagnostic = Diagnostic::error("the value is not a constant");
                problems.push(diagnostic.at(attribute.value.place()));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(config),
        false => Err(problems),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_win_over_files() {
        let folder = tempfile::tempdir().unwrap();
        let [hcl, json] = ["a.hcl", "b.json"].map(|name| folder.path().join(name));
        fs::write(
            &hcl,
            "region = \"eu\"\nbudget = 1 + 1\ntags = { a = [true] }\n",
        )
        .unwrap();
        fs::write(&json, "{\"budget\": 3}").unwrap();
        let args = ConfigArgs {
            config: [("region", "us"), ("limit", "1.5"), ("id", "\"7\"")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            config_files: vec![hcl, json],
        };
        let config = read(&args).unwrap();
        assert_eq!(
            Json::Object(config),
            json!({"region": "us", "budget": 3, "limit": 1.5, "id": "7", "tags": {"a": [true]}})
        );
    }
}
