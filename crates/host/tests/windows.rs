//! Plugins on Windows: each is a job object, and is this test program again with another task.

#![cfg(windows)]

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{BufRead, Read, Write};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenon_host::{
    Capture, Environment, HowItEnded, Limits, Permissions, Plugin, PluginCommand, Start, StopLimits,
};
use tenon_rpc::{Dialect, Router};

/// What the test program does when it is started again.
const TASK: &str = "TENON_TEST_TASK";
/// The file that it holds locked while it lives.
const FILE: &str = "TENON_TEST_FILE";

/// The test program as a command with a task.
fn task(task: &str, file: &Path) -> PluginCommand {
    PluginCommand::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "process_of_its_own",
            "--nocapture",
            "-q",
        ])
        .variable(TASK, task)
        .variable(FILE, file)
}

fn again(next: &str, file: &Path) -> Child {
    again_with(next, file, 0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host of this test is to be killed, and a grandchild is not a plugin"
)]
fn again_with(next: &str, file: &Path, flags: u32) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--ignored",
            "--exact",
            "process_of_its_own",
            "--nocapture",
            "-q",
        ])
        .env(TASK, next)
        .env(FILE, file)
        .creation_flags(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

#[test]
#[ignore = "is not a test but what the tests start"]
fn process_of_its_own() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let file = PathBuf::from(std::env::var_os(FILE).unwrap_or_default());
    match task.as_str() {
        "answer" => answer(),
        "ignore" => {
            hold(&file);
            answer();
            wait();
        }
        "parent" => {
            let _child = again("hold", &file);
            until_locked(&file);
            answer();
        }
        "hold" => {
            hold(&file);
            wait();
        }
        "host" => in_runtime(async {
            let _plugin = start(&self::task("parent", &file)).await;
            wait();
        }),
        "asking-host" => in_runtime(async {
            let plugin = start(&self::task("until-break", &file)).await;
            let patient = StopLimits {
                asked: Duration::from_millis(500),
                terminated: Duration::from_secs(60),
            };
            let stopped = plugin.stop_within(patient).stop(|_| async {}).await;
            let text = format!("{:?}, {}", stopped.how, stopped.status.success());
            fs::write(file.with_extension("stopped"), text).unwrap();
        }),
        // It does not end with its stdin.
        "until-break" => in_runtime(async {
            let mut asked = tokio::signal::windows::ctrl_break().unwrap();
            std::thread::spawn(answer);
            asked.recv().await;
            fs::write(file.with_extension("asked"), "").unwrap();
        }),
        "environment" => {
            for (name, value) in std::env::vars() {
                say(&format!("{name}={value}\n"));
            }
            say(&format!(
                "folder={}\n",
                std::env::current_dir().unwrap().display()
            ));
        }
        other => panic!("unknown task {other:?}"),
    }
    std::process::exit(0);
}

fn in_runtime(task: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(task);
}

fn say(text: &str) {
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    std::io::stdout().flush().unwrap();
}

/// Answers calls up to the end of stdin.
fn answer() {
    let mut id = 0;
    for line in std::io::stdin().lock().lines() {
        line.unwrap();
        id += 1;
        say(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"hello\"}}\r\n"
        ));
    }
}

fn wait() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Locks a file as long as this process lives.
fn hold(file: &Path) {
    let file = File::create(file).unwrap();
    file.lock().unwrap();
    std::mem::forget(file);
}

fn is_locked(path: &Path) -> bool {
    let file = File::options().read(true).write(true).open(path);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

fn until_locked(path: &Path) {
    until("a process holds its file", || is_locked(path));
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "this never came: {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held");
    (folder, file)
}

async fn start(command: &PluginCommand) -> Plugin {
    let start = Start {
        limit: Duration::from_secs(60),
        stop: StopLimits {
            asked: Duration::from_millis(500),
            terminated: Duration::from_millis(500),
        },
        ..Start::new(Dialect::JsonRpcLines)
    };
    let router = Arc::new(Router::new(()));
    let first = |peer: tenon_rpc::Peer| async move { peer.call_raw("hello", None).await };
    let started = Plugin::start(command, start, router, first).await;
    started.map(|(plugin, _)| plugin).unwrap()
}

#[tokio::test]
async fn a_plugin_answers_and_ends_with_its_stdin() {
    let (_folder, file) = place();
    let plugin = start(&task("answer", &file)).await;
    for _ in 0..100 {
        let answered = plugin.peer().call_raw("hello", None).await.unwrap();
        assert_eq!(&answered.bytes()[..], b"\"hello\"");
    }
    let patient = StopLimits {
        asked: Duration::from_secs(60),
        terminated: Duration::from_secs(60),
    };
    let stopped = plugin.stop_within(patient).stop(|_| async {}).await;
    assert_eq!(stopped.how, HowItEnded::ByItself);
    assert!(stopped.status.success(), "{stopped:?}");
}

#[tokio::test]
async fn a_plugin_that_does_not_end_is_ended() {
    let (_folder, file) = place();
    let plugin = start(&task("ignore", &file)).await;
    until_locked(&file);
    let stopped = plugin.stop(|_| async {}).await;
    assert_ne!(stopped.how, HowItEnded::ByItself);
    assert!(!stopped.status.success(), "{stopped:?}");
    until("its file is free", || !is_locked(&file));
}

