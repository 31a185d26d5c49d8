//! Reports the accesses that a confined plugin was denied.
//!
//! The filter shows calls to this thread before the kernel makes them. It looks at their paths and
//! addresses, and lets them continue: the kernel enforces the rules, and this only reports. So it does no harm that
//! the plugin can change a path after it was read.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::landlock::access;
use super::rules::{Net, Rules, real};
use super::{kernel, listener, syscalls};
use crate::sandbox::{Denial, Permission, SeeDenial};

/// A system call that was stopped.
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) process: u32,
    pub(super) number: i64,
    pub(super) arguments: [u64; 6],
}

/// Reports denials until every process of the plugin has ended.
pub(super) fn follow(socket: OwnedFd, rules: Rules, see: SeeDenial) -> io::Result<()> {
    /// More are not useful, and a plugin could cause any number of them.
    const MOST: usize = 1_000;
    let work = move || {
        // Without a listener the child has never got as far as the program.
        let Ok(Some(listener)) = listener::receive(socket) else {
            return;
        };
        let mut seen = HashSet::new();
        while let Ok(Some(call)) = kernel::next_call(listener.as_fd()) {
            let refusal = syscalls::refusal(call.number);
            let denial = match refusal {
                Some(_) => Some(refused(&call)),
                None => rules.denial(&call),
            };
            if let Some(denial) = denial
                && seen.len() < MOST
                && !seen.contains(&denial)
            {
                see(&denial);
                seen.insert(denial);
            }
            kernel::answer_call(listener.as_fd(), call.id, refusal);
        }
    };
    let thread = std::thread::Builder::new().name("tenon-sandbox".into());
    thread.spawn(work).map(|_running| ())
}

/// A call that the filter never lets pass.
fn refused(call: &Call) -> Denial {
    let [family, kind, ..] = call.arguments.map(|argument| argument as i32);
    let of = |permission, what: &str| Denial {
        permission,
        what: what.to_owned(),
    };
    match (call.number, family, kind & 0xf) {
        (libc::SYS_socket, libc::AF_INET | libc::AF_INET6, libc::SOCK_STREAM) => {
            of(Some(Permission::Net), "tcp")
        }
        (libc::SYS_socket, libc::AF_INET | libc::AF_INET6, libc::SOCK_DGRAM) => {
            of(Some(Permission::Net), "udp")
        }
        (libc::SYS_socket | libc::SYS_socketpair, libc::AF_UNIX, _) => {
            of(Some(Permission::Net), "unix")
        }
        (libc::SYS_socket, ..) => of(Some(Permission::Net), &format!("socket of family {family}")),
        (number, ..) => {
            let permission = syscalls::is_metadata(number).then_some(Permission::Write);
            of(
                permission,
                &format!("system call {}", syscalls::name(number)),
            )
        }
    }
}

