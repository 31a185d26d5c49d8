//! `tenon acp chat` on a terminal: streaming, keys, Ctrl-C, completion and colours.

use super::chat::shell;
use crate::support::terminal::Step::{Expect, Open, Send};
use crate::support::terminal::{CONTROL_C, CONTROL_D, at_a_terminal, session};
use crate::support::tools;
use crate::support::trial::trial;

const CHAT: &str = "exec tenon acp chat -- python3 agent.py";

#[tokio::test]
async fn prompts_are_answered_until_the_user_ends() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("test 1 in "),
            Expect("> "),
            Send("hello\r"),
            Expect("you said: hello\r\n"),
            Expect("> "),
            Send("think\r"),
            Expect("let me see\r\ndone\r\n"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
        assert!(
            ended.raw.contains("\u{1b}[2mlet me see\u{1b}[0m"),
            "thoughts are dim: {:?}",
            ended.raw
        );
        // Without colours.
        let steps = [
            Expect("> "),
            Send("think\r"),
            Expect("done\r\n"),
            Expect("> "),
            Send(":quit\r"),
        ];
        let line = format!("NO_COLOR=1 {}", CHAT.trim_start_matches("exec "));
        let ended = at_a_terminal(&shell, &line, &steps).await;
        assert!(!ended.raw.contains("\u{1b}[2m"), "{:?}", ended.raw);
    })
    .await;
}

#[tokio::test]
async fn permissions_are_answered_by_keys() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("edit notes.txt\r"),
            Expect("? edit: Edit notes.txt"),
            Expect("- two"),
            Expect("+ 2"),
            Expect("[y] Allow once  [a] Always allow  [n] Reject\r\n"),
            // Not a choice.
            Send("x"),
            Send("n"),
            Expect("Reject"),
            Expect("answer: no"),
            Expect("> "),
            Send("edit notes.txt\r"),
            Expect("[y] Allow once"),
            Expect("[n] Reject\r\n"),
            Send("y"),
            Expect("✓ edit: Edit notes.txt"),
            Expect("answer: once"),
            Expect("> "),
            // Asked by this client, because the agent does not.
            Send("write other.txt\r"),
            Expect("? edit: Write "),
            Expect("+ x"),
            Expect("[n] Reject\r\n"),
            Send("a"),
            Expect("wrote "),
            Expect("other.txt (1 bytes)"),
            Expect("written"),
            Expect("> "),
            Send("write third.txt\r"),
            Expect("written"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
        assert!(
            ended.raw.contains("\u{1b}[31m  - two\u{1b}[0m"),
            "{:?}",
            ended.raw
        );
        assert!(shell.path("third.txt").exists());
    })
    .await;
}

/// Nobody can allow what is not shown.
#[tokio::test]
async fn a_question_shows_all_of_a_command_and_of_a_change() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        shell.file(
            "run.txt",
            &format!("run true {} the-end-of-it", "x".repeat(3000)),
        );
        shell.file("long.txt", "old\n");
        let steps = [
            Expect("> "),
            Send("run-file run.txt\r"),
            Expect("? execute: long"),
            Expect("command: true xxx"),
            Expect("the-end-of-it"),
            Expect("[n] Reject\r\n"),
            Send("n"),
            Expect("answer: no"),
            Expect("> "),
            Send("write-lines long.txt\r"),
            Expect("? edit: Write "),
            Expect("- old"),
            Expect("+ line 99"),
            Expect("[n] Reject\r\n"),
            Send("n"),
            Expect("refused"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
    })
    .await;
}

/// Also what is beside a change: a permission covers all that the request states.
#[tokio::test]
async fn a_question_shows_what_is_beside_a_change() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("hide\r"),
            Expect("? edit: Edit a.txt"),
            Expect("+ two"),
            Expect(r#"input: {"cmd":"touch evil","path":"b.txt"}"#),
            Expect("/c.txt\r\n"),
            Expect("[n] Reject\r\n"),
            Send("n"),
            Expect("asked"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
        assert!(!ended.screen.contains("old_string"), "{}", ended.screen);
    })
    .await;
}

#[tokio::test]
async fn a_permission_covers_what_its_question_has_shown() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("replace\r"),
            Expect("command: true"),
            Expect("[n] Reject\r\n"),
            Send("y"),
            Expect("answer: once"),
            Expect("? execute: Run touch evil"),
            Expect("[n] Reject\r\n"),
            Send("n"),
            Expect("refused"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
        assert!(!shell.path("evil").exists());
    })
    .await;
}

