//! A mirror of providers on this machine, and the configuration that makes programs use it.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_host::{Capture, PluginCommand, own_file};

use super::files::{Change, place};
use super::installation;
use crate::args::Program;
use crate::commands::new_file;
use crate::exit::{Code, Failure};
use crate::{output, platform};

impl Program {
    pub(super) const ALL: [Program; 2] = [Program::Terraform, Program::Tofu];

    /// Where it looks for providers whose source names no host.
    pub(super) fn registry(self) -> &'static str {
        match self {
            Program::Terraform => "registry.terraform.io",
            Program::Tofu => "registry.opentofu.org",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Program::Terraform => "terraform",
            Program::Tofu => "tofu",
        }
    }
}

/// What was done for one program.
pub(super) struct Installed {
    program: Program,
    provider: PathBuf,
    change: Change,
    /// Other versions are in the mirror as well.
    has_others: bool,
    config: Config,
    is_config_written: bool,
}

/// The configuration file that a program reads.
struct Config {
    file: PathBuf,
    /// The environment variable that names it.
    variable: Option<&'static str>,
}

impl Installed {
    pub(super) fn json(&self) -> Value {
        json!({
            "program": self.program.name(),
            "provider": self.provider,
            "change": self.change.name(),
            "config": self.config.file,
            "config_written": self.is_config_written,
        })
    }
}

/// A provider in a mirror.
pub(super) struct Package {
    pub(super) mirror: PathBuf,
    /// `NAMESPACE/NAME`.
    pub(super) source: String,
    /// Which providers the configuration takes from the mirror.
    pub(super) include: String,
    pub(super) version: String,
}

impl Package {
    /// Puts the provider into the mirror for each program: its binary, and a file beside it if there is one.
    pub(super) fn install(
        &self,
        programs: &[Program],
        write_config: bool,
        binary: &Path,
        beside: Option<(&str, &[u8])>,
    ) -> Result<Vec<Installed>, Failure> {
        let name = self.source.rsplit('/').next().unwrap_or_default();
        let mut done = Vec::new();
        let chosen = |program: &Program| programs.is_empty() || programs.contains(program);
        for program in Program::ALL.into_iter().filter(chosen) {
            let versions = self.versions(program);
            let folder = versions.join(&self.version).join(platform());
            let provider = folder.join(format!(
                "terraform-provider-{name}_v{}{EXE_SUFFIX}",
                self.version
            ));
            let change = place(binary, &folder, &provider, beside).map_err(|error| {
                let provider = tenon_text::path(&provider);
                Failure::new(Code::Failed, format!("{provider}: {error}"))
            })?;
            let config = Config::of(program)?;
            let is_config_written = write_config && self.write_config(&config.file)?;
            done.push(Installed {
                program,
                provider,
                change,
                has_others: fs::read_dir(versions).into_iter().flatten().count() > 1,
                config,
                is_config_written,
            });
        }
        Ok(done)
    }

    /// The folder of all versions.
    fn versions(&self, program: Program) -> PathBuf {
        let mut folder = self.mirror.join(program.registry());
        folder.extend(self.source.split('/'));
        folder
    }

    /// Whether a configuration was written or extended: a file of the user is left alone.
    fn write_config(&self, file: &Path) -> Result<bool, Failure> {
        if new_file::write(file, &installation::block(&self.mirror, &[&self.include]))? {
            return Ok(true);
        }
        let text = fs::read_to_string(file).unwrap_or_default();
        let Some(text) = installation::extended(&text, &self.mirror, &self.include) else {
            return Ok(false);
        };
        own_file::replace(file, u64::MAX, |out| out.write_all(text.as_bytes()))
            .map(|()| true)
            .map_err(|error| {
                Failure::new(Code::Failed, format!("{}: {error}", tenon_text::path(file)))
            })
    }

    /// Says what was done, and what is left to be done by hand.
    pub(super) fn print(&self, done: &[Installed]) -> Result<(), Failure> {
        for one in done {
            let (program, config) = (one.program.name(), &one.config);
            output::talk(format_args!(
                "{program}: {} {}",
                one.change.name(),
                tenon_text::path(&one.provider)
            ));
            let what = match (one.is_config_written, self.is_named_in(&config.file)) {
                (true, _) => "wrote",
                (false, true) => "the mirror is configured in",
                (false, false) => continue,
            };
            output::talk(format_args!("{program}: {what} {config}"));
        }
        let by_hand = { done.iter() }.filter(|one| !self.is_named_in(&one.config.file));
        let (with_block, without): (Vec<_>, Vec<_>) =
            { by_hand.map(|one| &one.config) }.partition(|config| has_block(&config.file));
        if !without.is_empty() {
            output::talk(format_args!(
                "\nFor `init` to find it, add this to {}:\n",
                listed(&without)
            ));
            output::data(installation::block(&self.mirror, &[&self.include]).trim_end())?;
        }
        if !with_block.is_empty() {
            output::talk(format_args!(
                "\nFor `init` to find it, add this to the provider_installation block in {}, which may have only \
                 one such block. If the block has `direct` or other mirrors, add only the exclude line to each of them:\n",
                listed(&with_block)
            ));
            output::data(installation::methods(&self.mirror, &[&self.include]).trim_end())?;
        }
        self.print_lock_advice(done);
        Ok(())
    }

