//! From the name of a server to the path of its socket.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tenon_rpc::Io;

use crate::socket::{PATIENCE, connect_within};
use crate::users::Users;

/// Where a server with this name listens.
///
/// A name with a slash in it is a path, as it is. `myapp` and `myapp.sock` both are `myapp.sock` in
/// `$XDG_RUNTIME_DIR`, which is a folder of the user's own, and in `/tmp` where that is not set.
///
/// # Errors
/// `$XDG_RUNTIME_DIR` is another user's, or open to others.
#[cfg(unix)]
pub fn socket_path(name: &str) -> io::Result<PathBuf> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let folder = crate::socket::runtime_folder(std::env::var_os("XDG_RUNTIME_DIR"))?;
    Ok(match folder {
        Some(folder) => folder.join(file_name(name)),
        None => reference_path(name),
    })
}

/// Where the servers and clients of ipc-jsonrpc have the socket with this name: in `/tmp`.
#[cfg(unix)]
pub fn reference_path(name: &str) -> PathBuf {
    match name.contains('/') {
        true => PathBuf::from(name),
        false => PathBuf::from("/tmp").join(file_name(name)),
    }
}

#[cfg(unix)]
fn file_name(name: &str) -> String {
    match name.ends_with(".sock") {
        true => name.to_owned(),
        false => format!("{name}.sock"),
    }
}

/// Where the pipe with this name is.
///
/// `myapp` is `\\.\pipe\myapp`; a path of a pipe, which begins with `\\.\pipe\` or `\\?\pipe\`, is left as it is.
///
/// # Errors
/// The name cannot be that of a pipe: it has a reserved character in it, or leads elsewhere.
#[cfg(windows)]
pub fn socket_path(name: &str) -> io::Result<PathBuf> {
    let path = reference_path(name);
    match check_pipe(&path.to_string_lossy()) {
        Ok(()) => Ok(path),
        Err(problem) => {
            let problem = format!("{name}: {problem}");
            Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
        }
    }
}

/// Whether a path is that of a pipe of this machine. Names of devices, such as `CON`, are ordinary names of pipes.
#[cfg(any(windows, test))]
pub(crate) fn check_pipe(path: &str) -> Result<(), &'static str> {
    /// With the path, `\\.\pipe\`.
    const LONGEST: usize = 256;
    let plain = path.replace('/', r"\");
    let prefix = plain.get(..9).unwrap_or_default().to_ascii_lowercase();
    if !matches!(prefix.as_str(), r"\\.\pipe\" | r"\\?\pipe\") {
        return Err(r"this is not a pipe of this machine; use a name, or \\.\pipe\NAME");
    }
    let name = &plain[9..];
    // Windows would shorten `\\.\pipe\..\x` to `\\.\x`, a device.
    let is_part = |part: &str| !part.is_empty() && !part.chars().all(|c| c == '.');
    match name {
        _ if !name.split('\\').all(is_part) => Err("a part of the name is empty, or has only dots"),
        _ if name.contains(|c: char| c.is_control() || "<>:\"|?*".contains(c)) => Err(
            "the name has a character in it that Windows reserves: one of <>:\"|?* or a control character",
        ),
        _ if name.ends_with([' ', '.']) => {
            Err("the name ends with a space or a dot, which Windows drops")
        }
        _ if path.encode_utf16().count() > LONGEST => Err("the name is longer than 247 characters"),
        _ => Ok(()),
    }
}

/// Where the servers and clients of ipc-jsonrpc have the pipe with this name, which is the same.
#[cfg(windows)]
pub fn reference_path(name: &str) -> PathBuf {
    match name.contains([':', '/', '\\']) {
        true => PathBuf::from(name),
        false => PathBuf::from(format!(r"\\.\pipe\{name}")),
    }
}

/// Connects to the server of this name: at its [`socket_path`], and if no server listens there, at the
/// [`reference_path`].
///
/// # Errors
/// As [`connect`](crate::connect), or `$XDG_RUNTIME_DIR` cannot be trusted.
pub async fn connect_to(name: &str, server: &Users) -> io::Result<Io> {
    connect_to_within(name, server, PATIENCE).await
}

/// [`connect_to`], with another limit on how long to wait while a server accepts no connections.
pub(crate) async fn connect_to_within(
    name: &str,
    server: &Users,
    patience: Duration,
) -> io::Result<Io> {
    let (first, second) = (socket_path(name)?, reference_path(name));
    let is_nobody = |error: &io::Error| {
        let kind = error.kind();
        matches!(
            kind,
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
        )
    };
    match connect_within(&first, server, patience).await {
        Err(error) if is_nobody(&error) && first != second => {
            match connect_within(&second, server, patience).await {
                Err(other) if is_nobody(&other) => {
                    let (first, second) = (first.display(), second.display());
                    let problem = match error.kind() {
                        io::ErrorKind::NotFound => format!(
                            "{first}: there is no such socket, nor {second}; is the server running?"
                        ),
                        _ => format!("{error}; no server listens at {second} either"),
                    };
                    Err(io::Error::new(error.kind(), problem))
                }
                connected => connected,
            }
        }
        connected => connected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_have_names_that_lead_nowhere_else() {
        for name in ["myapp", "my.app", "CON", "nul", "wörter", r"a\b", "a b"] {
            assert_eq!(check_pipe(&format!(r"\\.\pipe\{name}")), Ok(()), "{name}");
        }
        for path in [
            r"\\.\pipe\",
            r"\\.\pipe\..\x",
            r"\\.\pipe\a\..\..\C:",
            r"\\.\pipe\a\\b",
            r"\\.\pipe\a\",
            r"\\.\pipe\a/../b",
            r"\\.\pipe\a:b",
            r"\\.\pipe\a*",
            "\\\\.\\pipe\\a\nb",
            r"\\.\pipe\a.",
            r"\\.\pipe\a ",
            r"\\.\CON",
            r"\\.\C:\file",
            r"\\server\pipe\x",
            r"C:\file",
            "CON",
            "ä",
            "",
        ] {
            assert!(check_pipe(path).is_err(), "{path}");
        }
        assert!(check_pipe(&format!(r"\\.\pipe\{}", "a".repeat(247))).is_ok());
        assert!(check_pipe(&format!(r"\\.\pipe\{}", "a".repeat(248))).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn names_are_those_of_the_reference() {
        for (name, path) in [
            ("myapp", "/tmp/myapp.sock"),
            ("myapp.sock", "/tmp/myapp.sock"),
            ("my.app", "/tmp/my.app.sock"),
            ("/run/myapp", "/run/myapp"),
            ("./myapp.sock", "./myapp.sock"),
            ("run/myapp", "run/myapp"),
        ] {
            assert_eq!(reference_path(name), PathBuf::from(path), "{name}");
        }
    }
}