/// The agent's own "always" is about the command that was shown.
#[tokio::test]
async fn always_is_about_one_command() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("run true\r"),
            Expect("[a] Always allow"),
            Expect("[n] Reject\r\n"),
            Send("a"),
            Expect("exitCode"),
            Expect("> "),
            Send("start true\r"),
            Expect("started"),
            Expect("> "),
            Send("start touch evil\r"),
            Expect("? execute: Run touch evil"),
            Expect("[y] Allow  [a] Always allow this command  [n] Reject\r\n"),
            Send("n"),
            Expect("refused"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 0, "{}", ended.screen);
        assert!(!shell.path("evil").exists());
    })
    .await;
}

#[tokio::test]
async fn keys_typed_before_a_question_do_not_answer_it() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("slow notes.txt\r"),
            Expect("working"),
            Send("y"),
            Open("go"),
            Expect("[n] Reject\r\n"),
            Send("n"),
            Expect("answer: no"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        session(&shell, &format!("mkfifo go; {CHAT}"), &steps).await;
    })
    .await;
}

#[tokio::test]
async fn control_c_cancels_the_turn_and_a_second_one_ends() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("hang\r"),
            Expect("working"),
            Send(CONTROL_C),
            Expect("cancelling"),
            Expect("cancelled"),
            Expect("> "),
            // Also while a permission is asked for, which is answered with `cancelled`.
            Send("ask-forever\r"),
            Expect("[n] Reject\r\n"),
            Send(CONTROL_C),
            Expect("answer: cancelled"),
            Expect("> "),
            Send("say still here\r"),
            Expect("still here"),
            Expect("> "),
            Send("ignore\r"),
            Expect("working"),
            Send(CONTROL_C),
            Expect("press Ctrl-C again"),
            Send(CONTROL_C),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 130, "{}", ended.screen);
        // At the prompt there is nothing to cancel.
        let steps = [
            Expect("> "),
            Send(CONTROL_C),
            Expect("press Ctrl-C again"),
            Expect("> "),
            Send(CONTROL_C),
        ];
        session(&shell, CHAT, &steps).await;
    })
    .await;
}

#[tokio::test]
async fn commands_are_completed_and_modes_changed() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        std::fs::write(shell.path("a.png"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        let steps = [
            Expect("> "),
            Send("/rev\t"),
            Expect("/review "),
            Send("now\r"),
            Expect("you said: /review now"),
            Expect("> "),
            Send(":image a.p\t\r"),
            Expect("a.png"),
            Expect("1 image goes with the next prompt"),
            Expect("> "),
            Send("blocks\r"),
            Expect("text image"),
            Expect("> "),
            Send(":mode\r"),
            Expect("* ask  Ask"),
            Expect("> "),
            Send(":mode code\r"),
            Expect("mode: code"),
            Expect("> "),
            Send(":mode\r"),
            Expect("* code  Code"),
            Expect("> "),
            Send(":commands\r"),
            Expect("/init  Begin"),
            Expect("> "),
            Send(":sessions\r"),
            Expect("old  2026-01-02T00:00:00Z  Greetings"),
            Expect("> "),
            Send(":moed\r"),
            Expect("did you mean `:mode`?"),
            Expect("> "),
            Send(":help\r"),
            Expect("Lines at the prompt:"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        session(&shell, CHAT, &steps).await;
    })
    .await;
}

#[tokio::test]
async fn a_session_is_resumed_with_its_history() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> hello there"),
            Expect("hello yourself"),
            Expect("> "),
            Send("say back\r"),
            Expect("\r\nback"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        session(
            &shell,
            "exec tenon acp chat --resume -- python3 agent.py",
            &steps,
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn questions_with_a_form_are_asked_field_by_field() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("form\r"),
            Expect("? Who are you?"),
            Expect("Your name: "),
            Send("\r"),
            Expect("a value is required"),
            Expect("Your name: "),
            Send("Ada\r"),
            Expect("1) red"),
            Expect("A colour (a number or a name; optional): "),
            Send("2\r"),
            Expect(
                "{\"action\": \"accept\", \"content\": {\"colour\": \"green\", \"name\": \"Ada\"}}",
            ),
            Expect("> "),
            Send(CONTROL_D),
        ];
        session(&shell, CHAT, &steps).await;
    })
    .await;
}

