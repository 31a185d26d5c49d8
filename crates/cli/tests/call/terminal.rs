//! `--repl` on a terminal: editing, history, Ctrl-C, questions at the prompt.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::shell::Shell;
use crate::tools;
use crate::trial::trial;

/// What is typed, and what is waited for before.
enum Step<'a> {
    Expect(&'a str),
    Send(&'a str),
    /// Wakes whoever reads this fifo.
    Open(&'a str),
}

use Step::{Expect, Open, Send};

const CONTROL_A: &str = "\u{1}";
const CONTROL_C: &str = "\u{3}";
const CONTROL_D: &str = "\u{4}";
const LEFT: &str = "\u{1b}[D";
const UP: &str = "\u{1b}[A";

/// Runs a line of shell on a terminal; gives its exit code and what was on the screen.
async fn at_a_terminal(shell: &Shell, line: &str, steps: &[Step<'_>]) -> (i64, String) {
    let steps: Vec<Value> = steps
        .iter()
        .map(|step| match step {
            Expect(text) => json!(["expect", text]),
            Send(text) => json!(["send", text]),
            Open(fifo) => json!(["open", fifo]),
        })
        .collect();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/call/terminal.py");
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let command = format!(
        "TERM=xterm XDG_STATE_HOME=$PWD/state python3 {} {} sh -c {}",
        driver.display(),
        quoted(&Value::from(steps).to_string()),
        quoted(line)
    );
    let outcome = shell.run_unnoted(&command).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let said: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let screen = said["screen"].as_str().expect("text").replace('\r', "");
    (said["code"].as_i64().expect("a code"), screen)
}

const REPL: &str = "exec tenon call --repl -- tenon echo";

#[tokio::test]
async fn lines_are_edited() {
    trial(tools::python(), async |_, _| {
        let steps = [
            Expect("> "),
            Send("cho [1,2"),
            Send(CONTROL_A),
            Send("ex"),
            Send("\u{7f}"),
            Send("\u{5}"),
            Send(",9"),
            Send(LEFT),
            Send("8]"),
            // What is behind the cursor is taken away.
            Send("\u{b}\r"),
            Expect("  8\r\n]\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let shell = Shell::new();
        let (code, screen) = at_a_terminal(&shell, REPL, &steps).await;
        assert_eq!(code, 0, "{screen}");
        // Results are laid out for reading.
        assert!(screen.contains("[\n  1,\n  2,\n  8\n]"), "{screen}");
    })
    .await;
}

#[tokio::test]
async fn history_goes_from_one_session_to_the_next() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "exec tenon call --repl --mask password -- tenon echo";
        let steps = [
            Expect("> "),
            Send("add [20,22]\r"),
            Expect("42"),
            Expect("> "),
            Send("echo {\"Password\":\"hunter2\"}\r"),
            Expect("}\r\n"),
            Expect("> "),
            Send(UP),
            Send("\r"),
            Expect("\r\n42"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
        let history = shell.path("state/tenon/call_history");
        let mode = std::fs::metadata(&history)
            .expect("a history")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let remembered = std::fs::read_to_string(&history).expect("text");
        assert!(remembered.contains("add [20,22]"), "{remembered}");
        assert!(!remembered.contains("hunter2"), "{remembered}");

        let steps = [
            Expect("> "),
            Send(UP),
            Send("\r"),
            Expect("\r\n42"),
            Expect("> "),
            Send(":quit\r"),
        ];
        let (code, screen) = at_a_terminal(&shell, REPL, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

#[tokio::test]
async fn control_c_cancels_the_calls_and_not_the_session() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "exec tenon call --repl --protocol ipc --trace --timeout none -- tenon echo";
        let steps = [
            Expect("> "),
            // One that runs beside the others, one that is waited for.
            Send("sleep {\"ms\":500000} &\r"),
            Expect("→ {\"jsonrpc\":\"2.0\",\"id\":1,"),
            Send("sleep {\"ms\":600000}\r"),
            Expect("→ {\"jsonrpc\":\"2.0\",\"id\":2,"),
            Send(CONTROL_C),
            Expect("cancelled sleep"),
            Expect("cancelled [1] sleep"),
            Expect("> "),
            Send("add [1,2]\r"),
            Expect("\r\n3\r\n"),
            Expect("> "),
            Send("sleep {\"ms\":700000} &\r"),
            Expect("→ {\"jsonrpc\":\"2.0\",\"id\":4,"),
            // At the prompt it is not a signal, and does the same.
            Send(CONTROL_C),
            Expect("cancelled [2] sleep"),
            Expect("> "),
            Send("add [3,4]\r"),
            Expect("\r\n7\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
        for id in [1, 2, 4] {
            let frame = format!("\"method\":\"$/cancelRequest\",\"params\":{{\"id\":{id}}}");
            assert!(screen.contains(&frame), "{screen}");
        }
    })
    .await;
}

#[tokio::test]
async fn without_a_cancellation_that_is_said() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "exec tenon call --repl --trace --timeout none -- tenon echo";
        let steps = [
            Expect("> "),
            Send("sleep {\"ms\":600000}\r"),
            Expect("→"),
            Send(CONTROL_C),
            Expect("stopped waiting for sleep, which may still be running: json-rpc has no cancellation"),
            Expect("> "),
            Send("add [1,2]\r"),
            Expect("\r\n3\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

#[tokio::test]
async fn questions_are_asked_at_the_prompt() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let steps = [
            Expect("> "),
            Send("call_back {\"method\":\"who\",\"params\":[7]}\r"),
            Expect("request who [7]"),
            Expect("who? "),
            // It is asked again until it is JSON.
            Send("me\r"),
            Expect("error: the answer is not JSON"),
            Expect("who? "),
            Send("\"me\"\r"),
            Expect("\r\n\"me\"\r\n"),
            // Nothing refuses.
            Expect("> "),
            Send("call_back {\"method\":\"who\"}\r"),
            Expect("who? "),
            Send("\r"),
            Expect("error: Method not found"),
            // While a line is typed, it waits until that is entered.
            Expect("> "),
            Send("call_back {\"method\":\"late\"} &\r"),
            Expect("request late"),
            Expect("press Enter on an empty line to answer it"),
            Send("\r"),
            Expect("late? "),
            Send("5\r"),
            Expect("[1] call_back\r\n"),
            Expect("5\r\n"),
            Expect("> "),
            Send(":answer who 6\r"),
            Expect("> "),
            Send("call_back {\"method\":\"who\"}\r"),
            Expect("request who -> 6"),
            Expect("\r\n6\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, REPL, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

/// A question is opened by an empty line or by `:wait`, and Ctrl-C at it ends nothing but what
/// asked.
#[tokio::test]
async fn questions_wait_for_an_empty_line() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let steps = [
            Expect("> "),
            Send("call_back {\"method\":\"first\"} &\r"),
            Expect("press Enter on an empty line to answer it"),
            Send(":wait\r"),
            Expect("first? "),
            Send("1\r"),
            Expect("[1] call_back\r\n1\r\n"),
            Expect("> "),
            Send("call_back {\"method\":\"second\"} &\r"),
            Expect("press Enter on an empty line to answer it"),
            Send("\r"),
            Expect("second? "),
            Send(CONTROL_C),
            Expect("stopped waiting for [2] call_back"),
            Expect("> "),
            Send("call_back {\"method\":\"third\"}\r"),
            Expect("third? "),
            Send(CONTROL_C),
            Expect("stopped waiting for call_back"),
            Expect("> "),
            Send(CONTROL_C),
            Expect("nothing is running; Ctrl-D ends the session"),
            Expect("> "),
            Send("call_back {\"method\":\"fourth\"} &\r"),
            Expect("press Enter on an empty line to answer it"),
            Send(":answer fourth 4\r"),
            Expect("[3] call_back\r\n"),
            Expect("4\r\n"),
            Expect("> "),
            // A line that is not empty is not held back.
            Send("call_back {\"method\":\"fifth\"} &\r"),
            Expect("press Enter on an empty line to answer it"),
            Send("add [20,22]\r"),
            Expect("\r\n42\r\n"),
            Expect("> "),
            Send("\r"),
            Expect("fifth? "),
            Send("\"hunter2\"\r"),
            Expect("[4] call_back\r\n"),
            Expect("\"hunter2\"\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, REPL, &steps).await;
        assert_eq!(code, 0, "{screen}");
        let history = std::fs::read_to_string(shell.path("state/tenon/call_history"));
        let history = history.expect("a history");
        assert!(history.contains("add [20,22]"), "{history}");
        assert!(
            !history.contains("hunter2"),
            "answers are not kept: {history}"
        );
    })
    .await;
}

/// A flood of events neither blocks the session nor loses what is typed.
#[tokio::test]
async fn a_flood_of_events_while_typing() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let steps = [
            Expect("> "),
            Send("emit {\"count\":2000} &\r"),
            Send("add [1,1]\r"),
            Send("emit {\"count\":2000} &\r"),
            Send("add [2,2]\r"),
            Send("emit {\"count\":2000} &\r"),
            Send(":wait\r"),
            Send("echo \"the end\"\r"),
            Expect("\r\n\"the end\"\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, REPL, &steps).await;
        assert_eq!(code, 0, "{screen}");
        for result in ["\n2\n", "\n4\n", "\n2000\n"] {
            assert!(screen.contains(result), "no {result:?}");
        }
    })
    .await;
}

/// What comes while a line is typed stands above it, and the line is whole afterwards.
#[tokio::test]
async fn events_do_not_tear_the_line() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        // Its event comes when the fifo is opened.
        shell.file(
            "plugin.py",
            "import json, sys\n\
             for line in sys.stdin:\n\
             \x20   request = json.loads(line)\n\
             \x20   if request['method'] == 'later':\n\
             \x20       open('go').read()\n\
             \x20       print(json.dumps({'jsonrpc': '2.0', 'method': 'news', 'params': [1]}), flush=True)\n\
             \x20   print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': request.get('params')}), flush=True)\n",
        );
        let line = "mkfifo go; exec tenon call --repl --timeout none -- python3 plugin.py";
        let steps = [
            Expect("> "),
            Send("later {} &\r"),
            Expect("> "),
            Send("echo [\"half"),
            Expect("echo [\"half"),
            Open("go"),
            Expect("event news [1]\r\n"),
            Expect("> echo [\"half"),
            Send(" and half\"]\r"),
            Expect("\"half and half\""),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

/// The terminal is as it was before, even if the other side ends while a line is typed.
#[tokio::test]
async fn the_terminal_is_left_as_it_was() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "stty -a > before; tenon call --repl -- tenon echo; echo \"code $?\"; \
            stty -a > after; cmp before after && echo the same";
        let steps = [
            Expect("> "),
            Send("exit {\"code\":4} &\r"),
            Expect("error: the plugin ended"),
            Expect("code 3"),
            Expect("the same"),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

/// The prompt is for people; whoever reads results gets nothing else.
#[tokio::test]
async fn the_prompt_is_not_among_the_results() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "tenon call --repl -- tenon echo > results; cat results; echo end";
        let steps = [
            Expect("> "),
            Send("add [1,2]\r"),
            Expect("> "),
            Send("tex\t"),
            Send("\u{15}"),
            Send(CONTROL_D),
            Expect("end"),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
        let results = std::fs::read_to_string(shell.path("results")).expect("results");
        assert_eq!(results, "3\n");
    })
    .await;
}

#[tokio::test]
async fn names_are_completed() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = "exec tenon call --repl --protocol mcp --trace -- tenon echo";
        let steps = [
            Expect("> "),
            Send("tools/c\t"),
            Expect("tools/call"),
            Send(" {}\r"),
            Expect("\"method\":\"tools/call\""),
            Expect("error: Method not found"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let (code, screen) = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(code, 0, "{screen}");
    })
    .await;
}

/// A terminal window that is closed sends SIGHUP: an exit code of its own, not a death by the signal.
#[tokio::test]
async fn a_hang_up_ends_the_session() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = format!("mkfifo go; (cat go; kill -HUP $$) > seen & {REPL}");
        let (code, _) = at_a_terminal(&shell, &line, &[Expect("> "), Open("go")]).await;
        assert_eq!(code, 130);
    })
    .await;
}
