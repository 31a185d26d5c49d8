//! What can be typed about scenarios.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;

use super::{EnvironmentArgs, Limit, duration};

const PLAN_EXAMPLES: &str = "\
Examples:
  tenon plan examples/hello/hello.hcl
  tenon plan shop.hcl --var dsn=postgres://localhost/shop --json
  tenon plan shop.hcl --graph mermaid

A plan needs no credentials: it starts each provider only to ask for its schema, and does nothing.";

const RUN_EXAMPLES: &str = "\
Examples:
  tenon run examples/hello/hello.hcl
  tenon run shop.hcl --scenario failed_payments -j 8
  TENON_VAR_dsn=postgres://localhost/shop tenon run shop.hcl --junit report.xml
  tenon run --resume orchard_shop_run_20261115T144033Z_1f9c03ab.json

Every run leaves a record, orchard_<scenario>_run_<id>.json, with secrets masked. `tenon teardown`
undoes what it tells about. Secrets that undoing needs are kept encrypted if there is a key, made
with `head -c 32 /dev/urandom | base64 > record.key` and given with --record-key record.key.";

const TEARDOWN_EXAMPLES: &str = "\
Examples:
  tenon teardown orchard_shop_run_20261115T144033Z_1f9c03ab.json
  tenon teardown RECORD --record-key record.key
  tenon teardown RECORD --var password=... --secret action.http_request.login.body=@token.txt
  tenon teardown RECORD --undone action.http_request.order

The record says how each action is undone, whatever has become of the scenario file. Secrets that it
does not hold encrypted have to be given again.";

/// A scenario, and what it is given.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// Which of the scenarios in the file
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,

    #[command(flatten)]
    pub(crate) variables: VariableArgs,
}

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct VariableArgs {
    /// Give a variable its value
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) given: Vec<(String, String)>,

    /// Read variables from a file: HCL, or JSON or YAML by its name
    #[arg(long = "var-file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// What secrets in a record are encrypted with.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RecordKeyArgs {
    /// The file with the key that secrets in the record are encrypted with; TENON_RECORD_KEY may
    /// hold it instead
    #[arg(long, value_name = "FILE")]
    pub(crate) record_key: Option<PathBuf>,
}

/// What a record does not hold.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SecretArgs {
    /// Give a secret that the record does not hold, such as action.TYPE.NAME.OUTPUT
    #[arg(long = "secret", value_name = "NAME=VALUE|@FILE", value_parser = secret)]
    pub(crate) secrets: Vec<(String, String)>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Where to put the files
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Scenario files, or folders to look for them in
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// Only those with one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,

    /// Print a line of JSON for each
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArgs {
    /// The scenario file
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Plan every scenario of the file that has one of these tags
    #[arg(
        long,
        value_name = "TAG",
        value_delimiter = ',',
        conflicts_with = "scenario"
    )]
    pub(crate) tags: Vec<String>,

    #[command(flatten)]
    pub(crate) key: RecordKeyArgs,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// Draw what depends on what instead
    #[arg(long, value_name = "FORM")]
    pub(crate) graph: Option<GraphForm>,

    /// Print the plan, or what is wrong, as JSON
    #[arg(long, conflicts_with = "graph")]
    pub(crate) json: bool,
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphForm {
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
}

#[derive(Debug, clap::Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// The scenario file
    #[arg(required_unless_present = "resume")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Run every scenario of the file that has one of these tags, one after the other, once all of
    /// them have been checked
    #[arg(
        long,
        value_name = "TAG",
        value_delimiter = ',',
        conflicts_with = "scenario"
    )]
    pub(crate) tags: Vec<String>,

    /// Only this action or component, and what it needs
    #[arg(long = "target", value_name = "ADDRESS")]
    pub(crate) targets: Vec<String>,

    /// Put the record into this folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) record_dir: PathBuf,

    /// Keep no record and no journal: nothing can be resumed or taken back
    #[arg(long)]
    pub(crate) no_record: bool,

    /// Go on with the run that this record tells about
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["no_record", "tags", "scenario"])]
    pub(crate) resume: Option<PathBuf>,

    /// Run actions again whose outcome is unknown; idempotent ones are run again in any case
    #[arg(long, requires = "resume")]
    pub(crate) redo_maybe: bool,

    /// Run this action again although it is done, for instance because its secrets are needed
    #[arg(long, value_name = "ADDRESS", requires = "resume")]
    pub(crate) redo: Vec<String>,

    /// Go on although the journal of the run is damaged or missing: the outcome of every action that
    /// may have been begun meanwhile is then unknown
    #[arg(long, requires = "resume")]
    pub(crate) salvage: bool,

    #[command(flatten)]
    pub(crate) key: RecordKeyArgs,

    #[command(flatten)]
    pub(crate) secrets: SecretArgs,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = TEARDOWN_EXAMPLES)]
pub(crate) struct TeardownArgs {
    /// The record of the run
    pub(crate) record: PathBuf,

    /// The scenario file, if it is not where it was
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) variables: VariableArgs,

    #[command(flatten)]
    pub(crate) key: RecordKeyArgs,

    #[command(flatten)]
    pub(crate) secrets: SecretArgs,

    /// Undo what can be undone although secrets are missing
    #[arg(long)]
    pub(crate) partial: bool,

    /// Nothing is left of this action, because it was undone by hand or never done: go on without it
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) undone: Vec<String>,

    /// Go on although the journal of the run is damaged or missing: the outcome of every action that
    /// may have been begun meanwhile is then unknown
    #[arg(long)]
    pub(crate) salvage: bool,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// What runs and teardowns have in common.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// How many actions at once; as many as there are processors if not given
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// How long running actions have after Ctrl-C
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) grace: Limit,

    /// Print what happens as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a report for CI to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Show what providers write to stderr
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err("write NAME=VALUE".into()),
    }
}

/// `NAME=VALUE`; a name may have `=` in quotes.
fn secret(text: &str) -> Result<(String, String), String> {
    let mut is_quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            '=' if !is_quoted && at > 0 => {
                return Ok((text[..at].trim().to_owned(), text[at + 1..].to_owned()));
            }
            _ => {}
        }
    }
    Err("write NAME=VALUE, or NAME=@FILE".into())
}
