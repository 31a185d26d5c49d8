//! A scenario of a dozen actions whose provider writes down what it does.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

pub(crate) const TENON: &str = env!("CARGO_BIN_EXE_tenon");

/// Nothing that a test waits for takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

/// How many actions there are: four in each of three chains.
pub(crate) const ACTIONS: usize = 12;

/// How often each fault is tried. `scripts/faults` sets it.
pub(crate) fn rounds(usual: u32) -> u32 {
    match std::env::var("TENON_FAULT_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("TENON_FAULT_ROUNDS is a number"),
        Err(_) => usual,
    }
}

/// Numbers that look random and are the same in each run, so that a failure can be repeated.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u32) -> Dice {
        Dice(u64::from(seed).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    /// One of `0..sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }
}

/// A folder with the scenario, its provider and its ledger, and a folder for records.
pub(crate) struct Scene {
    folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        let scene = Scene {
            folder: TempDir::new().unwrap(),
        };
        fs::create_dir(scene.records()).unwrap();
        let program = scene.path("ledger");
        let text = include_str!("ledger.py");
        fs::write(&program, format!("#!/usr/bin/env python3\n{text}")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(scene.path("demo.hcl"), scenario()).unwrap();
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.path("records")
    }

    /// The command in the folder of records, which it writes to.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(TENON);
        command
            .args(arguments)
            .current_dir(self.records())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// The newest record, if there is one yet.
    pub(crate) fn record(&self) -> Option<String> {
        self.files(".json").pop()
    }

    pub(crate) fn files(&self, ending: &str) -> Vec<String> {
        let entries = fs::read_dir(self.records()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(ending))
            .collect();
        names.sort();
        names
    }

    fn ledger(&self) -> String {
        fs::read_to_string(self.path("ledger.ledger")).unwrap_or_default()
    }

    /// How often each thing was put.
    pub(crate) fn puts(&self) -> BTreeMap<String, usize> {
        let mut puts = BTreeMap::new();
        for name in self.ledger().lines().filter_map(|l| l.strip_prefix('+')) {
            *puts.entry(name.to_owned()).or_default() += 1;
        }
        puts
    }

    /// How many things were put, those that were put again included.
    pub(crate) fn put_count(&self) -> usize {
        self.puts().values().sum()
    }

    /// What was put and not removed since.
    pub(crate) fn left(&self) -> Vec<String> {
        let mut last = BTreeMap::new();
        for line in self.ledger().lines() {
            let (sign, name) = line.split_at(1);
            last.insert(name.to_owned(), sign == "+");
        }
        last.retain(|_, is_there| *is_there);
        last.into_keys().collect()
    }
}

/// Its output once it has ended. Panics, and kills it, if that takes too long.
pub(crate) fn finish(child: Child) -> Output {
    let pid = rustix::process::Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    let waiting = thread::spawn(move || {
        let output = child.wait_with_output().unwrap();
        let _nobody_waits = sender.send(());
        output
    });
    if ended.recv_timeout(WATCHDOG).is_err() {
        // Not yet waited for, so the process with this id is still ours.
        let _it_is_gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        let output = waiting.join().unwrap();
        panic!("it did not end; stderr:\n{}", stderr(&output));
    }
    waiting.join().unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The address of the action that puts `name`.
pub(crate) fn address(name: &str) -> String {
    format!("action.put.{name}")
}

fn scenario() -> String {
    let mut text = String::from(
        "scenario \"demo\" {\n  required_providers {\n    ledger = { source = \"exec:./ledger\" }\n  }\n",
    );
    for chain in ["a", "b", "c"] {
        for link in 0..ACTIONS / 3 {
            let after = match link {
                0 => "null".to_owned(),
                _ => format!("{}.name", address(&format!("{chain}{}", link - 1))),
            };
            text += &format!(
                "  action \"put\" \"{chain}{link}\" {{\n    name  = \"{chain}{link}\"\n    after = {after}\n    \
                 lifecycle {{\n      teardown {{\n        name       = \"{chain}{link}\"\n        is_removed = true\n      \
                 }}\n    }}\n  }}\n"
            );
        }
    }
    text + "}\n"
}
