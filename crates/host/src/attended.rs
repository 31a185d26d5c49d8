//! Processes that are not plugins, and that must be able to finish their work.

use crate::platform::Attendance;

/// A child that gets SIGINT if this process is killed. A plugin is killed then; a program such as Terraform has a
/// state to save and a lock to release first.
///
/// Dropping it leaves the child alone.
#[derive(Debug)]
pub struct Attended {
    _attendance: Attendance,
}

impl Attended {
    /// Attends to a child that has not been reaped. `None` if this is not the id of a process, and on Windows, which
    /// has nothing to interrupt a process with when this one is gone: the child continues there.
    pub fn new(id: u32) -> Option<Attended> {
        Some(Attended {
            _attendance: Attendance::new(id)?,
        })
    }
}
