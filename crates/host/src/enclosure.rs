//! A control group for a plugin that has neither permissions nor limits, where we may make one.
//!
//! Moving a process into a control group takes milliseconds, because the kernel waits for every
//! processor. So the plugin is started outside and moved by a thread of its own, together with the
//! processes that it has started by then. What those have started *and lost* before, with a cleared
//! environment and in a session of its own, is not found.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;

use rustix::process::Pid;

use crate::platform::{self, Cgroup, Identity};

/// Moved again as long as there are new ones outside, which only the first to be moved can have
/// started.
const ROUNDS: usize = 10;

/// A control group that is made a moment after the start. Dropping it kills everyone in it.
#[derive(Debug, Default)]
pub(crate) struct Enclosure(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Locked while processes are moved.
    group: Mutex<Option<Group>>,
    /// The plugin is being ended: nobody is to be moved any more.
    is_over: AtomicBool,
}

#[derive(Debug)]
struct Group {
    cgroup: Cgroup,
    /// Everyone who was found is in it.
    is_complete: bool,
}

struct Job {
    leader: Pid,
    shared: Arc<Shared>,
}

/// At most one for each plugin there is, and for each that has ended meanwhile.
static WAITING: Mutex<Vec<Job>> = Mutex::new(Vec::new());
static ADDED: Condvar = Condvar::new();

impl Enclosure {
    /// Has a plugin moved into a group of its own. Returns at once. The plugin must not be reaped before
    /// [`kill`](Enclosure::kill) has succeeded.
    pub(crate) fn around(leader: Pid) -> Enclosure {
        static HAS_THREAD: OnceLock<bool> = OnceLock::new();
        let enclosure = Enclosure::default();
        let has_thread = HAS_THREAD.get_or_init(|| {
            let thread = thread::Builder::new().name("tenon-encloser".into());
            let started = thread.spawn(|| {
                loop {
                    for job in wait() {
                        // A fault must not keep later plugins out of their groups.
                        let _reported = catch_unwind(AssertUnwindSafe(|| job.enclose()));
                    }
                }
            });
            started.is_ok()
        });
        if *has_thread {
            let shared = enclosure.0.clone();
            waiting().push(Job { leader, shared });
            ADDED.notify_one();
        }
        enclosure
    }

    /// Whether everyone who has been found is in the group.
    pub(crate) fn is_closed(&self) -> bool {
        let group = self.settled();
        group.is_some_and(|group| group.as_ref().is_some_and(|group| group.is_complete))
    }

    /// Kills everyone in the group, if there is one, and does not let anybody be moved any more. False
    /// if somebody is just being moved: then it has to be tried again.
    pub(crate) fn kill(&self) -> bool {
        self.0.is_over.store(true, Ordering::SeqCst);
        let Some(group) = self.settled() else {
            return false;
        };
        if let Some(group) = &*group {
            let _no_longer_there = group.cgroup.end_all();
        }
        true
    }

    fn settled(&self) -> Option<MutexGuard<'_, Option<Group>>> {
        match self.0.group.try_lock() {
            Ok(group) => Some(group),
            Err(TryLockError::Poisoned(group)) => Some(group.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

fn waiting() -> MutexGuard<'static, Vec<Job>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait() -> Vec<Job> {
    let added = ADDED.wait_while(waiting(), |waiting| waiting.is_empty());
    std::mem::take(&mut *added.unwrap_or_else(PoisonError::into_inner))
}

impl Job {
    fn enclose(&self) {
        // As long as this is locked the plugin is not reaped, and its id is not reused.
        let mut group = { self.shared.group.lock() }.unwrap_or_else(PoisonError::into_inner);
        if self.is_over() {
            return;
        }
        let Some(cgroup) = platform::new_group() else {
            return;
        };
        let is_complete = self.move_into(&cgroup);
        *group = Some(Group {
            cgroup,
            is_complete,
        });
    }

    fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::SeqCst)
    }

    /// Moves the plugin and what it has started into a group. Tells whether all of them are in it.
    fn move_into(&self, group: &Cgroup) -> bool {
        let Some(first) = Identity::of(self.leader) else {
            return false;
        };
        let mut moved = HashSet::new();
        let mut found = vec![first];
        for _ in 0..ROUNDS {
            found.retain(|one| moved.insert(*one));
            if found.is_empty() {
                return true;
            }
            for one in found {
                if self.is_over() {
                    return false;
                }
                // It may be in the group already, as all are whose parents were.
                if group.contains(one.id) || !one.is_there() {
                    continue;
                }
                if let Err(error) = group.add(one.id)
                    && one.is_there()
                {
                    tracing::debug!(%error, "a process could not be moved into a cgroup");
                    return false;
                }
            }
            found = platform::descendants(self.leader, &[first]);
        }
        false
    }
}
