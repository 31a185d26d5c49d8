//! Limits on open files (`ulimit -n`): too few to start, and used up by clients.

use std::time::Duration;

use serde_json::json;

use crate::serving::Serving;
use crate::support::program::in_time;
use crate::support::shell::Shell;
use crate::wire::Wire;

const SCENARIO: &str = r#"
scenario "demo" {
  required_providers {
    file = { source = "builtin/file" }
  }

  action "file_write" "greeting" {
    path    = "greeting.txt"
    content = "hello"
  }
}
"#;

/// Below some limit nothing can be done, but what is wrong is said.
#[tokio::test]
async fn with_few_open_files_commands_fail_but_do_not_panic() {
    let shell = Shell::new();
    shell.file("demo.hcl", SCENARIO);
    shell.file("limited", "ulimit -n $1; shift; exec \"$@\"\n");
    for command in [
        "tenon call add '[1,2]' -- tenon echo",
        "tenon serve --socket ./s --no-restart -- sh -c 'exit 7'",
        "tenon plan demo.hcl",
        "tenon run demo.hcl",
    ] {
        let line = format!(
            "for limit in $(seq 3 40); do sh limited $limit {command} >output 2>&1; code=$?; \
                echo \"$limit $code $(tr '\\n' ' ' <output)\"; done"
        );
        let outcome = shell.run_unnoted(&line).await;
        let mut explained = 0;
        for told in outcome.stdout.lines() {
            assert!(!told.contains("panicked"), "{command}: {told}");
            let code: i32 = told.split(' ').nth(1).unwrap().parse().unwrap();
            assert!(code != 101 && code < 128, "{command}: {told}");
            if told.contains("raise the limit with `ulimit -n") {
                explained += 1;
                assert_eq!(code, 3, "{command}: {told}");
            }
        }
        assert_eq!(outcome.stdout.lines().count(), 38, "{command}");
        assert!(explained > 0, "{command}: {}", outcome.stdout);
    }
}

/// A server that starts can serve at least one client, however low the limit of open files is.
#[tokio::test]
async fn a_server_without_room_for_a_client_does_not_start() {
    let (mut refused, mut serving_limits) = (0, 0);
    for limit in (16..64).step_by(2) {
        let shell = Shell::new();
        shell.file("limited", &format!("ulimit -n {limit}; exec \"$@\"\n"));
        let serving = Serving::spawn_as(shell, "sh limited tenon", "-- tenon echo");
        let told = in_time("a server that listens or ends", async {
            loop {
                let told = serving.program.stderr.text();
                if told.contains("ulimit -n") || told.contains("listening on") {
                    return told;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        if told.contains("ulimit -n") {
            refused += 1;
            let ended = serving.ended().await;
            assert_eq!(ended.code, Some(3), "{limit}: {}", ended.stderr);
        } else {
            serving_limits += 1;
            let answer = serving.wire().answer(json!(1), "add", json!([1, 2]));
            assert_eq!(answer["result"], 3, "{limit}: {answer}");
            serving.stop().await;
        }
    }
    assert!(refused > 0 && serving_limits > 0);
}

/// Whatever clients do, there is room for a plugin that must be started again.
#[tokio::test]
async fn clients_leave_room_for_the_plugin() {
    let shell = Shell::new();
    shell.file("limited", "ulimit -n 100; exec \"$@\"\n");
    let mut serving = Serving::spawn_as(shell, "sh limited tenon", "-v -- tenon echo");
    serving.listens().await;
    let mut first = serving.wire();
    assert_eq!(first.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    let crowd: Vec<Wire> = (0..120).map(|_| serving.wire()).collect();
    let refusal = "this server has reached its limit of open files";
    serving.says(refusal).await;
    first.ask(json!(2), "exit", json!({ "code": 4 }));
    serving.says("exit status: 4; restarting").await;
    assert!(first.message().get("error").is_some());
    assert_eq!(first.answer(json!(3), "add", json!([3, 4]))["result"], 7);
    drop(crowd);
    let let_in = async { while serving.call("add '[5,6]'").await.stdout != "11\n" {} };
    in_time("room for others", let_in).await;
    serving.stop().await;
}

/// A server with many clients needs more than the usual 1,024, and its plugin may not want that.
#[tokio::test]
async fn the_limit_is_raised_for_the_server_but_not_for_its_plugin() {
    let shell = Shell::new();
    shell.file("limited", "ulimit -Sn 70; exec \"$@\"\n");
    let plugin = "-- sh -c 'ulimit -Sn >limit; exec tenon echo'";
    let mut serving = Serving::spawn_as(shell, "sh limited tenon", plugin);
    serving.listens().await;
    assert_eq!(
        serving.wire().answer(json!(1), "add", json!([1, 2]))["result"],
        3
    );
    let limit = std::fs::read_to_string(serving.shell.path("limit")).unwrap();
    assert_eq!(limit, "70\n");
    let processes = serving.program.processes();
    let is_server = |(_, command): &&(i32, String)| command.contains("serve");
    let (server, _) = processes.iter().find(is_server).unwrap();
    let file = std::fs::read_to_string(format!("/proc/{server}/limits")).unwrap();
    let line = file.lines().find(|line| line.starts_with("Max open files"));
    let numbers: Vec<&str> = line.unwrap().split_ascii_whitespace().collect();
    assert_eq!(numbers[3], numbers[4], "soft and hard");
    serving.stop().await;
}
