//! The options of `tenon dev`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;

use super::provider::variable;
use super::provider_name as name;
use super::{Limit, PackArgs, Pins, duration};

const DEV_EXAMPLES: &str = "\
Examples:
  Check and test the plugin in this folder whenever a file is saved:
    tenon dev

  Call it meanwhile, from another terminal:
    tenon call greet '{\"name\":\"you\"}' --socket weather

  Once, for CI, with lines of JSON:
    tenon dev --once --json

  A plugin that is started in another way than ./NAME in the folder NAME:
    tenon dev -- deno run -A weather.ts

It checks the schema, runs ./test, packs the plugin for Terraform as `tenon provider pack --dev`
does, and offers it on a local socket, where its calls are shown. Ctrl-C ends everything.";

#[derive(Debug, clap::Args)]
#[command(after_help = DEV_EXAMPLES)]
pub(crate) struct DevArgs {
    /// Folder of the plugin
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,

    /// Check everything once, and exit: with 0 if nothing failed
    #[arg(long)]
    pub(crate) once: bool,

    /// Print what happens as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Name of the plugin, for Terraform and the socket [default: name of the folder]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// Socket to offer the plugin on: NAME.sock in $XDG_RUNTIME_DIR, or a path if NAME contains a slash
    /// [default: name of the plugin]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: Option<String>,

    /// Do not offer the plugin on a socket
    #[arg(long, conflicts_with = "socket")]
    pub(crate) no_socket: bool,

    /// Do not pack the plugin for Terraform
    #[arg(long)]
    pub(crate) no_pack: bool,

    /// Filesystem mirror to pack into [default: ~/.local/share/tenon/terraform-mirror]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mirror: Option<PathBuf>,

    /// Provider program to pack with [default: terraform-provider-tenon next to this command]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,

    /// Pass this environment variable to the plugin
    #[arg(long = "env", value_name = "NAME", value_parser = variable)]
    pub(crate) environment: Vec<String>,

    /// Time limit of ./test and of a build: 30s, 5m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// Command that starts the plugin, in its folder [default: ./NAME in the folder NAME]
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl DevArgs {
    /// Makes every path independent of the current folder, except in the command of the plugin.
    pub(crate) fn make_absolute(&mut self) {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        self.mirror = self.mirror.as_ref().map(absolute);
        self.binary = self.binary.as_ref().map(absolute);
        let socket = self.socket.as_ref().filter(|name| name.contains('/'));
        if let Some(path) = socket.map(|name| absolute(&PathBuf::from(name))) {
            self.socket = path.to_str().map(str::to_owned);
        }
    }

    /// How the plugin of this name and command is packed.
    pub(crate) fn packing(&self, name: String, command: Vec<String>) -> PackArgs {
        PackArgs {
            name,
            as_version: None,
            namespace: "tenon".to_owned(),
            mirror: self.mirror.clone(),
            binary: self.binary.clone(),
            programs: Vec::new(),
            write_config: false,
            environment: self.environment.clone(),
            config: super::ConfigArgs::default(),
            timeout: Limit(None),
            sha256: Pins::None,
            dev: true,
            json: false,
            command,
        }
    }
}
