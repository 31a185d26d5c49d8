//! Processes that are not plugins, and that must be able to finish their work.

use rustix::process::Pid;

use crate::guardian::{self, Group};

/// A child that gets SIGINT if this process is killed. A plugin is killed then; a program such as Terraform has a
/// state to save and a lock to release first.
///
/// Dropping it leaves the child alone.
#[derive(Debug)]
pub struct Attended(Group);

impl Attended {
    /// Attends to a child that has not been reaped. `None` if this is not the id of a process.
    pub fn new(id: u32) -> Option<Attended> {
        let id = Pid::from_raw(i32::try_from(id).ok()?)?;
        guardian::start();
        let process = Group::of(id);
        guardian::attended(process);
        Some(Attended(process))
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        guardian::left(self.0);
    }
}
