//! How many files this process may have open.

/// Raises the limit on open files (`ulimit -n`) of this process as far as the system lets it, for
/// programs with many connections. Plugins are started with the limit as it was: programs that use
/// `select` break with descriptors over 1,023, and others close every descriptor up to the limit. Windows has no such limit.
pub fn raise_descriptor_limit() {
    crate::platform::raise_descriptor_limit();
}
