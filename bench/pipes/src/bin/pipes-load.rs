//! `pipes-load NAME`: a server and its clients in one process, on a local socket or, on Windows, a named pipe.
//!
//! Prints a line of JSON for each measurement: the series, how many there were, and the microseconds that one took.

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use tenon_ipc::{Client, Server};
use tenon_rpc::{Router, events, methods};
use tokio::task::JoinSet;

type Fault = Box<dyn std::error::Error + Send + Sync>;

methods! {
    /// Sends its params back.
    pub Echo = "echo" (String) -> String;
}

events! {
    /// Is read and forgotten.
    pub Note = "note" (String);
}

/// How many times a series is measured; the fastest counts, because other processes only add to it.
const TRIES: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let name = std::env::args().nth(1).ok_or("expected: NAME")?;
    let router = Router::new(())
        .on(Echo, |_, text| async move { Ok(text) })
        .on_event(Note, |_, text| {
            black_box(text);
        });
    let _server = Server::bind(&name, router)?;
    let client = Client::connect(&name).await?;
    sequential(&client, 100).await?;
    for count in [100, 1_000, 10_000] {
        report("calls, one after the other", count, async || {
            sequential(&client, count).await
        })
        .await?;
    }
    for count in [10, 100, 1_000] {
        report("calls in flight", count, async || {
            in_flight(&client, count).await
        })
        .await?;
    }
    for count in [100, 1_000, 10_000] {
        report("events", count, async || events(&client, count).await).await?;
    }
    for kilobytes in [10, 100, 1_000] {
        let text = "x".repeat(kilobytes * 1_000);
        report("kilobytes in a call", kilobytes, async || {
            echo(&client, &text).await
        })
        .await?;
    }
    for count in [2, 20, 200] {
        report("clients that connect and call", count, async || {
            clients(&name, count).await
        })
        .await?;
    }
    Ok(())
}

/// Measures a task that does something `count` times.
async fn report(
    series: &str,
    count: usize,
    task: impl AsyncFn() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let start = Instant::now();
        task().await?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    let micros = least * 1e6 / count as f64;
    println!(
        "{}",
        json!({ "series": series, "count": count, "micros": micros })
    );
    Ok(())
}

async fn echo(client: &Client, text: &str) -> Result<(), Fault> {
    match client.call(Echo, text.to_owned()).await? == text {
        true => Ok(()),
        false => Err("the answer is another text".into()),
    }
}

async fn sequential(client: &Client, count: usize) -> Result<(), Fault> {
    for _ in 0..count {
        echo(client, "hello").await?;
    }
    Ok(())
}

async fn in_flight(client: &Client, count: usize) -> Result<(), Fault> {
    let mut calls = JoinSet::new();
    for _ in 0..count {
        let client = client.clone();
        calls.spawn(async move { echo(&client, "hello").await });
    }
    while let Some(call) = calls.join_next().await {
        call??;
    }
    Ok(())
}

/// Events are handled in order, so the answer says that all of them have been.
async fn events(client: &Client, count: usize) -> Result<(), Fault> {
    for _ in 0..count {
        client.notify(Note, "hello".to_owned()).await?;
    }
    echo(client, "hello").await
}

async fn clients(name: &str, count: usize) -> Result<(), Fault> {
    let mut open = Vec::new();
    for _ in 0..count {
        let client = Client::connect(name).await?;
        echo(&client, "hello").await?;
        open.push(client);
    }
    Ok(())
}
