//! What a program that runs a server should tell its user.

use std::fmt;

/// A request that was refused or failed, or a lock that was granted twice. Terraform shows status codes alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The method of the request, such as `POST` or `LOCK`, as the client wrote it.
    pub method: String,
    /// The path of the request.
    pub path: String,
    /// What was wrong. It may quote what clients and storages have said.
    pub problem: String,
    /// The storage has failed, which its stderr may explain.
    pub is_failure: bool,
    /// The id of the lock because of which the request was refused, for `force-unlock`.
    pub lock: Option<String>,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.method, self.path, self.problem)
    }
}
