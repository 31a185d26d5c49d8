//! The options of `tenon serve`.

use std::ffi::OsString;

use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use tenon_host::parse_size;
use tenon_protocols::Protocol;
use tenon_rpc::Dialect;

use super::{
    EnvironmentArgs, Limit, LimitArgs, PermissionArgs, PlaceArgs, TapArgs, UserArgs, dialects,
    duration, protocols,
};

const SERVE_EXAMPLES: &str = "\
Examples:
  Offer a plugin on the socket calc, and call it from another shell:
    tenon serve --socket calc -- python3 plugin.py
    tenon call add '[1,2]' --socket calc

  A plugin that speaks msgpack-rpc, for clients that speak JSON:
    tenon serve --socket ./vim.sock --dialect msgpack-rpc -- nvim --embed --headless

  Accept two more users, with at most 100 requests per second and client:
    tenon serve --socket /run/calc/socket --mode 660 --allow-user alice --allow-user bob \\
      --requests-per-second 100 -- ./plugin

  Let the plugin use only one port and one folder:
    tenon serve --socket calc --allow-net=:5432 --allow-write ./cache -- ./plugin

Clients speak JSON-RPC 2.0, one message per line or with Content-Length headers. All clients share
one process of the plugin, which is started again if it exits.";

#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES, override_usage = "tenon serve [OPTIONS] --socket NAME -- CMD...")]
pub(crate) struct ServeArgs {
    /// Socket: NAME.sock in $XDG_RUNTIME_DIR (/tmp if that is not set), or a path if NAME contains a
    /// slash
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: String,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// The plugin to start
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) plugin: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// Dialect of the plugin: how its messages are written as bytes
    #[arg(long, value_parser = dialects(), conflicts_with = "protocol", default_value = "json-rpc")]
    pub(crate) dialect: Dialect,

    /// Protocol of the plugin: its dialect, and the calls that begin and end a conversation
    #[arg(long, value_parser = protocols())]
    pub(crate) protocol: Option<Protocol>,

    /// Framing of clients' messages
    #[arg(long, value_enum, default_value_t = FramingChoice::Detect)]
    pub(crate) framing: FramingChoice,

    /// Which clients get the plugin's events
    #[arg(long, value_enum, value_name = "CLIENTS", default_value_t = EventsChoice::Everyone)]
    pub(crate) events: EventsChoice,

    /// What to do if a client does not read its events
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = SlowChoice::DropOldest)]
    pub(crate) slow: SlowChoice,

    /// Handle the requests of each client one after the other
    #[arg(long)]
    pub(crate) in_order: bool,

    /// Mode of the socket file
    #[arg(long, value_name = "MODE", default_value = "600", value_parser = mode)]
    pub(crate) mode: u32,

    #[command(flatten)]
    pub(crate) users: UserArgs,

    /// Maximum number of clients [default: 4096, or fewer if `ulimit -n` is lower]
    #[arg(long, value_name = "N")]
    pub(crate) max_clients: Option<usize>,

    /// Largest message of a client: 500KiB, 64MiB. Raises the limit of the plugin's messages (16MiB; acp and
    /// seasonings: 64MiB) if it is larger, and never lowers it
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size)]
    pub(crate) max_message: usize,

    /// Maximum requests per second and client; further ones are answered with an error
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_second: Option<u32>,

    /// Maximum bytes per second to read from a client: 64KiB
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    pub(crate) bytes_per_second: Option<u32>,

    /// Time limit of a call to the plugin: 500ms, 2s, 1m, or none
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// Time limit for a client to answer a request of the plugin: 30s, 5m, or none
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) question_timeout: Limit,

    /// Time limit for running calls to finish when the server stops
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) stop_within: Limit,

    /// Exit if the plugin exits, instead of starting it again
    #[arg(long)]
    pub(crate) no_restart: bool,

    /// Print everything that happens, including every call, as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Show connections and every call
    #[arg(long, short)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) tap: TapArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FramingChoice {
    /// Detect it from each client's first bytes
    Detect,
    /// One message per line
    Lines,
    /// Each message with a Content-Length header
    Headers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventsChoice {
    /// All clients
    Everyone,
    /// Clients whose calls the plugin is working on
    Callers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowChoice {
    /// Drop the oldest events, and count them
    DropOldest,
    /// Disconnect the client
    Disconnect,
}

fn mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode & !0o777 == 0 => Ok(mode),
        _ => Err("a mode is three octal digits, such as 600 or 660".into()),
    }
}

pub(super) fn size(text: &str) -> Result<usize, String> {
    let size = parse_size(text)?;
    usize::try_from(size).map_err(|_| "this size is too large for this machine".into())
}

fn rate(text: &str) -> Result<u32, String> {
    let size = size(text)?;
    u32::try_from(size).map_err(|_| "the maximum is 4GiB per second".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("64KiB"), Ok(65_536));
        assert!(size("1TB").is_err());
        assert!(rate("5GiB").is_err());
    }

    #[test]
    fn modes_are_octal() {
        assert_eq!(mode("660"), Ok(0o660));
        for wrong in ["", "rw", "8", "1777", "-1"] {
            assert!(mode(wrong).is_err(), "{wrong}");
        }
    }
}
