//! One function per subcommand.

pub(crate) mod acp;
pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod config;
#[cfg(unix)]
pub(crate) mod dev;
pub(crate) mod echo;
pub(crate) mod hints;
pub(crate) mod init;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod new_file;
pub(crate) mod plan;
pub(crate) mod plugin;
pub(crate) mod provider;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod scenario;
pub(crate) mod serve;
pub(crate) mod signals;
#[cfg(unix)]
pub(crate) mod state;
pub(crate) mod tap;
pub(crate) mod teardown;
pub(crate) mod terminal;
#[cfg(unix)]
pub(crate) mod terraform;
pub(crate) mod version;
