//! What a plugin tried and was denied.

use std::fmt;
use std::sync::Arc;

use super::permissions::Permission;

/// Something that a plugin tried and was denied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Denial {
    /// The permission that it lacks; none if no permission would allow it.
    pub permission: Option<Permission>,
    /// What it went for: a path, an address, or a system call.
    pub what: String,
}

/// Is shown each denial, once.
pub(crate) type SeeDenial = Arc<dyn Fn(&Denial) + Send + Sync>;

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.permission {
            Some(permission) => write!(f, "{permission} {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}
