//! From a file to plans, in one call: the file is read, scenarios are chosen, their providers are
//! asked for their schemas, their variables gathered, and everything is checked.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::Diagnostic;
use tenon_protocols::Secrets;

use crate::environment::ProviderEnvironment;
use crate::masked::Masked;
use crate::planning::declarations::Schemas;
use crate::planning::plan::Plan;
use crate::providers::failure::ProviderFailure;
use crate::providers::launcher::Launcher;
use crate::providers::schema::Asked;
use crate::reading::load::{ScenarioFile, load};
use crate::reading::model::{ProviderSource, Scenario};
use crate::reading::variables::Inputs;
use crate::records::record::Record;
use crate::records::seal::{RecordKey, WrongKey};

/// Which scenarios of a file are meant.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The one of this name; the only one there is without a name.
    pub name: Option<String>,
    /// All with one of these tags, if there are any.
    pub tags: Vec<String>,
}

/// A scenario file with the plans of the scenarios that were chosen.
#[derive(Debug)]
pub struct Prepared {
    /// The file.
    pub file: ScenarioFile,
    /// In the order of the file.
    pub scenarios: Vec<PreparedScenario>,
}

/// A scenario with its plan.
pub struct PreparedScenario {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What starts its providers. It knows the scenario's secrets.
    pub launcher: Launcher,
    /// What a run would do; or why there cannot be one.
    pub plan: Result<Plan, PrepareError>,
}

impl fmt::Debug for PreparedScenario {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PreparedScenario")
            .field("scenario", &self.scenario.name())
            .finish_non_exhaustive()
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The scenario, or what it is given, is not valid.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Invalid(Vec<Diagnostic>),
    /// The file does not have the scenario that is meant.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The schemas of providers could not be read.
    #[error("{}", .0.iter().map(|failure| failure.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Providers(Vec<ProviderFailure>),
    /// The secrets of the record cannot be read.
    #[error(transparent)]
    Key(#[from] WrongKey),
    /// The thread that reads or checks could not be started, or panicked.
    #[error(transparent)]
    Thread(#[from] tokio::task::JoinError),
}

/// Why no scenario of a file is meant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// None was named, and there are several.
    #[error("there are several scenarios in {}", tenon_text::path(.path))]
    Several {
        /// The file.
        path: PathBuf,
        /// The names of its scenarios.
        names: Vec<String>,
    },
    /// There is none of this name.
    #[error(
        "unknown scenario `{name}` in {}\n  there are {}",
        tenon_text::path(.path),
        .names.join(", ")
    )]
    NoSuchName {
        /// The name.
        name: String,
        /// The file.
        path: PathBuf,
        /// The names of its scenarios.
        names: Vec<String>,
    },
    /// None has one of these tags.
    #[error("no scenario has the tag {}", .0.join(" or "))]
    NoSuchTag(Vec<String>),
}

impl From<Vec<Diagnostic>> for PrepareError {
    fn from(problems: Vec<Diagnostic>) -> PrepareError {
        PrepareError::Invalid(problems)
    }
}

/// Reads a scenario file and plans the scenarios in it that are meant. Each gets its own secrets
/// in a copy of the launcher. Dropping the future ends every process that it started.
///
/// # Errors
/// The file cannot be read or is not valid, or does not have what is meant. What is wrong with one of
/// several scenarios is in [`PreparedScenario::plan`].
pub async fn prepare(
    path: &Path,
    choice: &Choice,
    inputs: &Inputs,
    launcher: &Launcher,
) -> Result<Prepared, PrepareError> {
    let file = open(path).await?;
    let mut scenarios = Vec::new();
    for scenario in choice.of(&file)? {
        let launcher = Launcher {
            secrets: Secrets::default(),
            ..launcher.clone()
        };
        let plan = plan(&scenario, inputs, BTreeMap::new(), &launcher).await;
        scenarios.push(PreparedScenario {
            scenario,
            launcher,
            plan,
        });
    }
    Ok(Prepared { file, scenarios })
}

/// Plans the scenario of a run once more, with the variables that its record holds, from this file.
///
/// # Errors
/// As for [`prepare`]; or the key does not fit the record.
pub async fn prepare_again(
    record: &Record,
    key: Option<&RecordKey>,
    path: &Path,
    inputs: &Inputs,
    launcher: &Launcher,
) -> Result<(ScenarioFile, Plan), PrepareError> {
    let file = open(path).await?;
    let scenario = file.choose(Some(&record.scenario))?;
    let recorded = record.given(key)?;
    let plan = plan(&scenario, inputs, recorded, launcher).await?;
    Ok((file, plan))
}

