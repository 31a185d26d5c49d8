//! A shell that waits for our end. When this process is killed, nobody in it can clean up any
//! more; the guardian notices that its stdin has closed and ends what we left behind.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::process::Pid;

use crate::family;

/// Ends the groups that have started and not ended, then everyone else who bears our mark, until
/// nobody is found twice (see [`family`]).
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=
while read -r verb group; do
  case $verb in
    started) groups="$groups $group" ;;
    ended)
      rest=
      for other in $groups; do [ "$other" = "$group" ] || rest="$rest $other"; done
      groups=$rest ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
quiet=0
for round in 1 2 3 4 5 6 7 8 9 10; do
  files=$(grep -lsF -e ";$1." /proc/[0-9]*/environ)
  if [ -z "$files" ]; then quiet=$((quiet + 1)); else quiet=0; fi
  [ $quiet -lt 2 ] || exit 0
  for file in $files; do
    pid=${file#/proc/}
    kill -s KILL "${pid%/environ}"
  done
  sleep 0.01
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
    reason = "the guardian has to outlive this process, which is just what plugins must not do"
)]
fn shell() -> Command {
    Command::new("/bin/sh")
}

pub(crate) fn started(group: Pid) {
    tell("started", group);
}

pub(crate) fn ended(group: Pid) {
    tell("ended", group);
}

fn tell(verb: &str, group: Pid) {
    let Some(guardian) = GUARDIAN.get() else {
        return;
    };
    let mut stdin = guardian.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stdin) = &mut *stdin {
        // A few bytes into a pipe that is read at once; a guardian that died cannot be helped.
        let _told = writeln!(stdin, "{verb} {}", group.as_raw_nonzero());
    }
}
