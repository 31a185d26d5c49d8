//! The main loop of a library's own client: read a task from the control socket, run it, answer.

use std::error::Error;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::{Answer, Bound, Echo, Many, Measured, STREAM, Size, Task};

pub type Fault = Box<dyn Error + Send + Sync>;

/// One connection of the library under test.
pub trait Caller: Clone + Send + Sync + 'static {
    /// Calls and returns how long the string in the answer was.
    fn echo(&self, echo: &Echo) -> impl Future<Output = Result<usize, Fault>> + Send;

    /// Sends events until the bound is reached and returns how many, once the server has them all.
    /// `None` when the library has no one-way messages.
    fn events(
        &self,
        _echo: &Echo,
        _bound: Bound,
    ) -> impl Future<Output = Result<Option<u64>, Fault>> + Send {
        async { Ok(None) }
    }

    /// Makes the server send so many events, and returns how many were here when it said that it
    /// had. `None` when the library has none in that direction.
    fn stream(&self, _many: Many) -> impl Future<Output = Result<Option<u64>, Fault>> + Send {
        async { Ok(None) }
    }
}

/// Runs tasks until the harness closes the control socket.
pub async fn follow<C: Caller>(
    control: &Path,
    connect: impl AsyncFn() -> Result<C, Fault>,
) -> Result<(), Fault> {
    let (reader, mut writer) = UnixStream::connect(control).await?.into_split();
    let mut lines = BufReader::new(reader).lines();
    let caller = connect().await?;
    let mut idle = Vec::new();
    while let Some(line) = lines.next_line().await? {
        let outcome = match serde_json::from_str(&line)? {
            Task::Sequential { size, bound } => {
                let caller = caller.clone();
                // In a task of its own, as most calls are made: the main future of a runtime is
                // polled only after another look for events.
                tokio::spawn(async move { sequential(&caller, size, bound).await })
                    .await?
                    .map(Some)
            }
            Task::Window {
                size,
                window,
                bound,
            } => in_flight(&caller, size, window, bound).await.map(Some),
            Task::Events { size, bound } => one_way(&caller, size, bound).await,
            Task::Stream { bound } => streamed(&caller, bound).await,
            Task::Idle { connections } => park(&connect, connections, &mut idle).await.map(Some),
        };
        let answer = match outcome {
            Ok(Some(measured)) => Answer::Done(measured),
            Ok(None) => Answer::Unsupported,
            Err(fault) => Answer::Failed(fault.to_string()),
        };
        writer
            .write_all(format!("{}\n", serde_json::to_string(&answer)?).as_bytes())
            .await?;
    }
    Ok(())
}

async fn call(caller: &impl Caller, echo: &Echo) -> Result<(), Fault> {
    let length = caller.echo(echo).await?;
    if length != echo.s.len() {
        return Err(format!("sent {} bytes of text, got {length} back", echo.s.len()).into());
    }
    Ok(())
}

async fn sequential(caller: &impl Caller, size: Size, bound: Bound) -> Result<Measured, Fault> {
    let echo = size.echo();
    let mut samples = Vec::new();
    for bound in [bound.warm_up(), bound] {
        samples.clear();
        let (start, deadline) = (Instant::now(), bound.deadline());
        let mut before = start;
        while (samples.len() as u64) < bound.calls && before < deadline {
            call(caller, &echo).await?;
            let now = Instant::now();
            samples.push(now - before);
            before = now;
        }
    }
    let elapsed = samples.iter().sum();
    Ok(Measured::latency(&mut samples, elapsed))
}

async fn in_flight(
    caller: &impl Caller,
    size: Size,
    window: usize,
    bound: Bound,
) -> Result<Measured, Fault> {
    saturate(caller, size, window, bound.warm_up()).await?;
    saturate(caller, size, window, bound).await
}

/// As many tasks as calls in flight, each starting its next call when the last is answered.
async fn saturate<C: Caller>(
    caller: &C,
    size: Size,
    window: usize,
    bound: Bound,
) -> Result<Measured, Fault> {
    let echo = Arc::new(size.echo());
    let left = Arc::new(AtomicU64::new(bound.calls));
    let (start, deadline) = (Instant::now(), bound.deadline());
    let lanes: Vec<_> = (0..window)
        .map(|_| {
            let (caller, echo, left) = (caller.clone(), echo.clone(), left.clone());
            tokio::spawn(async move {
                let mut done = 0;
                while Instant::now() < deadline && take(&left) {
                    call(&caller, &echo).await?;
                    done += 1;
                }
                Ok::<u64, Fault>(done)
            })
        })
        .collect();
    let mut count = 0;
    for lane in lanes {
        count += lane.await??;
    }
    Ok(Measured::rate(count, start.elapsed()))
}

fn take(left: &AtomicU64) -> bool {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
        .is_ok()
}

async fn one_way(
    caller: &impl Caller,
    size: Size,
    bound: Bound,
) -> Result<Option<Measured>, Fault> {
    let echo = size.echo();
    if caller.events(&echo, bound.warm_up()).await?.is_none() {
        return Ok(None);
    }
    let start = Instant::now();
    let count = caller.events(&echo, bound).await?;
    Ok(count.map(|count| Measured::rate(count, start.elapsed())))
}

async fn streamed(caller: &impl Caller, bound: Bound) -> Result<Option<Measured>, Fault> {
    let mut measured = None;
    for bound in [bound.warm_up(), bound] {
        let (start, deadline) = (Instant::now(), bound.deadline());
        let mut count = 0;
        while count < bound.calls && Instant::now() < deadline {
            match caller.stream(STREAM).await? {
                None => return Ok(None),
                Some(here) if here == STREAM.count => count += here,
                Some(here) => {
                    let Many { count } = STREAM;
                    return Err(format!("asked for {count} events, {here} came").into());
                }
            }
        }
        measured = Some(Measured::rate(count, start.elapsed()));
    }
    Ok(measured)
}

async fn park<C: Caller>(
    connect: &impl AsyncFn() -> Result<C, Fault>,
    connections: usize,
    idle: &mut Vec<C>,
) -> Result<Measured, Fault> {
    let echo = Size::Tiny.echo();
    let start = Instant::now();
    for _ in 0..connections {
        let caller = connect().await?;
        call(&caller, &echo).await?;
        idle.push(caller);
    }
    Ok(Measured::rate(connections as u64, start.elapsed()))
}
