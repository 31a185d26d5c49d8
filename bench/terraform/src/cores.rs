//! The cores that everything of a measurement runs on.

use bench_harness::placement::{self, Placement, place};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cores {
    /// All processes share one, which leaves the work that they do.
    One,
    /// As Terraform runs, with wake-ups across cores.
    All,
}

impl Cores {
    pub const BOTH: [Cores; 2] = [Cores::One, Cores::All];

    pub fn name(self) -> &'static str {
        match self {
            Cores::One => "one core",
            Cores::All => "all cores",
        }
    }

    /// Moves the bench. What it starts from now on stays where it is.
    pub fn take(self) {
        match self {
            Cores::One => place(Placement::Together, std::process::id(), std::process::id()),
            Cores::All => placement::spread(),
        }
    }
}
