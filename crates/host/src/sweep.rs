//! Ends what plugins have left behind, by going through all processes of the system. That takes
//! milliseconds, so plugins that end at the same time share one walk.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// Enough for all but those who multiply faster than they can be ended.
const ROUNDS: usize = 100;

/// A process has no environment for a moment while it starts another program, and a child may be
/// born behind the place where we look: only two rounds in a row without a find mean that nobody is
/// left.
const QUIET_ROUNDS: usize = 2;

static SWEEP: Mutex<Sweep> = Mutex::new(Sweep {
    searches: Vec::new(),
    last: 0,
    is_walking: false,
});
static ROUND_IS_OVER: Condvar = Condvar::new();

struct Sweep {
    searches: Vec<Search>,
    last: u64,
    is_walking: bool,
}

/// A plugin whose descendants are looked for.
#[derive(Clone)]
struct Search {
    number: u64,
    /// What the environment of a descendant contains.
    needle: String,
    rounds: usize,
    quiet_rounds: usize,
}

/// Kills every process with `needle` in the environment it was started with, also those that are
/// born meanwhile.
pub(crate) fn end_all(needle: String) {
    let mut sweep = lock();
    sweep.last += 1;
    let number = sweep.last;
    sweep.searches.push(Search {
        number,
        needle,
        rounds: 0,
        quiet_rounds: 0,
    });
    while sweep.searches.iter().any(|search| search.number == number) {
        if sweep.is_walking {
            let waited = ROUND_IS_OVER.wait(sweep);
            sweep = waited.unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        sweep.is_walking = true;
        let searches = sweep.searches.clone();
        drop(sweep);
        if searches.iter().any(|search| search.rounds > 0) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let found = walk(&searches);
        sweep = lock();
        sweep.is_walking = false;
        let seen: HashSet<u64> = searches.iter().map(|search| search.number).collect();
        sweep.searches.retain_mut(|search| {
            if seen.contains(&search.number) {
                search.rounds += 1;
                search.quiet_rounds = match found.contains(&search.number) {
                    true => 0,
                    false => search.quiet_rounds + 1,
                };
            }
            search.quiet_rounds < QUIET_ROUNDS && search.rounds < ROUNDS
        });
        ROUND_IS_OVER.notify_all();
    }
}

fn lock() -> MutexGuard<'static, Sweep> {
    SWEEP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills everybody who is looked for. Tells which searches have found somebody.
fn walk(searches: &[Search]) -> HashSet<u64> {
    let mut found = HashSet::new();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return found;
    };
    let ids = { processes.flatten() }.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for id in ids {
        let (Some(search), Some(pid)) = (bearer_of(searches, id), Pid::from_raw(id)) else {
            continue;
        };
        tracing::debug!(?pid, "ending a process that a plugin left behind");
        end(pid, || bearer_of(searches, id).is_some());
        found.insert(search.number);
    }
    found
}

/// The search that a process is looked for by, if it is.
fn bearer_of(searches: &[Search], id: i32) -> Option<&Search> {
    // Gone in the meantime, or somebody else's: either way not ours to end.
    let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
    searches
        .iter()
        .find(|search| memchr::memmem::find(&environment, search.needle.as_bytes()).is_some())
}

/// Kills a process if it still is who we think. Between looking and killing it may end, and another
/// one get its id: the descriptor stays with the first, and the second look is at whom it is for.
fn end(pid: Pid, is_it: impl Fn() -> bool) {
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => Some(process),
        Err(Errno::SRCH) => return,
        // A system without them, or no room for one more descriptor.
        Err(_) => None,
    };
    if !is_it() {
        return;
    }
    let _already_gone = match process {
        Some(process) => pidfd_send_signal(&process, Signal::KILL),
        None => kill_process(pid, Signal::KILL),
    };
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "it is to be found, or not")]
    fn start(mark: &str) -> Child {
        let mut command = Command::new("sleep");
        command.arg("1000").env("TENON_TEST_MARK", mark);
        command.spawn().unwrap()
    }

    fn pid(child: &Child) -> Pid {
        Pid::from_child(child)
    }

    #[test]
    fn only_those_who_bear_the_mark_are_ended() {
        let unique = format!("sweep-{}", std::process::id());
        let mut marked = start(&format!(";{unique}.1;"));
        let mut other = start(&format!(";{unique}.2;"));
        end_all(format!(";{unique}.1;"));
        let status = marked.wait().unwrap();
        assert!(!status.success());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }

    /// The id was found, but by now it is another's.
    #[test]
    fn a_process_that_is_not_it_any_more_is_left_alone() {
        let mut innocent = start("");
        end(pid(&innocent), || false);
        assert!(innocent.try_wait().unwrap().is_none());
        end(pid(&innocent), || true);
        assert!(!innocent.wait().unwrap().success());
    }
}