    /// What is to be done about the versions and checksums in lock files.
    fn print_lock_advice(&self, done: &[Installed]) {
        let replaced = done.iter().find(|one| one.change == Change::Replaced);
        let Some(first) = replaced.or(done.first()) else {
            return;
        };
        let program = first.program.name();
        if first.change == Change::Added && first.has_others {
            output::talk(format_args!(
                "\nOther versions are installed as well. To use this one where another is in \
                 .terraform.lock.hcl:\n  {program} init -upgrade"
            ));
        }
        let why = match first.change {
            Change::Replaced => format!(
                "Version {} was installed before, with other contents. Where it is in use, `init` and `plan` \
                 refuse the new checksum until it is in .terraform.lock.hcl. Add it in each such folder, or \
                 install another version with --as-version:",
                self.version
            ),
            Change::Added | Change::Unchanged => {
                "Each build has a different checksum. If .terraform.lock.hcl has the checksum of another \
                 build, add this one:"
                    .to_owned()
            }
        };
        // Both programs understand it, and one line is enough.
        output::talk(format_args!(
            "\n{why}\n  {program} providers lock -fs-mirror={} -platform={} {}",
            tenon_text::path(&self.mirror),
            platform(),
            self.source
        ));
    }

    /// Whether a configuration names the mirror for this provider already.
    fn is_named_in(&self, config: &Path) -> bool {
        let text = fs::read_to_string(config).unwrap_or_default();
        text.contains(&installation::quoted(&self.mirror)) && text.contains(&self.include)
    }
}

/// The names of configuration files. A variable may name one file for both programs.
fn listed(configs: &[&Config]) -> String {
    let mut names: Vec<_> = configs.iter().map(ToString::to_string).collect();
    names.dedup();
    names.join(" and ")
}

/// Whether a configuration says already where providers come from, which it can say only once.
fn has_block(config: &Path) -> bool {
    let text = fs::read_to_string(config).unwrap_or_default();
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| line.starts_with("provider_installation"))
}

/// The program to install: the one that the user named, or that of this provider next to this command.
pub(super) fn binary(given: Option<&Path>, name: &str) -> Result<PathBuf, Failure> {
    let file = match given {
        Some(file) => file.to_owned(),
        None => env::current_exe()
            .map_err(Failure::cannot_start)?
            .with_file_name(format!("terraform-provider-{name}{EXE_SUFFIX}")),
    };
    let found = file.metadata();
    match found.is_ok_and(|found| platform::is_executable(&found)) {
        true => Ok(file),
        false => Err(Failure::cannot_start(format!(
            "{} is not an executable file\n  hint: `cargo build --release --workspace` builds it next to tenon; or name \
             another file with --binary FILE",
            tenon_text::path(&file)
        ))),
    }
}

/// Whether a program is this provider, which says so: Terraform would only find out in `terraform plan`.
pub(super) async fn check_binary(file: &Path, name: &str) -> Result<(), Failure> {
    let capture = Capture {
        time_limit: Some(Duration::from_secs(10)),
        limit: 64 * 1024,
        ..Capture::default()
    };
    // Without a folder in its name it would be looked for in PATH.
    let path = std::path::absolute(file).map_err(Failure::cannot_start)?;
    let command = PluginCommand::new(path).arg("--version");
    let program = format!("terraform-provider-{name}");
    let problem = match capture.run(&command).await {
        Ok(said) if said.stdout.starts_with(format!("{program} ").as_bytes()) => return Ok(()),
        Ok(_) => format!("`--version` does not print \"{program} VERSION\""),
        Err(error) => error.to_string(),
    };
    Err(Failure::cannot_start(format!(
        "{} is not the Terraform provider {name}: {problem}",
        tenon_text::path(file)
    )))
}

/// The mirror that the user named, or the usual one.
pub(super) fn folder(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let mirror = match given {
        Some(mirror) => mirror.to_owned(),
        None => { platform::data_folder(home().ok()) }
            .ok_or_else(no_home)?
            .join("tenon")
            .join("terraform-mirror"),
    };
    // Terraform reads its configuration in another folder than this one.
    std::path::absolute(&mirror)
        .map_err(|error| Failure::usage(format!("{}: {error}", tenon_text::path(&mirror))))
}

fn home() -> Result<PathBuf, Failure> {
    env::home_dir()
        .filter(|home| !home.as_os_str().is_empty())
        .ok_or_else(no_home)
}

fn no_home() -> Failure {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    Failure::usage(format!("there is no home folder: set {variable}"))
}

impl Config {
    /// The file that a program reads now: the one that a variable names, or one in the home folder.
    fn of(program: Program) -> Result<Config, Failure> {
        let set = |name: &'static str| Some((name, env::var_os(name)?));
        // The second is an old name for the first. A file named by either is the only one read.
        let named = ["TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"].into_iter();
        let named = { named.filter_map(set) }.find(|(_, file)| !file.is_empty());
        Ok(match named {
            Some((variable, file)) => Config {
                file: file.into(),
                variable: Some(variable),
            },
            None => Config {
                file: in_home(program, &home()?),
                variable: None,
            },
        })
    }
}

impl fmt::Display for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.variable {
            Some(variable) => write!(formatter, "{} ({variable})", tenon_text::path(&self.file)),
            None => write!(formatter, "{}", tenon_text::path(&self.file)),
        }
    }
}

fn in_home(program: Program, home: &Path) -> PathBuf {
    let [terraform, tofu] = platform::terraform_configs(home);
    match program {
        Program::Terraform => terraform,
        Program::Tofu if tofu.exists() => tofu,
        // OpenTofu reads Terraform's unless it has its own, and a new one would hide
        // what the user has set there.
        Program::Tofu if terraform.exists() => terraform,
        Program::Tofu => match env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()) {
            Some(folder) => Path::new(&folder).join("opentofu/tofurc"),
            None => tofu,
        },
    }
}

/// The system and processor, as Terraform calls them.
pub(super) fn platform() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    };
    format!("{system}_{processor}")
}
