//! `--repl` with a script on stdin.

use insta::assert_snapshot;

use crate::support::shell::Shell;

async fn transcript(lines: &[(&str, &str)]) -> String {
    let mut shell = Shell::new();
    for (options, script) in lines {
        shell.file("script", script);
        let line = format!("cat script; tenon call --repl {options} -- tenon echo < script");
        shell.run(&line).await;
    }
    shell.transcript().to_owned()
}

#[tokio::test]
async fn events() {
    let script = "!tick {\"number\":0}\n! tick {\"number\":1}\nticks\n!\n!tick {wrong\nticks\n";
    assert_snapshot!(transcript(&[("", script), ("--dialect msgpack-rpc", script)]).await);
}

#[tokio::test]
async fn variables_from_results() {
    let script = "\
first = echo {\"items\":[{\"id\":1.10,\"odd name\":\"$first\"}],\"big\":1e400}
echo [$first.items[0].id, $first.big, $first.items[0][\"odd name\"], \"$first\"]
add [20,22]
echo {\"sum\":$_}
limit = [5]
$limit[0]
other = $first.items
$other
:vars
echo $nothing
echo $first.items[7]
$first.item
";
    assert_snapshot!(transcript(&[("", script), ("--json", script)]).await);
}

#[tokio::test]
async fn several_calls_at_the_same_time() {
    // The first is answered last: nothing waits for it until it has to.
    let script = "\
slow = sleep {\"ms\":300} &
add [1,2]
:wait
$slow
fail {\"code\":7,\"message\":\"as asked\"} &
";
    assert_snapshot!(transcript(&[("", script), ("--json", script)]).await);
}

#[tokio::test]
async fn events_are_waited_for() {
    // The one has come already, the other comes while it is waited for, the last never does.
    let script = "\
emit {\"count\":3}
:wait tick
echo [$_.number]
:wait tick
$_
:wait tick
$_
emit {\"count\":1} &
:wait tick
:wait
$_
:wait tock
:wait a b
";
    let mut shell = Shell::new();
    shell.file("script", script);
    shell
        .run("tenon call --repl --timeout 2s -- tenon echo < script")
        .await;
    shell.file("gone", "exit &\n:wait tick\n");
    let outcome = shell
        .run_unnoted("tenon call --repl --timeout none -- tenon echo < gone")
        .await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert_snapshot!(shell.transcript());
}

/// What is sent with `&` goes out before what the next line sends.
#[tokio::test]
async fn calls_go_out_in_order() {
    let shell = Shell::new();
    let lines: String = (0..20)
        .map(|n| format!("echo [{n}] &\n!tick {{\"number\":{n}}}\n"))
        .collect();
    shell.file("script", &lines);
    let line = "tenon call --repl --trace -- tenon echo < script 2>&1 >/dev/null | grep '^→'";
    let outcome = shell.run_unnoted(line).await;
    let sent: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(sent.len(), 40, "{sent:#?}");
    for (index, frame) in sent.iter().enumerate() {
        let expected = match index % 2 {
            0 => format!("\"params\":[{}]", index / 2),
            _ => format!("\"number\":{}", index / 2),
        };
        assert!(frame.contains(&expected), "{index}: {frame}");
    }
}

#[tokio::test]
async fn answers_to_requests() {
    let script = "\
call_back {\"method\":\"who\",\"params\":[1]}
:answer who {\"name\":\"me\"}
call_back {\"method\":\"who\"}
me = {\"name\":\"you\"}
:answer who [$me.name]
call_back {\"method\":\"who\"}
:answer who {
:answer
";
    let options = ["", "--dialect msgpack-rpc", "--json"];
    assert_snapshot!(transcript(&options.map(|options| (options, script))).await);
}

/// What stderr shows of events and requests is masked as the trace is; stdout has the data.
#[tokio::test]
async fn secrets_of_the_other_side_are_masked() {
    let shell = Shell::new();
    shell.file(
        "plugin",
        "read -r call; echo '{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"Token\":\"hunter2\"}}'; \
         echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"who\",\"params\":{\"token\":\"hunter2\"}}'; read -r answer; \
         echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"token\":\"hunter2\"}}'; cat > /dev/null",
    );
    let line =
        "tenon call get --trace --mask token --answer who='{\"token\":\"hunter2\"}' -- sh plugin";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(outcome.stdout, "{\"token\":\"hunter2\"}\n");
    let stderr = &outcome.stderr;
    assert!(!stderr.contains("hunter2"), "{stderr}");
    assert!(stderr.contains("event log {\"Token\":\"***\"}"), "{stderr}");
    let request = "request who {\"token\":\"***\"} -> {\"token\":\"***\"}";
    assert!(stderr.contains(request), "{stderr}");
}

#[tokio::test]
async fn a_line_that_is_not_utf8_fails_alone() {
    let shell = Shell::new();
    let line = "printf '# first\\nadd [1,2]\\necho \"\\377\"\\nadd [3,4]\\r\\nnope' | tenon call --repl -- tenon echo";
    let outcome = shell.run_unnoted(line).await;
    assert_eq!(outcome.stdout, "3\n7\n", "{}", outcome.stderr);
    let errors: Vec<&str> = outcome.stderr.lines().collect();
    let expected = [
        "error: line 3: the line is not UTF-8",
        "error: line 5: the peer answered with an error: Method not found (code -32601)",
        "  data: {\"method\":\"nope\"}",
        "error: 2 of 4 lines failed",
    ];
    assert_eq!(errors, expected);
    assert_eq!(outcome.code, Some(1));
}

/// Nothing that was asked for is passed over in silence when the other side ends.
#[tokio::test]
async fn what_is_left_when_the_other_side_ends() {
    let shell = Shell::new();
    shell.file(
        "script",
        "sleep {\"ms\":300000} &\nexit {\"code\":4}\n# a comment\nadd [1,2]\nadd [3,4]\n",
    );
    let outcome = shell
        .run_unnoted("tenon call --repl -- tenon echo < script")
        .await;
    let stderr = &outcome.stderr;
    assert_eq!(outcome.code, Some(3), "{stderr}");
    let first = "error: line 2: the plugin ended before it answered";
    assert!(stderr.starts_with(first), "{stderr}");
    let call = "[1] sleep\nerror: the plugin ended before it answered";
    assert!(stderr.contains(call), "{stderr}");
    let lines = "error: not run after line 2: 2 lines\n";
    assert!(stderr.ends_with(lines), "{stderr}");
}

#[tokio::test]
async fn answers_of_the_command_line() {
    let mut shell = Shell::new();
    shell.file("answer.json", "{\n  \"from\": \"a file\"\n}\n");
    let call = "tenon call call_back '{\"method\":\"who\"}'";
    for options in [
        "--answer who=1",
        "--answer other=1 --answer who=@answer.json",
        "--answer who='{\"$binary\":\"aGk=\"}' --dialect msgpack-rpc",
        "--answer who=1 --json",
        "--answer who",
        "--answer who={",
        "--answer who=@missing.json",
    ] {
        shell.run(&format!("{call} {options} -- tenon echo")).await;
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn commands() {
    let script = ":help\n:list\n:wiat\n:vars now\nx =\necho -\n:quit\nnever\n";
    assert_snapshot!(transcript(&[("", script), ("--protocol orchard", ":list\n")]).await);
}

/// SIGINT ends a script, whatever it is doing: only a person can go on from there.
#[tokio::test]
async fn a_script_is_interrupted_as_a_whole() {
    let shell = Shell::new();
    let line = "mkfifo calls; exec 3<> calls; echo 'sleep {\"ms\":300000} &' >&3; \
        tenon call --repl --trace -- tenon echo < calls 2> frames & \
        until grep -q sleep frames; do sleep 0.01; done; kill -INT $!; wait $!";
    let outcome = shell.run_unnoted(line).await;
    // A shell without job control starts what runs in the background with SIGINT ignored, which
    // our command undoes by listening for it.
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
}