/// The host has a console of its own, which its plugin shares: then the plugin can finish what it does.
#[test]
#[ignore = "Wine 8 sends no Ctrl-Break: GenerateConsoleCtrlEvent fails with error 6; run it on Windows"]
fn a_plugin_that_shares_the_console_is_asked_by_ctrl_break() {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    let (_folder, file) = place();
    let mut host = again_with("asking-host", &file, CREATE_NO_WINDOW);
    let status = host.wait().unwrap();
    let stopped = fs::read_to_string(file.with_extension("stopped"));
    assert_eq!(stopped.unwrap(), "Terminated, true", "{status}");
    assert!(file.with_extension("asked").exists());
}

#[tokio::test]
async fn a_grandchild_goes_with_its_plugin() {
    let (_folder, file) = place();
    let plugin = start(&task("parent", &file)).await;
    assert!(is_locked(&file));
    plugin.stop(|_| async {}).await;
    until("the file of the grandchild is free", || !is_locked(&file));
    let plugin = start(&task("parent", &file)).await;
    drop(plugin);
    until("the file of the grandchild is free", || !is_locked(&file));
}

/// Nothing is left to do for the host: the kernel closes its jobs.
#[test]
fn a_killed_host_leaves_no_process_behind() {
    let (_folder, file) = place();
    let mut host = again("host", &file);
    until_locked(&file);
    host.kill().unwrap();
    host.wait().unwrap();
    until("the file of the grandchild is free", || !is_locked(&file));
}

#[tokio::test]
async fn a_plugin_gets_its_variables_and_its_folder() {
    let (folder, file) = place();
    let inner = folder.path().join("ein Ördner");
    fs::create_dir(&inner).unwrap();
    let command = task("environment", &file)
        .folder(&inner)
        .variable("TENON_TEST_VALUE", "grüße & \"mehr\"")
        .inherit(Environment::Only(vec![OsString::from("systemROOT")]));
    let captured = Capture::default().run(&command).await.unwrap();
    let text = String::from_utf8(captured.stdout).unwrap();
    assert!(
        text.contains("TENON_TEST_VALUE=grüße & \"mehr\"\n"),
        "{text}"
    );
    assert!(text.to_uppercase().contains("SYSTEMROOT="), "{text}");
    assert!(!text.to_uppercase().contains("\nPATH="), "{text}");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("folder="))
        .unwrap();
    assert!(line.ends_with("ein Ördner"), "{line}");
    let elsewhere = task("environment", &file).folder(folder.path().join("missing"));
    let refused = Capture::default()
        .run(&elsewhere)
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("missing"), "{refused}");
}

/// The arguments of a batch file are not commands.
#[tokio::test]
async fn a_batch_file_is_run_without_its_arguments_being_read_as_commands() {
    let (folder, _) = place();
    let made = folder.path().join("made");
    fs::write(
        folder.path().join("tool.cmd"),
        "@echo off\r\necho got %1\r\n",
    )
    .unwrap();
    let hostile = format!("a&echo x>{}", made.display());
    let command = PluginCommand::new(r".\tool")
        .folder(folder.path())
        .arg(&hostile);
    let captured = Capture::default().run(&command).await.unwrap();
    let text = String::from_utf8_lossy(&captured.stdout).into_owned();
    assert!(text.contains("got"), "{text}");
    assert!(!made.exists(), "{text}");
    let command = PluginCommand::new(r".\tool")
        .folder(folder.path())
        .arg("a\nb");
    let refused = Capture::default()
        .run(&command)
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("batch file"), "{refused}");
}

#[tokio::test]
async fn what_is_not_a_program_is_refused_with_a_hint() {
    let (folder, _) = place();
    fs::write(folder.path().join("script.py"), "print('hello')\n").unwrap();
    for (program, part) in [
        (r".\script.py", "interpreter"),
        ("tenon-missing-program", "its name is right"),
    ] {
        let command = PluginCommand::new(program).folder(folder.path());
        let refused = Capture::default()
            .run(&command)
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains(part), "{refused}");
    }
}

#[tokio::test]
async fn stderr_can_be_merged_into_stdout() {
    let (folder, _) = place();
    fs::write(
        folder.path().join("both.cmd"),
        "@echo off\r\necho out\r\necho err 1>&2\r\n",
    )
    .unwrap();
    let command = PluginCommand::new(r".\both.cmd").folder(folder.path());
    let apart = Capture::default().run(&command).await.unwrap();
    assert!(
        String::from_utf8_lossy(&apart.stderr).contains("err"),
        "{apart:?}"
    );
    let merged = Capture::default()
        .run(&command.merge_output())
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&merged.stdout).into_owned();
    assert!(text.contains("out") && text.contains("err"), "{text}");
    let mut rest = String::new();
    merged.stderr.as_slice().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn permissions_are_refused_and_limits_are_not() {
    let (_folder, file) = place();
    let command = task("environment", &file).permissions(Permissions::default());
    let refused = Capture::default()
        .run(&command)
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("only Linux has"), "{refused}");
    let command = task("environment", &file).limits(Limits {
        memory: Some(1 << 30),
        processes: Some(8),
    });
    let captured = Capture::default().run(&command).await.unwrap();
    assert!(captured.status.success(), "{captured:?}");
}
