//! When a script does what: how much at once, and what comes last.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tenon_plugin::{Context, Host, Plugin, attributes};
use tenon_protocols::Protocol;
use tenon_protocols::denobridge::{InvokeProgress, Props, ScriptClient};
use tenon_rpc::{CallError, Connection, Io, Router};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;

use crate::accounts::plugin;
use crate::conversation::converse;

attributes! {
    struct Said {
        text: String,
    }

    struct Meet {
        is_first: bool,
    }
}

#[tokio::test]
async fn an_action_sends_no_progress_after_its_end() {
    let kept = Arc::new(Mutex::new(None));
    let later = kept.clone();
    let plugin = Plugin::new("late", "1")
        .action("keep", "", move |context: Context<()>, (): ()| {
            *kept.lock().unwrap() = Some(context.progress.clone());
            async { Ok(()) }
        })
        .data_source("say", "", move |_, (): ()| {
            let progress = later.lock().unwrap().take();
            async move {
                progress.unwrap().say("too late").await;
                Ok(Said {
                    text: "said".into(),
                })
            }
        });
    let calls = [
        r#"{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"props":null}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"read","params":{"props":null}}"#,
    ];
    assert_eq!(
        converse(plugin, &calls).await,
        [
            r#"{"jsonrpc":"2.0","id":1,"result":{"done":true}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"result":{"text":"said"}}}"#,
        ]
    );
}

#[tokio::test]
async fn the_shutdown_event_ends_the_plugin() {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(here);
    let host = async move {
        let goodbye = b"{\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}\n";
        writer.write_all(goodbye).await.unwrap();
        let mut answers = String::new();
        reader.read_to_string(&mut answers).await.unwrap();
        drop(writer);
        answers
    };
    let (served, answers) =
        tokio::join!(plugin().serve_host(Host::Denobridge, Io::from(there)), host);
    served.unwrap();
    assert_eq!(answers, "");
}

#[tokio::test]
async fn calls_run_at_the_same_time() {
    let (first, second) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let plugin = Plugin::new("meeting", "1").function("meet", "", move |meet: Meet| {
        let (first, second) = (first.clone(), second.clone());
        async move {
            match meet.is_first {
                // Waits for the one that comes after it.
                true => first.notified().await,
                false => first.notify_one(),
            }
            Ok(second.fetch_add(1, Ordering::SeqCst))
        }
    });
    let answers = converse(
        plugin,
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"call","params":{"name":"meet","arguments":[true]}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"call","params":{"name":"meet","arguments":[false]}}"#,
        ],
    )
    .await;
    assert_eq!(
        answers,
        [
            r#"{"jsonrpc":"2.0","id":2,"result":{"result":0}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"result":1}}"#,
        ]
    );
}

#[tokio::test]
async fn a_typed_host_understands_it() {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin().serve_on(there));
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let router = Router::new(()).on_event(InvokeProgress, move |_, progress| {
        heard.lock().unwrap().push(progress.message);
    });
    let dialect = Protocol::Denobridge.dialect();
    let connection = Connection::start(here, dialect, router);
    let client = ScriptClient::new(connection.peer());
    Protocol::Denobridge.begin(client.peer()).await.unwrap();

    let props = |text: &str| Props {
        props: serde_json::from_str(text).unwrap(),
    };
    let opened = client.open(props(r#"{"name":"ada"}"#)).await.unwrap();
    assert_eq!(opened.renew_at, Some(60));
    let outcome = client.invoke(props(r#"{"name":"ada"}"#)).await.unwrap();
    assert!(outcome.unwrap().is_done());
    assert_eq!(*said.lock().unwrap(), ["one", "two"]);
    let failed = client.invoke(props(r#"{"name":"fail"}"#)).await;
    assert!(
        matches!(&failed, Err(CallError::Answered(error)) if error.message == "it is broken"),
        "{failed:?}"
    );

    Protocol::Denobridge.end(client.peer()).await;
    served.await.unwrap().unwrap();
}

/// A call that changes something runs to its end: what it has created would be forgotten.
#[tokio::test]
async fn a_call_that_changes_nothing_can_be_cancelled() {
    let released = Arc::new(Notify::new());
    let release = released.clone();
    let plugin = Plugin::new("waiting", "1")
        .function("wait", "", |(): ()| async {
            std::future::pending::<()>().await;
            Ok(true)
        })
        .function("release", "", move |(): ()| {
            release.notify_one();
            async { Ok(true) }
        })
        .action("change", "", move |_, (): ()| {
            let released = released.clone();
            async move {
                released.notified().await;
                Ok(())
            }
        });
    let cancel = |id: u32| {
        format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#)
    };
    let call = |id: u32, name: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"call","params":{{"name":"{name}","arguments":[]}}}}"#
        )
    };
    let lines = [
        call(1, "wait"),
        r#"{"jsonrpc":"2.0","id":2,"method":"invoke","params":{"props":null}}"#.to_owned(),
        cancel(2),
        cancel(1),
        cancel(9),
        call(3, "release"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut answers = converse(plugin, &lines).await;
    answers.sort();
    assert_eq!(
        answers,
        [
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the call was cancelled"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"done":true}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"result":true}}"#,
        ]
    );
}

attributes! {
    struct Config {
        greeting: String = "hello",
    }

    struct Token {
        token: String,
    }
}

/// denobridge cannot configure a plugin: what has defaults has them, and the rest is refused.
#[tokio::test]
async fn a_plugin_without_a_configuration_gets_the_defaults() {
    let stopped = Arc::new(AtomicUsize::new(0));
    let count = stopped.clone();
    let plugin = Plugin::new("configured", "1")
        .configure(|config: Config| async move { Ok(config) })
        .data_source("greeting", "", |config, (): ()| async move {
            let text = config.greeting.clone();
            Ok(Said { text })
        })
        .shutdown(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            async {}
        });
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"read","params":{"props":null}}"#;
    assert_eq!(
        converse(plugin, &[call, call]).await,
        [r#"{"jsonrpc":"2.0","id":1,"result":{"result":{"text":"hello"}}}"#; 2]
    );
    assert_eq!(stopped.load(Ordering::SeqCst), 1);

    let plugin = Plugin::new("configured", "1")
        .configure(|token: Token| async move { Ok(token) })
        .data_source("token", "", |token, (): ()| async move {
            let text = token.token.clone();
            Ok(Said { text })
        });
    let answers = converse(plugin, &[call]).await;
    assert!(
        answers[0]
            .contains("which this host cannot provide: the attribute \\\"token\\\" is required"),
        "{answers:?}"
    );
}
