//! The options of `tenon state`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use tenon_state::StatePath;

use super::{ConfigArgs, EnvironmentArgs, Limit, LimitArgs, PermissionArgs, duration};

const SERVE_EXAMPLES: &str = "\
Examples:
  Keep the state of this configuration in a plugin, in bash:
    . <(tenon state serve -- python3 store.py)
    terraform init && terraform apply

  In any shell, for one workspace, until it is ended:
    tenon state serve --workspace staging --env-file state.env -- python3 store.py &
    until [ -e state.env ]; do sleep 0.1; done; . ./state.env
    terraform init && terraform apply
    kill $TENON_STATE_PID

The configuration needs an empty block `backend \"http\" {}` in `terraform`. One of the variables is
a password that is different for each server; other users and machines cannot use the server. If
stdout is a pipe, as in the first example, the server ends with the shell, and Ctrl-C does not reach
it. `eval \"$(tenon state serve ...)\"` does not work: the shell would wait until the server ends.";

#[derive(Debug, clap::Subcommand)]
pub(crate) enum StateCommand {
    /// Serve Terraform's http backend in front of a storage plugin
    Serve(StateServeArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES, override_usage = "tenon state serve [OPTIONS] -- CMD...")]
pub(crate) struct StateServeArgs {
    /// The plugin to start
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) plugin: Vec<OsString>,

    /// Loopback address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,

    /// Name of the state, one for each workspace
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = StatePath::new)]
    pub(crate) workspace: StatePath,

    /// Write the variables to a file that only you can read, instead of stdout; it is removed at the end
    #[arg(long, value_name = "FILE")]
    pub(crate) env_file: Option<PathBuf>,

    /// Time limit of a call to the plugin: 30s, 5m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) timeout: Limit,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}
