//! How a plugin is held to its [`Limits`]: by cgroups where we may make them, or by the resource limits of each of its
//! processes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit};

use super::system::{self, Cgroup};
use crate::command::PluginCommand;
use crate::limits::Limits;

/// How a child is held to its limits, and which cgroups it is in.
#[derive(Default)]
pub(crate) struct Enforcement {
    /// Of the cgroup that it is started in.
    home: Option<Entrance>,
    /// Of the cgroups that it enters: a process can be started only in one, of version 2.
    others: Vec<Entrance>,
    data: Option<Rlimit>,
}

/// The way into a cgroup.
struct Entrance {
    folder: OwnedFd,
    /// The child must not run outside.
    is_required: bool,
}

/// Cgroups that enforce limits.
#[derive(Default)]
pub(crate) struct Limiting {
    /// Of version 2.
    pub(crate) home: Option<Cgroup>,
    /// The first one enforces a limit.
    pub(crate) is_required: bool,
    /// Of version 1. They enforce limits.
    pub(crate) others: Vec<Cgroup>,
    /// The limits that no group enforces. The number of processes is not among them.
    pub(crate) left: Limits,
}

/// The cgroups of a plugin. They last as long as its processes.
#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    pub(crate) home: Option<Cgroup>,
    pub(crate) others: Vec<Cgroup>,
}

impl Cgroups {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Cgroup> {
        self.home.iter().chain(&self.others)
    }
}

impl Enforcement {
    /// Prepares everything for a command.
    ///
    /// # Errors
    /// A limit cannot be enforced, so the command must not be started.
    pub(crate) fn of(command: &PluginCommand) -> io::Result<(Enforcement, Cgroups)> {
        let limits = command.limits;
        let is_confined = command.permissions.is_some();
        let limiting = match (limits == Limits::default(), is_confined) {
            (false, _) => system::limiting(limits)?,
            // A confined plugin cannot leave its process group, which is enough to end it.
            (true, true) => Limiting::default(),
            (true, false) => Limiting {
                home: system::new_group(),
                ..Limiting::default()
            },
        };
        let Limiting {
            home, others, left, ..
        } = limiting;
        // A confined plugin in a cgroup may leave its process group.
        let is_required = limiting.is_required || is_confined;
        let entrance = match home.as_ref().map(|group| Entrance::of(group, is_required)) {
            Some(Err(error)) if is_required => return Err(error),
            entrance => entrance.and_then(Result::ok),
        };
        let data = left.memory.map(|memory| {
            let usual = rustix::process::getrlimit(Resource::Data);
            let lowest = [usual.current, usual.maximum].into_iter().flatten();
            let lowest = lowest.fold(memory, u64::min);
            Rlimit {
                current: Some(lowest),
                maximum: Some(lowest),
            }
        });
        let enforcement = Enforcement {
            home: entrance,
            others: { others.iter() }
                .map(|group| Entrance::of(group, true))
                .collect::<Result<_, _>>()?,
            data,
        };
        let cgroups = Cgroups { home, others };
        let is_each_by_itself = data.is_some();
        tracing::debug!(?limits, is_each_by_itself, ?cgroups, "limits of a plugin");
        Ok((enforcement, cgroups))
    }

    /// The folder of the cgroup to start the child in.
    pub(crate) fn home(&self) -> Option<BorrowedFd<'_>> {
        self.home.as_ref().map(|home| home.folder.as_fd())
    }

    /// Runs in the child: plain system calls. `is_inside`: it was started in its cgroup.
    pub(crate) fn apply(&self, is_inside: bool) -> io::Result<()> {
        let home = self.home.iter().filter(|_| !is_inside);
        for entrance in home.chain(&self.others) {
            // Where we may make a group we need not be allowed to move into it.
            match entrance.enter() {
                Err(error) if entrance.is_required => return Err(error),
                _ => {}
            }
        }
        match &self.data {
            Some(limit) => Ok(rustix::process::setrlimit(Resource::Data, *limit)?),
            None => Ok(()),
        }
    }
}

impl Entrance {
    fn of(group: &Cgroup, is_required: bool) -> io::Result<Entrance> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(group.folder(), flags, Mode::empty())?;
        Ok(Entrance {
            folder,
            is_required,
        })
    }

    /// Moves the process that calls this, which takes milliseconds.
    fn enter(&self) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let members = rustix::fs::openat(&self.folder, c"cgroup.procs", flags, Mode::empty())?;
        rustix::io::write(&members, b"0")?;
        Ok(())
    }
}
