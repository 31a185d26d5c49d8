//! Sockets of providers that were killed before they could remove them.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::SocketAddrUnix;

use super::socket::new_socket;

/// A provider that is starting at this moment does not listen yet.
const YOUNGEST: Duration = Duration::from_secs(60);

/// How many entries of a folder are looked at: `/tmp` may have any number.
const MOST_LOOKED_AT: usize = 10_000;

/// How many sockets are tried. What is left after that is for the next provider.
const MOST_TRIED: usize = 256;

/// Removes those in `folder` whose names have this prefix, in a thread: Terraform waits for nothing
/// here.
pub(super) fn remove_beside(folder: PathBuf, prefix: String) {
    let thread = thread::Builder::new().name("left behind".into());
    // Without a thread they stay until the next time.
    let _none = thread.spawn(move || remove(&folder, &prefix));
}

fn remove(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let paths = entries.take(MOST_LOOKED_AT).flatten();
    let is_one = |name: &str| is_name(name, prefix);
    let paths = paths.filter(|entry| entry.file_name().to_str().is_some_and(is_one));
    for path in paths.map(|entry| entry.path()).take(MOST_TRIED) {
        let is_folder = match fs::symlink_metadata(&path) {
            Ok(file) if is_old_and_ours(&file) => file.is_dir(),
            _ => continue,
        };
        let socket = match is_folder {
            true => path.join("socket"),
            false => path.clone(),
        };
        let is_dead = match fs::symlink_metadata(&socket) {
            Ok(file) => file.file_type().is_socket() && knock(&socket) == Err(Errno::CONNREFUSED),
            // A provider was killed before it made the socket, or between the two.
            Err(_) => is_folder,
        };
        if is_dead {
            let _gone = fs::remove_file(&socket);
            if is_folder {
                let _not_empty = fs::remove_dir(&path);
            }
            tracing::debug!("removed {}, which a killed provider left", path.display());
        }
    }
}

/// Whether a name is the prefix and 16 hexadecimal digits.
fn is_name(name: &str, prefix: &str) -> bool {
    let digits = name.strip_prefix(prefix);
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

fn is_old_and_ours(file: &Metadata) -> bool {
    let age = file.modified().ok().and_then(|time| time.elapsed().ok());
    let is_ours = file.uid() == rustix::process::geteuid().as_raw();
    is_ours && age.is_some_and(|age| age > YOUNGEST)
}

/// Whether a process listens. Does not wait.
fn knock(socket: &Path) -> Result<(), Errno> {
    rustix::net::connect(&new_socket()?, &SocketAddrUnix::new(socket)?)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::net::UnixListener;
    use std::time::SystemTime;

    use super::*;

    fn age(path: &Path) {
        let file = File::open(path).unwrap();
        file.set_modified(SystemTime::now() - 2 * YOUNGEST).unwrap();
    }

    #[test]
    fn only_dead_sockets_of_ours_go() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let own = folder.path().join(name);
            fs::create_dir(&own).unwrap();
            let listener = UnixListener::bind(own.join("socket")).unwrap();
            (own, listener)
        };
        let (dead, listener) = make("denobridge-0000000000000001");
        drop(listener);
        age(&dead);
        let (young, listener) = make("denobridge-0000000000000002");
        drop(listener);
        let (living, _listener) = make("denobridge-0000000000000003");
        age(&living);
        let (other, listener) = make("denobridge-of-somebody-else");
        drop(listener);
        age(&other);
        let (used, listener) = make("denobridge-0000000000000004");
        drop(listener);
        fs::remove_file(used.join("socket")).unwrap();
        fs::write(used.join("socket"), "a file").unwrap();
        age(&used);
        let link = folder.path().join("denobridge-0000000000000005");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        remove(folder.path(), "denobridge-");
        assert!(!dead.exists());
        for kept in [&young, &living, &other, &used, &link] {
            assert!(kept.join("socket").exists(), "{}", kept.display());
        }
    }
}