#[tokio::test]
async fn answers_to_forms_are_checked() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("long-form\r"),
            Expect("Port (a whole number from 1 to 9) [7]: "),
            Send("10\r"),
            Expect("at most 9 allowed"),
            Expect("[7]: "),
            Send("\r"),
            Expect("Where to write to"),
            Expect("example.org): "),
            Send("ada\r"),
            Expect("this is not an email address, such as ada@example.org\r\n"),
            Expect("example.org): "),
            Send("ada@example.org\r"),
            Expect("separated by commas; optional): "),
            Send("1, 2, 3\r"),
            Expect("at most 2 values allowed; this has 3"),
            Expect("optional): "),
            Send("1, c\r"),
            Expect("sure (yes or no; optional): "),
            Send("\r"),
            Expect(r#"{"mail": "ada@example.org", "port": 7, "tools": ["a", "c"]}"#),
            Expect("> "),
            // Ctrl-D declines, and Ctrl-C cancels the turn.
            Send("form\r"),
            Expect("Your name: "),
            Send(CONTROL_D),
            Expect(r#"{"action": "decline"}"#),
            Expect("> "),
            Send("form\r"),
            Expect("Your name: "),
            Send(CONTROL_C),
            Expect("cancelling"),
            Expect(r#"{"action": "cancel"}"#),
            Expect("> "),
            // The agent is told what is wrong with its own question.
            Send("nested-form\r"),
            Expect(r#"field "x": the type "object" cannot be asked for"#),
            Expect("> "),
            Send(CONTROL_D),
        ];
        session(&shell, CHAT, &steps).await;
    })
    .await;
}

#[tokio::test]
async fn a_question_that_is_withdrawn_disappears() {
    trial(tools::python(), async |_, _| {
        for (what, last, rows, title) in [
            ("permission", "[n] Reject\r\n", 9, "edit: Edit notes.txt"),
            ("form", "Your name (optional): ", 2, "Who are you?"),
        ] {
            let shell = shell();
            let prompt = format!("withdraw {what}\r");
            let note = format!("this is no longer asked: {title}\r\nnever mind");
            let steps = [
                Expect("> "),
                Send(&prompt),
                Expect(last),
                Open("go"),
                Expect(&note),
                // A key that was meant for the question is not a part of the next prompt.
                Expect("> "),
                Send("say still here\r"),
                Expect("still here"),
                Expect("> "),
                Send(CONTROL_D),
            ];
            let ended = at_a_terminal(&shell, &format!("mkfifo go; {CHAT}"), &steps).await;
            assert_eq!(ended.code, 0, "{}", ended.screen);
            let erasure = format!("\r\u{1b}[{rows}A\u{1b}[J");
            assert!(ended.raw.contains(&erasure), "{:?}", ended.raw);
        }
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_dies_while_it_asks_ends_the_chat() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("die-asking\r"),
            Expect("[n] Reject\r\n"),
            Open("go"),
            Expect("python3 agent.py"),
            Expect("it ended with signal: 9 (SIGKILL)"),
            Expect("no more memory"),
        ];
        let ended = at_a_terminal(&shell, &format!("mkfifo go; {CHAT}"), &steps).await;
        assert_eq!(ended.code, 3, "{}", ended.screen);
    })
    .await;
}

#[tokio::test]
async fn a_failed_turn_does_not_end_the_chat_and_an_agent_that_dies_does() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("fail\r"),
            Expect("the model is down"),
            Expect("> "),
            Send("refuse\r"),
            Expect("refused to continue"),
            Expect("> "),
            Send("die\r"),
            Expect("half a sen\r\n"),
            Expect("out of memory"),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        assert_eq!(ended.code, 3, "{}", ended.screen);
    })
    .await;
}

#[tokio::test]
async fn control_characters_do_not_reach_the_terminal() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let steps = [
            Expect("> "),
            Send("evil\r"),
            Expect("next line"),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let ended = at_a_terminal(&shell, CHAT, &steps).await;
        for sequence in ["\u{1b}[2J", "\u{1b}]0;", "\u{202e}"] {
            assert!(!ended.raw.contains(sequence), "{:?}", ended.raw);
        }
    })
    .await;
}
