//! The end of every server's and client's command line: `pipe`, or `unix PATH`.

use std::path::PathBuf;

use crate::driver::Fault;

/// Where the bytes go.
pub enum Place {
    /// stdin and stdout, which are pipes.
    Stdio,
    Socket(PathBuf),
}

impl Place {
    /// Takes the words that are left.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Place, Fault> {
        match (words.next().as_deref(), words.next()) {
            (Some("pipe"), _) => Ok(Place::Stdio),
            (Some("unix"), Some(path)) => Ok(Place::Socket(path.into())),
            _ => Err("expected: pipe, or unix PATH".into()),
        }
    }

    /// For those that know nothing else.
    pub fn socket(self) -> Result<PathBuf, Fault> {
        match self {
            Place::Socket(path) => Ok(path),
            Place::Stdio => Err("this one uses Unix sockets only".into()),
        }
    }
}
