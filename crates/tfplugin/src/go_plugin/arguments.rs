//! What the process was started for.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::handshake;
use crate::Identity;

/// What the process was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Terraform started it.
    Serve,
    /// A person started it and wants Terraform to use this very process.
    Debug,
    /// A person started it without arguments.
    ByHand,
    Help,
    Version,
}

/// An argument that means nothing here.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown argument \"{0}\"; `--help` lists the arguments")]
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

/// What `--version` prints: the version that `terraform init` shows, which is that in the name of
/// the file, and the version of Tenon that the program is built with.
pub(super) fn version(identity: &Identity, file: Option<&Path>) -> String {
    let name = file.and_then(|file| file.file_name()?.to_str());
    let name = name.map(|name| name.strip_suffix(EXE_SUFFIX).unwrap_or(name));
    let installed = name.and_then(|name| name.split_once("_v")?.1.split('_').next());
    format!(
        "{} {} (Tenon {})\n",
        identity.program(),
        installed.unwrap_or(&identity.version),
        env!("CARGO_PKG_VERSION")
    )
}

/// What is printed if a person starts the program without arguments.
pub(super) fn by_hand(identity: &Identity) -> String {
    let Identity { about, .. } = identity;
    let program = identity.program();
    format!(
        "\
{about}

Terraform starts this program. Started by hand, it does nothing.

To debug it:    {program} --debug
For the rest:   {program} --help
"
    )
}

/// What `--help` prints.
pub(super) fn help(identity: &Identity) -> String {
    let Identity { about, .. } = identity;
    let (program, log) = (identity.program(), identity.log_variable());
    format!(
        "\
{about}

Terraform starts this program.

Usage: {program} [--debug | --help | --version]

  --debug      serve in this process until Ctrl-C, and print the variable TF_REATTACH_PROVIDERS,
               which makes Terraform use it
  --help       print this help
  --version    print the version that `terraform init` shows, and that of Tenon

Environment:
  {log}, TF_LOG_PROVIDER, TF_LOG
               the level of the log on stderr: TRACE, DEBUG, INFO, WARN, ERROR or OFF. The first that
               is set counts. Terraform shows the log only if one of the last two is set
  TENON_PROVIDER_NETWORK
               \"unix\" for a Unix socket, which is the default, or \"tcp\" for a TCP port of this
               machine, which is the default on Windows and needs Terraform's certificate
  PLUGIN_MIN_PORT, PLUGIN_MAX_PORT
               the TCP ports to choose from. Terraform sets them to 10000 and 25000
  TMPDIR       where the folder of the socket is created
  PLUGIN_UNIX_SOCKET_DIR
               a folder for the socket instead of a new one
  PLUGIN_UNIX_SOCKET_GROUP
               a group, by name or number, whose members may connect
"
    )
}

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
        let identity = crate::identity::for_tests();
        let shown = |file: &str| version(&identity, Some(Path::new(file)));
        let own = concat!(" (Tenon ", env!("CARGO_PKG_VERSION"), ")\n");
        for (file, expected) in [
            ("/m/terraform-provider-pan-try_v3.2.1", "3.2.1"),
            ("/m/terraform-provider-pan-try_v3.2.1_x5", "3.2.1"),
            ("/target/release/terraform-provider-pan-try", "1.2.3"),
        ] {
            let expected = format!("terraform-provider-pan-try {expected}{own}");
            assert_eq!(shown(file), expected);
        }
        assert!(version(&identity, None).contains(" 1.2.3 "));
    }

    #[test]
    fn texts_name_the_provider() {
        let identity = crate::identity::for_tests();
        for text in [help(&identity), by_hand(&identity)] {
            assert!(text.starts_with("A provider for tests.\n"), "{text}");
            assert!(text.contains("terraform-provider-pan-try"), "{text}");
        }
        assert!(help(&identity).contains("TF_LOG_PROVIDER_PAN_TRY"));
    }

    #[test]
    fn an_unknown_argument_is_named() {
        let error = choose(&["--debug", "--prot"], None).unwrap_err();
        assert!(error.to_string().contains("\"--prot\""), "{error}");
        assert!(error.to_string().contains("--help"), "{error}");
    }
}
