//! Limits on the memory and the processes of a plugin.
//!
//! A cgroup, or a job object on Windows, limits a plugin and everything it starts together. Where there is neither,
//! each of its processes is limited by itself.

use std::fmt;

/// Limits on the resources of a plugin. The default is no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory: of the plugin and everything it starts together where we may make a cgroup
    /// (v2) with the memory controller, and on Windows; otherwise of each process by itself (`RLIMIT_DATA`).
    pub memory: Option<u64>,
    /// Processes and threads, of the plugin and everything it starts together; on Windows, processes only.
    /// Elsewhere this needs a cgroup with the pids controller; where we may not make one, the plugin is not started.
    pub processes: Option<u32>,
}

/// The memory limit of a plugin that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// How much it was allowed to use.
    pub bytes: u64,
    /// The kernel has killed it, or a process that it started, because it exceeded the limit. Always false
    /// without a cgroup.
    pub was_reached: bool,
}

/// A size such as `64KiB`, `512MiB` or `2GiB`, in bytes.
///
/// # Errors
/// The text is not a size, or the size is 0.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(digits.len());
    let unit = match unit {
        "" | "B" => 1,
        "KiB" | "K" => 1024,
        "MiB" | "M" => 1024 * 1024,
        "GiB" | "G" => 1024 * 1024 * 1024,
        _ => return Err("a size is a number with KiB, MiB or GiB, such as 64KiB".into()),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| format!("{number:?} is not a whole number"))?;
    match number.checked_mul(unit) {
        Some(size @ 1..) => Ok(size),
        _ => Err("a size must be more than 0 and less than 16 EiB".into()),
    }
}

/// Bytes in the largest unit that leaves a whole number.
pub(crate) struct Size(pub(crate) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units
            .into_iter()
            .find(|(unit, _)| self.0.is_multiple_of(*unit))
        {
            Some((unit, name)) => write!(f, "{} {name}", self.0 / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64KiB"), Ok(65_536));
        assert_eq!(parse_size("16M"), Ok(16 * 1024 * 1024));
        assert_eq!(parse_size("12"), Ok(12));
        for wrong in ["", "KiB", "0", "1.5MiB", "-1", "1TB", "99999999999GiB"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        for (size, shown) in [
            (512 << 20, "512 MiB"),
            (1 << 31, "2 GiB"),
            (1000, "1000 bytes"),
        ] {
            assert_eq!(Size(size).to_string(), shown);
        }
    }
}
