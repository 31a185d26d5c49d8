//! Landlock: the access rights, and the versions that have them.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags};

use super::kernel;
use super::rules::{Net, PathRule, Rules};

/// Rights to a file or folder.
pub(super) mod access {
    pub(crate) const EXECUTE: u64 = 1;
    pub(crate) const WRITE_FILE: u64 = 1 << 1;
    pub(crate) const READ_FILE: u64 = 1 << 2;
    pub(crate) const READ_DIR: u64 = 1 << 3;
    const REMOVE_DIR: u64 = 1 << 4;
    const REMOVE_FILE: u64 = 1 << 5;
    const MAKE_CHAR: u64 = 1 << 6;
    const MAKE_DIR: u64 = 1 << 7;
    const MAKE_REG: u64 = 1 << 8;
    const MAKE_SOCK: u64 = 1 << 9;
    const MAKE_FIFO: u64 = 1 << 10;
    const MAKE_BLOCK: u64 = 1 << 11;
    const MAKE_SYM: u64 = 1 << 12;
    /// Moving and linking to another folder. Denied by every ruleset that does not grant it.
    pub(crate) const REFER: u64 = 1 << 13;
    const TRUNCATE: u64 = 1 << 14;
    /// Since version 5.
    pub(crate) const IOCTL_DEV: u64 = 1 << 15;

    pub(crate) const READ: u64 = READ_FILE | READ_DIR;
    /// What `write` grants. Device files are not included.
    pub(crate) const WRITE: u64 = WRITE_FILE
        | REMOVE_DIR
        | REMOVE_FILE
        | MAKE_DIR
        | MAKE_REG
        | MAKE_SOCK
        | MAKE_FIFO
        | MAKE_SYM
        | REFER
        | TRUNCATE;
    /// What is refused unless it is granted.
    pub(crate) const WRITE_HANDLED: u64 = WRITE | MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV;
    /// The rights that mean something for a file, as opposed to a folder.
    pub(crate) const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
}

/// TCP ports can be bound and connected to.
const NET_TCP: u64 = 1 | 1 << 1;

const SCOPE_ABSTRACT_UNIX_SOCKET: u64 = 1;
const SCOPE_SIGNAL: u64 = 1 << 1;

/// The versions of Landlock that introduced what is needed.
const REFER_SINCE: u32 = 2;
const TRUNCATE_SINCE: u32 = 3;
const NET_SINCE: u32 = 4;
const IOCTL_SINCE: u32 = 5;
const SCOPES_SINCE: u32 = 6;

/// What a ruleset restricts.
#[repr(C)]
pub(super) struct RulesetAttributes {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

impl RulesetAttributes {
    /// The size that a kernel of this version knows.
    pub(super) fn size(version: u32) -> usize {
        match version {
            ..NET_SINCE => 8,
            NET_SINCE..SCOPES_SINCE => 16,
            _ => size_of::<RulesetAttributes>(),
        }
    }
}

/// A ruleset that is ready to be entered.
pub(super) struct Ruleset {
    pub(super) descriptor: OwnedFd,
    /// What it restricts of files and folders.
    pub(super) handled: u64,
}

impl Ruleset {
    /// # Errors
    /// The kernel does not have what the rules need.
    pub(super) fn new(rules: &Rules) -> io::Result<Ruleset> {
        let version = kernel::landlock_version().map_err(|error| {
            unsupported(&format!(
                "the kernel has no Landlock ({error}): Linux 5.13 or newer has it, if it is not \
                 disabled by the `lsm=` boot parameter or by the container"
            ))
        })?;
        let (needed, what, linux) = match rules {
            Rules {
                net: Net::Limited { ports, .. },
                ..
            } if !ports.is_empty() => (NET_SINCE, "TCP ports", "6.7"),
            _ if rules.handled & access::WRITE_FILE != 0 => (TRUNCATE_SINCE, "writing", "6.2"),
            _ => (REFER_SINCE, "moving files", "5.19"),
        };
        if version < needed {
            return Err(unsupported(&format!(
                "restricting {what} needs Landlock ABI {needed} (Linux {linux}), and this kernel \
                 has {version}"
            )));
        }
        let mut handled = rules.handled;
        if version < IOCTL_SINCE {
            handled &= !access::IOCTL_DEV;
        }
        let is_limited = matches!(rules.net, Net::Limited { .. });
        let scoped = match is_limited {
            true => SCOPE_SIGNAL | SCOPE_ABSTRACT_UNIX_SOCKET,
            false => SCOPE_SIGNAL,
        };
        let attributes = RulesetAttributes {
            handled_access_fs: handled,
            handled_access_net: match is_limited && version >= NET_SINCE {
                true => NET_TCP,
                false => 0,
            },
            scoped: if version >= SCOPES_SINCE { scoped } else { 0 },
        };
        let descriptor = kernel::landlock_create_ruleset(&attributes, version)?;
        let ruleset = Ruleset {
            descriptor,
            handled,
        };
        for rule in &rules.paths {
            ruleset.add(rule)?;
        }
        if let Net::Limited { ports, .. } = &rules.net {
            for port in ports {
                kernel::landlock_add_port(ruleset.descriptor.as_fd(), *port, NET_TCP)?;
            }
        }
        Ok(ruleset)
    }

    fn add(&self, rule: &PathRule) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = match rustix::fs::open(&rule.path, flags, Mode::empty()) {
            Ok(file) => file,
            // It was there a moment ago; what is gone needs no rule.
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let mode = rustix::fs::fstat(&file)?.st_mode;
        let mut rights = rule.access & self.handled;
        if FileType::from_raw_mode(mode) != FileType::Directory {
            rights &= access::OF_FILES;
        }
        match rights {
            0 => Ok(()),
            rights => kernel::landlock_add_path(self.descriptor.as_fd(), file.as_fd(), rights),
        }
    }
}

fn unsupported(problem: &str) -> io::Error {
    let problem = format!("its permissions cannot be enforced: {problem}");
    io::Error::new(io::ErrorKind::Unsupported, problem)
}
