//! The processes of the system, as `/proc` shows them.

use std::collections::HashMap;
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// A process. An id may belong to another process later, but never with the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) id: Pid,
    /// When it was started, in ticks since the system was.
    pub(crate) started: u64,
}

/// A process and its relatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) identity: Identity,
    parent: Option<Pid>,
    group: Option<Pid>,
}

impl Identity {
    /// The process that has this id now.
    pub(crate) fn of(id: Pid) -> Option<Identity> {
        Some(seen(id)?.identity)
    }

    /// Whether the process is still there.
    pub(crate) fn is_there(&self) -> bool {
        Identity::of(self.id) == Some(*self)
    }

    /// Signals the process if it is still there.
    pub(crate) fn signal(&self, signal: Signal) {
        signal_if(self.id, signal, || self.is_there());
    }
}

/// The ids of all processes.
pub(crate) fn ids() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// The environment that a process was started with, unless it is another user's or gone.
pub(crate) fn environment(id: Pid) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{}/environ", id.as_raw_nonzero())).ok()
}

/// These processes, their descendants and the process group of `leader`, as far as they still exist. A
/// descendant whose parent has ended is not found.
pub(crate) fn descendants(leader: Pid, of: &[Identity]) -> Vec<Identity> {
    let all: Vec<Seen> = ids().filter_map(seen).collect();
    let mut children: HashMap<Pid, Vec<Identity>> = HashMap::new();
    for one in &all {
        if let Some(parent) = one.parent {
            children.entry(parent).or_default().push(one.identity);
        }
    }
    let is_root = |one: &&Seen| one.group == Some(leader) || of.contains(&one.identity);
    let mut found: Vec<Identity> = { all.iter() }
        .filter(is_root)
        .map(|one| one.identity)
        .collect();
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        for child in children.remove(&parent.id).unwrap_or_default() {
            if !found.contains(&child) {
                found.push(child);
            }
        }
        next += 1;
    }
    found
}

fn seen(id: Pid) -> Option<Seen> {
    let stat = fs::read(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // Behind the name, which may contain anything.
    let end_of_name = memchr::memrchr(b')', &stat)?;
    let fields = std::str::from_utf8(&stat[end_of_name + 1..]).ok()?;
    let mut fields = fields.split_ascii_whitespace().skip(1);
    // Of a process that is just being reaped the group is -1.
    let id_of = |field: &str| {
        field
            .parse()
            .ok()
            .filter(|id| *id > 0)
            .and_then(Pid::from_raw)
    };
    let parent = id_of(fields.next()?);
    let group = id_of(fields.next()?);
    // The 20th field behind the name.
    let started = fields.nth(16)?.parse().ok()?;
    Some(Seen {
        identity: Identity { id, started },
        parent,
        group,
    })
}

/// Signals a process if it is still the expected one. Between the check and the signal it may end and another
/// process get its id. The descriptor stays with one process, so it is opened before the check.
pub(crate) fn signal_if(id: Pid, signal: Signal, is_it: impl Fn() -> bool) {
    let process = match pidfd_open(id, PidfdFlags::empty()) {
        Ok(process) => Some(process),
        Err(Errno::SRCH) => return,
        // A system without them, or no room for one more descriptor.
        Err(_) => None,
    };
    if !is_it() {
        return;
    }
    let _already_gone = match process {
        Some(process) => pidfd_send_signal(&process, signal),
        None => kill_process(id, signal),
    };
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "it is looked for, or signalled")]
    fn start(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).spawn().unwrap()
    }

    /// The id was found, but now belongs to another process.
    #[test]
    fn a_process_that_got_the_id_of_another_is_not_signalled() {
        let mut innocent = start("exec sleep 1000");
        let id = Pid::from_child(&innocent);
        signal_if(id, Signal::KILL, || false);
        let identity = Identity::of(id).unwrap();
        let other = Identity {
            started: identity.started + 1,
            ..identity
        };
        other.signal(Signal::KILL);
        assert!(innocent.try_wait().unwrap().is_none());
        identity.signal(Signal::KILL);
        assert!(!innocent.wait().unwrap().success());
    }

    #[test]
    fn descendants_are_found_by_their_parents() {
        let mut parent = start("env -i setsid sh -c 'sleep 1000 & wait' & wait");
        let id = Pid::from_child(&parent);
        let root = Identity::of(id).unwrap();
        let began = std::time::Instant::now();
        let found = loop {
            // The group is that of the test itself, so the parents must be followed.
            let found = descendants(id, &[root]);
            let mut lines = { found.iter() }
                .map(|one| one.id.as_raw_nonzero())
                .filter_map(|id| {
                    let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
                    Some(line == b"sleep\x001000\0")
                });
            if lines.any(|is_sleeper| is_sleeper) {
                break found;
            }
            assert!(
                began.elapsed().as_secs() < 20,
                "the grandchild is not found"
            );
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        assert!(found.contains(&root));
        found.iter().for_each(|one| one.signal(Signal::KILL));
        parent.wait().unwrap();
    }
}
