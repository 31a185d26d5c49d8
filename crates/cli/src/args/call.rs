//! The options of `tenon call`.

use std::ffi::OsString;
use std::net::Ipv4Addr;

use clap::builder::NonEmptyStringValueParser;
use tenon_protocols::Protocol;
use tenon_rpc::Dialect;

use super::serve::size;
use super::{
    EnvironmentArgs, Limit, LimitArgs, PermissionArgs, SANDBOX, TapArgs, UserArgs, dialects,
    duration, protocols,
};

const EXAMPLES: &str = "\
Examples:
  Call a plugin that speaks JSON-RPC on stdin and stdout:
    tenon call greet '{\"name\":\"you\"}' -- python3 plugin.py

  Show what an MCP server offers, then use one of its tools:
    tenon call --list --protocol mcp -- npx -y @modelcontextprotocol/server-everything
    tenon call tools/call '{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}' --protocol mcp -- npx ...

  Call a function of a Seasonings plugin, with plain values by its schema:
    tenon call functions/call '{\"name\":\"slug\",\"args\":[\"A B\"]}' --protocol seasonings -- python3 notes.py

  Ask a running Neovim, which speaks msgpack-rpc on a socket:
    tenon call nvim_eval '[\"1+2\"]' --dialect msgpack-rpc --socket /tmp/nvim.sock

  Pass environment variables to a plugin, which gets no credentials by default:
    tenon call upload --env 'AWS_*' --env STAGE=test -- ./uploader

  Show every frame, and stop waiting after two seconds:
    tenon call describe --protocol orchard --trace --timeout 2s -- ./provider

  Make several calls on one connection, or talk to a plugin at a prompt:
    printf 'add [1,2]\\necho {\"a\":1}\\n' | tenon call --repl -- tenon echo
    tenon call --repl --protocol lsp -- bash-language-server start

  Let a plugin only read one folder, and report what else it tries:
    tenon call greet --allow-read ./data --sandbox-report -- python3 plugin.py

  Print the events of a server until Ctrl-C:
    tenon call --watch --socket calc

Lines that --repl reads:
  METHOD [PARAMS]          make a call and print its result
  METHOD [PARAMS] &        make a call and read the next line; results are printed as they arrive
  !METHOD [PARAMS]         send an event
  NAME = METHOD [PARAMS]   keep the result as $NAME
  NAME = JSON              keep a value as $NAME
  $NAME.member[0]          print a value, or use it in params; $_ is the last result
  :answer METHOD JSON      answer this request of the other side from now on
  :wait                    wait for the calls made with &
  :wait EVENT              wait for an event, or take one that has arrived; $_ is its params
  :list                    show what the other side offers
  :vars, :help, :quit      show the kept values; show this text; end
  # ...                    a comment
On a terminal, Ctrl-C cancels the running calls and Ctrl-D ends the session.

