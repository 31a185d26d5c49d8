//! One spinner per core, in the scheduler's idle class.
//!
//! On a virtual machine a core that goes idle is halted, and waking it costs some 70 µs, ten times
//! the round trip over a pipe. A spinner keeps the core awake and yields to anything else at once.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::child::Child;
use crate::os;

/// The first argument that makes the bench's own program a spinner.
pub const ARGUMENT: &str = "spin-on-core";

/// A spinner ends with the bench; should even that fail, it ends after this.
const LONGEST: Duration = Duration::from_secs(20 * 60);

/// Starts one for each core this process may use. They end when the result is dropped.
pub fn start() -> io::Result<Vec<Child>> {
    let cores = sched_getaffinity(None)?;
    let program = std::env::current_exe()?;
    (0..CpuSet::MAX_CPU)
        .filter(|&core| cores.is_set(core))
        .map(|core| {
            let mut command = Command::new(&program);
            command
                .args([ARGUMENT, &core.to_string()])
                .stdin(Stdio::null())
                .stdout(Stdio::null());
            Child::start(&mut command)
        })
        .collect()
}

/// The whole life of a spinner process.
pub fn run(core: usize) -> io::Result<()> {
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(None, &only)?;
    os::become_idle_class()?;
    let start = Instant::now();
    let mut turns = 0u64;
    while start.elapsed() < LONGEST {
        for _ in 0..1_000_000 {
            turns = std::hint::black_box(turns.wrapping_add(1));
        }
    }
    Ok(())
}
