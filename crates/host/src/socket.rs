//! Unix sockets that only their owner can reach.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use tenon_rpc::Io;
use tokio::net::{UnixListener, UnixStream};

/// Who is on the other end of a socket, as the kernel knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The user.
    pub user: u32,
    /// The user's group.
    pub group: u32,
    /// The process, where the system tells.
    pub process: Option<i32>,
}

/// Connects to a socket.
///
/// # Errors
/// Nothing listens there. The text says what is there instead, and what to do.
pub async fn connect(path: impl AsRef<Path>) -> io::Result<Io> {
    let path = path.as_ref();
    check_length(path)?;
    UnixStream::connect(path)
        .await
        .map(Io::from)
        .map_err(|error| {
            let is_other = std::fs::metadata(path).is_ok_and(|file| !file.file_type().is_socket());
            let problem = match error.kind() {
                _ if is_other => "this is no socket".to_owned(),
                io::ErrorKind::NotFound => "there is no such socket; is the server running?".into(),
                io::ErrorKind::ConnectionRefused => {
                    "nobody listens there; the server has ended".into()
                }
                io::ErrorKind::PermissionDenied => "the socket belongs to somebody else".into(),
                _ => format!("could not connect: {error}"),
            };
            explain(error.kind(), path, &problem)
        })
}

/// A socket that clients connect to. The file is removed when it is dropped.
#[derive(Debug)]
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode: somebody may have put another socket in our place since.
    file: (u64, u64),
}

impl Listener {
    /// Listens at `path` with the file mode 0600. A socket file that a dead server left behind is
    /// replaced; a living server's, or a file that is no socket, is left alone.
    ///
    /// # Errors
    /// Somebody else listens there, something else is there, or the folder cannot be written.
    pub fn bind(path: impl Into<PathBuf>) -> io::Result<Listener> {
        let path = path.into();
        check_length(&path)?;
        make_way(&path)?;
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => explain(error.kind(), &path, "there is no such folder"),
            kind => explain(kind, &path, &format!("could not listen: {error}")),
        };
        let socket = rustix::net::socket_with(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
            None,
        )?;
        let address = SocketAddrUnix::new(&path).map_err(|error| fail(error.into()))?;
        rustix::net::bind(&socket, &address).map_err(|error| fail(error.into()))?;
        // Nobody can connect before `listen`, so there is no moment at which others could.
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(fail)?;
        rustix::net::listen(&socket, 1024).map_err(|error| fail(error.into()))?;
        let metadata = std::fs::symlink_metadata(&path)?;
        Ok(Listener {
            listener: UnixListener::from_std(StdUnixListener::from(socket))?,
            file: (metadata.dev(), metadata.ino()),
            path,
        })
    }

    /// Waits for the next client.
    ///
    /// # Errors
    /// The system has no room for another connection.
    pub async fn accept(&self) -> io::Result<(Io, Credentials)> {
        let (stream, _) = self.listener.accept().await?;
        let credentials = stream.peer_cred()?;
        let credentials = Credentials {
            user: credentials.uid(),
            group: credentials.gid(),
            process: credentials.pid(),
        };
        Ok((Io::from(stream), credentials))
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let is_ours = |file: std::fs::Metadata| (file.dev(), file.ino()) == self.file;
        if std::fs::symlink_metadata(&self.path).is_ok_and(is_ours) {
            let _already_gone = std::fs::remove_file(&self.path);
        }
    }
}

/// Removes what a dead server left behind, and nothing else.
fn make_way(path: &Path) -> io::Result<()> {
    let refuse = |kind, problem: &str| Err(explain(kind, path, problem));
    let unclear = |error: io::Error| Err(explain(error.kind(), path, &error.to_string()));
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => unclear(error),
        Ok(file) if !file.file_type().is_socket() => refuse(
            io::ErrorKind::AlreadyExists,
            "there is a file that is no socket; it has been left alone",
        ),
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)
            }
            Err(error) => unclear(error),
            Ok(_) => refuse(
                io::ErrorKind::AddrInUse,
                "another server listens there already",
            ),
        },
    }
}

/// The system has room for so many bytes in the address of a socket.
const LONGEST_PATH: usize = 107;

fn check_length(path: &Path) -> io::Result<()> {
    let length = path.as_os_str().len();
    if length > LONGEST_PATH {
        let problem =
            format!("the path has {length} bytes; that of a socket has {LONGEST_PATH} at most");
        return Err(explain(io::ErrorKind::InvalidInput, path, &problem));
    }
    Ok(())
}

fn explain(kind: io::ErrorKind, path: &Path, problem: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {problem}", path.display()))
}
