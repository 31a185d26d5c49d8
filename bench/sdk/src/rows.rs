//! The programs that are measured.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench_harness::child::Program;
use bench_harness::numbers::Numbers;
use bench_harness::section::{Arguments, fault};
use bench_harness::wire::Wire;

use crate::measure::{Amounts, Cell};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    Node,
    Rust,
}

impl Language {
    pub const ALL: [Language; 3] = [Language::Python, Language::Node, Language::Rust];

    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "Python",
            Language::Node => "Node",
            Language::Rust => "Rust",
        }
    }

    /// Whether a program of it is started by an interpreter, beside which our part can be small.
    pub fn has_runtime(self) -> bool {
        self != Language::Rust
    }
}

/// What a row is, in the comparison with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ends at once: the limit of starts.
    Empty,
    /// Decodes, and echoes the params: the limit of round trips.
    Raw,
    Ours,
    Official,
    Other,
}

pub struct Row {
    pub language: Language,
    pub kind: Kind,
    pub wire: Wire,
    pub name: &'static str,
    pub program: Program,
    pub numbers: Numbers<Cell>,
}

pub struct Rows {
    pub rows: Vec<Row>,
}

impl Rows {
    /// All rows whose programs are there, and notes about the others.
    pub fn find(arguments: &Arguments) -> io::Result<(Rows, Vec<String>)> {
        let programs = Programs::find()?;
        let mut notes = Vec::new();
        let mut found = Vec::new();
        for language in Language::ALL {
            for (kind, wire, name, program) in of(language) {
                let is_compared_with = matches!(kind, Kind::Empty | Kind::Raw);
                let Some(words) = programs.words(language, kind, program) else {
                    let language = language.name();
                    notes.push(format!(
                        "{language}, {name}: not measured, it is not installed"
                    ));
                    continue;
                };
                if !is_compared_with && !arguments.wants(name) {
                    continue;
                }
                found.push(Row {
                    language,
                    kind,
                    wire,
                    name,
                    program: Program { words },
                    numbers: Numbers::default(),
                });
            }
        }
        Ok((Rows { rows: found }, notes))
    }

    /// Measures everything once on each row.
    pub fn measure(&mut self, round: usize, amounts: &Amounts) -> io::Result<()> {
        self.measure_starts(round, amounts)?;
        let count = self.rows.len();
        // So that none always follows the same one.
        for number in 0..count {
            let row = &mut self.rows[(number + round) % count];
            let measured = row.measure(amounts);
            measured.map_err(|error| row.fault(&error))?;
        }
        Ok(())
    }

    /// Starts all programs in turn, several times: what is compared lies close together. The fastest start counts, because one
    /// that was interrupted by something else says nothing about the program.
    fn measure_starts(&mut self, round: usize, amounts: &Amounts) -> io::Result<()> {
        let mut fastest = vec![f64::INFINITY; self.rows.len()];
        for _ in 0..amounts.starts {
            for (row, fastest) in self.rows.iter().zip(&mut fastest) {
                let taken = row.start().map_err(|error| row.fault(&error))?;
                *fastest = fastest.min(taken.as_secs_f64() * 1e3);
            }
        }
        for (row, fastest) in self.rows.iter_mut().zip(fastest) {
            row.numbers.round = round;
            row.numbers.add(Cell::Start, fastest);
        }
        Ok(())
    }
}

impl Row {
    fn fault(&self, error: &io::Error) -> io::Error {
        fault(format!("{}, {}: {error}", self.language.name(), self.name))
    }
}

/// What is measured in a language: the kind, what it speaks, its name, and the program with its arguments.
fn of(language: Language) -> Vec<(Kind, Wire, &'static str, &'static str)> {
    let mut rows = vec![
        (Kind::Empty, Wire::Own, "empty program", "empty"),
        (Kind::Raw, Wire::Lines, "raw echo, lines", "raw lines"),
        (Kind::Raw, Wire::Headers, "raw echo, headers", "raw headers"),
        (Kind::Ours, Wire::Lines, "plugin, lines", "plugin"),
        (Kind::Ours, Wire::Headers, "plugin, headers", "plugin"),
        (Kind::Ours, Wire::Mcp, "plugin, MCP", "plugin"),
    ];
    let official = match language {
        Language::Python => ("MCP SDK 2.3", "official_mcp"),
        Language::Node => ("MCP SDK 1.32", "official_mcp"),
        Language::Rust => ("rmcp 3.8", "peer-rmcp stdio pipe"),
    };
    rows.push((Kind::Official, Wire::Mcp, official.0, official.1));
    if language == Language::Node {
        let other = ("vscode-jsonrpc 10", "vscode-jsonrpc");
        rows.push((Kind::Other, Wire::Headers, other.0, other.1));
    }
    rows
}

/// Where the programs are.
struct Programs {
    python: String,
    mcp_python: Option<String>,
    /// Whether the libraries for Node are installed.
    has_mcp: bool,
    has_vscode: bool,
    scripts: PathBuf,
    /// Where those in Rust are: beside this program.
    built: PathBuf,
}

impl Programs {
    fn find() -> io::Result<Programs> {
        let this = env::current_exe()?;
        Ok(Programs {
            python: python()?,
            mcp_python: env::var("MCP_PYTHON").ok(),
            has_mcp: has_library("NODE_MODULES_MCP", "@modelcontextprotocol/sdk"),
            has_vscode: has_library("NODE_MODULES_HERE", "vscode-jsonrpc"),
            scripts: Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"),
            built: this.parent().unwrap_or(Path::new("")).to_owned(),
        })
    }

    /// The command line of a program, if it is installed.
    fn words(&self, language: Language, kind: Kind, program: &str) -> Option<Vec<String>> {
        let (name, arguments) = program.split_once(' ').unwrap_or((program, ""));
        let script = |extension| {
            let path = self.scripts.join(name).with_extension(extension);
            path.to_string_lossy().into_owned()
        };
        let mut words = match (language, kind) {
            (Language::Python, Kind::Official) => vec![self.mcp_python.clone()?, script("py")],
            (Language::Python, _) => vec![self.python.clone(), script("py")],
            (Language::Node, Kind::Official) if !self.has_mcp => return None,
            (Language::Node, Kind::Other) if !self.has_vscode => return None,
            (Language::Node, _) => vec!["node".to_owned(), script("mjs")],
            (Language::Rust, _) => {
                let name = match kind {
                    Kind::Official => name.to_owned(),
                    _ => format!("sdk-{name}"),
                };
                let path = self.built.join(name);
                path.is_file().then_some(())?;
                vec![path.to_string_lossy().into_owned()]
            }
        };
        words.extend(arguments.split_whitespace().map(str::to_owned));
        Some(words)
    }
}

/// Whether a library is installed in the folder that a variable names.
fn has_library(variable: &str, name: &str) -> bool {
    env::var_os(variable).is_some_and(|folder| Path::new(&folder).join(name).is_dir())
}

/// The interpreter itself: the shim of a version manager takes longer than what is measured.
fn python() -> io::Result<String> {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}