impl Rules {
    /// What the kernel is about to deny, as far as this can be known.
    fn denial(&self, call: &Call) -> Option<Denial> {
        let [first, second, third, fourth, ..] = call.arguments;
        match call.number {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => self.opening(&call.path(None, first)?, second),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat => self.opening(&call.path(None, first)?, CREATING),
            libc::SYS_openat => self.opening(&call.path(Some(first), second)?, third),
            syscalls::OPENAT2 => {
                let flags = call.memory(third, 8)?.try_into().ok()?;
                let path = call.path(Some(first), second)?;
                self.opening(&path, u64::from_ne_bytes(flags))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_unlink | libc::SYS_rmdir | libc::SYS_mkdir => {
                self.changing(&call.path(None, first)?)
            }
            libc::SYS_unlinkat | libc::SYS_mkdirat => {
                self.changing(&call.path(Some(first), second)?)
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mknod => self.changing(&call.path(None, first)?),
            libc::SYS_mknodat => self.changing(&call.path(Some(first), second)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_symlink => self.changing(&call.path(None, second)?),
            libc::SYS_symlinkat => self.changing(&call.path(Some(second), third)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_link => self.changing(&call.path(None, second)?),
            libc::SYS_linkat => self.changing(&call.path(Some(third), fourth)?),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename => {
                let from = self.changing(&call.path(None, first)?);
                from.or_else(|| self.changing(&call.path(None, second)?))
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_renameat => self.moving(call),
            libc::SYS_renameat2 => self.moving(call),
            libc::SYS_truncate => {
                let path = real(&call.path(None, first)?);
                self.unless(path.exists(), &path, access::WRITE_FILE, Permission::Write)
            }
            libc::SYS_execve => {
                let path = real(&call.path(None, first)?);
                let is_there = path.is_file();
                self.unless(is_there, &path, access::EXECUTE, Permission::Run)
            }
            libc::SYS_connect | libc::SYS_bind => self.addressing(&call.memory(second, third)?),
            _ => None,
        }
    }

    fn opening(&self, path: &Path, flags: u64) -> Option<Denial> {
        let flags = flags as i32;
        if flags & libc::O_PATH != 0 {
            return None;
        }
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        let path = real(path);
        let exists = path.exists();
        if writes && (exists || flags & libc::O_CREAT != 0) {
            let denial = match exists {
                true => self.unless(true, &path, access::WRITE_FILE, Permission::Write),
                false => self.changing(&path),
            };
            if denial.is_some() {
                return denial;
            }
        }
        let right = match path.is_dir() {
            true => access::READ_DIR,
            false => access::READ_FILE,
        };
        let reads = flags & libc::O_ACCMODE != libc::O_WRONLY;
        self.unless(reads && exists, &path, right, Permission::Read)
    }

    /// Something is made in the folder of this path, or removed from it, which takes rights to the
    /// folder.
    fn changing(&self, path: &Path) -> Option<Denial> {
        let path = real(path);
        let folder = path.parent().unwrap_or(&path);
        self.unless(
            folder.is_dir(),
            folder,
            access::WRITE_FILE,
            Permission::Write,
        )
    }

    fn moving(&self, call: &Call) -> Option<Denial> {
        let [from_folder, from, to_folder, to, ..] = call.arguments;
        let denial = self.changing(&call.path(Some(from_folder), from)?);
        denial.or_else(|| self.changing(&call.path(Some(to_folder), to)?))
    }

    fn addressing(&self, address: &[u8]) -> Option<Denial> {
        let Net::Limited { ports, .. } = &self.net else {
            return None;
        };
        let family = u16::from_ne_bytes(address.get(..2)?.try_into().ok()?);
        let family = i32::from(family);
        if family != libc::AF_INET && family != libc::AF_INET6 {
            return None;
        }
        let port = u16::from_be_bytes(address.get(2..4)?.try_into().ok()?);
        (!ports.contains(&port)).then(|| Denial {
            permission: Some(Permission::Net),
            what: format!(":{port}"),
        })
    }

    fn unless(
        &self,
        matters: bool,
        path: &Path,
        right: u64,
        permission: Permission,
    ) -> Option<Denial> {
        let is_handled = self.handled & right != 0;
        let has = { self.paths.iter() }
            .any(|rule| rule.access & right != 0 && path.starts_with(&rule.path));
        (matters && is_handled && !has).then(|| Denial {
            permission: Some(permission),
            what: path.display().to_string(),
        })
    }
}

const CREATING: u64 = (libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC) as u64;

impl Call {
    /// Bytes of the process that made the call.
    fn memory(&self, address: u64, length: u64) -> Option<Vec<u8>> {
        const MOST: u64 = 4096;
        let mut bytes = vec![0; usize::try_from(length.min(MOST)).ok()?];
        let memory = File::open(format!("/proc/{}/mem", self.process)).ok()?;
        let read = memory.read_at(&mut bytes, address).ok()?;
        bytes.truncate(read);
        Some(bytes)
    }

    /// The path at an address, relative to a folder that is open. None for its own `/proc/self`, which
    /// it may read.
    fn path(&self, folder: Option<u64>, address: u64) -> Option<PathBuf> {
        const PAGE: u64 = 4096;
        // The next page may not be there.
        let mut text = self.memory(address, PAGE - address % PAGE)?;
        if !text.contains(&0) {
            text.extend(self.memory(address + text.len() as u64, PAGE)?);
        }
        let end = text.iter().position(|byte| *byte == 0)?;
        text.truncate(end);
        let path = PathBuf::from(OsString::from_vec(text));
        let own = ["/proc/self", "/proc/thread-self", "/dev/fd", "/dev/std"];
        let is_own = |start: &&str| path.to_string_lossy().starts_with(start);
        if path.as_os_str().is_empty() || own.iter().any(is_own) {
            return None;
        }
        let base = match folder.map(|folder| folder as i32) {
            Some(folder) if folder != libc::AT_FDCWD => format!("fd/{folder}"),
            _ => "cwd".to_owned(),
        };
        match path.is_absolute() {
            true => Some(path),
            false => {
                let base = std::fs::read_link(format!("/proc/{}/{base}", self.process)).ok()?;
                Some(base.join(path))
            }
        }
    }
}
