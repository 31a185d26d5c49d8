//! The options of `tenon terraform`.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Plan and apply with the hooks and the storage of tenon.hcl:
    tenon terraform init
    tenon terraform apply

  Use OpenTofu, and no plugins this time:
    tenon terraform --program tofu --no-plugins plan

tenon.hcl, in the folder of the configuration:
  plugin \"cost\" {
    command = [\"python3\", \"cost.py\"]
  }
  hooks = [\"cost\"]

init, plan, apply, destroy, refresh and import have hooks around them. Every other command is
passed to Terraform as it is. Options of tenon come before the command.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "tenon terraform [OPTIONS] ARGS...")]
pub(crate) struct TerraformArgs {
    /// Program to run [default: terraform, or tofu if there is no terraform]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<PathBuf>,

    /// Run no plugins, as TENON_NO_PLUGINS=1 does
    #[arg(long)]
    pub(crate) no_plugins: bool,

    /// Show what plugins write to stderr
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
