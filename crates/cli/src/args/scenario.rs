//! The options of the commands for scenarios.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;

use super::{EnvironmentArgs, Limit, duration};

const PLAN_EXAMPLES: &str = "\
Examples:
  tenon plan examples/hello/hello.hcl
  tenon plan shop.hcl --var dsn=postgres://localhost/shop --json
  tenon plan shop.hcl --graph mermaid

A plan needs no credentials: it starts each provider only to read its schema, and runs no action.";

const INIT_EXAMPLES: &str = "\
Examples:
  tenon init
  tenon init demo

Writes scenarios/hello.hcl and components/merchant.hcl.";

const LIST_EXAMPLES: &str = "\
Examples:
  tenon list
  tenon list scenarios --tags demo,smoke";

const RUN_EXAMPLES: &str = "\
Examples:
  tenon run examples/hello/hello.hcl
  tenon run shop.hcl --scenario failed_payments -j 8
  TENON_VAR_dsn=postgres://localhost/shop tenon run shop.hcl --junit report.xml
  tenon run --resume orchard_shop_run_20261115T144033Z_1f9c03ab.json

Runs are not idempotent: each run performs every action again. Every run writes a record,
orchard_<scenario>_run_<id>.json, with secrets masked; `tenon teardown RECORD` undoes that run. To
keep the secrets that a teardown needs in the record, encrypted, create a key with
`head -c 32 /dev/urandom | base64 > record.key` and pass --record-key record.key.";

const TEARDOWN_EXAMPLES: &str = "\
Examples:
  tenon teardown orchard_shop_run_20261115T144033Z_1f9c03ab.json
  tenon teardown RECORD --record-key record.key
  tenon teardown RECORD --var password=... --secret action.http_request.login.body=@token.txt
  tenon teardown RECORD --undone action.http_request.order

The record says how each action is undone, even if the scenario file was changed or removed.
Secrets that are not encrypted in the record must be passed again.";

// A scenario and its variables.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// Scenario to use, if the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,

    #[command(flatten)]
    pub(crate) variables: VariableArgs,
}

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct VariableArgs {
    /// Set a variable
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) given: Vec<(String, String)>,

    /// Read variables from a file: HCL, or JSON or YAML by its extension
    #[arg(long = "var-file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

// The key that encrypts secrets in a record.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RecordKeyArgs {
    /// File with the key that encrypts secrets in the record; TENON_RECORD_KEY can contain the key
    /// instead
    #[arg(long, value_name = "FILE")]
    pub(crate) record_key: Option<PathBuf>,
}

// Secrets that a record does not hold.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SecretArgs {
    /// Pass a secret that the record does not hold, such as action.TYPE.NAME.OUTPUT
    #[arg(long = "secret", value_name = "NAME=VALUE|@FILE", value_parser = secret)]
    pub(crate) secrets: Vec<(String, String)>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct InitArgs {
    /// Folder to write the files to
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArgs {
    /// Scenario files, or folders to search for them
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// List only scenarios with one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,

    /// Print one line of JSON per scenario
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArgs {
    /// Scenario file
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Plan every scenario in the file that has one of these tags
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

    /// Draw the dependencies instead
    #[arg(long, value_name = "FORMAT")]
    pub(crate) graph: Option<GraphForm>,

    /// Print the plan, or the errors, as JSON
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
    /// Scenario file
    #[arg(required_unless_present = "resume")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Run every scenario in the file that has one of these tags, one after the other; all are checked
    /// first
    #[arg(
        long,
        value_name = "TAG",
        value_delimiter = ',',
        conflicts_with = "scenario"
    )]
    pub(crate) tags: Vec<String>,

    /// Run only this action or component and what it depends on
    #[arg(long = "target", value_name = "ADDRESS")]
    pub(crate) targets: Vec<String>,

    /// Folder for the record
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) record_dir: PathBuf,

    /// Write no record and no journal: the run cannot be resumed or undone
    #[arg(long)]
    pub(crate) no_record: bool,

    /// Resume the run with this record
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["no_record", "tags", "scenario"])]
    pub(crate) resume: Option<PathBuf>,

    /// Repeat actions whose outcome is unknown; idempotent ones are always repeated
    #[arg(long, requires = "resume")]
    pub(crate) redo_maybe: bool,

    /// Repeat this action although it is done, for instance because its secrets are needed
    #[arg(long, value_name = "ADDRESS", requires = "resume")]
    pub(crate) redo: Vec<String>,

    /// Continue although the journal is damaged or missing: the outcome of every action that may have
    /// started is then unknown
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
    /// Record of the run
    pub(crate) record: PathBuf,

    /// Scenario file, if it has moved
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) variables: VariableArgs,

    #[command(flatten)]
    pub(crate) key: RecordKeyArgs,

    #[command(flatten)]
    pub(crate) secrets: SecretArgs,

    /// Undo what can be undone without the missing secrets
    #[arg(long)]
    pub(crate) partial: bool,

    /// Treat this action as undone, because it was undone by hand or never done
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) undone: Vec<String>,

    /// Continue although the journal is damaged or missing: the outcome of every action that may have
    /// started is then unknown
    #[arg(long)]
    pub(crate) salvage: bool,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

// The options that runs and teardowns share.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// Maximum number of parallel actions [default: the number of processors]
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// Time limit for running actions to finish after Ctrl-C
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) grace: Limit,

    /// Print events as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a JUnit report to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Show what providers write to stderr
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// `NAME=VALUE`.
pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
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
