//! Unix sockets that only their owner can reach.

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use tenon_rpc::Io;
use tokio::net::{UnixListener, UnixStream};

use crate::users::{Credentials, Users};

/// Connects to a socket, if the server behind it runs as somebody who is trusted: in a folder that
/// everybody may write to, another user may have put a socket there first.
///
/// # Errors
/// Nothing listens there, or somebody else. The text says what is there instead, and what to do.
pub async fn connect(path: impl AsRef<Path>, server: &Users) -> io::Result<Io> {
    let path = path.as_ref();
    check_length(path)?;
    let stream = patiently_connect(path).await.map_err(|error| {
        let is_other = std::fs::metadata(path).is_ok_and(|file| !file.file_type().is_socket());
        let problem = match error.kind() {
            _ if is_other => "this is no socket".to_owned(),
            io::ErrorKind::NotFound => "there is no such socket; is the server running?".into(),
            io::ErrorKind::ConnectionRefused => "nobody listens there; the server has ended".into(),
            io::ErrorKind::PermissionDenied => "the socket belongs to somebody else".into(),
            io::ErrorKind::WouldBlock => "the server lets nobody in; is it stuck?".into(),
            _ => format!("could not connect: {error}"),
        };
        explain(error.kind(), path, &problem)
    })?;
    let credentials = credentials(&stream)?;
    if !server.trust(Some(credentials)) {
        let user = credentials.user;
        let problem = format!("the server runs as another user ({user}), who is not trusted");
        return Err(explain(io::ErrorKind::PermissionDenied, path, &problem));
    }
    Ok(Io::from(stream))
}

/// Connects, and waits for a server that has as many clients before its door as fit there.
async fn patiently_connect(path: &Path) -> io::Result<UnixStream> {
    const PATIENCE: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(5);
    let started = Instant::now();
    loop {
        match UnixStream::connect(path).await {
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock && started.elapsed() < PATIENCE =>
            {
                tokio::time::sleep(PAUSE).await;
            }
            connected => return connected,
        }
    }
}

fn credentials(stream: &UnixStream) -> io::Result<Credentials> {
    let credentials = stream.peer_cred()?;
    Ok(Credentials {
        user: credentials.uid(),
        group: credentials.gid(),
        process: credentials.pid(),
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
    /// Listens at `path` with this mode of the file, 0600 for the owner alone. Folders that are
    /// missing are made, for the owner alone. A socket file that a dead server left behind is
    /// replaced; a living server's, or a file that is no socket, is left alone.
    ///
    /// # Errors
    /// Somebody else listens there, something else is there, or the folder cannot be written.
    pub fn bind(path: impl Into<PathBuf>, mode: u32) -> io::Result<Listener> {
        let path = path.into();
        check_length(&path)?;
        let fail = |error: io::Error| {
            let kind = error.kind();
            explain(kind, &path, &format!("could not listen: {error}"))
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut make = DirBuilder::new();
        make.recursive(true).mode(0o700);
        make.create(folder).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                let problem = format!("{} is no folder", folder.display());
                explain(error.kind(), &path, &problem)
            }
            _ => fail(error),
        })?;
        let _alone = lock(folder);
        make_way(&path)?;
        let socket = rustix::net::socket_with(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
            None,
        )?;
        let address = SocketAddrUnix::new(&path).map_err(|error| fail(error.into()))?;
        rustix::net::bind(&socket, &address).map_err(|error| fail(error.into()))?;
        // Nobody can connect before `listen`, so there is no moment at which others could.
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(fail)?;
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
    pub async fn accept(&self) -> io::Result<(Io, Option<Credentials>)> {
        let (stream, _) = self.listener.accept().await?;
        let credentials = credentials(&stream)?;
        Ok((Io::from(stream), Some(credentials)))
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

/// Keeps other servers out of the folder for the moment between looking at what is there and
/// listening: of two that start at once, the second would take the first one's socket for dead.
///
/// A stranger may hold the lock of a folder that is everybody's, so patience is short, and without
/// the lock it goes on all the same.
fn lock(folder: &Path) -> Option<File> {
    const TRIES: u32 = 20;
    const PAUSE: Duration = Duration::from_millis(10);
    let folder = File::open(folder).ok()?;
    for _ in 0..TRIES {
        if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(folder);
        }
        std::thread::sleep(PAUSE);
    }
    None
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
            "there is a file that is no socket; it has been left alone: remove it, or choose another name",
        ),
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)
            }
            Err(error) => unclear(error),
            Ok(_) => refuse(
                io::ErrorKind::AddrInUse,
                "another server listens there already; stop it, or choose another name",
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
