//! The options that commands with sockets, and commands that show frames, share.

use std::path::PathBuf;

use tenon_ipc::{Users, reference_path, socket_path};

use crate::exit::Failure;

#[derive(Debug, clap::Args)]
pub(crate) struct TapArgs {
    /// Show every frame, in both directions, on stderr
    #[arg(long)]
    pub(crate) trace: bool,

    /// Write every frame to this file, as lines of JSON with times
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Hide the values of members with this name in --trace, --record and on stderr, but not on stdout
    #[arg(long, value_name = "NAME")]
    pub(crate) mask: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UserArgs {
    /// Trust another user on the other side of the socket: a name, a user id, or `anyone`
    #[arg(long, value_name = "USER", value_parser = user)]
    pub(crate) allow_user: Vec<Allowed>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlaceArgs {
    /// Create the socket of a plain NAME in /tmp, where clients of ipc-jsonrpc look
    #[arg(long, requires = "socket")]
    pub(crate) tmp: bool,
}

impl PlaceArgs {
    /// Where a server listens.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        match self.tmp {
            true => Ok(reference_path(name)),
            false => socket_path(name).map_err(Failure::cannot_start),
        }
    }
}

/// A user who is trusted in addition to ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    Anyone,
    User(u32),
}

impl UserArgs {
    pub(crate) fn users(&self) -> Users {
        let mut users = Vec::new();
        for allowed in &self.allow_user {
            match allowed {
                Allowed::Anyone => return Users::Anyone,
                Allowed::User(user) => users.push(*user),
            }
        }
        match users.is_empty() {
            true => Users::Own,
            false => Users::Also(users),
        }
    }
}

fn user(text: &str) -> Result<Allowed, String> {
    if text == "anyone" {
        return Ok(Allowed::Anyone);
    }
    if let Ok(number) = text.parse() {
        return Ok(Allowed::User(number));
    }
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let number = accounts.lines().find_map(|account| {
        let mut fields = account.split(':');
        let is_named = fields.next() == Some(text);
        // The second field is the password, or a sign that it is elsewhere.
        fields.nth(1).filter(|_| is_named)?.parse().ok()
    });
    number.map(Allowed::User).ok_or_else(|| {
        format!("unknown user `{text}`: it is not in /etc/passwd; use a user id instead")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names_and_numbers() {
        assert_eq!(user("1000"), Ok(Allowed::User(1000)));
        assert_eq!(user("root"), Ok(Allowed::User(0)));
        assert_eq!(user("anyone"), Ok(Allowed::Anyone));
        let error = user("nobody-of-this-name").unwrap_err();
        assert!(error.contains("use a user id instead"), "{error}");
    }
}
