//! The options of `tenon acp policy`.

use std::path::PathBuf;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check a policy, and say what is wrong with it
    Check(PolicyCheckArgs),
    /// Say which rule of a policy decides about a tool call, and why
    Explain(PolicyExplainArgs),
}

const CHECK_EXAMPLES: &str = "\
Example:
  tenon acp policy check guard.hcl

A policy:
  default = \"ask\"

  rule \"secrets\" {
    action = \"deny\"
    path   = [\"**/.env*\", \"/etc/**\"]
  }

  rule \"harmless\" {
    action  = \"allow\"
    kind    = [\"execute\"]
    command = [\"git status\", \"git status *\", \"cargo {check,test}\"]
  }

The first rule that matches decides; if none does, `default` decides.

Exit codes: 0 the policy is valid, 2 it is not.";

#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct PolicyCheckArgs {
    /// The policy
    #[arg(value_name = "FILE")]
    pub(crate) policy: PathBuf,

    /// Print the result and the diagnostics as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  tenon acp policy explain guard.hcl call.json
  echo '{\"kind\":\"execute\",\"rawInput\":{\"command\":\"rm -rf build\"}}' |
    tenon acp policy explain guard.hcl -
  echo '{\"kind\":\"edit\",\"locations\":[{\"path\":\"src/main.rs\"}]}' |
    tenon acp policy explain guard.hcl -
  sed -n 12p session.jsonl | tenon acp policy explain guard.hcl -

TOOLCALL.json is a tool call as agents send it, the params of session/request_permission, a whole
message (session/request_permission, session/update, fs/read_text_file, fs/write_text_file or
terminal/create), or a line of a record. Paths are relative to --cwd.

Exit codes: 0 whatever the decision is, 2 a file cannot be read or is not valid.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct PolicyExplainArgs {
    /// The policy
    #[arg(value_name = "FILE")]
    pub(crate) policy: PathBuf,

    /// The tool call as JSON; - reads stdin
    #[arg(value_name = "TOOLCALL.json")]
    pub(crate) call: PathBuf,

    /// The folder of the session [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print the decision as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
