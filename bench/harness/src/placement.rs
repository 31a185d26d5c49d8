//! On which cores the two sides run.
//!
//! Left alone, the scheduler puts two processes that wake each other on one core in one run and on
//! two in the next, and on a virtual machine a wake-up across cores costs several times what is
//! measured. So everything is measured with both sides on one core, which leaves the work that they
//! do; two cells are measured on separate cores as well.

use std::fs;
use std::sync::LazyLock;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Both on the last core.
    Together,
    /// The client on the last core, the server on the others.
    Apart,
}

/// The cores that the bench was given, before it moved itself.
static GIVEN: LazyLock<CpuSet> =
    LazyLock::new(|| sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new()));

/// Gives the bench all its cores back. A child inherits the cores of its parent, and some runtimes
/// start as many threads as they see cores: so this comes before every start.
pub fn spread() {
    pin(std::process::id(), &GIVEN);
}

/// Moves all threads of both processes. Threads that they start later stay with their parent.
pub fn place(placement: Placement, client: u32, server: u32) {
    let all = *GIVEN;
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| all.is_set(core))
        .collect();
    let Some((&last, others)) = cores.split_last() else {
        return;
    };
    let mut one = CpuSet::new();
    one.set(last);
    let mut rest = CpuSet::new();
    others.iter().for_each(|&core| rest.set(core));
    let (for_client, for_server) = match placement {
        Placement::Together => (one, one),
        Placement::Apart if others.is_empty() => (one, one),
        Placement::Apart => (one, rest),
    };
    pin(client, &for_client);
    pin(server, &for_server);
}

fn pin(process: u32, cores: &CpuSet) {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return;
    };
    for thread in threads.flatten() {
        let id = thread
            .file_name()
            .to_string_lossy()
            .parse()
            .ok()
            .and_then(Pid::from_raw);
        // A thread that has just ended needs no place.
        let _ = sched_setaffinity(id, cores);
    }
}
