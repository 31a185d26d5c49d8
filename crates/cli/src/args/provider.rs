//! The options of `tenon provider`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use tenon_protocols::denobridge::provider;

const INSTALL_EXAMPLES: &str = "\
Examples:
  Install the provider for `terraform init` and `tofu init`, and print the configuration they need:
    tenon provider install

  Also write that configuration, unless the file exists:
    tenon provider install --write-config

  Install into a shared folder, as another version:
    tenon provider install --mirror /srv/terraform-mirror --as-version 0.4.2

The configuration files are ~/.terraformrc and ~/.tofurc, or the file that TF_CLI_CONFIG_FILE names:
if it is set, Terraform and OpenTofu read no other.";

#[derive(Debug, Subcommand)]
pub(crate) enum ProviderCommand {
    /// Install the Terraform provider denobridge where `terraform init` and `tofu init` find it
    Install(InstallArgs),
    /// Make a Terraform provider out of a Seasonings plugin
    Pack(PackArgs),
    /// List the providers that were made out of plugins
    List(ListPackedArgs),
    /// Remove a provider that was made out of a plugin
    Remove(RemovePackedArgs),
}

const PACK_EXAMPLES: &str = "\
Examples:
  Make the provider tenon/mytool out of a plugin, and write the configuration that `terraform init` needs:
    tenon provider pack mytool --write-config -- python3 mytool.py

  Pass an environment variable on to the plugin:
    tenon provider pack mytool --env MYTOOL_TOKEN -- python3 mytool.py

  While you write the plugin: its files and its schema may change without packing it again:
    tenon provider pack mytool --dev -- python3 mytool.py

The plugin is started once, to capture its schema. A plugin whose files or schema have changed since is
refused until it is packed again.";

#[derive(Debug, clap::Args)]
#[command(after_help = PACK_EXAMPLES)]
pub(crate) struct PackArgs {
    /// Name of the provider, which the types of its resources begin with
    #[arg(value_parser = name)]
    pub(crate) name: String,

    /// Version of the provider [default: the plugin's own, or 0.1.0]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) as_version: Option<String>,

    /// Namespace in the source address
    #[arg(long, value_name = "NAMESPACE", default_value = "tenon", value_parser = name)]
    pub(crate) namespace: String,

    /// Filesystem mirror to install into [default: ~/.local/share/tenon/terraform-mirror]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mirror: Option<PathBuf>,

    /// Provider program [default: terraform-provider-tenon next to this command]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,

    /// Install only for this program [default: both]
    #[arg(long = "for", value_name = "PROGRAM")]
    pub(crate) programs: Vec<Program>,

    /// Write the configuration file of the program, unless it exists
    #[arg(long)]
    pub(crate) write_config: bool,

    /// Environment variable that the plugin may see
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) environment: Vec<String>,

    /// Whether the files of the plugin may change
    #[arg(long, value_name = "WHICH", default_value = "auto")]
    pub(crate) sha256: Pins,

    /// Leave checksums and schema open, for a plugin that is being written
    #[arg(long)]
    pub(crate) dev: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Command that starts the plugin
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Which files of a plugin are pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pins {
    /// Pin the program, or the files that an interpreter is given
    Auto,
    /// Pin nothing
    None,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListPackedArgs {
    /// Filesystem mirror to look into [default: ~/.local/share/tenon/terraform-mirror]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mirror: Option<PathBuf>,

    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RemovePackedArgs {
    /// Name of the provider
    #[arg(value_parser = name)]
    pub(crate) name: String,

    /// Only this version [default: all]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) as_version: Option<String>,

    /// Namespace in the source address
    #[arg(long, value_name = "NAMESPACE", default_value = "tenon", value_parser = name)]
    pub(crate) namespace: String,

    /// Filesystem mirror to remove it from [default: ~/.local/share/tenon/terraform-mirror]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mirror: Option<PathBuf>,
}

/// A name in a source address. It becomes part of a path.
fn name(text: &str) -> Result<String, String> {
    let is_part = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit() || one == b'-';
    let is_name = text
        .bytes()
        .next()
        .is_some_and(|one| one.is_ascii_lowercase())
        && text.bytes().all(is_part)
        && !text.ends_with('-');
    match is_name {
        true => Ok(text.to_owned()),
        false => {
            Err("a name has small letters, digits and hyphens, and begins with a letter".into())
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = INSTALL_EXAMPLES)]
pub(crate) struct InstallArgs {
    /// Filesystem mirror to install into [default: ~/.local/share/tenon/terraform-mirror]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) mirror: Option<PathBuf>,

    /// Provider program [default: terraform-provider-denobridge next to this command]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,

    /// Version that `terraform init` shows and that configurations require
    #[arg(long, value_name = "VERSION", default_value = provider::VERSION, value_parser = version)]
    pub(crate) as_version: String,

    /// Install only for this program [default: both]
    #[arg(long = "for", value_name = "PROGRAM")]
    pub(crate) programs: Vec<Program>,

    /// Write the configuration file of the program, unless it exists
    #[arg(long)]
    pub(crate) write_config: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A program that installs providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Program {
    /// Terraform
    Terraform,
    /// OpenTofu
    Tofu,
}

/// Three numbers, and perhaps more behind a hyphen. It becomes part of a path.
pub(crate) fn version(text: &str) -> Result<String, String> {
    let (numbers, rest) = text.split_once('-').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit());
    let is_plain = |one: u8| one.is_ascii_alphanumeric() || one == b'.' || one == b'-';
    let is_version = numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && !rest.is_empty()
        && rest.bytes().all(is_plain);
    match is_version {
        true => Ok(text.to_owned()),
        false => Err("a version is three numbers, such as 0.4.1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for right in ["mytool", "my-tool", "a2"] {
            assert_eq!(name(right).as_deref(), Ok(right));
        }
        for wrong in ["", "My", "2a", "a_b", "../a", "a-", "-a", "a b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn versions_are_three_numbers() {
        for right in ["0.4.1", "10.0.0", "1.2.3-rc.1"] {
            assert_eq!(version(right).as_deref(), Ok(right));
        }
        for wrong in [
            "",
            "1",
            "v0.4.1",
            "0.4",
            "0.4.1.2",
            "0.4.1-",
            "../../a",
            "1.2.3-/..",
        ] {
            assert!(version(wrong).is_err(), "{wrong}");
        }
    }
}
