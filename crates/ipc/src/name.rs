//! From the name of a server to where its socket is.

use std::path::PathBuf;

/// Where the socket with this name is.
///
/// A name with a slash in it is a path, as it is. `myapp` and `myapp.sock` both are
/// `/tmp/myapp.sock`, where the servers and clients of ipc-jsonrpc look.
#[cfg(unix)]
pub fn socket_path(name: &str) -> PathBuf {
    if name.contains('/') {
        return PathBuf::from(name);
    }
    match name.ends_with(".sock") {
        true => PathBuf::from(format!("/tmp/{name}")),
        false => PathBuf::from(format!("/tmp/{name}.sock")),
    }
}

/// Where the pipe with this name is.
///
/// `myapp` is `\\.\pipe\myapp`; a name that begins with `\\.\pipe\` or `\\?\pipe\`, or has a
/// colon, a slash or a backslash in it, is left as it is.
#[cfg(windows)]
pub fn socket_path(name: &str) -> PathBuf {
    match name.contains([':', '/', '\\']) {
        true => PathBuf::from(name),
        false => PathBuf::from(format!(r"\\.\pipe\{name}")),
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
            assert_eq!(socket_path(name), PathBuf::from(path), "{name}");
        }
    }
}
