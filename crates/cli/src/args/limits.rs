//! The options that limit the resources of a plugin.

use tenon_host::{Limits, parse_size};

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Limits for the program and everything it starts")]
pub(crate) struct LimitArgs {
    /// Maximum memory: 512MiB, 2GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_memory: Option<u64>,

    /// Maximum number of processes and threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_processes: Option<u32>,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            memory: self.max_memory,
            processes: self.max_processes,
        }
    }
}
