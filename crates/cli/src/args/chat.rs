//! The options of `tenon acp chat`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{EnvironmentArgs, Limit, LimitArgs, PermissionArgs, TapArgs, duration};

const EXAMPLES: &str = "\
Examples:
  Talk to an agent in the current folder:
    tenon acp chat -- opencode acp

  Ask once and print the answer; the agent may edit files in src and run the tests:
    tenon acp chat --prompt 'Fix the failing test' --allow 'edit:src/**' \\
      --allow 'execute:cargo test' -- opencode acp

  The same in CI, with the rules in a file and events for a program:
    tenon acp chat --prompt - --policy agent.hcl --json --timeout 10m -- opencode acp < task.txt

  Continue the latest session of this folder, or a certain one:
    tenon acp chat --list -- opencode acp
    tenon acp chat --resume -- opencode acp
    tenon acp chat --resume ses_e21f -- opencode acp

  Give the agent MCP servers: a command, a URL, or the file that other programs have for theirs:
    tenon acp chat --mcp 'files=npx -y @modelcontextprotocol/server-filesystem .' -- opencode acp
    tenon acp chat --mcp docs=https://example.org/mcp --mcp .mcp.json -- opencode acp

  Show a picture:
    tenon acp chat --image screen.png --prompt 'What is wrong here?' -- opencode acp

Permissions:
  --deny, --allow and --policy decide, in this order. What they do not decide is asked for at a
  terminal, and rejected without one. A RULE is
    KIND            any call of this kind: read, edit, delete, move, search, execute, think, fetch,
                    switch_mode, other, or all; --allow only allows files in the session's folders,
                    unless it is all
    KIND:PATTERN    a call of this kind whose files all match, or for execute: whose commands all
                    match
    PATTERN         a call that reads, edits, deletes, moves or searches files that all match
  Patterns of files are relative to the folder of the session. Quote them: the shell expands *
  otherwise.

Lines at the prompt:
  TEXT               a prompt
  /NAME TEXT         a command of the agent; Tab completes it
  :mode [ID]         show the modes, or change the mode
  :model [ID]        show the models, or change the model
  :set [ID [VALUE]]  show the options, or change one
  :image PATH        add an image to the next prompt; Tab completes the path
  :commands          show the commands of the agent
  :sessions          show the sessions of the agent
  :help, :quit       show this text; end
On a terminal, Ctrl-C cancels the turn, a second Ctrl-C ends the chat, and so does Ctrl-D at the
prompt. Without a terminal, each line of stdin is a prompt.

Exit codes: 0 done, 1 the agent answered with an error, refused, stopped at a limit or lacked a
permission, 2 wrong usage or an invalid policy, 3 the agent could not be started or has ended, 4 it
violated the protocol, 5 timed out, 130 interrupted.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "tenon acp chat [OPTIONS] -- AGENT...")]
pub(crate) struct ChatArgs {
    /// Send this prompt, print the answer and end; - reads it from stdin
    #[arg(long, short, value_name = "TEXT", conflicts_with = "list")]
    pub(crate) prompt: Option<String>,

    /// Add an image to the first prompt
    #[arg(long, value_name = "PATH", conflicts_with = "list")]
    pub(crate) image: Vec<PathBuf>,

    /// Continue a session, named by the beginning of its id; without an id, the latest in the folder
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "list")]
    pub(crate) resume: Option<String>,

    /// List the agent's stored sessions for this folder
    #[arg(long)]
    pub(crate) list: bool,

    /// Print events as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Allow matching tool calls without asking
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Reject matching tool calls without asking
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,

    /// Rules for permissions, as for the guard
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// The folder of the session [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,

    /// One more folder for the session
    #[arg(long, value_name = "FOLDER")]
    pub(crate) add_dir: Vec<PathBuf>,

    /// An MCP server for the session: NAME=COMMAND, NAME=URL, or a FILE with `mcpServers`
    #[arg(long, value_name = "SERVER", conflicts_with = "list")]
    pub(crate) mcp: Vec<String>,

    /// Start the session in this mode
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub(crate) mode: Option<String>,

    /// Start the session with this model
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub(crate) model: Option<String>,

    /// Start the session with this option changed
    #[arg(long, value_name = "ID=VALUE", conflicts_with = "list")]
    pub(crate) set: Vec<String>,

    /// Log in first, with this method
    #[arg(long, value_name = "METHOD")]
    pub(crate) login: Option<String>,

    /// Cancel a turn after this long without activity, or none
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// Do not offer the agent to read and write files
    #[arg(long)]
    pub(crate) no_files: bool,

    /// Do not offer the agent to run commands
    #[arg(long)]
    pub(crate) no_terminals: bool,

    /// Show what the agent writes to stderr
    #[arg(long, short)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) tap: TapArgs,

    /// The agent
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// The part of the help about the prompt.
pub(crate) fn chat_help() -> &'static str {
    let start = EXAMPLES.find("Lines at the prompt:").unwrap_or_default();
    let end = EXAMPLES.find("On a terminal,").unwrap_or(EXAMPLES.len());
    EXAMPLES[start..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_the_prompt_is_a_part_of_the_help() {
        let help = chat_help();
        assert!(help.starts_with("Lines at the prompt:\n  TEXT"), "{help}");
        assert!(help.ends_with("show this text; end"), "{help}");
    }
}
