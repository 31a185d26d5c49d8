//! What a scenario is given: on the command line, in files, in the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Context, Diagnostic, Limits, Source, did_you_mean, parse, parse_expression, yaml};
use tenon_values::{Type, Value, json};

use crate::hint::{Advice, Hint};
use crate::masked::Masked;
use crate::reading::file::read;
use crate::reading::misfit::misfit;
use crate::reading::model::{Scenario, Variable};

/// Where variables come from. Later ones win: environment, files in order, the command line.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Names and values, from a command line or the like.
    pub given: Vec<(String, String)>,
    /// What errors call the place where those come from.
    pub origin: &'static str,
    /// Files: HCL, or by their names JSON or YAML.
    pub files: Vec<PathBuf>,
    /// `TENON_VAR_name`, without the prefix.
    pub environment: Vec<(String, String)>,
    /// How to give a variable that has no value.
    pub advice: Advice,
}

impl Default for Inputs {
    fn default() -> Inputs {
        Inputs {
            given: Vec::new(),
            origin: "variable",
            files: Vec::new(),
            environment: Vec::new(),
            advice: Advice::default(),
        }
    }
}

impl Inputs {
    /// What begins the name of an environment variable that is one.
    pub const PREFIX: &'static str = "TENON_VAR_";

    /// The values of all variables of a scenario, each of its type, marked if it is a secret.
    /// `recorded` is what an earlier run had.
    ///
    /// # Errors
    /// Something is missing, does not fit, or is not known.
    pub fn resolve(
        &self,
        scenario: &Scenario,
        recorded: &BTreeMap<String, Masked>,
    ) -> Result<BTreeMap<String, Value>, Vec<Diagnostic>> {
        let mut resolving = Resolving {
            scenario,
            advice: self.advice,
            values: BTreeMap::new(),
            given: BTreeSet::new(),
            is_incomplete: false,
            forgotten: BTreeSet::new(),
            problems: Vec::new(),
        };
        for (name, masked) in recorded {
            resolving.recorded(name, masked);
        }
        for (name, text) in &self.environment {
            // Others may be meant for other scenarios.
            if let Some(variable) = scenario.module.variables.get(name) {
                let origin = format!("{}{name}", Inputs::PREFIX);
                resolving.text(variable, text, &origin);
            }
        }
        for file in &self.files {
            resolving.file(file);
        }
        for (name, text) in &self.given {
            match scenario.module.variables.get(name) {
                Some(variable) => {
                    resolving.text(variable, text, &format!("{} {name}", self.origin));
                }
                None => resolving.unknown(name, self.origin),
            }
        }
        resolving.finish()
    }
}

struct Resolving<'a> {
    scenario: &'a Scenario,
    advice: Advice,
    values: BTreeMap<String, Value>,
    /// Those that were given something, whether it fits or not.
    given: BTreeSet<String>,
    /// A file could not be read, so it is unknown what it would have given.
    is_incomplete: bool,
    /// Secrets of an earlier run that its record does not hold.
    forgotten: BTreeSet<String>,
    problems: Vec<Diagnostic>,
}

