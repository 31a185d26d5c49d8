//! The Unix socket, which only its owner can reach unless a group is named.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use tokio::net::UnixListener;

use super::{SocketListener, left_behind};

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SocketError {
    #[error(
        "{}: the path of a socket can have {longest} bytes at most, and this one has {}; set {variable} \
         to a shorter folder", path.display(), path.as_os_str().len()
    )]
    LongPath {
        path: PathBuf,
        longest: usize,
        variable: &'static str,
    },

    #[error(
        "{}: the path of the socket must be UTF-8 without \"|\" and line breaks, because it is sent to \
         Terraform in a line; set {variable} to another folder", path.display()
    )]
    UnspeakablePath {
        path: PathBuf,
        variable: &'static str,
    },

    #[error("{}: {action}: {error}; set {variable} to a folder that you can write", path.display())]
    Socket {
        path: PathBuf,
        action: &'static str,
        error: io::Error,
        variable: &'static str,
    },

    #[error(
        "PLUGIN_UNIX_SOCKET_GROUP names the group \"{0}\", which is not in /etc/group; use its \
         number instead"
    )]
    UnknownGroup(String),

    #[error(
        "the socket {} could not be given to the group \"{group}\" of PLUGIN_UNIX_SOCKET_GROUP: \
         {error}; name a group that you are in", path.display()
    )]
    Group {
        path: PathBuf,
        group: String,
        error: io::Error,
    },
}

/// The most bytes that the system accepts in the address of a socket.
const LONGEST_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// A socket that is listened on. Its file goes when it is dropped, and its folder if it was made
/// for it.
#[derive(Debug)]
pub(crate) struct Socket {
    listener: OwnedFd,
    files: Files,
    /// What a user can set to have it elsewhere.
    variable: &'static str,
}

/// What must be removed from the disk. Before the process ends, this must be dropped.
#[derive(Debug)]
pub(crate) struct Files {
    socket: PathBuf,
    own_folder: Option<PathBuf>,
}

impl Files {
    /// Removes them now.
    pub(crate) fn remove(&self) {
        let _already_gone = fs::remove_file(&self.socket);
        if let Some(folder) = &self.own_folder {
            let _already_gone = fs::remove_dir(folder);
        }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.remove();
    }
}

impl Socket {
    /// Listens in `folder`, or in a new one below the system's for temporary files. The name of the
    /// socket or of that folder begins with `prefix`. Members of `group`, a name or a number, may
    /// connect.
    ///
    /// # Errors
    /// The folder cannot be written, its path is too long or cannot be sent to Terraform, or the
    /// group cannot be given.
    pub(crate) fn bind(
        prefix: &str,
        folder: Option<&Path>,
        group: Option<&str>,
    ) -> Result<Socket, SocketError> {
        let group = group.map(|name| find_group(name).map(|id| (name, id)));
        let group = group.transpose()?;
        let name = format!("{prefix}{:016x}", random());
        match folder {
            Some(folder) => {
                let socket = absolute(folder).join(name);
                Socket::bind_at(socket, None, group, "PLUGIN_UNIX_SOCKET_DIR")
            }
            None => {
                let variable = "TMPDIR";
                let folder = absolute(&std::env::temp_dir()).join(name);
                // Checked before anything is made that would have to be removed.
                check_path(&folder.join("socket"), variable)?;
                let failed = |error| SocketError::Socket {
                    path: folder.clone(),
                    action: "the folder of the socket could not be made",
                    error,
                    variable,
                };
                DirBuilder::new()
                    .mode(0o700)
                    .create(&folder)
                    .map_err(failed)?;
                Socket::bind_at(folder.join("socket"), Some(folder), group, variable)
            }
        }
    }

