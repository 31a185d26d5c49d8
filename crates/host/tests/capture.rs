//! Commands that are run to their end, well-behaved and not.

#![cfg(unix)]

mod support;

use std::time::Duration;

use support::{Script, watched};
use tenon_host::{Capture, CaptureError, Captured, PluginCommand};

async fn run(script: &Script, capture: Capture) -> Result<Captured, CaptureError> {
    let outcome = capture.run(&script.command).await;
    script.is_gone().await;
    outcome
}

#[tokio::test]
async fn gives_what_was_written_and_how_it_ended() {
    watched(async {
        let script = Script::new("cat; printf 'oh\\377' >&2; exit 3");
        let capture = Capture {
            stdin: b"a\0b".to_vec(),
            ..Capture::default()
        };
        let captured = run(&script, capture).await.unwrap();
        assert_eq!(captured.status.code(), Some(3));
        assert_eq!(captured.stdout, b"a\0b");
        assert_eq!(captured.stderr, b"oh\xff");
    })
    .await;
}

/// Both ways are larger than the pipes between: whoever did one thing after the other would wait
/// forever.
#[tokio::test]
async fn many_messages_in_both_directions_at_the_same_time() {
    watched(async {
        let much: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
        let capture = Capture {
            stdin: much.clone(),
            ..Capture::default()
        };
        let captured = run(&Script::new("tee /dev/stderr"), capture).await.unwrap();
        assert_eq!(captured.stdout, much);
        assert_eq!(captured.stderr, much);
    })
    .await;
}

#[tokio::test]
async fn a_program_that_does_not_read_stdin_is_not_an_error() {
    watched(async {
        for script in ["echo done", "exec <&-; sleep 0.1; echo done"] {
            let capture = Capture {
                stdin: vec![b'x'; 3_000_000],
                ..Capture::default()
            };
            let captured = run(&Script::new(script), capture).await.unwrap();
            assert!(captured.status.success(), "{captured:?}");
            assert_eq!(captured.stdout, b"done\n");
        }
    })
    .await;
}

#[tokio::test]
async fn one_that_writes_too_much_is_killed() {
    watched(async {
        for (script, stream) in [("yes", "stdout"), ("yes >&2", "stderr")] {
            let capture = Capture {
                limit: 100_000,
                ..Capture::default()
            };
            let error = run(&Script::new(script), capture).await.unwrap_err();
            let text = error.to_string();
            let expected =
                format!("sh was killed because it wrote more than 100000 bytes to {stream}\n");
            assert!(text.starts_with(&expected), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn exactly_as_much_as_allowed_is_fine() {
    watched(async {
        let capture = Capture {
            limit: 5,
            ..Capture::default()
        };
        let captured = run(&Script::new("printf 12345"), capture).await.unwrap();
        assert_eq!(captured.stdout, b"12345");
    })
    .await;
}

#[tokio::test]
async fn one_that_takes_too_long_is_killed_with_its_descendants() {
    watched(async {
        let script = Script::new("trap '' TERM; setsid sleep 1000 & sleep 1000 & wait; sleep 1000");
        let capture = Capture {
            time_limit: Some(Duration::from_millis(300)),
            ..Capture::default()
        };
        let error = run(&script, capture).await.unwrap_err();
        assert!(matches!(error, CaptureError::TimedOut { .. }), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_descendant_that_holds_stdout_open_is_not_waited_for() {
    watched(async {
        let script = Script::new("echo first; setsid sleep 1000 & sleep 1000 & exit 0");
        let captured = run(&script, Capture::default()).await.unwrap();
        assert!(captured.status.success());
        assert_eq!(captured.stdout, b"first\n");
    })
    .await;
}

#[tokio::test]
async fn dropping_the_future_ends_it() {
    watched(async {
        let script = Script::new("setsid sleep 1000 & sleep 1000");
        let running = Capture::default().run(&script.command);
        tokio::select! {
            _ = running => panic!("it ended by itself"),
            () = script.has(2) => {}
        }
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_started_is_named_without_its_arguments() {
    watched(async {
        let command = PluginCommand::new("no-such-program").arg("s3cret");
        let error = Capture::default().run(&command).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-program could not be started: No such file or directory (os error 2)\n  \
             hint: check that no-such-program is installed and its name is right"
        );
    })
    .await;
}

#[test]
fn debug_shows_no_contents() {
    let capture = Capture {
        stdin: b"s3cret".to_vec(),
        ..Capture::default()
    };
    assert_eq!(
        format!("{capture:?}"),
        "Capture { stdin: 6 bytes, limit: 16777216, time_limit: None }"
    );
}
