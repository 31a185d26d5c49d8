//! What can be typed after `tenon serve`.

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
  Put a plugin on the socket calc, and call it from anywhere:
    tenon serve --socket calc -- python3 plugin.py
    tenon call add '[1,2]' --socket calc

  A plugin that speaks msgpack-rpc, for clients that speak JSON:
    tenon serve --socket ./vim.sock --dialect msgpack-rpc -- nvim --embed --headless

  For a group of users, each held to 100 requests a second:
    tenon serve --socket /run/calc/socket --mode 660 --allow-user alice --allow-user bob \\
      --requests-per-second 100 -- ./plugin

  A plugin that may use one port and one folder, and nothing else:
    tenon serve --socket calc --allow-net=:5432 --allow-write ./cache -- ./plugin

Clients speak JSON-RPC 2.0, a message a line or each behind a Content-Length header. The plugin is
started once for all of them, and again when it ends.";

#[derive(Debug, clap::Args)]
#[command(after_help = SERVE_EXAMPLES, override_usage = "tenon serve [OPTIONS] --socket NAME -- CMD...")]
pub(crate) struct ServeArgs {
    /// The socket: NAME is NAME.sock in $XDG_RUNTIME_DIR (/tmp if that is not set), and a name with a
    /// slash is a path
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: String,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// The plugin
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) plugin: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// How the plugin's messages are written
    #[arg(long, value_parser = dialects(), conflicts_with = "protocol", default_value = "json-rpc")]
    pub(crate) dialect: Dialect,

    /// The plugin's protocol: its dialect, with its first call and its shutdown
    #[arg(long, value_parser = protocols())]
    pub(crate) protocol: Option<Protocol>,

    /// How clients' messages are told from each other
    #[arg(long, value_enum, default_value_t = FramingChoice::Detect)]
    pub(crate) framing: FramingChoice,

    /// Who gets the plugin's events
    #[arg(long, value_enum, value_name = "WHO", default_value_t = EventsChoice::Everyone)]
    pub(crate) events: EventsChoice,

    /// What becomes of events that a client does not read
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SlowChoice::DropOldest)]
    pub(crate) slow: SlowChoice,

    /// Answer the requests of each client one after the other
    #[arg(long)]
    pub(crate) in_order: bool,

    /// The mode of the socket's file
    #[arg(long, value_name = "MODE", default_value = "600", value_parser = mode)]
    pub(crate) mode: u32,

    #[command(flatten)]
    pub(crate) users: UserArgs,

    /// How many clients there may be at once [default: 4096, or fewer if `ulimit -n` is lower]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_clients: Option<usize>,

    /// The largest message of a client or of the plugin: 500KiB, 16MiB
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size)]
    pub(crate) max_message: usize,

    /// How many requests a client may make each second; the next is answered with an error
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_second: Option<u32>,

    /// How much of a client is read each second: 64KiB
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    pub(crate) bytes_per_second: Option<u32>,

    /// Give up on a call of the plugin after this long: 500ms, 2s, 1m, or none
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// How long a client may take to answer what the plugin asks it: 30s, 5m, or none
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) question_timeout: Limit,

    /// How long calls that run may take to finish when the server is stopped
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) stop_within: Limit,

    /// End with the plugin instead of starting it again
    #[arg(long)]
    pub(crate) no_restart: bool,

    /// Print what happens, every call included, as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Show who comes and goes, and every call
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
    /// As each client's first bytes show
    Detect,
    /// One on each line
    Lines,
    /// Each behind a Content-Length header
    Headers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventsChoice {
    /// Every client
    Everyone,
    /// The clients whose calls the plugin is working on
    Callers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowChoice {
    /// The oldest are dropped, and counted
    DropOldest,
    /// The client is disconnected
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
    usize::try_from(size).map_err(|_| "this machine has no sizes as large as this".into())
}

fn rate(text: &str) -> Result<u32, String> {
    let size = size(text)?;
    u32::try_from(size).map_err(|_| "at most 4GiB a second can be asked for".into())
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