    fn bind_at(
        socket: PathBuf,
        own_folder: Option<PathBuf>,
        group: Option<(&str, u32)>,
        variable: &'static str,
    ) -> Result<Socket, SocketError> {
        // From here on whatever goes wrong takes the files with it.
        let files = Files { socket, own_folder };
        check_path(&files.socket, variable)?;
        if let (Some(folder), Some(group)) = (&files.own_folder, group) {
            give(folder, group, 0o710)?;
        }
        let failed = |error: io::Error| SocketError::Socket {
            path: files.socket.clone(),
            action: "the socket could not be made",
            error,
            variable,
        };
        let listener = new_socket().map_err(|error| failed(error.into()))?;
        let address = SocketAddrUnix::new(&files.socket).map_err(|error| failed(error.into()))?;
        rustix::net::bind(&listener, &address).map_err(|error| failed(error.into()))?;
        // No client can connect before `listen`, so the permissions are set in time.
        if let Some(group) = group {
            give(&files.socket, group, 0o660)?;
        } else {
            fs::set_permissions(&files.socket, Permissions::from_mode(0o600)).map_err(failed)?;
        }
        rustix::net::listen(&listener, 128).map_err(|error| failed(error.into()))?;
        Ok(Socket {
            listener,
            files,
            variable,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The path is not UTF-8.
    pub(crate) fn address(&self) -> Result<&str, SocketError> {
        let path = &self.files.socket;
        path.to_str().ok_or_else(|| SocketError::UnspeakablePath {
            path: path.clone(),
            variable: self.variable,
        })
    }

    /// Removes the sockets with names of this beginning whose providers were killed, in the folder that this
    /// provider shares with others. Does not wait for it.
    pub(crate) fn remove_left_behind(&self, prefix: &str) {
        let own = self.files.own_folder.as_ref().unwrap_or(&self.files.socket);
        let shared = own.parent().unwrap_or(own).to_owned();
        left_behind::remove_beside(shared, prefix.to_owned());
    }

    /// What accepts connections, and the files, which go when they are dropped.
    ///
    /// # Errors
    /// The runtime does not take it.
    pub(crate) fn into_parts(self) -> io::Result<(SocketListener, Files)> {
        let listener = UnixListener::from_std(StdUnixListener::from(self.listener))?;
        Ok((SocketListener(listener), self.files))
    }
}

/// A Unix socket that never blocks and that no child inherits.
#[cfg(target_os = "linux")]
pub(crate) fn new_socket() -> Result<OwnedFd, Errno> {
    use rustix::net::SocketFlags;

    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}

/// The same where a socket cannot be made with flags: a child that is started between the calls
/// inherits it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn new_socket() -> Result<OwnedFd, Errno> {
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::{FdFlags, fcntl_setfd};

    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    fcntl_setfl(&socket, OFlags::NONBLOCK)?;
    Ok(socket)
}

/// Two processes that start at the same moment must not choose the same name. The keys of a hash
/// table are random, which is enough here: guessing a name can only make the start fail.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The client may run in another folder.
fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

fn check_path(path: &Path, variable: &'static str) -> Result<(), SocketError> {
    let path = path.to_owned();
    if path.as_os_str().len() > LONGEST_PATH {
        let longest = LONGEST_PATH;
        return Err(SocketError::LongPath {
            path,
            longest,
            variable,
        });
    }
    match path.to_str() {
        Some(text) if !text.contains(['|', '\n', '\r']) => Ok(()),
        _ => Err(SocketError::UnspeakablePath { path, variable }),
    }
}

/// A number, or a name in the file of groups. Groups that are kept elsewhere have a number, too.
fn find_group(name: &str) -> Result<u32, SocketError> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let unknown = || SocketError::UnknownGroup(name.to_owned());
    let groups = fs::read_to_string("/etc/group").map_err(|_| unknown())?;
    let number_of = |line: &str| {
        let mut fields = line.split(':');
        let is_this = fields.next() == Some(name);
        is_this.then(|| fields.nth(1)?.parse().ok()).flatten()
    };
    groups.lines().find_map(number_of).ok_or_else(unknown)
}

fn give(path: &Path, (group, id): (&str, u32), mode: u32) -> Result<(), SocketError> {
    chown(path, None, Some(id))
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(mode)))
        .map_err(|error| SocketError::Group {
            path: path.to_owned(),
            group: group.to_owned(),
            error,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_name_and_by_number() {
        let groups = fs::read_to_string("/etc/group").unwrap();
        let fields: Vec<_> = groups.lines().next().unwrap().split(':').collect();
        let number: u32 = fields[2].parse().unwrap();
        assert_eq!(find_group(fields[0]).unwrap(), number);
        assert_eq!(find_group(fields[2]).unwrap(), number);
        assert!(find_group("").is_err());
    }

    #[test]
    fn files_go_with_the_socket_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        let path = own.join("socket");
        drop(Socket::bind_at(path.clone(), None, None, "TMPDIR").unwrap());
        assert!(own.exists() && !path.exists());
        drop(Socket::bind_at(path, Some(own.clone()), None, "TMPDIR").unwrap());
        assert!(!own.exists());
    }

    #[test]
    fn a_folder_made_for_nothing_goes() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        let failed = Socket::bind_at(own.join("no/socket"), Some(own.clone()), None, "TMPDIR");
        assert!(
            matches!(failed, Err(SocketError::Socket { .. })),
            "{failed:?}"
        );
        assert!(!own.exists());
    }
}
