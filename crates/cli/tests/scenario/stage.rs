//! A folder with a scenario and providers that follow a script.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::{Program, eventually};
use crate::support::shell::{Outcome, Shell};

const PUPPET: &str = include_str!("puppet.py");

/// A place to run scenarios in, with everything that is left of them.
pub(crate) struct Stage {
    pub(crate) shell: Shell,
}

impl Stage {
    /// One with a provider `puppet`, which has these orders.
    pub(crate) fn new(orders: Value) -> Stage {
        let stage = Stage {
            shell: Shell::new(),
        };
        stage.puppet("puppet", orders);
        stage
    }

    /// One with a provider `puppet` and a scenario of a single action.
    pub(crate) fn with_one_action(orders: Value) -> Stage {
        let stage = Stage::new(orders);
        stage.scenario(&action("a", ""));
        stage
    }

    /// Adds a provider.
    pub(crate) fn puppet(&self, name: &str, orders: Value) {
        self.shell
            .program(name, &format!("#!{}\n{PUPPET}", python()));
        self.shell
            .file(&format!("{name}.json"), &orders.to_string());
    }

    /// Writes a scenario `demo` around this text, with the provider `puppet`.
    pub(crate) fn scenario(&self, text: &str) {
        let providers = r#"puppet = { source = "exec:./puppet" }"#;
        self.scenario_with(providers, text);
    }

    /// Writes a scenario `demo` around this text.
    pub(crate) fn scenario_with(&self, providers: &str, text: &str) {
        let scenario = format!(
            "scenario \"demo\" {{\n  required_providers {{\n    {providers}\n  }}\n{text}}}\n"
        );
        self.shell.file("demo.hcl", &scenario);
    }

    /// Runs a command line to its end, and notes it for the transcript.
    pub(crate) async fn run(&mut self, line: &str) -> Outcome {
        self.shell.run(line).await
    }

    /// Starts a command that is to be disturbed.
    pub(crate) fn start(&self, line: &str) -> Program {
        Program::start(&self.shell, line)
    }

    /// Waits until a provider stands at a gate.
    pub(crate) async fn reached(&self, provider: &str, gate: &str) {
        let path = self.shell.path(&format!("{provider}.{gate}.reached"));
        eventually(&format!("{provider} at {gate}"), || path.exists()).await;
    }

    /// Lets a provider pass a gate, now and ever after.
    pub(crate) fn open(&self, provider: &str, gate: &str) {
        self.shell.file(&format!("{provider}.{gate}.open"), "");
    }

    /// What all commands printed, without what is never the same.
    pub(crate) fn transcript(&self) -> String {
        steady(self.shell.transcript())
    }

    /// The record, the only one. There is nothing half-written beside it.
    pub(crate) fn record(&self) -> Value {
        let records = self.files("orchard_");
        let [name] = records
            .iter()
            .filter(|name| !name.ends_with(".journal"))
            .collect::<Vec<_>>()[..]
        else {
            panic!("there should be one record: {records:?}");
        };
        assert!(name.ends_with(".json"), "left behind: {name}");
        let text = fs::read(self.shell.path(name)).expect("a record");
        serde_json::from_slice(&text).expect("a whole record")
    }

    /// The name of the record's file.
    pub(crate) fn record_name(&self) -> String {
        self.record_names().pop().expect("a record")
    }

    /// The names of all records, the oldest first.
    pub(crate) fn record_names(&self) -> Vec<String> {
        let mut records = self.files("orchard_");
        records.retain(|name| name.ends_with(".json"));
        let written = |name: &String| fs::metadata(self.shell.path(name))?.modified();
        records.sort_by_key(|name| written(name).ok());
        records
    }

    /// What each action of the record came to: `a succeeded, b maybe`.
    pub(crate) fn statuses(&self) -> String {
        statuses(&self.record())
    }

