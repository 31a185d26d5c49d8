//! Unix sockets that only their owner can reach.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use rustix::process::Resource;
use tenon_rpc::Io;
use tokio::net::{UnixListener, UnixStream};

use super::trust::{check_folder, check_socket, folder_of};
use super::{Arrival, STUCK};
use crate::users::{Credentials, Users};

/// [`connect`](super::connect), with another limit on how long to wait while the server accepts no connections.
pub(crate) async fn connect_within(
    path: &Path,
    server: &Users,
    patience: Duration,
) -> io::Result<Io> {
    check_length(path)?;
    check_folder(path, server)?;
    check_socket(path, server)?;
    let stream = patiently_connect(path, patience).await.map_err(|error| {
        let is_other = std::fs::metadata(path).is_ok_and(|file| !file.file_type().is_socket());
        let problem = match error.kind() {
            _ if is_other => "this is not a socket".to_owned(),
            io::ErrorKind::NotFound => "there is no such socket; is the server running?".into(),
            io::ErrorKind::ConnectionRefused => "no server listens there; it has ended".into(),
            io::ErrorKind::PermissionDenied => KEPT_OUT.into(),
            io::ErrorKind::WouldBlock => STUCK.into(),
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

const KEPT_OUT: &str = "permission denied: the mode of the socket, or of a folder above it, keeps this \
     user out; `tenon serve` has --mode 666 and --allow-user USER for others";

/// Connects, and waits while the queue of clients that the server has not accepted yet is full.
async fn patiently_connect(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    const PAUSE: Duration = Duration::from_millis(5);
    let started = Instant::now();
    loop {
        match UnixStream::connect(path).await {
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock && started.elapsed() < patience =>
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
    /// Device and inode: another process may have replaced the socket since.
    file: (u64, u64),
}

impl Listener {
    /// Listens at `path` with this mode of the file; 0600 is for the owner only. Missing folders are
    /// created, for the owner only. The socket file of a server that has ended is replaced; that of a
    /// running server, or a file that is not a socket, is not touched. It takes a fraction of a second,
    /// whatever other processes do.
    ///
    /// # Errors
    /// Another server listens there, another file is there, the folder cannot be written, or others could
    /// replace the socket in it.
    pub fn bind(path: impl Into<PathBuf>, mode: u32) -> io::Result<Listener> {
        Listener::bind_for(path, mode, &Users::Own)
    }

    /// Listens in a folder that may belong to these users as well.
    ///
    /// # Errors
    /// As [`bind`](Listener::bind).
    pub fn bind_for(path: impl Into<PathBuf>, mode: u32, trusted: &Users) -> io::Result<Listener> {
        let path = path.into();
        check_length(&path)?;
        let fail = |error: io::Error| {
            let kind = error.kind();
            explain(kind, &path, &format!("could not listen: {error}"))
        };
        let folder = folder_of(&path);
        let mut make = DirBuilder::new();
        make.recursive(true).mode(0o700);
        make.create(folder).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                let problem = format!("{} is not a folder", folder.display());
                explain(error.kind(), &path, &problem)
            }
            _ => fail(error),
        })?;
        check_folder(&path, trusted)?;
        let _alone = lock(folder);
        make_way(&path, trusted)?;
        let socket = new_socket()?;
        let address = SocketAddrUnix::new(&path).map_err(|error| fail(error.into()))?;
        rustix::net::bind(&socket, &address).map_err(|error| fail(error.into()))?;
        // No client can connect before `listen`, so others cannot connect before the mode is set.
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
        let Arrival {
            io, credentials, ..
        } = self.arrival().await?;
        Ok((io, credentials))
    }

    /// Waits for the next client, and returns whether it takes one of the last descriptors.
    pub(crate) async fn arrival(&self) -> io::Result<Arrival> {
        let (stream, _) = self.listener.accept().await?;
        Ok(Arrival {
            credentials: Some(credentials(&stream)?),
            is_crowded: is_reserved(stream.as_raw_fd()),
            io: Io::from(stream),
        })
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

/// Locks the folder between checking what is there and listening. Of two servers that start at the same
/// time, the second would otherwise take the first one's socket for that of a server that has ended.
///
/// In a folder that all users may write to, another user may hold the lock, so it is waited for only
/// briefly; after that the server starts without it.
fn lock(folder: &Path) -> Option<File> {
    const TRIES: u32 = 20;
    const PAUSE: Duration = Duration::from_millis(10);
    // Opening must not block either, whatever kind of file is there.
    let flags = OFlags::DIRECTORY | OFlags::NONBLOCK;
    let mut open = OpenOptions::new();
    let open = open.read(true).custom_flags(flags.bits().cast_signed());
    let folder = open.open(folder).ok()?;
    for _ in 0..TRIES {
        if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(folder);
        }
        std::thread::sleep(PAUSE);
    }
    None
}

/// Removes the socket of a server that has ended, and nothing else.
fn make_way(path: &Path, trusted: &Users) -> io::Result<()> {
    let refuse = |kind, problem: &str| Err(explain(kind, path, problem));
    let unclear = |error: io::Error| Err(explain(error.kind(), path, &error.to_string()));
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => unclear(error),
        Ok(file) if !file.file_type().is_socket() => refuse(
            io::ErrorKind::AlreadyExists,
            "a file that is not a socket exists there; remove it, or choose another name",
        ),
        Ok(_) => {
            // The administrator could remove another user's socket, but must not.
            check_socket(path, trusted)?;
            match knock(path) {
                Err(Errno::CONNREFUSED) => std::fs::remove_file(path),
                Err(Errno::NOENT) => Ok(()),
                // The queue of clients is full, so a server listens.
                Ok(()) | Err(Errno::AGAIN) => refuse(
                    io::ErrorKind::AddrInUse,
                    "another server listens there already; stop it, or choose another name",
                ),
                Err(error) => unclear(error.into()),
            }
        }
    }
}

/// Whether a server listens there. It must not block: a server that accepts no connections would keep
/// this process, and the signals that are to end it, waiting forever.
fn knock(path: &Path) -> Result<(), Errno> {
    rustix::net::connect(&new_socket()?, &SocketAddrUnix::new(path)?)
}

/// A socket that never blocks, and that children do not inherit.
#[cfg(not(target_vendor = "apple"))]
fn new_socket() -> Result<OwnedFd, Errno> {
    let flags = rustix::net::SocketFlags::CLOEXEC | rustix::net::SocketFlags::NONBLOCK;
    rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}

/// A socket that never blocks. A child that is started before the last line may inherit it: this system
/// cannot do both in one step.
#[cfg(target_vendor = "apple")]
fn new_socket() -> Result<OwnedFd, Errno> {
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    Ok(socket)
}

/// Whether a descriptor is one of those that are not for clients. The system gives out the lowest
/// that is free, so all below it are in use.
fn is_reserved(descriptor: i32) -> bool {
    /// For a plugin that is restarted, its pipes, and other work of the process.
    const RESERVE: u64 = 64;
    let Some(limit) = rustix::process::getrlimit(Resource::Nofile).current else {
        return false;
    };
    // If there are few, clients get half of them.
    let clients = limit - RESERVE.min(limit / 2);
    u64::try_from(descriptor).is_ok_and(|descriptor| descriptor >= clients)
}

/// Whether `ulimit -n` allows another client.
pub fn has_room_for_clients() -> bool {
    /// Files that are open briefly while a started plugin is moved into its cgroup. A client that connects
    /// at that moment must be accepted as well.
    const MOMENTARY: i32 = 8;
    new_socket().is_ok_and(|socket| !is_reserved(socket.as_raw_fd() + MOMENTARY))
}

/// The most bytes that the system accepts in the address of a socket.
const LONGEST_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

fn check_length(path: &Path) -> io::Result<()> {
    let length = path.as_os_str().len();
    if length > LONGEST_PATH {
        let problem =
            format!("the path is {length} bytes long; the limit for a socket is {LONGEST_PATH}");
        return Err(explain(io::ErrorKind::InvalidInput, path, &problem));
    }
    Ok(())
}

pub(super) fn explain(kind: io::ErrorKind, path: &Path, problem: &str) -> io::Error {
    io::Error::new(kind, format!("{}: {problem}", path.display()))
}
