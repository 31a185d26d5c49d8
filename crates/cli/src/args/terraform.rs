//! The options of `tenon terraform`.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Plan and apply with the hooks and the storage of tenon.hcl:
    tenon terraform init
    tenon terraform apply

  Review a plan now, and apply exactly this plan later:
    tenon terraform plan -out=plan.tfplan
    tenon terraform apply plan.tfplan

  Get everything as lines of JSON, for another program:
    tenon terraform apply -json -auto-approve

  Use OpenTofu, and no plugins this time:
    tenon terraform --program tofu --no-plugins plan

tenon.hcl, in the folder of the configuration:
  plugin \"cost\" {
    command = [\"python3\", \"cost.py\"]
  }
  hooks = [\"cost\"]

init, plan, apply, destroy, refresh and import have hooks around them. Every other command is
passed to Terraform as it is. Options of tenon come before the command. The exit code is that of
Terraform, or 1 if a hook fails.

Environment:
  TENON_TERRAFORM   program to run, if there is no --program
  TENON_NO_PLUGINS  1 to run no plugins
  TF_WORKSPACE      state to use, with `storage` in tenon.hcl [default: default]";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "tenon terraform [OPTIONS] ARGS...")]
pub(crate) struct TerraformArgs {
    /// Program to run [default: TENON_TERRAFORM, `program` of tenon.hcl, terraform or tofu on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<PathBuf>,

    /// Run no plugins and do not read tenon.hcl, as TENON_NO_PLUGINS=1 does
    #[arg(long)]
    pub(crate) no_plugins: bool,

    /// Print what hooks found as lines of JSON on stdout, as `-json` of Terraform does, instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Show what plugins write to stderr, and what hooks say about resources that passed
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// The command of Terraform and its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<String>,
}
