//! The options of `tenon new`.

use std::path::PathBuf;

use clap::ValueEnum;

macro_rules! examples {
    ($test:literal) => {
        concat!(
            "\
Examples:
  A plugin in Python with one of everything, in the folder weather:
    tenon new weather
    cd weather && ",
            $test,
            "

  A resource for Terraform in Rust:
    tenon new weather --lang rust --kind resource

  A function in bash alone, for JSON-RPC, MCP and denobridge:
    tenon new weather --lang bash --kind function

At a terminal, you are asked for what is not given. Without one, the language is python and the
kind is all. An existing folder is never changed."
        )
    };
}

#[cfg(unix)]
const NEW_EXAMPLES: &str = examples!("./test && tenon dev");
/// `tenon dev` is not available there.
#[cfg(windows)]
const NEW_EXAMPLES: &str = examples!(r".\test");

#[derive(Debug, clap::Args)]
#[command(after_help = NEW_EXAMPLES)]
pub(crate) struct NewArgs {
    /// Name of the plugin, and of the new folder; a path creates it elsewhere
    #[arg(value_name = "NAME")]
    pub(crate) folder: PathBuf,

    /// Language [default: python]
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Option<Language>,

    /// What the plugin offers [default: all]
    #[arg(long)]
    pub(crate) kind: Option<Kind>,

    /// Checkout of Tenon whose crate a plugin in Rust uses [default: what tenon was built from, if it is there]
    #[arg(long, value_name = "PATH")]
    pub(crate) sdk: Option<PathBuf>,

    /// Print the result as JSON, and ask nothing
    #[arg(long)]
    pub(crate) json: bool,
}

/// A language that plugins are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Python 3.10 or newer, without packages
    Python,
    /// JavaScript with checked types, for Node 18 or newer, Deno and Bun
    Typescript,
    /// Rust
    Rust,
    /// bash 4.2 or newer: functions, actions and resources of hosts that speak JSON
    Bash,
}

/// What a plugin offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// One of everything that the language can serve
    All,
    /// A function: Terraform, MCP, JSON-RPC
    Function,
    /// An action: scenarios, Terraform, MCP, JSON-RPC
    Action,
    /// A resource of Terraform
    Resource,
    /// Storage for the state of Terraform
    Storage,
    /// A hook around Terraform's plan
    Hook,
}

/// A choice on the command line, and in a question.
pub(crate) trait Choice: ValueEnum {
    /// Its name, as it is typed.
    fn name(&self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The names of all of them.
    fn names() -> Vec<String> {
        Self::value_variants().iter().map(Choice::name).collect()
    }
}

impl Choice for Language {}
impl Choice for Kind {}
