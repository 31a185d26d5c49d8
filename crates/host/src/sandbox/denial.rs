//! Accesses that a plugin was denied.

use std::fmt;
use std::sync::Arc;

use super::permissions::Permission;

/// An access that a plugin was denied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Denial {
    /// The missing permission; none if no permission would allow it.
    pub permission: Option<Permission>,
    /// What it tried to access or call: a path, an address, or a system call.
    pub what: String,
}

/// Called once with each denial.
pub(crate) type SeeDenial = Arc<dyn Fn(&Denial) + Send + Sync>;

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.permission {
            Some(permission) => write!(f, "{permission} {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}
