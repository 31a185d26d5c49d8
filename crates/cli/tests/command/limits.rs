//! Plugins and providers that use up more than they may.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::mark::Mark;
use crate::support::shell::Shell;

/// Answers `allocate` and `fork` with how many MiB it took and how many processes it started. As a
/// provider it has these actions.
const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, os, sys, time

AMOUNT = {"attrs": {"amount": {"type": "number", "required": True}}}
SCHEMA = {
    "name": "user", "version": "1.0.0", "protocol": "1",
    "actions": {"allocate": AMOUNT, "fork": AMOUNT},
}

def allocate(count):
    return len([b"x" * (1 << 20) for _ in range(count)])

def fork(count):
    for number in range(count):
        try:
            if os.fork() == 0:
                time.sleep(1000)
        except OSError:
            return number
    return count

if sys.argv[1:] == ["schema"]:
    print(json.dumps(SCHEMA))
    sys.exit()
for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params") or {}
    answer = {"result": {}}
    if method == "describe":
        answer = {"result": {"schema": SCHEMA}}
    elif method == "execute":
        amount = int(params["attrs"]["amount"])
        done = globals()[params["action"]](amount)
        answer = {"result": {"outputs": {}}}
        if done < amount:
            answer = {"error": {"code": "failed", "message": f"only {done}"}}
    elif method in ("allocate", "fork"):
        answer = {"result": globals()[method](params["amount"])}
    if "jsonrpc" in request:
        answer["jsonrpc"] = "2.0"
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"#;

/// What this system lacks for limits on processes.
const NO_PIDS: &str = "needs a cgroup with the pids controller";

fn shell() -> Shell {
    let shell = Shell::new();
    shell.program("user", PROGRAM);
    shell
}

#[tokio::test]
async fn a_plugin_is_held_to_its_limits() {
    let shell = shell();
    let call = |method: &str, amount: usize, options: &str| {
        let line =
            format!("tenon call {method} '{{\"amount\":{amount}}}' {options} -- python3 ./user");
        let shell = &shell;
        async move { shell.run_unnoted(&line).await }
    };
    for (amount, options, is_enough) in [
        (600, "", true),
        (64, "--max-memory 256MiB", true),
        (600, "--max-memory 256MiB", false),
        (600, "--max-memory 2G", true),
    ] {
        let outcome = call("allocate", amount, options).await;
        let stderr = &outcome.stderr;
        assert_eq!(outcome.code == Some(0), is_enough, "{options}: {stderr}");
        assert!(is_enough || stderr.contains("256 MiB"), "{stderr}");
    }
    let limited = call("fork", 50, "--max-processes 10").await;
    match limited.code {
        Some(0) => assert_eq!(limited.stdout, "9\n"),
        _ => {
            assert!(limited.stderr.contains(NO_PIDS), "{}", limited.stderr);
            assert_eq!(limited.code, Some(3));
        }
    }
}

#[tokio::test]
async fn limits_have_to_be_right_and_need_a_plugin() {
    let shell = shell();
    for options in [
        "--max-memory 1 --socket calc",
        "--max-processes 1 --socket calc",
        "--max-memory 0 -- true",
        "--max-memory lots -- true",
        "--max-processes 0 -- true",
    ] {
        let outcome = shell.run_unnoted(&format!("tenon call a {options}")).await;
        assert_eq!(outcome.code, Some(2), "{options}: {}", outcome.stderr);
    }
}

#[tokio::test]
async fn a_provider_is_held_to_the_limits_of_its_scenario() {
    let shell = shell();
    let run = |action: &str, amount: usize, limits: &str| {
        let scenario = format!(
            r#"
scenario "user" {{
  required_providers {{
    user = {{
      source = "exec:./user"
      {limits}
    }}
  }}
  action "{action}" "it" {{
    amount = {amount}
    lifecycle {{
      teardown {{
        amount = 1
      }}
    }}
  }}
}}
"#
        );
        shell.file("user.hcl", &scenario);
        let shell = &shell;
        async move { shell.run_unnoted("tenon run user.hcl").await }
    };
    for (amount, limits, is_enough) in [
        (600, "", true),
        (64, "limits = { memory = \"256MiB\" }", true),
        (600, "limits = { memory = \"256MiB\" }", false),
    ] {
        let outcome = run("allocate", amount, limits).await;
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code == Some(0), is_enough, "{limits}: {said}");
        assert!(is_enough || said.contains("256 MiB"), "{said}");
    }
    let limited = run("fork", 50, "limits = { processes = 10 }").await;
    let said = format!("{}{}", limited.stdout, limited.stderr);
    assert_ne!(limited.code, Some(0), "{said}");
    assert!(said.contains("only 9") || said.contains(NO_PIDS), "{said}");
    // Teardown starts providers from the record, which has to have the limits in it.
    let kept = shell.run_unnoted("grep -l limited *.json").await;
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
}

/// The cgroups that a process has made, wherever cgroups are mounted.
fn cgroups(process: u32) -> Vec<PathBuf> {
    let own = format!("tenon-{process}-");
    let mut found = Vec::new();
    let mut folders = vec![Path::new("/sys/fs/cgroup").to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            match entry.file_name().to_string_lossy().starts_with(&own) {
                true => found.push(entry.path()),
                false => folders.push(entry.path()),
            }
        }
    }
    found
}

/// The guardian ends all processes and removes the cgroups of a command that was killed.
#[tokio::test]
async fn a_killed_command_leaves_no_cgroup_behind() {
    let (shell, mark) = (shell(), Mark::new());
    let probe = "tenon call fork '{\"amount\":0}' --max-processes 100 -- python3 ./user";
    let refused = shell.run_unnoted(probe).await.stderr.contains(NO_PIDS);
    let processes = if refused { "" } else { "--max-processes 100" };
    let line = format!(
        "exec tenon call a --timeout none --verbose --max-memory 1GiB {processes} -- \
         sh -c 'sleep 300 & setsid sleep 300 & echo ready >&2; sleep 300'"
    );
    let mut child = shell.command(&line, &mark).spawn().expect("a shell");
    let id = child.id().expect("a process");
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let ended = tokio::time::timeout(Duration::from_secs(60), async {
        let mut ready = String::new();
        stderr.read_line(&mut ready).await.expect("text");
        assert_eq!(ready, "plugin: ready\n");
        assert!(refused || !cgroups(id).is_empty(), "no cgroup was made");
        let process = Pid::from_raw(id.cast_signed()).expect("an id");
        kill_process(process, Signal::KILL).expect("a living process");
        child.wait().await.expect("an exit status");
        while !cgroups(id).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    ended.await.expect("an end in time");
    mark.assert_nobody_left();
}