Params are JSON: the text itself, @FILE, or - for stdin. Values that JSON cannot express are written
as {\"$binary\":\"<base64>\"}, {\"$ext\":[TYPE,\"<base64>\"]}, {\"$map\":[[KEY,VALUE],..]},
{\"$float\":\"NaN\"} or {\"$unknown\":true}, in params and in results. Values of Seasonings plugins are
written and read by their schemas, and sensitive ones are shown as {\"$sensitive\":\"***\"}.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("env", |arg| arg.conflicts_with_all(["socket", "tcp"])),
    mut_arg("env_all", |arg| arg.conflicts_with_all(["socket", "tcp"])),
    override_usage = "\
tenon call [OPTIONS] METHOD [PARAMS] TARGET
       tenon call [OPTIONS] (--repl | --list | --batch FILE | --watch) TARGET
       where TARGET is --socket NAME, --tcp HOST:PORT, or -- CMD...",
)]
pub(crate) struct CallArgs {
    /// The method to call
    #[arg(
        required_unless_present_any = ["repl", "watch", "list", "batch"],
        conflicts_with_all = ["repl", "list", "batch"],
    )]
    pub(crate) method: Option<String>,

    /// Params: JSON, @FILE, or - for stdin
    #[arg(allow_negative_numbers = true)]
    pub(crate) params: Option<String>,

    /// Another way to give PARAMS, as in curl
    #[arg(long, short, value_name = "PARAMS", conflicts_with = "params")]
    pub(crate) data: Option<String>,

    /// Dialect: how messages are written as bytes
    #[arg(long, value_parser = dialects(), conflicts_with = "protocol", default_value = "json-rpc")]
    pub(crate) dialect: Dialect,

    /// Protocol: its dialect, and the calls that begin and end a conversation
    #[arg(long, value_parser = protocols())]
    pub(crate) protocol: Option<Protocol>,

    /// Connect to a server on a Unix socket: NAME.sock in $XDG_RUNTIME_DIR or /tmp, or a path if NAME
    /// contains a slash
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: Option<String>,

    /// Connect to a server over TCP, without encryption; PORT alone means this machine
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "socket", value_parser = tcp)]
    pub(crate) tcp: Option<TcpAddress>,

    #[command(flatten)]
    pub(crate) users: UserArgs,

    /// Start this plugin, call it, and stop it
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["socket", "tcp"])]
    pub(crate) plugin: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    /// Hold a conversation: read calls and other commands from stdin, one per line
    #[arg(long)]
    pub(crate) repl: bool,

    /// List what the other side offers; for lsp, mcp, orchard and seasonings
    #[arg(long, conflicts_with_all = ["repl", "batch", "event", "watch"])]
    pub(crate) list: bool,

    /// Make all calls of a JSON array in one frame: [{"method":..,"params":..},..]; - reads stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["repl", "event"])]
    pub(crate) batch: Option<String>,

    /// Print events of the other side until it ends or Ctrl-C; after the call, if one is given
    #[arg(long, conflicts_with = "repl")]
    pub(crate) watch: bool,

    /// Send an event, which is not answered, instead of making a call
    #[arg(long, conflicts_with = "repl")]
    pub(crate) event: bool,

    /// Answer a request of the other side: METHOD=JSON or METHOD=@FILE
    #[arg(long, value_name = "METHOD=JSON", value_parser = answer)]
    pub(crate) answer: Vec<GivenAnswer>,

    /// Request progress of calls and print it as events; for lsp and mcp
    #[arg(long)]
    pub(crate) progress: bool,

    /// Time limit of a call: 500ms, 2s, 1m, or none
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// Largest message to read: 500KiB, 64MiB [default: 16MiB; acp and seasonings: 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_message: Option<usize>,

    /// Print results, errors and events as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// What a Seasonings plugin is configured with in its first call: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    pub(crate) config: Option<String>,

    /// Show values that the schema of a Seasonings plugin marks as sensitive
    #[arg(long)]
    pub(crate) show_sensitive: bool,

    #[command(flatten)]
    pub(crate) tap: TapArgs,

    /// Show what the plugin writes to stderr
    #[arg(long, short)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    /// Report on stderr what the plugin was denied, and which option would allow it
    #[arg(long, help_heading = SANDBOX)]
    pub(crate) sandbox_report: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl CallArgs {
    /// The dialect, from `--dialect` or from `--protocol`.
    pub(crate) fn dialect(&self) -> Dialect {
        self.protocol.map_or(self.dialect, Protocol::dialect)
    }
}

/// The answer to a request of the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenAnswer {
    pub(crate) method: String,
    /// JSON, or @FILE.
    pub(crate) text: String,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TcpAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
}

/// The part of the help about the lines that `--repl` reads.
pub(crate) fn repl_help() -> &'static str {
    let start = EXAMPLES.find("Lines that --repl reads").unwrap_or_default();
    let end = EXAMPLES
        .find("\n\nParams are JSON")
        .unwrap_or(EXAMPLES.len());
    &EXAMPLES[start..end]
}

fn answer(text: &str) -> Result<GivenAnswer, String> {
    match text.split_once('=') {
        Some((method, text)) if !method.trim().is_empty() && !text.trim().is_empty() => {
            Ok(GivenAnswer {
                method: method.trim().to_owned(),
                text: text.trim().to_owned(),
            })
        }
        _ => Err(
            "an answer is METHOD=JSON or METHOD=@FILE, such as roots/list='{\"roots\":[]}'".into(),
        ),
    }
}

fn tcp(text: &str) -> Result<TcpAddress, String> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    let problem = "an address is HOST:PORT, [IPV6]:PORT, or PORT, such as localhost:7000";
    if host.contains(':') && !is_bracketed {
        return Err(problem.into());
    }
    let host = match host.trim_matches(['[', ']']) {
        "" => Ipv4Addr::LOCALHOST.to_string(),
        host => host.to_owned(),
    };
    match port.parse() {
        Ok(port @ 1..) => Ok(TcpAddress { host, port }),
        _ => Err(problem.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_ports() {
        let parsed = |text| tcp(text).map(|address| (address.host, address.port));
        assert_eq!(parsed("7000"), Ok(("127.0.0.1".into(), 7000)));
        assert_eq!(parsed(":7000"), Ok(("127.0.0.1".into(), 7000)));
        assert_eq!(parsed("example.org:80"), Ok(("example.org".into(), 80)));
        assert_eq!(parsed("[::1]:80"), Ok(("::1".into(), 80)));
        for wrong in ["", "host", "host:", "host:0", "host:70000", "::1:80"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn answers_have_methods() {
        let parsed = answer("a/b={\"c\":\"=\"}").expect("an answer");
        assert_eq!(
            (parsed.method.as_str(), parsed.text.as_str()),
            ("a/b", "{\"c\":\"=\"}")
        );
        for wrong in ["", "a", "=1", "a=", " =1"] {
            assert!(answer(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_help_of_the_prompt_is_a_part_of_the_help() {
        let help = repl_help();
        assert!(
            help.starts_with("Lines that --repl reads:\n  METHOD"),
            "{help}"
        );
        assert!(help.ends_with("Ctrl-D ends the session."), "{help}");
    }
}
