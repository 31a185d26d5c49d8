//! The accept loop of the servers that have none of their own, and the choice of a runtime.

use std::future::Future;
use std::path::PathBuf;

use bench_workload::driver::Fault;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Builder;

/// Serves every connection in a task of its own.
pub async fn accept<F>(path: PathBuf, serve: impl Fn(UnixStream) -> F) -> Result<(), Fault>
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = UnixListener::bind(path)?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream));
    }
}

/// Runs on `threads`, as many as there are cores, which is what these libraries' documentation
/// shows; or on a `thread`, which on few cores is often faster.
pub fn run(
    word: Option<&str>,
    program: impl Future<Output = Result<(), Fault>>,
) -> Result<(), Fault> {
    let mut builder = match word {
        Some("threads") => Builder::new_multi_thread(),
        Some("thread") => Builder::new_current_thread(),
        _ => return Err("expected: threads or thread".into()),
    };
    builder.enable_all().build()?.block_on(program)
}
