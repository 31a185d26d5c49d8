//! How often a request allocates on the side that serves it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use serde::{Deserialize, Serialize};
use tenon_rpc::{Connection, Dialect, Io, Router, methods};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator is unsafe; this one only counts")]
// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Holds a text, which costs one allocation to decode whatever the engine does.
#[derive(Serialize, Deserialize)]
struct Params {
    a: i64,
    b: i64,
    s: String,
}

methods! {
    Ready = "ready" (Params) -> Params;
    Spawned = "spawned" (Params) -> Params;
}

/// A peer that sends its requests in pieces of 64, as a busy pipe does, and forgets the answers.
struct Requests {
    piece: Vec<u8>,
    pieces_left: usize,
    is_pause: bool,
}

impl AsyncRead for Requests {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A pause lets what was spawned run before more comes.
        self.is_pause = !self.is_pause;
        if self.is_pause {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.pieces_left > 0 {
            self.pieces_left -= 1;
            buffer.put_slice(&self.piece);
        }
        Poll::Ready(Ok(()))
    }
}

struct Forget;

impl AsyncWrite for Forget {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

async fn allocations(method: &str, pieces: usize) -> usize {
    let piece: String = (0..64)
        .map(|id| {
            let params = r#"{"a":1,"b":2,"s":"hello"}"#;
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
            )
        })
        .collect();
    let requests = Requests {
        piece: piece.into_bytes(),
        pieces_left: pieces,
        is_pause: false,
    };
    let router = Router::new(())
        .on(Ready, |_, params| async move { Ok(params) })
        .on(Spawned, |_, params| async move {
            tokio::task::yield_now().await;
            Ok(params)
        });
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let io = Io::new(requests, Forget);
    Connection::start(io, Dialect::JsonRpcLines, router)
        .closed()
        .await;
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

async fn for_each_request(method: &str) -> f64 {
    // What the first requests cost besides (buffers, tables) does not count.
    let (few, many) = (
        allocations(method, 50).await,
        allocations(method, 150).await,
    );
    (many as f64 - few as f64) / (100.0 * 64.0)
}

#[tokio::test(flavor = "current_thread")]
async fn ready_and_spawned_handlers_allocate_little() {
    let ready = for_each_request("ready").await;
    assert!(ready <= 2.05, "{ready} allocations for a ready handler");
    let spawned = for_each_request("spawned").await;
    assert!(
        spawned <= 5.05,
        "{spawned} allocations for a spawned handler"
    );
}
