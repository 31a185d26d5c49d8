//! Processes that are interrupted when this one is killed.

use rustix::process::Pid;

use super::guardian::{self, Group};

/// A child that the guardian interrupts.
#[derive(Debug)]
pub(crate) struct Attendance(Group);

impl Attendance {
    /// None if this is not the id of a process.
    pub(crate) fn new(id: u32) -> Option<Attendance> {
        let id = Pid::from_raw(i32::try_from(id).ok()?)?;
        guardian::start();
        let process = Group::of(id);
        guardian::attended(process);
        Some(Attendance(process))
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        guardian::left(self.0);
    }
}
