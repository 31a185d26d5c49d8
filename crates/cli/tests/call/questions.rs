//! Requests of the plugin that a person answers at the prompt of `--repl`.

use crate::support::shell::Shell;
use crate::support::terminal::Step::{Expect, Send};
use crate::support::terminal::{CONTROL_C, CONTROL_D, REPL, session};
use crate::support::tools;
use crate::support::trial::trial;

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
        session(&shell, REPL, &steps).await;
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
        session(&shell, REPL, &steps).await;
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
