//! A thread that ends what plugins have left behind, by going through all processes of the system.
//! That takes milliseconds, so no task of a runtime waits for it, and plugins that end at the same
//! time share one walk. If this process ends before the thread is done, the guardian does the rest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::oneshot;

use super::family::Family;
use super::system;

/// Enough for all but processes that fork faster than they can be killed.
const ROUNDS: usize = 100;

/// A process has no environment for a moment while it starts another program, and a child may be
/// started behind the place where we look: stop after two consecutive empty rounds.
const QUIET_ROUNDS: usize = 2;

const PAUSE: Duration = Duration::from_millis(2);

/// At most one for each plugin there was.
static WAITING: Mutex<Vec<Ending>> = Mutex::new(Vec::new());
static ADDED: Condvar = Condvar::new();

/// A plugin whose descendants are looked for.
struct Ending {
    needle: String,
    /// `None` if nothing of it is left in its cgroup: then it is as good as ended, and who waits for its end does
    /// not wait for the walks. They only find what was moved to another cgroup.
    left: Option<Left>,
    rounds: usize,
    quiet_rounds: usize,
}

/// What has to be reaped.
struct Left {
    family: Box<Family>,
    /// Dropped after the family.
    _done: oneshot::Sender<()>,
}

impl Ending {
    /// Kills the processes that one scan finds.
    fn begin(&mut self) {
        if let Some(left) = &mut self.left {
            left.family.kill();
        }
        self.left.take_if(|left| left.family.is_gone());
    }

    fn is_done(&self) -> bool {
        self.quiet_rounds == QUIET_ROUNDS || self.rounds == ROUNDS
    }

    fn note(&mut self, is_found: bool) {
        self.rounds += 1;
        self.quiet_rounds = if is_found { 0 } else { self.quiet_rounds + 1 };
    }
}

/// Kills all descendants of a plugin, also those started meanwhile, and reaps the plugin. Returns immediately;
/// the receiver is notified of the end.
pub(crate) fn end(family: Box<Family>) -> oneshot::Receiver<()> {
    static HAS_THREAD: OnceLock<bool> = OnceLock::new();
    let (sender, done) = oneshot::channel();
    waiting().push(Ending {
        needle: family.needle(),
        left: Some(Left {
            family,
            _done: sender,
        }),
        rounds: 0,
        quiet_rounds: 0,
    });
    let has_thread = HAS_THREAD.get_or_init(|| {
        let thread = thread::Builder::new().name("tenon-sweeper".into());
        let started = thread.spawn(|| {
            loop {
                let endings = wait();
                // A fault must not keep later plugins from being ended.
                let _reported = catch_unwind(AssertUnwindSafe(|| sweep(endings)));
            }
        });
        started.is_ok()
    });
    match has_thread {
        true => ADDED.notify_one(),
        // Better late than never.
        false => sweep(std::mem::take(&mut *waiting())),
    }
    done
}

fn waiting() -> MutexGuard<'static, Vec<Ending>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait() -> Vec<Ending> {
    let added = ADDED.wait_while(waiting(), |waiting| waiting.is_empty());
    std::mem::take(&mut *added.unwrap_or_else(PoisonError::into_inner))
}

/// Works until no process is left of these plugins and of those that are added meanwhile.
fn sweep(mut added: Vec<Ending>) {
    let mut endings: Vec<Ending> = Vec::new();
    loop {
        for mut ending in added {
            ending.begin();
            endings.push(ending);
        }
        let needles: Vec<&str> = { endings.iter() }.map(|one| one.needle.as_str()).collect();
        let found = walk(&needles);
        for (ending, is_found) in endings.iter_mut().zip(found) {
            ending.note(is_found);
        }
        // Dropping the family reaps the plugin.
        endings.retain(|one| !one.is_done());
        added = std::mem::take(&mut *waiting());
        if endings.is_empty() && added.is_empty() {
            return;
        }
        if !endings.is_empty() {
            thread::sleep(PAUSE);
        }
    }
}

/// Kills all processes that were started with one of these in their environment. Returns for which there were
/// any.
fn walk(needles: &[&str]) -> Vec<bool> {
    let mut found = vec![false; needles.len()];
    if needles.is_empty() {
        return found;
    }
    for id in system::ids() {
        let Some(place) = bearer_of(needles, id) else {
            continue;
        };
        tracing::debug!(pid = ?id, "ending a process that a plugin left behind");
        system::signal_if(id, Signal::KILL, || bearer_of(needles, id).is_some());
        found[place] = true;
    }
    found
}

/// Which of these is in the environment of a process.
fn bearer_of(needles: &[&str], id: Pid) -> Option<usize> {
    // It has ended in the meantime, or belongs to another user.
    let environment = system::environment(id)?;
    let is_in = |needle: &&str| memchr::memmem::find(&environment, needle.as_bytes()).is_some();
    needles.iter().position(is_in)
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

    #[test]
    fn only_processes_with_the_mark_are_killed() {
        let unique = format!("sweep-{}", std::process::id());
        let [first, second] = [1, 2].map(|number| format!(";{unique}.{number};"));
        let mut marked = start(&first);
        let mut other = start(&second);
        let nobody = format!(";{unique}.3;");
        // Its environment is there a moment after it has started.
        while walk(&[&nobody, &first]) == [false, false] {
            thread::sleep(PAUSE);
        }
        let status = marked.wait().unwrap();
        assert!(!status.success());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
