//! A running `tenon state serve`, with the plugin `puppet_store.py` or another one.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::thread::JoinHandle;

use rustix::process::Signal;
use serde_json::Value;

use crate::room::{signal, wait};
use crate::workspace::{Workspace, examples};

pub(crate) struct Server {
    child: Child,
    /// What Terraform needs.
    pub(crate) variables: Vec<(String, String)>,
    stderr: JoinHandle<String>,
}

impl Server {
    /// A server with these options, in front of this plugin.
    pub(crate) fn start(workspace: &Workspace, options: &[&str], plugin: &[&str]) -> Server {
        let words = [&["state", "serve"], options, &["--"], plugin].concat();
        let mut child = workspace.start(&words);
        let mut stderr = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut said = String::new();
            stderr.read_to_string(&mut said).unwrap();
            said
        });
        // The output ends while the server runs, so that a shell that reads it goes on.
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let variable = |line: String| {
            let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
            Some((name.to_owned(), value.trim_matches('\'').to_owned()))
        };
        let variables = stdout.lines().map(|line| variable(line.unwrap()).unwrap());
        let mut variables: Vec<_> = variables.collect();
        assert_eq!(variables.len(), 9);
        assert_eq!(variables[8].0, "TENON_STATE_PID");
        // Terraform waits a second before it tries again, which the tests need not.
        variables.push(("TF_HTTP_RETRY_WAIT_MIN".into(), "0".into()));
        variables.push(("TF_HTTP_RETRY_WAIT_MAX".into(), "1".into()));
        Server {
            child,
            variables,
            stderr,
        }
    }

    /// A server in front of a store that writes its calls to `calls.jsonl`, and fails as `faults.json` says.
    pub(crate) fn puppet(workspace: &Workspace, options: &[&str]) -> Server {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../state/tests/puppet_store.py"
        );
        let examples = examples();
        let plugin = ["python3", script, examples.to_str().unwrap(), "states"];
        Server::start(workspace, options, &plugin)
    }

    /// A puppet in a folder with this configuration, initialised by Terraform.
    pub(crate) fn initialised(
        workspace: &Workspace,
        configuration: &str,
        options: &[&str],
    ) -> Server {
        workspace.write("main.tf", configuration);
        let server = Server::puppet(workspace, options);
        workspace.terraform("init", &server.variables).succeeds();
        server
    }

    /// What Terraform needs for another workspace.
    pub(crate) fn variables_of(&self, workspace: &str) -> Vec<(String, String)> {
        let mut variables = self.variables.clone();
        for (_, value) in &mut variables[..3] {
            let (before, _) = value.rsplit_once('/').unwrap();
            *value = format!("{before}/{workspace}");
        }
        variables
    }

    /// Ends the server; what it wrote to stderr.
    pub(crate) fn stop(mut self) -> String {
        signal(&self.child, Signal::TERM);
        let code = wait(&mut self.child, "tenon state serve");
        let said = self.stderr.join().unwrap();
        assert_eq!(code, Some(0), "{said}");
        said
    }
}

/// The state that a folder store keeps under this name.
pub(crate) fn state(workspace: &Workspace, name: &str) -> Value {
    let text = fs::read_to_string(workspace.path(&format!("states/{name}.tfstate"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The names of the calls that the puppet got since the last time. How often a state is read depends on the
/// version of Terraform, so each run of reads counts once, and those before a lock do not count.
pub(crate) fn calls(workspace: &Workspace) -> Vec<String> {
    let name = |call: &Value| call["call"].as_str().unwrap().to_owned();
    let mut names: Vec<String> = workspace.calls().iter().map(name).collect();
    names.dedup();
    if let [first, second, ..] = &names[..]
        && (first.as_str(), second.as_str()) == ("read", "lock")
    {
        names.remove(0);
    }
    names
}
