//! Programs are found, and start with the environment, signals and descriptors that programs expect.

#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use support::watched;
use tempfile::TempDir;
use tenon_host::{Capture, CaptureError, Captured, Environment, PluginCommand};

async fn run(command: &PluginCommand) -> Result<Captured, CaptureError> {
    let capture = Capture {
        time_limit: Some(Duration::from_secs(50)),
        ..Capture::default()
    };
    capture.run(command).await
}

async fn output(command: &PluginCommand) -> String {
    let captured = run(command).await.unwrap();
    let stderr = String::from_utf8_lossy(&captured.stderr);
    assert!(captured.status.success(), "{stderr}");
    String::from_utf8(captured.stdout).unwrap()
}

async fn error(command: &PluginCommand) -> String {
    run(command).await.unwrap_err().to_string()
}

/// Folders with programs that print the name of their folder and their arguments.
struct Programs(TempDir);

impl Programs {
    fn new() -> Programs {
        Programs(tempfile::tempdir().unwrap())
    }

    /// The program `greet` without a line that names an interpreter. The shell has to run it.
    fn add(&self, folder: &str, mode: u32) {
        let file = self.folder(folder).join("greet");
        fs::create_dir_all(self.folder(folder)).unwrap();
        fs::write(&file, format!("echo {folder} \"$0\" \"$@\"\n")).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program by its name, with these folders as `PATH`.
    fn with_path(&self, folders: &[&str]) -> PluginCommand {
        let folders = folders.iter().map(|folder| self.folder(folder));
        let path = std::env::join_paths(folders).unwrap();
        PluginCommand::new("greet").variable("PATH", path)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

#[tokio::test]
async fn a_program_without_an_interpreter_is_run_by_a_shell() {
    watched(async {
        let programs = Programs::new();
        programs.add("first", 0o755);
        let path = programs.folder("first").join("greet");
        let expected = format!("first {} a b c\n", path.display());
        for command in [PluginCommand::new(&path), programs.with_path(&["first"])] {
            assert_eq!(output(&command.args(["a", "b c"])).await, expected);
        }
        let relative = PluginCommand::new("first/greet").folder(programs.path());
        assert_eq!(output(&relative).await, "first first/greet\n");
    })
    .await;
}

#[tokio::test]
async fn programs_are_looked_for_in_the_path_that_they_get() {
    watched(async {
        let programs = Programs::new();
        programs.add("plain", 0o644);
        programs.add("first", 0o755);
        programs.add("second", 0o755);
        for (folders, expected) in [
            (&["first", "second"][..], "first"),
            (&["missing", "second", "first"], "second"),
            (&["plain", "second"], "second"),
            (&["first/greet", "first"], "first"),
        ] {
            let said = output(&programs.with_path(folders)).await;
            assert!(said.starts_with(expected), "{folders:?}: {said}");
        }
        for (folders, expected) in [
            (&["missing"][..], "No such file or directory"),
            (&["plain", "missing"], "Permission denied"),
            (&["missing", "first/greet"], "Not a directory"),
        ] {
            let message = error(&programs.with_path(folders)).await;
            assert!(message.contains(expected), "{folders:?}: {message}");
        }
        // An empty folder is the one that the program runs in.
        let here = PluginCommand::new("greet").folder(programs.folder("first"));
        assert_eq!(output(&here.variable("PATH", "")).await, "first greet\n");
        // Without a PATH there are two folders of the system.
        let shell = PluginCommand::new("sh").inherit(Environment::Only(Vec::new()));
        assert_eq!(output(&shell.args(["-c", "echo hello"])).await, "hello\n");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_started() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        for (command, expected) in [
            (PluginCommand::new(""), "the name of the program is empty"),
            (PluginCommand::new(folder.path()), "is a folder, not a program"),
            (
                PluginCommand::new("sh").folder(&missing),
                &format!(
                    "sh could not be started: it cannot run in the folder {}: No such file or directory",
                    missing.display()
                ),
            ),
            (PluginCommand::new("sh").arg("a\0b"), "nul byte"),
            (PluginCommand::new("sh").variable("A", "a\0b"), "nul byte"),
        ] {
            let message = error(&command).await;
            assert!(message.contains(expected), "{message}");
        }
    })
    .await;
}

/// We ignore SIGPIPE, as every Rust program does. The children must not.
#[tokio::test]
async fn signals_are_neither_blocked_nor_ignored() {
    watched(async {
        let command = PluginCommand::new("cat").arg("/proc/self/status");
        let status = output(&command).await;
        for field in ["SigBlk:", "SigIgn:", "SigCgt:"] {
            let mut lines = status.lines();
            let mask = lines.find_map(|line| line.strip_prefix(field)).unwrap();
            let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
            // Those of the test itself may be ignored, as by `nohup`.
            let pipe = 1 << 12;
            assert_eq!(
                if field == "SigIgn:" {
                    mask & pipe
                } else {
                    mask
                },
                0,
                "{field}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_program_leads_its_process_group() {
    watched(async {
        let script = "read -r _ _ _ _ group _ </proc/$$/stat; echo $group $$";
        let said = output(&PluginCommand::new("sh").args(["-c", script])).await;
        let (group, id) = said.trim().split_once(' ').unwrap();
        assert_eq!(group, id);
    })
    .await;
}

/// Neither the ends of pipes that are ours nor what reports a failed start.
#[tokio::test]
async fn a_program_gets_three_descriptors() {
    watched(async {
        const CLOSED_ON_EXEC: u32 = 0o2_000_000;
        let is_passed_on = |id: &str| {
            let info = fs::read_to_string(format!("/proc/self/fdinfo/{id}")).unwrap_or_default();
            let mut lines = info.lines();
            let flags = lines.find_map(|line| line.strip_prefix("flags:"));
            let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
            flags.is_some_and(|flags| flags & CLOSED_ON_EXEC == 0)
        };
        let said = output(&PluginCommand::new("ls").arg("/proc/self/fd")).await;
        for id in ["0", "1", "2"] {
            assert!(said.lines().any(|line| line == id), "{said}");
        }
        // Whoever runs the test may have left others open for us, and thus for every program.
        let others = said.lines().filter(|id| !is_passed_on(id));
        // The folder that it lists.
        assert_eq!(others.count(), 1, "{said}");
    })
    .await;
}
