//! `tenon call`, and what it starts.

use crate::program::{Place, tenon};

#[test]
fn the_version_is_printed() {
    let printed = Place::new().tenon(["--version"]).printed();
    assert!(printed.starts_with("tenon "), "{printed}");
}

#[test]
fn a_plugin_answers() {
    let place = Place::new();
    let call = |method: &str, params: &str| {
        place
            .tenon(["call", method, params, "--", &tenon(), "echo"])
            .printed()
    };
    assert_eq!(call("add", "[1,2]"), "3\n");
    assert_eq!(
        call("echo", r#"{"text":"grüße 試験"}"#),
        "{\"text\":\"grüße 試験\"}\n"
    );
    // Windows' editors write lines that end so.
    place.write("params.json", "[\r\n  20,\r\n  22\r\n]\r\n");
    assert_eq!(call("add", "@params.json"), "42\n");
}

/// Longer than the 260 characters that old programs of Windows can use.
#[test]
fn a_file_can_have_a_long_path() {
    let place = Place::new();
    let folder = place.path(&vec!["long".repeat(20); 4].join("\\"));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("params.json");
    std::fs::write(&file, "[1,2]").unwrap();
    let params = format!("@{}", file.display());
    assert!(params.len() > 320);
    let printed = place
        .tenon(["call", "add", &params, "--", &tenon(), "echo"])
        .printed();
    assert_eq!(printed, "3\n");
}

#[test]
fn lines_may_end_as_windows_ends_them() {
    let place = Place::new();
    let talk = place.start(["call", "--repl", "--", &tenon(), "echo"]);
    let outcome = talk.ended("# a comment\r\nadd [1,2]\r\n\r\nx = echo {\"a\":1}\r\n$x.a\r\n");
    assert_eq!(outcome.printed(), "3\n{\"a\":1}\n1\n");
}

#[test]
fn failures_have_their_codes() {
    let place = Place::new();
    let missing = place
        .tenon(["call", "x", "--", "tenon-missing-program"])
        .failed(3);
    assert!(missing.contains("tenon-missing-program"), "{missing}");
    let refused = place
        .tenon([
            "call",
            "fail",
            r#"{"code":7,"message":"no"}"#,
            "--",
            &tenon(),
            "echo",
        ])
        .failed(1);
    assert!(refused.contains("no"), "{refused}");
    place.tenon(["call"]).failed(2);
}

/// A name without a path is looked for in `PATH` alone: a file of a stranger in the current folder is not run.
#[test]
fn the_current_folder_is_not_searched_for_programs() {
    let place = Place::new();
    place.write("helper.cmd", "@echo x> made\r\n");
    place.tenon(["call", "x", "--", "helper"]).failed(3);
    assert!(!place.path("made").exists());
    place
        .tenon(["call", "x", "--timeout", "60s", "--", r".\helper"])
        .failed(3);
    assert!(place.path("made").exists());
}

/// Names of variables differ only in letters, and a name of a program has the extensions of `PATHEXT`.
#[test]
fn a_program_is_looked_for_in_the_path_that_it_gets() {
    let place = Place::new();
    place.write("helper.cmd", "@echo [%PATH%]> got.txt\r\n");
    let folder = place.folder().display().to_string();
    for name in ["PATH", "Path", "pAtH"] {
        let path = format!("{name}={folder}");
        for program in ["helper", "HELPER.CMD", r".\helper"] {
            place
                .tenon([
                    "call",
                    "x",
                    "--timeout",
                    "60s",
                    "--env",
                    &path,
                    "--",
                    program,
                ])
                .failed(3);
            let got = std::fs::read(place.path("got.txt"));
            let got = got.unwrap_or_else(|error| panic!("{path} {program}: {error}"));
            // The characters that are not ASCII are in the code page of the console.
            let got = String::from_utf8_lossy(&got);
            let ascii = |text: &str| {
                text.split(|c: char| !c.is_ascii())
                    .next()
                    .map(str::to_owned)
            };
            assert_eq!(
                ascii(&got),
                ascii(&format!("[{folder}")),
                "{path} {program}"
            );
            assert!(!got.contains(';'), "{path} {program}: {got}");
            std::fs::remove_file(place.path("got.txt")).unwrap();
        }
        let refused = place
            .tenon(["call", "x", "--env", &path, "--", "tenon-missing-program"])
            .failed(3);
        assert!(
            refused.contains("is not in the PATH that --env sets"),
            "{refused}"
        );
    }
}

/// cmd.exe, which runs batch files, would read these as commands, variables and redirections.
#[test]
fn arguments_of_a_batch_file_are_not_commands() {
    let place = Place::new();
    let (variables, command) = place.task("answer");
    let line = command
        .iter()
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>();
    place.write(
        "plugin.bat",
        &format!("@>got.txt echo %1\r\n@{}\r\n", line.join(" ")),
    );
    for hostile in [
        "a&echo x>made",
        "a|echo x>made",
        "a\"&echo x>made",
        "\"&echo x>made&\"",
        "%COMSPEC%&echo x>made",
        "^&echo x>made",
        "a>made",
    ] {
        let arguments = { ["call", "hello"].map(str::to_owned).into_iter() }
            .chain(variables.clone())
            .chain([
                "--".to_owned(),
                r".\plugin.bat".to_owned(),
                hostile.to_owned(),
            ]);
        let outcome = place.tenon(arguments);
        assert!(!place.path("made").exists(), "{hostile}: {outcome:?}");
        // Answered, or refused because it cannot be quoted: never something else.
        match outcome.code {
            Some(0) => assert_eq!(outcome.stdout, "\"hello\"\n", "{hostile}"),
            code => {
                assert_eq!(code, Some(3), "{hostile}: {outcome:?}");
                assert!(
                    outcome.stderr.contains("batch file"),
                    "{hostile}: {outcome:?}"
                );
            }
        }
    }
    let arguments = { ["call", "hello"].map(str::to_owned).into_iter() }
        .chain(variables)
        .chain([
            "--".to_owned(),
            r".\plugin.bat".to_owned(),
            "two words".to_owned(),
        ]);
    assert_eq!(place.tenon(arguments).printed(), "\"hello\"\n");
    assert!(
        place.read("got.txt").contains("two words"),
        "{:?}",
        place.read("got.txt")
    );
}