/// Reads a scenario file as [`load`] does, in a separate thread: reading a pipe without a writer
/// blocks forever, and this future can be dropped.
///
/// # Errors
/// All that is wrong with it.
pub async fn open(path: &Path) -> Result<ScenarioFile, PrepareError> {
    let path = path.to_owned();
    Ok(tokio::task::spawn_blocking(move || load(&path)).await??)
}

async fn plan(
    scenario: &Arc<Scenario>,
    inputs: &Inputs,
    recorded: BTreeMap<String, Masked>,
    launcher: &Launcher,
) -> Result<Plan, PrepareError> {
    let (given, inputs) = (scenario.clone(), inputs.clone());
    let values = tokio::task::spawn_blocking(move || inputs.resolve(&given, &recorded)).await?;
    // Providers have variables in their environment, and may print them instead of a schema.
    if let Ok(values) = &values {
        values
            .values()
            .for_each(|value| launcher.secrets.learn(value));
    }
    let required = scenario.required_providers.values();
    let unenforced = required.filter_map(|one| one.check_permissions(&launcher.folder).err());
    let unenforced: Vec<Diagnostic> = unenforced.collect();
    if !unenforced.is_empty() {
        return Err(unenforced.into());
    }
    let schemas = schemas(scenario, launcher).await;
    let schemas = schemas.map_err(PrepareError::Providers)?;
    let (scenario, values) = (scenario.clone(), values?);
    // Expressions may take a while.
    let planned = tokio::task::spawn_blocking(move || Plan::new(&scenario, &schemas, values));
    Ok(planned.await??)
}

/// What each provider of a scenario offers.
async fn schemas(
    scenario: &Scenario,
    launcher: &Launcher,
) -> Result<Schemas, Vec<ProviderFailure>> {
    // A program that is required under several names is asked once, with what all of them get.
    let mut programs: BTreeMap<&ProviderSource, (&str, ProviderEnvironment)> = BTreeMap::new();
    for (name, required) in &scenario.required_providers {
        let program = programs.entry(&required.source);
        let (_, environment) = program.or_insert_with(|| (name, ProviderEnvironment::default()));
        environment.extend(&required.environment);
    }
    let asked: Vec<Asked<'_>> = { programs.iter() }
        .map(|(source, (name, environment))| Asked {
            name: (*name).to_owned(),
            source,
            environment,
        })
        .collect();
    let answers = launcher.schemas(&asked).await?;
    let sources = asked.iter().map(|one| one.source.clone());
    Ok(Schemas {
        known: sources.zip(answers).collect(),
        builtins: launcher.builtins.keys().cloned().collect(),
    })
}

impl Choice {
    fn of(&self, file: &ScenarioFile) -> Result<Vec<Arc<Scenario>>, ChoiceError> {
        if self.tags.is_empty() {
            return file.choose(self.name.as_deref()).map(|one| vec![one]);
        }
        let has_one =
            |scenario: &&Scenario| scenario.tags.iter().any(|tag| self.tags.contains(tag));
        let found: Vec<_> = { file.scenarios.iter().filter(has_one) }
            .cloned()
            .map(Arc::new)
            .collect();
        match found.is_empty() {
            true => Err(ChoiceError::NoSuchTag(self.tags.clone())),
            false => Ok(found),
        }
    }
}

impl ScenarioFile {
    /// The scenario of this name; without a name, the only one.
    ///
    /// # Errors
    /// There is none of this name, or there are several.
    pub fn choose(&self, name: Option<&str>) -> Result<Arc<Scenario>, ChoiceError> {
        let path = self.path.clone();
        let names = || {
            self.scenarios
                .iter()
                .map(|one| one.name().to_owned())
                .collect()
        };
        match (name, self.scenarios.as_slice()) {
            (None, [only]) => Ok(Arc::new(only.clone())),
            (None, _) => Err(ChoiceError::Several {
                path,
                names: names(),
            }),
            (Some(name), scenarios) => {
                let found = scenarios.iter().find(|scenario| scenario.name() == name);
                let found = found.cloned().map(Arc::new);
                found.ok_or_else(|| ChoiceError::NoSuchName {
                    name: name.to_owned(),
                    path,
                    names: names(),
                })
            }
        }
    }
}
