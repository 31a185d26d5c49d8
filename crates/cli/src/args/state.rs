//! The options of `tenon state`.

use std::ffi::OsString;
use std::net::SocketAddr;

use tenon_state::StatePath;

use super::{EnvironmentArgs, Limit, LimitArgs, PermissionArgs, duration};

const SERVE_EXAMPLES: &str = "\
Examples:
  Keep the state of this configuration in a plugin, in bash:
    . <(tenon state serve -- python3 store.py)
    terraform init && terraform apply

  In any shell, for one workspace:
    tenon state serve --workspace staging -- python3 store.py > state.env &
    . ./state.env

The configuration needs an empty block `backend \"http\" {}` in `terraform`. One of the variables is
a password that is different for each server; other users and machines cannot use the server.";

#[derive(Debug, clap::Subcommand)]
pub(crate) enum StateCommand {
    /// Serve Terraform's http backend in front of a storage plugin
    Serve(StateServeArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES, override_usage = "tenon state serve [OPTIONS] -- CMD...")]
pub(crate) struct StateServeArgs {
    /// Loopback address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,

    /// Name of the state, one for each workspace
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = StatePath::new)]
    pub(crate) workspace: StatePath,

    /// Time limit of a call to the plugin: 30s, 5m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) timeout: Limit,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// The plugin to start
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) plugin: Vec<OsString>,
}
