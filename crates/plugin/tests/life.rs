//! When a provider does what: how much at once, and what comes last.

#[path = "wire/conversation.rs"]
mod conversation;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use conversation::converse;
use tenon_plugin::{Failure, Host, Plugin};
use tenon_protocols::orchard::{
    Code, ConfigureParams, Empty, ExecuteParams, Json, ProviderClient, ProviderError,
    ProviderSchema,
};
use tenon_rpc::{CallError, Connection, Dialect, Io, Router};

/// Counts how many are at work at once, and gives way often enough for others to begin.
async fn work(at_once: Arc<AtomicUsize>, most: Arc<AtomicUsize>) {
    most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    at_once.fetch_sub(1, Ordering::SeqCst);
}

async fn most_at_once(limit: Option<usize>) -> usize {
    let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let provider = Plugin::new("busy", "1").action("work", "", move |_, ()| {
        let work = work(at_once.clone(), seen.clone());
        async move {
            work.await;
            Ok(())
        }
    });
    let provider = match limit {
        Some(limit) => provider.max_in_flight(limit),
        None => provider,
    };
    let call = r#"{"id":1,"method":"execute","params":{"action":"work"}}"#;
    let answers = converse(provider, &[call; 9]).await;
    assert_eq!(answers.lines().count(), 9);
    most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn as_many_run_in_parallel_as_the_schema_says() {
    assert_eq!(most_at_once(None).await, 1);
    assert_eq!(most_at_once(Some(3)).await, 3);
}

#[tokio::test]
async fn shutdown_comes_after_what_runs_and_only_once() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (worked, stopped) = (log.clone(), log.clone());
    let provider = Plugin::new("orderly", "1")
        .max_in_flight(4)
        .action("work", "", move |_, ()| {
            let worked = worked.clone();
            async move {
                work(Arc::default(), Arc::default()).await;
                worked.lock().unwrap().push("worked");
                Ok(())
            }
        })
        .shutdown(move |_| {
            stopped.lock().unwrap().push("stopped");
            async {}
        });
    let answers = converse(
        provider,
        &[
            r#"{"id":1,"method":"execute","params":{"action":"work"}}"#,
            r#"{"id":2,"method":"shutdown","params":{}}"#,
        ],
    )
    .await;
    assert_eq!(
        answers,
        "{\"id\":1,\"result\":{\"outputs\":{}}}\n{\"id\":2,\"result\":{}}\n"
    );
    assert_eq!(*log.lock().unwrap(), ["worked", "stopped"]);
}

#[tokio::test]
async fn a_host_that_goes_away_ends_the_plugin() {
    let stopped = Arc::new(AtomicUsize::new(0));
    let count = stopped.clone();
    let provider = Plugin::new("left", "1").shutdown(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async {}
    });
    assert_eq!(converse(provider, &[]).await, "");
    assert_eq!(stopped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_typed_host_goes_through_a_whole_life() {
    let provider = Plugin::new("typed", "1")
        .action("work", "", |_, ()| async { Ok(()) })
        .action("fail", "", |_, ()| async {
            Err::<(), _>(Failure::new("it is broken").with_detail("in two"))
        });
    let schema = ProviderSchema::try_from(provider.offer()).unwrap();
    let (here, there) = Io::pair();
    let host = async {
        let connection = Connection::start(here, Dialect::Orchard, Router::new(()));
        let client = ProviderClient::new(connection.peer());
        assert_eq!(client.describe(Empty {}).await?.schema, schema);
        client.configure(ConfigureParams::default()).await?;
        let call = |action: &str| ExecuteParams {
            action: action.to_owned(),
            attrs: Json::default(),
        };
        assert_eq!(client.execute(call("work")).await?.outputs.text(), "{}");
        let error = match client.execute(call("fail")).await {
            Err(CallError::Answered(error)) => ProviderError::from(error),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (Code::ExecuteFailed, Some("in two"))
        );
        client.shutdown(Empty {}).await?;
        Ok::<(), CallError>(())
    };
    let (served, said) = tokio::join!(provider.serve_host(Host::Orchard, there), host);
    said.unwrap();
    served.unwrap();
}
