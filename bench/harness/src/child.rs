//! A child process that never outlives the bench, and what `/proc` says about it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};

use crate::os;

/// Killed and waited for when dropped; killed by the kernel when the bench dies first.
pub struct Child {
    pub inner: process::Child,
}

impl Child {
    pub fn start(command: &mut Command) -> io::Result<Self> {
        os::die_with_parent(command);
        let inner = command.spawn().map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("{}: {error}", command.get_program().display()),
            )
        })?;
        Ok(Child { inner })
    }

    pub fn pid(&self) -> u32 {
        self.inner.id()
    }

    /// Waits for the end that a closed stdin brings about.
    pub fn finish(&mut self, patience: Duration) -> io::Result<process::ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.inner.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "still running after its input ended",
                ));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The most memory the process ever had resident, in KiB.
    pub fn peak_kib(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).ok()?;
        kib_field(&status, "VmHWM:")
    }

    /// What is resident now, in KiB. From smaps, which is exact; the counters in `status` lag by up
    /// to 64 pages per thread.
    pub fn resident_kib(&self) -> Option<f64> {
        let smaps = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid())).ok()?;
        kib_field(&smaps, "Rss:")
    }

    /// Time on a core so far, of all its threads.
    pub fn cpu(&self) -> Option<Duration> {
        let mut nanos = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid())).ok()? {
            let path = thread.ok()?.path().join("schedstat");
            // A thread may end between the listing and the reading.
            let Ok(text) = fs::read_to_string(path) else {
                continue;
            };
            nanos += text.split(' ').next()?.parse::<u64>().ok()?;
        }
        Some(Duration::from_nanos(nanos))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.inner.kill();
        let _ = self.inner.wait();
    }
}

fn kib_field(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A program to start: the path and its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    pub words: Vec<String>,
}

impl Program {
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stderr(Stdio::inherit());
        command
    }

    pub fn with(&self, more: &[&str]) -> Program {
        let mut words = self.words.clone();
        words.extend(more.iter().map(|word| (*word).to_owned()));
        Program { words }
    }

    /// The program of the same name in another folder.
    pub fn in_folder(&self, folder: &Path) -> Program {
        let name = Path::new(&self.words[0]).file_name().unwrap_or_default();
        let mut words = self.words.clone();
        words[0] = folder.join(name).to_string_lossy().into_owned();
        Program { words }
    }

    /// The same program started by another one, as with strace or valgrind.
    pub fn under(&self, tool: &[String]) -> Program {
        Program {
            words: tool.iter().chain(&self.words).cloned().collect(),
        }
    }
}

/// The programs that were built with the section, which are beside it.
pub struct Programs(PathBuf);

impl Programs {
    pub fn beside_this_one() -> io::Result<Programs> {
        let mut path = std::env::current_exe()?;
        path.pop();
        Ok(Programs(path))
    }

    /// The program with that name and these arguments.
    pub fn named(&self, words: &[&str]) -> Program {
        let path = self.0.join(words[0]).to_string_lossy().into_owned();
        Program { words: vec![path] }.with(&words[1..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_are_found_by_name() {
        let text = "VmPeak:\t 100 kB\nVmHWM:\t  2764 kB\n";
        assert_eq!(kib_field(text, "VmHWM:"), Some(2764.0));
        assert_eq!(kib_field(text, "Rss:"), None);
    }
}
