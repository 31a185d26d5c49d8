//! The programs that are measured.

use std::env;
use std::io;
use std::path::Path;
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
}

impl Language {
    pub const ALL: [Language; 2] = [Language::Python, Language::Node];

    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "Python",
            Language::Node => "Node",
        }
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
        use Kind::{Empty, Official, Other, Ours, Raw};
        use Language::{Node, Python};
        let python = Some(python()?);
        let node = Some("node".to_owned());
        let mcp_python = env::var("MCP_PYTHON").ok();
        let mcp_node = library("NODE_MODULES_MCP", "@modelcontextprotocol/sdk");
        let vscode = library("NODE_MODULES_HERE", "vscode-jsonrpc");
        let rows = [
            (
                Python,
                Empty,
                Wire::Own,
                "empty program",
                &python,
                "empty.py",
                "",
            ),
            (
                Python,
                Raw,
                Wire::Lines,
                "raw echo, lines",
                &python,
                "raw.py",
                "lines",
            ),
            (
                Python,
                Raw,
                Wire::Headers,
                "raw echo, headers",
                &python,
                "raw.py",
                "headers",
            ),
            (
                Python,
                Ours,
                Wire::Lines,
                "plugin, lines",
                &python,
                "plugin.py",
                "",
            ),
            (
                Python,
                Ours,
                Wire::Headers,
                "plugin, headers",
                &python,
                "plugin.py",
                "",
            ),
            (
                Python,
                Ours,
                Wire::Mcp,
                "plugin, MCP",
                &python,
                "plugin.py",
                "",
            ),
            (
                Python,
                Official,
                Wire::Mcp,
                "MCP SDK 2.3",
                &mcp_python,
                "official_mcp.py",
                "",
            ),
            (
                Node,
                Empty,
                Wire::Own,
                "empty program",
                &node,
                "empty.mjs",
                "",
            ),
            (
                Node,
                Raw,
                Wire::Lines,
                "raw echo, lines",
                &node,
                "raw.mjs",
                "lines",
            ),
            (
                Node,
                Raw,
                Wire::Headers,
                "raw echo, headers",
                &node,
                "raw.mjs",
                "headers",
            ),
            (
                Node,
                Ours,
                Wire::Lines,
                "plugin, lines",
                &node,
                "plugin.mjs",
                "",
            ),
            (
                Node,
                Ours,
                Wire::Headers,
                "plugin, headers",
                &node,
                "plugin.mjs",
                "",
            ),
            (
                Node,
                Ours,
                Wire::Mcp,
                "plugin, MCP",
                &node,
                "plugin.mjs",
                "",
            ),
            (
                Node,
                Official,
                Wire::Mcp,
                "MCP SDK 1.32",
                &mcp_node,
                "official_mcp.mjs",
                "",
            ),
            (
                Node,
                Other,
                Wire::Headers,
                "vscode-jsonrpc 10",
                &vscode,
                "vscode-jsonrpc.mjs",
                "",
            ),
        ];
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
        let mut notes = Vec::new();
        let mut found = Vec::new();
        for (language, kind, wire, name, interpreter, script, argument) in rows {
            let is_compared_with = matches!(kind, Empty | Raw);
            let Some(interpreter) = interpreter else {
                let language = language.name();
                notes.push(format!(
                    "{language}, {name}: not measured, it is not installed"
                ));
                continue;
            };
            if !is_compared_with && !arguments.wants(name) {
                continue;
            }
            let script = scripts.join(script).to_string_lossy().into_owned();
            let argument = Some(argument.to_owned()).filter(|argument| !argument.is_empty());
            let words = [interpreter.clone(), script].into_iter().chain(argument);
            found.push(Row {
                language,
                kind,
                wire,
                name,
                program: Program {
                    words: words.collect(),
                },
                numbers: Numbers::default(),
            });
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

/// Node, if a library is installed in the folder that a variable names.
fn library(variable: &str, name: &str) -> Option<String> {
    let folder = env::var_os(variable)?;
    let is_there = Path::new(&folder).join(name).is_dir();
    is_there.then(|| "node".to_owned())
}

/// The interpreter itself: the shim of a version manager takes longer than what is measured.
fn python() -> io::Result<String> {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}