    /// What the lines of the journal say, all of them whole, without the header and the checksums;
    /// nothing if there is no journal.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let name = self.record_name().replace(".json", ".journal");
        let text = fs::read_to_string(self.shell.path(&name)).unwrap_or_default();
        let line = |line| {
            let mut line: Value = serde_json::from_str(line).expect("a whole line");
            let sum = line.as_object_mut().and_then(|line| line.remove("sum"));
            assert!(sum.is_some(), "a line without a checksum: {line}");
            line
        };
        text.lines().map(line).skip(1).collect()
    }

    /// There is a record, and no journal.
    pub(crate) fn assert_is_closed(&self) {
        let left = self.files("orchard_");
        assert_eq!(left, [self.record_name()], "more than a record is left");
    }

    /// The files whose names begin so, in order.
    pub(crate) fn files(&self, prefix: &str) -> Vec<String> {
        let entries = fs::read_dir(self.shell.path("")).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name())
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort();
        names
    }

    /// What a file holds; nothing if there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.shell.path(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What providers began and ended, in order.
    pub(crate) fn diary(&self) -> Vec<String> {
        self.text("diary").lines().map(str::to_owned).collect()
    }

    /// The things that a provider has put and not removed, in order.
    pub(crate) async fn rows(&self, provider: &str) -> String {
        let script = "import sqlite3, sys\n\
            rows = sqlite3.connect(sys.argv[1]).execute('SELECT name FROM things ORDER BY name')\n\
            print(' '.join(row[0] for row in rows))";
        self.shell.file("rows.py", script);
        let line = format!("{} rows.py {provider}.rows", python());
        let outcome = self.shell.run_unnoted(&line).await;
        outcome.stdout.trim_end().to_owned()
    }
}

/// An action of the puppet, with its teardown.
pub(crate) fn action(name: &str, more: &str) -> String {
    format!(
        r#"
  action "put" "{name}" {{
    name = "{name}"
    {more}
    lifecycle {{
      teardown {{
        name       = "{name}"
        is_removed = true
      }}
    }}
  }}
"#
    )
}

/// An action that comes after another.
pub(crate) fn action_after(name: &str, before: &str) -> String {
    action(name, &format!("input = action.put.{before}.name"))
}

/// What each action of a record came to: `a succeeded, b maybe`.
pub(crate) fn statuses(record: &Value) -> String {
    let nodes = record["nodes"].as_array().expect("actions");
    let status = |node: &Value| {
        let address = node["address"].as_str().expect("an address");
        let name = address.rsplit('.').next().unwrap_or_default();
        let status = node["status"].as_str().expect("a status");
        match node["teardown"].as_str() {
            Some(teardown) => format!("{name} {status} and {teardown}"),
            None => format!("{name} {status}"),
        }
    };
    nodes.iter().map(status).collect::<Vec<_>>().join(", ")
}

/// An order to do these moves at a step.
pub(crate) fn at(step: &str, moves: Value) -> Value {
    json!({ step: moves })
}

/// The first interpreter on the PATH that starts without a script around it, which would take
/// longer than the provider itself.
pub(crate) fn python() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &Path| {
        let mut start = [0; 2];
        let read = fs::File::open(file).and_then(|mut file| {
            use std::io::Read;
            file.read_exact(&mut start)
        });
        read.is_ok() && start != *b"#!"
    };
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("python3"))
        .find(|file| is_program(file));
    let found = found.expect("python3 on the PATH: the providers of these tests are written in it");
    found.to_str().expect("a plain path").to_owned()
}

/// Text without times and the ids of runs.
fn steady(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = without_id(line);
        let is_verdict = line.contains(" done") && line.contains(" in ");
        lines.push(match line.rsplit_once([' ', '(']) {
            Some((before, time)) if is_time(time.trim_end_matches(')')) => {
                let is_action = time.ends_with(')');
                match (is_action, is_verdict) {
                    (true, _) => format!("{before}([time])"),
                    (false, true) => format!("{before} [time]"),
                    _ => line,
                }
            }
            _ => line,
        });
    }
    lines.join("\n")
}

fn is_time(text: &str) -> bool {
    let number = text.strip_suffix("ms").or_else(|| text.strip_suffix('s'));
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

fn without_id(line: &str) -> String {
    const BEFORE: &str = "orchard_demo_run_";
    const LENGTH: usize = "20261115T144033Z_1f9c03ab".len();
    match line.split_once(BEFORE) {
        Some((before, rest)) if rest.len() >= LENGTH => {
            format!("{before}{BEFORE}[id]{}", without_id(&rest[LENGTH..]))
        }
        _ => line.to_owned(),
    }
}
