//! How a section begins: its arguments, its priority, and the spinners that are copies of it.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::link::Scratch;
use crate::spinner;

/// The whole `main` of a section.
pub fn main(run: impl FnOnce(&Arguments) -> io::Result<()>) -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    let outcome = if words.peek().map(String::as_str) == Some(spinner::ARGUMENT) {
        spinner::run(words.nth(1).and_then(|core| core.parse().ok()).unwrap_or(0))
    } else {
        Arguments::read(words)
            .map_err(io::Error::other)
            .and_then(|arguments| run(&arguments))
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An error of something that is measured, as one of the section.
pub fn fault(error: impl Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}

/// Asks to be preferred over other processes; says so where that is refused.
pub fn prefer() -> Vec<String> {
    match setpriority_process(None, -10) {
        Ok(_) => Vec::new(),
        Err(_) => vec!["ran at ordinary priority: nice -10 is not permitted".to_owned()],
    }
}

/// Children die with this process; the directory has to be removed by hand.
pub fn clean_up_on_signals(scratch: &Scratch) -> io::Result<()> {
    let folder = scratch.0.clone();
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = std::fs::remove_dir_all(folder);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// A thousand connections are two thousand descriptors here and a thousand in the server.
pub fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}

/// What every section takes.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Fewer and shorter rounds.
    pub quick: bool,
    pub json: bool,
    /// A part of the names of the rows that are wanted.
    pub only: Option<String>,
    /// The folder with the programs of an older build, to measure in turn with those of this one.
    pub against: Option<PathBuf>,
}

impl Arguments {
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => arguments.quick = true,
                "--json" => arguments.json = true,
                "--only" => {
                    let text = words.next().ok_or("--only needs a part of a row's name")?;
                    arguments.only = Some(text);
                }
                "--against" => {
                    let folder = words.next().ok_or("--against needs a folder")?;
                    arguments.against = Some(folder.into());
                }
                other => {
                    return Err(format!(
                        "unknown argument {other}; known: --quick --json --only TEXT --against FOLDER"
                    ));
                }
            }
        }
        Ok(arguments)
    }

    /// Whether the row of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|text| name.contains(text))
    }
}
