//! The programs in `programs/`, and commands that start them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::transcript::Transcript;
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{TENON, run};

/// The official SDKs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sdk {
    TypeScript,
    Python,
}

impl Sdk {
    pub(crate) const ALL: [Sdk; 2] = [Sdk::TypeScript, Sdk::Python];
}

/// Where the SDKs are installed.
pub(crate) struct Sdks {
    node: PathBuf,
    modules: PathBuf,
    python: PathBuf,
}

/// A command line.
pub(crate) type Command = Vec<String>;

impl Sdks {
    pub(crate) fn installed() -> Result<Sdks, String> {
        tools::installed("acp/stamp")?;
        tools::installed("acp-python/stamp")?;
        Ok(Sdks {
            node: tools::on_path("node")?,
            modules: tools::installed("acp/node_modules")?,
            python: tools::installed("acp-python/bin/python")?,
        })
    }

    /// An agent that uses everything that a client offers.
    pub(crate) fn agent(&self, sdk: Sdk) -> Command {
        match sdk {
            Sdk::TypeScript => command([&self.node, &program("agent.mjs"), &self.modules]),
            Sdk::Python => command([&self.python, &program("agent.py")]),
        }
    }

    /// The agent in `examples/acp`, in a folder where its imports are found.
    pub(crate) fn example(&self, sdk: Sdk, folder: &Path) -> Command {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/acp");
        match sdk {
            Sdk::TypeScript => {
                let script = folder.join("counter.mjs");
                std::fs::copy(examples.join("counter.mjs"), &script).expect("a script");
                std::os::unix::fs::symlink(&self.modules, folder.join("node_modules"))
                    .expect("a link");
                command([&self.node, &script])
            }
            Sdk::Python => command([&self.python, &examples.join("counter.py")]),
        }
    }

    /// Runs a client through steps, and returns what has passed.
    pub(crate) async fn drive(&self, sdk: Sdk, agent: Command, run: Run<'_>) -> Transcript {
        let settings = json!({
            "modules": self.modules,
            "folder": run.folder,
            "answer": run.answer,
            "steps": run.steps,
            "agent": agent,
            "patience": run.patience,
        });
        let settings = settings.to_string().into();
        let (runtime, client) = match sdk {
            Sdk::TypeScript => (&self.node, program("client.mjs")),
            Sdk::Python => (&self.python, program("client.py")),
        };
        let args: [OsString; 2] = [client.into(), settings];
        Transcript::read(&crate::support::trial::run(runtime, args, run.mark).await)
    }

    /// An agent with a stand-in for its model service. Its files are in this home.
    pub(crate) fn with_service(&self, kind: &str, home: &Path, agent: Command) -> Command {
        let mut words = command([&self.node, &program("service.mjs")]);
        words.extend([kind.to_owned(), text(home)]);
        words.extend(agent);
        words
    }

    /// A program for Node.
    pub(crate) fn node(&self, script: &Path) -> Command {
        command([&self.node, &script.to_owned()])
    }
}

/// What a client does, and where.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) folder: &'a Path,
    /// The kind of the option that it chooses when it is asked for permission.
    pub(crate) answer: &'a str,
    pub(crate) steps: &'a Value,
    /// How many milliseconds an agent may take to end.
    pub(crate) patience: u64,
    pub(crate) mark: &'a Mark,
}

/// Puts our guard before an agent.
pub(crate) fn guarded(options: &[&str], agent: Command) -> Command {
    let mut words: Command = [TENON, "acp", "guard"].map(str::to_owned).into();
    words.extend(options.iter().map(|option| (*option).to_owned()));
    words.push("--".to_owned());
    words.extend(agent);
    words
}

/// Runs our command, which has to succeed, and returns what it printed.
pub(crate) async fn tenon(words: &[&str], mark: &Mark) -> String {
    run(Path::new(TENON), words, mark).await
}

/// opencode, with the SDKs whose clients drive it.
pub(crate) fn opencode() -> Result<(Sdks, Command), String> {
    tools::installed("opencode/stamp")?;
    let program = tools::installed("opencode/node_modules/opencode-linux-x64/bin/opencode")?;
    Ok((Sdks::installed()?, vec![text(&program), "acp".to_owned()]))
}

/// What the agents of the SDKs make of the notes.
pub(crate) const CHANGED: &str = "one\nchanged by the agent\n";

/// A folder with `notes.txt`, which agents change.
pub(crate) fn folder_with_notes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("notes.txt"), "one\n").expect("a file");
    folder
}

pub(crate) fn notes(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("notes.txt")).expect("the notes")
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/acp/peers/programs")
        .join(name)
}

fn command<const COUNT: usize>(words: [&PathBuf; COUNT]) -> Command {
    words.map(|word| text(word)).into()
}
