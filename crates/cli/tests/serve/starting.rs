//! Servers that do not get that far, and what is left of them: nothing.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::Value;

use crate::serving::Serving;
use crate::support::program::eventually;
use crate::support::shell::Shell;

/// The same texts and exit codes as those of `tenon call`.
#[tokio::test]
async fn plugins_that_cannot_be_started() {
    let mut shell = Shell::new();
    shell.file("plain.py", "print()\n");
    for plugin in [
        "-- ./missing",
        "-- tenon-missing --flag 'two words'",
        "-- ./plain.py",
        // It has to answer its protocol's first call.
        "--protocol acp -- sh -c 'echo \"config.toml is missing\" >&2; exit 7'",
        "--protocol acp -- sh -c 'echo \"usage: plugin FILE\"; exit 2'",
        "--protocol orchard -- sh -c 'echo Listening on port 80; exec sleep 30'",
        "--protocol seasonings -- sh -c 'echo Listening on port 80; exec sleep 30'",
        "--protocol orchard -- sleep 30",
        "--protocol orchard --no-restart -- ./missing",
        "--protocol denobridge --json -- sh -c 'exit 7'",
    ] {
        shell
            .run(&format!("tenon serve --socket ./folder/s {plugin}"))
            .await;
        assert!(!shell.path("folder/s").exists(), "{plugin}");
    }
    assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn wrong_usage() {
    let mut shell = Shell::new();
    for words in [
        "",
        "--socket ./s",
        "--socket ./s tenon echo",
        "-- tenon echo",
        "--socket '' -- tenon echo",
        "--socket ./s --dialect acp -- tenon echo",
        "--socket ./s --dialect json-rpc --protocol acp -- tenon echo",
        "--socket ./s --mode 8 -- tenon echo",
        "--socket ./s --mode 1777 -- tenon echo",
        "--socket ./s --allow-user nobody-of-this-name -- tenon echo",
        "--socket ./s --max-message 1TB -- tenon echo",
        "--socket ./s --requests-per-second 0 -- tenon echo",
        "--socket ./s --bytes-per-second 5GiB -- tenon echo",
        "--socket ./s --stop-within 5 -- tenon echo",
        "--socket ./s --events some -- tenon echo",
        "--socket ./s --record missing/file -- tenon echo",
    ] {
        shell.run(&format!("tenon serve {words}")).await;
        assert!(!shell.path("s").exists(), "{words}");
    }
    assert_snapshot!(shell.transcript());
}

/// A signal ends the server even if the plugin hangs at its start.
#[tokio::test]
async fn interrupted_before_the_plugin_has_started() {
    for signal in [Signal::INT, Signal::TERM] {
        let options = "--protocol acp -- sh -c 'echo hung >&2; exec sleep 300'";
        let serving = Serving::spawn(Shell::new(), options);
        serving.says("plugin: hung").await;
        assert!(serving.socket().exists(), "clients may come early");
        serving.program.signal(signal);
        let ended = serving.ended().await;
        assert_eq!(ended.code, Some(130));
        assert_eq!(ended.stderr, "plugin: hung\nerror: interrupted");
        assert!(!ended.shell.path("s").exists());
    }
}

/// Who comes before the plugin has started waits for it.
#[tokio::test]
async fn early_clients_wait() {
    let slow = "sh -c 'echo slow >&2; while [ ! -e go ]; do sleep 0.02; done; exec tenon echo'";
    let options = format!("--protocol denobridge -- {slow}");
    let serving = Serving::spawn(Shell::new(), &options);
    serving.says("plugin: slow").await;
    eventually("a socket", || serving.socket().exists()).await;
    let mut wire = serving.wire();
    wire.ask(Value::from(1), "add", Value::from(vec![1, 2]));
    serving.shell.file("go", "");
    assert_eq!(wire.message()["result"], 3);
    serving.stop().await;
}
