//! What `tenon new` and `tenon dev` refuse, and what they ask.

use insta::assert_snapshot;

use crate::support::shell::Shell;
use crate::support::terminal::Step::{Expect, Send};
use crate::support::terminal::{CONTROL_C, CONTROL_D, at_a_terminal, session};
use crate::support::tools;
use crate::support::trial::trial;

#[tokio::test]
async fn nothing_is_overwritten() {
    let mut shell = Shell::new();
    std::fs::create_dir(shell.path("empty")).expect("a folder");
    shell.file("notes", "mine");
    std::os::unix::fs::symlink("nowhere", shell.path("link")).expect("a link");
    for name in ["empty", "notes", "link"] {
        shell.run(&format!("tenon new {name} --lang bash")).await;
    }
    shell.run("tenon new nowhere/weather --lang bash").await;
    assert_eq!(std::fs::read(shell.path("notes")).expect("a file"), b"mine");
    let left = shell.run_unnoted("ls -A empty; ls -A | sort").await;
    assert_eq!(left.stdout, "empty\nlink\nnotes\n");
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn invalid_names() {
    let mut shell = Shell::new();
    for name in [
        "My_Tool",
        "2fast",
        "a--b",
        "-- -a",
        "terraform-provider-x",
        "test",
        "sqlite",
        ".",
        "é",
    ] {
        shell.run(&format!("tenon new --lang bash {name}")).await;
    }
    shell.run("tenon new json --lang python").await;
    shell.run("tenon new async --lang rust").await;
    shell
        .run("tenon new weather --lang bash --kind storage")
        .await;
    shell.run("tenon new weather --lang bash --kind hook").await;
    shell.run("tenon new weather --lang go").await;
    shell.run("tenon new").await;
    let left = shell.run_unnoted("ls -A").await;
    assert_eq!(left.stdout, "");
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn help() {
    let mut shell = Shell::new();
    shell.run("tenon new --help").await;
    shell.run("tenon dev --help").await;
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn a_terminal_is_asked_for_what_is_not_given() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let steps = [
            Expect("Language (python, typescript, rust, bash) [python]: "),
            Send("bsh\r"),
            Expect("unknown choice `bsh`; did you mean `bash`?"),
            Expect("Language"),
            Send("bash\r"),
            Expect("Kind (all, function, action, resource, storage, hook) [all]: "),
            Send("\r"),
            Expect("created weather: a plugin in bash (all)"),
        ];
        session(&shell, "exec tenon new weather", &steps).await;
        assert!(shell.path("weather/weather").exists());
        // Only what is not given.
        let steps = [Expect("Kind"), Send("function\r"), Expect("created one")];
        session(&shell, "exec tenon new one --lang bash", &steps).await;
        let given = "exec tenon new two --lang bash --kind all";
        session(&shell, given, &[Expect("created two")]).await;
    })
    .await;
}

#[tokio::test]
async fn a_question_can_be_left() {
    trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        for key in [CONTROL_C, CONTROL_D] {
            let steps = [Expect("Language"), Send(key)];
            let ended = at_a_terminal(&shell, "exec tenon new weather", &steps).await;
            assert_eq!(ended.code, 130, "{}", ended.screen);
            assert!(!shell.path("weather").exists());
        }
    })
    .await;
}

#[tokio::test]
async fn a_folder_without_a_plugin_is_not_developed() {
    let mut shell = Shell::new();
    std::fs::create_dir(shell.path("weather")).expect("a folder");
    std::fs::create_dir(shell.path("My_Tool")).expect("a folder");
    shell.run("tenon dev nowhere").await;
    shell.run("tenon dev weather").await;
    shell.run("tenon dev My_Tool").await;
    shell.run("tenon dev weather --once -- ./nothing").await;
    shell
        .run("tenon dev weather --once --json -- ./nothing")
        .await;
    assert_snapshot!(without_durations(shell.transcript()));
}

/// How long a step took is never the same.
fn without_durations(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines() {
        let cut = line
            .find("  failed")
            .filter(|_| line.ends_with(" ms") || line.ends_with(" s"));
        let end = cut.and_then(|_| line.rfind("  ")).unwrap_or(line.len());
        let line = match line[..end].split_once("\"milliseconds\":") {
            Some((before, after)) => {
                let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                format!("{before}\"milliseconds\":0{rest}")
            }
            None => line[..end].to_owned(),
        };
        plain.push_str(&line);
        plain.push('\n');
    }
    plain
}
