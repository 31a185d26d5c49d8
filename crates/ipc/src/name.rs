//! From the name of a server to the path of its socket.

use std::io;
use std::path::PathBuf;

use tenon_rpc::Io;

use crate::socket::connect;
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
/// `myapp` is `\\.\pipe\myapp`; a name that begins with `\\.\pipe\` or `\\?\pipe\`, or has a
/// colon, a slash or a backslash in it, is left as it is.
///
/// # Errors
/// None.
#[cfg(windows)]
pub fn socket_path(name: &str) -> io::Result<PathBuf> {
    Ok(reference_path(name))
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
    let (first, second) = (socket_path(name)?, reference_path(name));
    let is_nobody = |error: &io::Error| {
        let kind = error.kind();
        matches!(
            kind,
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
        )
    };
    match connect(&first, server).await {
        Err(error) if is_nobody(&error) && first != second => {
            match connect(&second, server).await {
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
