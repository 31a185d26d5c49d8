//! Large payloads are written from where they are, beside the bytes before them. However little of that a
//! writer takes at a time, the peer gets the same bytes.

mod raw_peer;

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::BytesMut;
use raw_peer::watched;
use tenon_rpc::{Connection, Dialect, Event, Io, Message, Options, Payload, Router};
use tokio::io::AsyncWrite;

/// From here on a payload is not copied.
const LARGE: usize = 64 * 1024;

/// Takes as many bytes at a time as the next of `sizes` says, across the borders of pieces. For a size of 0
/// it is not ready.
struct Trickle {
    sizes: std::iter::Cycle<std::vec::IntoIter<usize>>,
    taken: Arc<Mutex<Vec<u8>>>,
}

impl AsyncWrite for Trickle {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Some(size) = self.sizes.next().filter(|size| *size > 0) else {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        };
        let bytes = pieces.iter().flat_map(|piece| piece.iter().copied());
        let mut taken = self.taken.lock().unwrap();
        let before = taken.len();
        taken.extend(bytes.take(size));
        Poll::Ready(Ok(taken.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Small ones, and large ones alone, in a row and at the end.
fn events(dialect: Dialect) -> Vec<Event> {
    let sizes = [3, LARGE, LARGE - 16, 10, 2 * LARGE, LARGE + 1, 0, LARGE];
    let events = sizes.iter().enumerate().map(|(index, size)| {
        let letter = char::from(b'a' + u8::try_from(index).unwrap());
        let text = letter.to_string().repeat(*size);
        Event {
            method: "tick".into(),
            params: Some(Payload::encode(dialect.format(), &[text]).unwrap()),
        }
    });
    events.collect()
}

#[tokio::test]
async fn a_writer_that_takes_a_few_bytes_at_a_time_gets_all_of_them_in_order() {
    for dialect in Dialect::ALL {
        let events = events(dialect);
        let mut expected = BytesMut::new();
        for event in &events {
            let message = Message::Event(event.clone());
            dialect.encode(&message, &mut expected).unwrap();
        }
        for sizes in [
            vec![1, 2, 0, 3, 5],
            vec![0, 7, 0, 0, 4093],
            // The end of a write is at, before and after the borders of pieces.
            vec![LARGE],
            vec![LARGE + 7, 1],
            vec![usize::MAX],
        ] {
            let taken = Arc::new(Mutex::new(Vec::new()));
            let writer = Trickle {
                sizes: sizes.clone().into_iter().cycle(),
                taken: taken.clone(),
            };
            let (reader, _kept_open) = tokio::io::duplex(1);
            let io = Io::new(reader, writer);
            let router = Arc::new(Router::new(()));
            let connection = Connection::start_with(io, dialect, router, Options::default());
            let peer = connection.peer();
            watched(async {
                for event in &events {
                    let sent = peer.send_raw("tick", event.params.clone()).await;
                    sent.expect("open");
                }
                connection.close().await;
            })
            .await;
            // Not `assert_eq`, which would print half a million bytes.
            let is_same = *taken.lock().unwrap() == expected;
            assert!(is_same, "{dialect}, {sizes:?}");
        }
    }
}
