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
fn version(text: &str) -> Result<String, String> {
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