impl Resolving<'_> {
    /// Secrets that are not in a record must be given again: a default may be something else
    /// than what the run had.
    fn recorded(&mut self, name: &str, masked: &Masked) {
        if !masked.sensitive.is_empty() {
            self.forgotten.insert(name.to_owned());
        } else if let Some(variable) = self.scenario.module.variables.get(name)
            && let Ok(value) = variable.recorded(masked)
            && value.is_wholly_known()
        {
            // It may have become a secret since.
            let value = match variable.is_sensitive {
                true => value.sensitive(),
                false => value,
            };
            self.values.insert(name.to_owned(), value);
        }
    }

    fn unknown(&mut self, name: &str, origin: &str) {
        let summary = format!("{origin}: the scenario has no variable {name:?}");
        let mut diagnostic = Diagnostic::error(summary);
        let names = self.scenario.module.variables.keys().map(String::as_str);
        diagnostic.help = did_you_mean(name, names.clone());
        // That the one which was meant has no value is the same mistake.
        let meant = tenon_text::nearest(name, names);
        self.given.extend(meant.map(str::to_owned));
        self.problems.push(diagnostic);
    }

    /// A file of which nothing can be used.
    fn unreadable(&mut self, problems: impl IntoIterator<Item = Diagnostic>) {
        self.is_incomplete = true;
        self.problems.extend(problems);
    }

    /// Text for a string is that string; for anything else it is an expression.
    fn text(&mut self, variable: &Variable, text: &str, origin: &str) {
        let is_text = matches!(variable.ty, Type::String | Type::Dynamic);
        if is_text {
            return self.value(variable, Value::string(text), origin, None);
        }
        self.given.insert(variable.name.text().to_owned());
        let source = Source::new(origin, text);
        let context = Context::constant(false);
        let value = parse_expression(&source)
            .map_err(|error| vec![error])
            .and_then(|expression| expression.evaluate(&context));
        match value {
            Ok(value) => self.value(variable, value, origin, None),
            Err(_) if variable.is_sensitive => self.no_value(variable, origin),
            Err(errors) => {
                let note = format!("the type of {:?} is {}", variable.name.text(), variable.ty);
                let errors = errors.into_iter().map(|error| error.note(note.clone()));
                self.problems.extend(errors);
            }
        }
    }

    /// A secret that cannot be read: its source would show it.
    fn no_value(&mut self, variable: &Variable, origin: &str) {
        self.given.insert(variable.name.text().to_owned());
        let summary = format!(
            "{origin}: what is given for {:?} is not a value of the type {}",
            variable.name.text(),
            variable.ty
        );
        self.problems.push(Diagnostic::error(summary));
    }

    fn value(
        &mut self,
        variable: &Variable,
        value: Value,
        origin: &str,
        place: Option<tenon_hcl::Place>,
    ) {
        self.given.insert(variable.name.text().to_owned());
        let value = match variable.is_sensitive {
            true => value.sensitive(),
            false => value,
        };
        match variable.fit(&value) {
            Ok(value) => {
                self.values.insert(variable.name.text().to_owned(), value);
            }
            Err(error) => {
                let name = variable.name.text();
                let summary = format!("{origin}: the value does not fit the variable {name:?}");
                let mut diagnostic = Diagnostic::error(summary)
                    .note(misfit(&value, &variable.ty, &error))
                    .note(format!("its type is {}", variable.ty));
                // The source line would show a secret.
                diagnostic.place = place.filter(|_| !variable.is_sensitive);
                self.problems.push(diagnostic);
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let origin = path.display().to_string();
        let source = match read(path) {
            Ok(source) if source.text().len() <= Limits::default().size => source,
            Ok(_) => {
                let limit = Limits::default().size;
                let summary = format!("{origin} is too large: {limit} bytes are allowed");
                return self.unreadable([Diagnostic::error(summary)]);
            }
            Err(error) => return self.unreadable([error]),
        };
        let text = source.text();
        // Some editors write a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("json") => {
                let value = json::implied(text.as_bytes());
                self.object(value.map_err(|error| error.to_string()), &origin, "JSON");
            }
            Some("yaml" | "yml") => {
                let value = yaml::read(text, yaml::Rules::Strict);
                self.object(value, &origin, "YAML");
            }
            _ => self.hcl(&origin, &source),
        }
    }

    fn object(&mut self, value: Result<Value, String>, origin: &str, format: &str) {
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                let summary = format!("{origin} cannot be read as {format}: {error}");
                return self.unreadable([Diagnostic::error(summary)]);
            }
        };
        let Some(attributes) = value.attributes() else {
            let summary = format!("{origin} does not contain an object of variables");
            let help = match format {
                "JSON" => "write `{ \"name\": value }`",
                _ => "write `name: value`",
            };
            return self.unreadable([Diagnostic::error(summary).help(help)]);
        };
        for (name, value) in attributes.iter() {
            match self.scenario.module.variables.get(name) {
                Some(variable) => self.value(variable, value.clone(), origin, None),
                None => self.unknown(name, origin),
            }
        }
    }

    fn hcl(&mut self, origin: &str, source: &Arc<Source>) {
        let body = match parse(source) {
            Ok(body) => body,
            Err(errors) => {
                // Without the source: it may be a secret that is not written as it should be.
                let told = errors
                    .iter()
                    .map(|error| Diagnostic::error(error.to_string()));
                return self.unreadable(told);
            }
        };
        for block in &body.blocks {
            let diagnostic = Diagnostic::error("a variable file cannot have blocks")
                .at(block.header())
                .help("write `name = value`");
            self.problems.push(diagnostic);
        }
        let context = Context::constant(false);
        for attribute in &body.attributes {
            let name = attribute.name.text();
            let Some(variable) = self.scenario.module.variables.get(name) else {
                self.unknown(name, origin);
                continue;
            };
            match attribute.value.evaluate(&context) {
                Ok(value) => self.value(variable, value, origin, Some(attribute.value.place())),
                Err(_) if variable.is_sensitive => self.no_value(variable, origin),
                Err(errors) => {
                    self.given.insert(name.to_owned());
                    self.problems.extend(errors);
                }
            }
        }
    }

    fn finish(mut self) -> Result<BTreeMap<String, Value>, Vec<Diagnostic>> {
        for (name, variable) in &self.scenario.module.variables {
            if self.values.contains_key(name) || self.given.contains(name) {
                continue;
            }
            let is_forgotten = self.forgotten.contains(name);
            let Some(default) = variable.default.as_ref().filter(|_| !is_forgotten) else {
                if self.is_incomplete {
                    continue;
                }
                let mut diagnostic =
                    Diagnostic::error(format!("the variable {name:?} has no value"))
                        .at(variable.name.place())
                        .help(self.advice.on(&Hint::GiveVariable(name.clone())));
                if let Some(description) = &variable.description {
                    diagnostic = diagnostic.note(description.clone());
                }
                if is_forgotten {
                    let again = self.advice.on(&Hint::GiveVariableAgain);
                    diagnostic = diagnostic.note(format!(
                        "it is a secret of the run, so its record does not hold it in clear: {again}"
                    ));
                }
                self.problems.push(diagnostic);
                continue;
            };
            let default = match variable.is_sensitive {
                true => default.sensitive(),
                false => default.clone(),
            };
            self.values.insert(name.clone(), default);
        }
        match self.problems.is_empty() {
            true => Ok(self.values),
            false => Err(self.problems),
        }
    }
}
