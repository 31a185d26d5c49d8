//! `tenon provider install`.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use tenon_host::{Capture, PluginCommand};
use tenon_protocols::denobridge::provider::{self, ADDRESS as SOURCE};

use crate::args::{InstallArgs, Program, ProviderCommand};
use crate::commands::new_file;
use crate::exit::{Code, Failure};
use crate::output;

/// The name of the program that Terraform starts.
fn program_name() -> String {
    format!("terraform-provider-{}", provider::NAME)
}

impl Program {
    const ALL: [Program; 2] = [Program::Terraform, Program::Tofu];

    /// Where it looks for providers whose source names no host.
    fn registry(self) -> &'static str {
        match self {
            Program::Terraform => "registry.terraform.io",
            Program::Tofu => "registry.opentofu.org",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Program::Terraform => "terraform",
            Program::Tofu => "tofu",
        }
    }
}

pub(crate) async fn run(command: &ProviderCommand) -> Result<(), Failure> {
    match command {
        ProviderCommand::Install(args) => install(args).await,
    }
}

/// What was done for one program.
struct Installed {
    program: Program,
    provider: PathBuf,
    config: Config,
    is_config_written: bool,
}

/// The configuration file that a program reads.
struct Config {
    file: PathBuf,
    /// The environment variable that names it.
    variable: Option<&'static str>,
}

async fn install(args: &InstallArgs) -> Result<(), Failure> {
    let binary = binary(args)?;
    check_binary(&binary).await?;
    let mirror = mirror(args)?;
    let programs: Vec<Program> = Program::ALL
        .into_iter()
        .filter(|program| args.programs.is_empty() || args.programs.contains(program))
        .collect();
    let mut done = Vec::new();
    for program in programs {
        let folder = mirror
            .join(program.registry())
            .join(SOURCE)
            .join(&args.as_version)
            .join(platform());
        let provider = folder.join(format!("{}_v{}", program_name(), args.as_version));
        copy(&binary, &folder, &provider).map_err(|error| {
            Failure::new(
                Code::Failed,
                format!("{}: {error}", tenon_text::path(&provider)),
            )
        })?;
        let config = Config::of(program)?;
        let text = config_text(&mirror);
        let is_config_written = args.write_config && new_file::write(&config.file, &text)?;
        done.push(Installed {
            program,
            provider,
            config,
            is_config_written,
        });
    }
    if args.json {
        let done = done.iter().map(|one| {
            json!({
                "program": one.program.name(),
                "provider": one.provider,
                "config": one.config.file,
                "config_written": one.is_config_written,
            })
        });
        let done: Vec<_> = done.collect();
        return output::json_data(
            json!({ "version": args.as_version, "mirror": mirror, "installed": done }),
        );
    }
    print(&mirror, &done)
}

