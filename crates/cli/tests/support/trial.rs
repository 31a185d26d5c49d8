//! What every test has: its tool, a watchdog, and a check that no process is left behind.

use std::any::type_name;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tenon_host::{HowItEnded, Plugin, PluginCommand, Process, Start};
use tenon_rpc::{CallError, Payload, Peer, Router};

use super::mark::Mark;

/// Our command.
pub(crate) const TENON: &str = env!("CARGO_BIN_EXE_tenon");

/// No test takes longer, unless it says so.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Runs a test with its tool. If that is missing the test is skipped, but not under CI=true.
pub(crate) async fn trial<T, F>(tool: Result<T, String>, test: F)
where
    F: AsyncFnOnce(T, &Mark),
{
    trial_within(WATCHDOG, tool, test).await;
}

/// Like [`trial`], with a time of its own.
pub(crate) async fn trial_within<T, F>(watchdog: Duration, tool: Result<T, String>, test: F)
where
    F: AsyncFnOnce(T, &Mark),
{
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    if let (Err(why), true) = (&tool, is_ci) {
        panic!("{} needs its tool under CI=true: {why}", name_of(&test));
    }
    optional_trial(watchdog, tool, test).await;
}

/// Like [`trial_within`], for tools that are large or have one platform only: without them the test is always skipped.
pub(crate) async fn optional_trial<T, F>(watchdog: Duration, tool: Result<T, String>, test: F)
where
    F: AsyncFnOnce(T, &Mark),
{
    let name = name_of(&test);
    let tool = match tool {
        Ok(tool) => tool,
        Err(why) => {
            // Not the print macros: what they print in a test that passes is never seen.
            let _nobody_reads = writeln!(std::io::stderr(), "skipped: {name}: {why}");
            return;
        }
    };
    let mark = Mark::new();
    let in_time = tokio::time::timeout(watchdog, test(tool, &mark)).await;
    assert!(in_time.is_ok(), "{name} took longer than {watchdog:?}");
    mark.assert_nobody_left();
}

/// The name of the test function that a closure stands in.
fn name_of<F>(_test: &F) -> String {
    type_name::<F>().replace("::{{closure}}", "")
}

/// A foreign plugin, which has answered an `echo`.
pub(crate) async fn start<S>(
    command: PluginCommand,
    start: Start,
    router: Router<S>,
    mark: &Mark,
) -> Plugin
where
    S: Clone + Send + Sync + 'static,
{
    start_with(command, start, router, "echo", mark).await.0
}

/// A foreign plugin, and what it answered to its first call.
pub(crate) async fn start_with<S>(
    command: PluginCommand,
    start: Start,
    router: Router<S>,
    method: &'static str,
    mark: &Mark,
) -> (Plugin, Payload)
where
    S: Clone + Send + Sync + 'static,
{
    let command = command.variable(Mark::VARIABLE, mark.value());
    let first = |peer: Peer| async move { peer.call_raw(method, None).await };
    let started = Plugin::start(&command, start, Arc::new(router), first).await;
    started.unwrap_or_else(|error| panic!("{error}"))
}

/// Ends a plugin, which has to go by itself when its stdin ends.
pub(crate) async fn stop(plugin: Plugin) {
    let stderr = plugin.process().stderr().clone();
    let stopped = plugin.stop(|_| async {}).await;
    let lines = stderr.lines();
    assert_eq!(stopped.how, HowItEnded::ByItself, "{lines:#?}");
    assert!(stopped.status.success(), "{}: {lines:#?}", stopped.status);
}

/// `tenon echo` on a socket.
pub(crate) async fn serve(socket: &Path, mark: &Mark) -> Process {
    let command = PluginCommand::new(TENON)
        .args(["echo", "--socket"])
        .arg(socket)
        .variable(Mark::VARIABLE, mark.value());
    let (process, _) = Process::spawn(&command).unwrap_or_else(|error| panic!("{error}"));
    wait_for(socket).await;
    process
}

/// Waits until a server listens on a socket, as long as the watchdog allows.
pub(crate) async fn wait_for(socket: &Path) {
    while tenon_ipc::connect(socket, &tenon_ipc::Users::Own)
        .await
        .is_err()
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Calls a method with and for JSON values.
pub(crate) async fn call(peer: &Peer, method: &str, params: Value) -> Result<Value, CallError> {
    let params = Payload::encode(peer.format(), &params).expect("params");
    let result = peer.call_raw(method, Some(params)).await?;
    Ok(result.decode().expect("a result that JSON has a form for"))
}

/// Runs a foreign program to its end, which must be a good one, and gives what it printed. It
/// finds our command in the variable TENON.
pub(crate) async fn run<A: AsRef<OsStr>>(
    program: &Path,
    args: impl IntoIterator<Item = A>,
    mark: &Mark,
) -> String {
    run_with(program, args, &[], mark).await
}

/// Like [`run`], with more variables.
pub(crate) async fn run_with<A: AsRef<OsStr>>(
    program: &Path,
    args: impl IntoIterator<Item = A>,
    variables: &[(&str, &OsStr)],
    mark: &Mark,
) -> String {
    let output = foreign(program)
        .args(args)
        .envs(variables.iter().copied())
        .env(Mark::VARIABLE, mark.value())
        .env("TENON", TENON)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .expect("a program that starts");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} ended with {}\nstdout:\n{stdout}\nstderr:\n{stderr}",
        program.display(),
        output.status
    );
    stdout
}

#[expect(
    clippy::disallowed_methods,
    reason = "these are not plugins but clients, started by something that is not ours"
)]
fn foreign(program: &Path) -> tokio::process::Command {
    tokio::process::Command::new(program)
}
