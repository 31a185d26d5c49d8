//! A shell that waits for our end. When this process is killed, it cannot clean up. The guardian notices that
//! its stdin has closed, and kills the processes that are left.

use std::fmt;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::process::Pid;

use super::family;
use super::system::Identity;

/// Interrupts the attended processes, kills the groups that have started and not ended, then all other processes with our mark, until two
/// consecutive scans find none (see [`family`]).
///
/// The dead children of a process that has been killed are reaped by another process, and their ids can be
/// reused. So each group comes with the start time of its leader, and a leader with another start time is not
/// ours. While a group has members, its id is not reused.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
host=$1
groups=
attended=
cgroups=
# Leaves the words that follow the first, without those that are equal to it, in $rest.
without() {
  gone=$1; shift
  rest=
  for other; do [ "$other" = "$gone" ] || rest="$rest $other"; done
}
while read -r verb group; do
  case $verb in
    started) groups="$groups $group" ;;
    ended) without "$group" $groups; groups=$rest ;;
    attended) attended="$attended $group" ;;
    left) without "$group" $attended; attended=$rest ;;
    confined) cgroups="$cgroups $group" ;;
    released) without "$group" $cgroups; cgroups=$rest ;;
  esac
done
for process in $attended; do
  id=${process%:*}
  stat=$(cat "/proc/$id/stat" 2>/dev/null)
  # Without /proc, nothing says whether it is another process by now.
  [ -n "$stat" ] || [ ! -d /proc/self ] || continue
  if [ -n "$stat" ]; then
    set -- ${stat##*) }
    [ "${20}" = "${process#*:}" ] || continue
  fi
  kill -s INT "$id"
done
for group in $groups; do
  leader=${group%:*}
  stat=$(cat "/proc/$leader/stat" 2>/dev/null)
  if [ -n "$stat" ]; then
    # Behind the name, which may contain anything, the time is the 20th field.
    set -- ${stat##*) }
    [ "${20}" = "${group#*:}" ] || continue
  fi
  kill -s KILL -- "-$leader"
done
for cgroup in $cgroups; do echo 1 > "$cgroup/cgroup.kill"; done
quiet=0
for round in 1 2 3 4 5 6 7 8 9 10; do
  files=$(grep -lsF -e ";$host." /proc/[0-9]*/environ)
  if [ -z "$files" ]; then quiet=$((quiet + 1)); else quiet=0; fi
  [ $quiet -lt 2 ] || break
  for file in $files; do
    # The id may belong to another process by now.
    grep -qsF -e ";$host." "$file" || continue
    pid=${file#/proc/}
    kill -s KILL "${pid%/environ}"
  done
  sleep 0.01
done
for cgroup in $cgroups; do
  # The killed take a moment to leave it.
  for pause in 0 0.01 0.02 0.05 0.1 0.2 0.5 1 2; do
    sleep $pause
    # A plugin can have made groups inside its own, as another of us does.
    rmdir "$cgroup"/*/*/ "$cgroup"/*/ "$cgroup"
    [ -d "$cgroup" ] || break
  done
done
"#;

static GUARDIAN: OnceLock<Mutex<Option<ChildStdin>>> = OnceLock::new();

/// Starts the guardian, once. Must run before the first plugin is started.
pub(crate) fn start() {
    GUARDIAN.get_or_init(|| {
        let mut command = shell();
        command
            .args(["-c", SCRIPT, "tenon-guardian", family::host()])
            .env_remove(family::VARIABLE)
            // A folder that is in use cannot be unmounted.
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C in the terminal is for us, not for it.
            .process_group(0);
        let stdin = match command.spawn() {
            Ok(mut child) => child.stdin.take(),
            Err(error) => {
                tracing::warn!(%error, "no guardian: a killed host may leave plugins behind");
                None
            }
        };
        Mutex::new(stdin)
    });
}

#[expect(
    clippy::disallowed_methods,
    reason = "the guardian must outlive this process, which plugins must not"
)]
fn shell() -> Command {
    Command::new("/bin/sh")
}

/// A process group, as the guardian knows it: its id and when its leader was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    id: Pid,
    started: u64,
}

impl Group {
    /// The group of a leader that has not been reaped.
    pub(crate) fn of(id: Pid) -> Group {
        Group {
            id,
            started: Identity::of(id).map_or(0, |identity| identity.started),
        }
    }
}

pub(crate) fn started(group: Group) {
    tell("started", group);
}

pub(crate) fn ended(group: Group) {
    tell("ended", group);
}

/// This process is interrupted instead of killed, because it has work to finish.
pub(crate) fn attended(process: Group) {
    tell("attended", process);
}

/// This process has ended, or is no longer watched.
pub(crate) fn left(process: Group) {
    tell("left", process);
}

/// This control group is about to be made, or there. It may be announced more than once.
pub(crate) fn confined(cgroup: &Path) {
    say(format_args!("confined {}", cgroup.display()));
}

/// This control group was removed.
pub(crate) fn released(cgroup: &Path) {
    say(format_args!("released {}", cgroup.display()));
}

fn tell(verb: &str, group: Group) {
    let Group { id, started } = group;
    say(format_args!("{verb} {}:{started}", id.as_raw_nonzero()));
}

fn say(line: fmt::Arguments<'_>) {
    let Some(guardian) = GUARDIAN.get() else {
        return;
    };
    let mut stdin = guardian.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stdin) = &mut *stdin {
        // A few bytes into a pipe that is read immediately. If the guardian has died, nothing can be done.
        let _told = writeln!(stdin, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use std::process::Child;

    use rustix::process::Signal;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "it is not a plugin")]
    fn innocent() -> Child {
        let mut command = Command::new("env");
        // The tests may run in the background of a script, which ignores SIGINT, and children inherit that.
        command.args(["--default-signal=INT", "sleep", "1000"]);
        command.process_group(0).spawn().unwrap()
    }

    /// Runs the guardian of a host without descendants, up to its end.
    fn guard(told: &str) {
        let mut command = shell();
        let host = format!("nobody-{}", std::process::id());
        command.args(["-c", SCRIPT, "tenon-guardian", &host]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(told.as_bytes()).unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn an_attended_process_is_interrupted_unless_it_was_left() {
        let [mut ours, mut left, mut reused] = [innocent(), innocent(), innocent()];
        let [first, second, third] = [&ours, &left, &reused].map(|child| {
            let Group { id, started } = Group::of(Pid::from_child(child));
            (id.as_raw_nonzero(), started)
        });
        guard(&format!(
            "attended {}:{}\nattended {}:{}\nattended {}:{}\nleft {}:{}\n",
            first.0,
            first.1,
            second.0,
            second.1,
            third.0,
            third.1 + 1,
            second.0,
            second.1
        ));
        let status = ours.wait().unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!(signal, Some(Signal::INT.as_raw()));
        for innocent in [&mut left, &mut reused] {
            assert!(innocent.try_wait().unwrap().is_none(), "it was interrupted");
            innocent.kill().unwrap();
            innocent.wait().unwrap();
        }
    }

    #[test]
    fn a_group_is_ended_if_its_leader_is_the_one_that_was_started() {
        let [mut ours, mut ended, mut reused] = [innocent(), innocent(), innocent()];
        let [first, second, third] =
            [&ours, &ended, &reused].map(|child| Group::of(Pid::from_child(child)));
        assert!(first.started > 0);
        let [first, second] = [first, second].map(|group| {
            let Group { id, started } = group;
            format!("{}:{started}", id.as_raw_nonzero())
        });
        let third = format!("{}:{}", third.id.as_raw_nonzero(), third.started + 1);
        guard(&format!(
            "started {first}\nstarted {second}\nstarted {third}\nended {second}\n"
        ));
        assert!(!ours.wait().unwrap().success());
        for innocent in [&mut ended, &mut reused] {
            assert!(innocent.try_wait().unwrap().is_none(), "it was killed");
            innocent.kill().unwrap();
            innocent.wait().unwrap();
        }
    }
}
