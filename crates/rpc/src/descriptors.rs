//! Whether a process may open as many files as it needs to start.

use std::io;

/// Checks that there is room for the files that a tokio runtime opens. Building one panics where
/// `ulimit -n` leaves too few.
///
/// # Errors
/// There is not. The text says what to do.
#[cfg(unix)]
pub fn check_descriptors() -> io::Result<()> {
    use std::os::fd::AsFd;

    /// What a runtime needs, and a plugin with its pipes.
    const NEEDED: usize = 16;
    let mut taken = Vec::with_capacity(NEEDED);
    for _ in 0..NEEDED {
        match io::stdin().as_fd().try_clone_to_owned() {
            Ok(descriptor) => taken.push(descriptor),
            Err(error) => {
                let problem = format!(
                    "cannot open {NEEDED} more files ({error}); \
                     raise the limit with `ulimit -n 1024`"
                );
                return Err(io::Error::new(error.kind(), problem));
            }
        }
    }
    Ok(())
}

/// Other systems have no such limit.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn check_descriptors() -> io::Result<()> {
    Ok(())
}
