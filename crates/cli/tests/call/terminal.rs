//! `--repl` on a terminal: editing, history, Ctrl-C, and what is printed while a line is typed.

use std::os::unix::fs::PermissionsExt;

use crate::support::shell::Shell;
use crate::support::terminal::Step::{Expect, Open, Send};
use crate::support::terminal::{
    CONTROL_A, CONTROL_C, CONTROL_D, LEFT, REPL, UP, at_a_terminal, session,
};
use crate::support::tools;
use crate::support::trial::trial;

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
        let screen = session(&shell, REPL, &steps).await;
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
        session(&shell, line, &steps).await;
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
        session(&shell, REPL, &steps).await;
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
        let screen = session(&shell, line, &steps).await;
        for id in [1, 2, 4] {
            let frame = format!("\"method\":\"$/cancelRequest\",\"params\":{{\"id\":{id}}}");
            assert!(screen.contains(&frame), "{screen}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_protocol_without_cancellation_is_reported() {
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
        session(&shell, line, &steps).await;
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
        let screen = session(&shell, REPL, &steps).await;
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
        session(&shell, line, &steps).await;
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
        session(&shell, line, &steps).await;
    })
    .await;
}

/// The prompt is for people; stdout has results alone.
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
        session(&shell, line, &steps).await;
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
        session(&shell, line, &steps).await;
    })
    .await;
}

/// A terminal window that is closed sends SIGHUP: an exit code of its own, not a death by the signal.
#[tokio::test]
async fn a_hang_up_ends_the_session() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let line = format!("mkfifo go; (cat go; kill -HUP $$) > seen & {REPL}");
        let session = at_a_terminal(&shell, &line, &[Expect("> "), Open("go")]).await;
        assert_eq!(session.code, 130, "{}", session.screen);
    })
    .await;
}

/// A plugin that does not end is waited for, but not against the user's will.
#[tokio::test]
async fn control_c_ends_the_goodbye() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        shell.file(
            "plugin.py",
            "import sys, time\nsys.stdin.read()\nprint('stdin ended', file=sys.stderr, flush=True)\n\
             time.sleep(1000)\n",
        );
        let line = "exec tenon call --repl --verbose -- python3 plugin.py";
        let steps = [
            Expect("> "),
            Send(CONTROL_D),
            Expect("plugin: stdin ended"),
            Send(CONTROL_C),
            Expect("error: interrupted"),
        ];
        let session = at_a_terminal(&shell, line, &steps).await;
        assert_eq!(session.code, 130, "{}", session.screen);
    })
    .await;
}