fn print(mirror: &Path, done: &[Installed]) -> Result<(), Failure> {
    for one in done {
        let (program, config) = (one.program.name(), &one.config);
        output::talk(format_args!(
            "{program}: installed {}",
            tenon_text::path(&one.provider)
        ));
        let what = match (one.is_config_written, names(&config.file, mirror)) {
            (true, _) => "wrote",
            (false, true) => "the mirror is configured in",
            (false, false) => continue,
        };
        output::talk(format_args!("{program}: {what} {config}"));
    }
    let by_hand = { done.iter() }.filter(|one| !names(&one.config.file, mirror));
    let (with_block, without): (Vec<_>, Vec<_>) =
        { by_hand.map(|one| &one.config) }.partition(|config| has_block(&config.file));
    if !without.is_empty() {
        output::talk(format_args!(
            "\nFor `init` to find it, add this to {}:\n",
            listed(&without)
        ));
        output::data(config_text(mirror).trim_end())?;
    }
    if !with_block.is_empty() {
        output::talk(format_args!(
            "\nFor `init` to find it, add this to the provider_installation block in {}, which may have only \
             one such block. If the block has `direct` or other mirrors, add only the exclude line to each of them:\n",
            listed(&with_block)
        ));
        output::data(methods_text(mirror).trim_end())?;
    }
    // Both understand it, and one line is enough.
    if let Some(first) = done.first() {
        output::talk(format_args!(
            "\nEach build has a different checksum. If .terraform.lock.hcl has the checksum of another \
             build, add this one:\n  {} providers lock -fs-mirror={} -platform={} {SOURCE}",
            first.program.name(),
            tenon_text::path(mirror),
            platform()
        ));
    }
    Ok(())
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

/// Whether a configuration names the mirror already.
fn names(config: &Path, mirror: &Path) -> bool {
    let text = fs::read_to_string(config).unwrap_or_default();
    text.contains(&mirror.display().to_string())
}

/// The provider to install.
fn binary(args: &InstallArgs) -> Result<PathBuf, Failure> {
    let file = match &args.binary {
        Some(file) => file.clone(),
        None => env::current_exe()
            .map_err(Failure::cannot_start)?
            .with_file_name(program_name()),
    };
    let found = file.metadata();
    let is_program =
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    match is_program {
        true => Ok(file),
        false => Err(Failure::cannot_start(format!(
            "{} is not an executable file\n  hint: `cargo build --release` builds it next to tenon; or name \
             another file with --binary FILE",
            tenon_text::path(&file)
        ))),
    }
}

/// Whether a program is the provider, which says so: Terraform would only find out in `terraform plan`.
async fn check_binary(file: &Path) -> Result<(), Failure> {
    let capture = Capture {
        time_limit: Some(Duration::from_secs(10)),
        limit: 64 * 1024,
        ..Capture::default()
    };
    // Without a folder in its name it would be looked for in PATH.
    let path = std::path::absolute(file).map_err(Failure::cannot_start)?;
    let command = PluginCommand::new(path).arg("--version");
    let problem = match capture.run(&command).await {
        Ok(said)
            if said
                .stdout
                .starts_with(format!("{} ", program_name()).as_bytes()) =>
        {
            return Ok(());
        }
        Ok(_) => format!("`--version` does not print \"{} VERSION\"", program_name()),
        Err(error) => error.to_string(),
    };
    Err(Failure::cannot_start(format!(
        "{} is not the Terraform provider {}: {problem}",
        tenon_text::path(file),
        provider::NAME
    )))
}

fn mirror(args: &InstallArgs) -> Result<PathBuf, Failure> {
    let mirror = match (&args.mirror, env::var_os("XDG_DATA_HOME")) {
        (Some(mirror), _) => mirror.clone(),
        (None, Some(data)) if !data.is_empty() => Path::new(&data).join("tenon/terraform-mirror"),
        (None, _) => home()?.join(".local/share/tenon/terraform-mirror"),
    };
    // Terraform reads its configuration in another folder than this one.
    std::path::absolute(&mirror)
        .map_err(|error| Failure::usage(format!("{}: {error}", tenon_text::path(&mirror))))
}

fn home() -> Result<PathBuf, Failure> {
    env::home_dir()
        .filter(|home| !home.as_os_str().is_empty())
        .ok_or_else(|| Failure::usage("there is no home folder: set HOME"))
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
    let terraform = home.join(".terraformrc");
    let tofu = home.join(".tofurc");
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

/// A block for a configuration that has none.
fn config_text(mirror: &Path) -> String {
    let methods = methods_text(mirror).replace('\n', "\n  ");
    format!("provider_installation {{\n  {}\n}}\n", methods.trim_end())
}

/// What the block has in it.
fn methods_text(mirror: &Path) -> String {
    let mirror = mirror.display().to_string();
    let mirror = mirror
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace("${", "$${");
    format!(
        "filesystem_mirror {{\n  path    = \"{mirror}\"\n  include = [\"{SOURCE}\"]\n}}\ndirect {{\n  \
         exclude = [\"{SOURCE}\"]\n}}\n"
    )
}

/// The system and processor, as Terraform calls them.
fn platform() -> String {
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

/// How the name of half a program begins; the id of the process that copies it follows.
const PART: &str = ".part-";

/// Removes what commands left that were killed while they copied.
fn remove_parts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PART));
        let process = process.and_then(|id| Pid::from_raw(id.parse().ok()?));
        if process.is_some_and(|id| test_kill_process(id) == Err(Errno::SRCH)) {
            let _already_gone = fs::remove_file(entry.path());
        }
    }
}

/// Copies a program. At any time the file is the old program or the new one, and one that runs continues.
fn copy(from: &Path, folder: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    remove_parts(folder);
    // Under a name that no provider has, so that an incomplete one is not started.
    let part = folder.join(format!("{PART}{}", std::process::id()));
    let copied = fs::copy(from, &part)
        .and_then(|_| fs::set_permissions(&part, fs::Permissions::from_mode(0o755)))
        .and_then(|()| fs::File::open(&part)?.sync_all())
        .and_then(|()| fs::rename(&part, to));
    if copied.is_err() {
        // The incomplete copy is useless; the error to report is the first one.
        let _also_failed = fs::remove_file(&part);
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No process has the largest number there is, and the first one always runs.
    #[test]
    fn what_a_killed_command_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "new").unwrap();
        let mirror = folder.path().join("mirror");
        fs::create_dir(&mirror).unwrap();
        for name in [".part-2147483647", ".part-1", ".part-x"] {
            fs::write(mirror.join(name), "half").unwrap();
        }
        copy(&program, &mirror, &mirror.join("provider")).unwrap();
        let mut left: Vec<_> = fs::read_dir(&mirror).unwrap().flatten().collect();
        left.sort_by_key(fs::DirEntry::file_name);
        let left: Vec<_> = left.iter().map(fs::DirEntry::file_name).collect();
        assert_eq!(left, [".part-1", ".part-x", "provider"]);
    }

    #[test]
    fn a_path_is_quoted_as_hcl_wants_it() {
        let text = config_text(Path::new("/a \"b\"/${c}"));
        assert!(text.contains(r#"path    = "/a \"b\"/$${c}""#), "{text}");
    }
}
