//! What the process was started for.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::handshake;

/// What the process was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Terraform started it.
    Serve,
    /// A person started it and wants Terraform to use this very process.
    Debug,
    /// A person started it and has to be told what it is.
    ByHand,
    Help,
    Version,
}

/// An argument that means nothing here.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "terraform-provider-denobridge: unknown argument \"{0}\"; `terraform-provider-denobridge --help` \
     lists those there are\n"
)]
pub(super) struct UnknownArgument(String);

impl Mode {
    /// `cookie` is the value of the variable by which Terraform says that it is Terraform.
    pub(super) fn choose(
        arguments: impl Iterator<Item = OsString>,
        cookie: Option<&OsStr>,
    ) -> Result<Mode, UnknownArgument> {
        let mut mode = None;
        for argument in arguments {
            let text = argument.to_string_lossy();
            // Providers written in Go take one dash as well as two.
            let chosen = match text.as_ref() {
                "--debug" | "-debug" => Mode::Debug,
                "--help" | "-help" | "-h" => Mode::Help,
                "--version" | "-version" | "-V" => Mode::Version,
                _ => return Err(UnknownArgument(text.into_owned())),
            };
            mode.get_or_insert(chosen);
        }
        Ok(match mode {
            Some(mode) => mode,
            None if cookie == Some(OsStr::new(handshake::COOKIE.1)) => Mode::Serve,
            None => Mode::ByHand,
        })
    }
}

/// The version that `tenon provider install` gives it, so that configurations of
/// brad-jones/denobridge find it.
const INSTALLED_AS: &str = "0.4.1";

/// What `--version` prints: the version that `terraform init` shows, which is that in the name of
/// the program, and the version of Tenon that it is part of.
pub(super) fn version(program: Option<&Path>) -> String {
    let name = program.and_then(|program| program.file_name()?.to_str());
    let installed = name.and_then(|name| name.split_once("_v")?.1.split('_').next());
    format!(
        "terraform-provider-denobridge {} (Tenon {})\n",
        installed.unwrap_or(INSTALLED_AS),
        env!("CARGO_PKG_VERSION")
    )
}

pub(super) const BY_HAND: &str = "\
This is the Terraform and OpenTofu provider \"denobridge\", whose resources are scripts. Terraform
starts it by itself; there is nothing to see when you do.

To use it:      tenon provider install      puts it where `terraform init` finds it
To debug it:    terraform-provider-denobridge --debug
For the rest:   terraform-provider-denobridge --help
";

pub(super) const HELP: &str = "\
The Terraform and OpenTofu provider \"denobridge\", whose resources, data sources, ephemeral
resources, actions and functions are scripts. Terraform starts it by itself.

Usage: terraform-provider-denobridge [--debug | --help | --version]

  --debug      serve in this process until Ctrl-C, and print the variable TF_REATTACH_PROVIDERS,
               which makes Terraform use it
  --help       print this
  --version    print the version that `terraform init` shows, and that of Tenon

`tenon provider install` puts this program where `terraform init` finds it.

Environment:
  TF_LOG_PROVIDER_DENOBRIDGE, TF_LOG_PROVIDER, TF_LOG
               what is logged on stderr: TRACE, DEBUG, INFO, WARN, ERROR or OFF; the first that is
               set counts (and Terraform shows it only if one of the last two is set)
  TMPDIR       where the folder of the socket is made
  PLUGIN_UNIX_SOCKET_DIR
               a folder for the socket instead of one of its own
  PLUGIN_UNIX_SOCKET_GROUP
               a group, by name or number, whose members may connect
";

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(arguments: &[&str], cookie: Option<&str>) -> Result<Mode, UnknownArgument> {
        Mode::choose(arguments.iter().map(OsString::from), cookie.map(OsStr::new))
    }

    #[test]
    fn the_cookie_tells_terraform_from_a_person() {
        assert_eq!(choose(&[], Some(handshake::COOKIE.1)), Ok(Mode::Serve));
        assert_eq!(choose(&[], Some("another")), Ok(Mode::ByHand));
        assert_eq!(choose(&[], None), Ok(Mode::ByHand));
    }

    #[test]
    fn an_argument_goes_before_the_cookie() {
        let cookie = Some(handshake::COOKIE.1);
        assert_eq!(choose(&["--debug"], cookie), Ok(Mode::Debug));
        assert_eq!(choose(&["-debug"], None), Ok(Mode::Debug));
        assert_eq!(choose(&["--help", "--debug"], cookie), Ok(Mode::Help));
        assert_eq!(choose(&["-V"], None), Ok(Mode::Version));
    }

    #[test]
    fn the_version_is_the_one_that_init_shows() {
        let shown = |program: &str| version(Some(Path::new(program)));
        let own = concat!(" (Tenon ", env!("CARGO_PKG_VERSION"), ")\n");
        for (program, expected) in [
            ("/m/terraform-provider-denobridge_v1.2.3", "1.2.3"),
            ("/m/terraform-provider-denobridge_v1.2.3_x5", "1.2.3"),
            ("/target/release/terraform-provider-denobridge", "0.4.1"),
        ] {
            let expected = format!("terraform-provider-denobridge {expected}{own}");
            assert_eq!(shown(program), expected);
        }
        assert!(version(None).contains(" 0.4.1 "));
    }

    #[test]
    fn an_unknown_argument_is_named() {
        let error = choose(&["--debug", "--prot"], None).unwrap_err();
        assert!(error.to_string().contains("\"--prot\""), "{error}");
        assert!(error.to_string().contains("--help"), "{error}");
    }
}
