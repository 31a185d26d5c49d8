//! The other end of a connection, as bytes: what no well-behaved peer would ever send can be sent
//! from here.

#![allow(
    dead_code,
    reason = "several tests share this, and not each of them uses all of it"
)]

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tenon_rpc::{
    CloseReason, Connection, Dialect, Id, Message, Options, Payload, Router, RpcError,
    options::Limits,
    wire::{Decoder, Frame, Inbound, Request, Response},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};

/// No test takes a second; one that hangs has to end all the same.
const WATCHDOG: Duration = Duration::from_secs(30);

/// Fails instead of hanging. In a test whose clock is paused it fails at once: the clock then
/// jumps ahead as soon as nothing else can happen.
pub(crate) async fn watched<T>(work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WATCHDOG, work).await {
        Ok(value) => value,
        Err(_) => panic!("it hangs"),
    }
}

/// Whether `work` stands still because everybody waits for somebody else. The clock of the test
/// must be paused, or this would be a guess.
pub(crate) async fn stands_still(work: impl Future) -> bool {
    tokio::time::timeout(Duration::from_secs(1), work)
        .await
        .is_err()
}

/// A peer that speaks in bytes.
pub(crate) struct RawPeer {
    reader: ReadHalf<DuplexStream>,
    writer: Option<WriteHalf<DuplexStream>>,
    received: BytesMut,
    decoder: Decoder,
}

impl RawPeer {
    /// A connection, and the raw peer at its other end. `capacity` is how many bytes fit between
    /// the two in each direction.
    pub(crate) fn connect<S: Clone + Send + Sync + 'static>(
        dialect: Dialect,
        router: Arc<Router<S>>,
        options: Options,
        capacity: usize,
    ) -> (RawPeer, Connection) {
        let (here, there) = tokio::io::duplex(capacity);
        let connection = Connection::start_with(there.into(), dialect, router, options);
        let (reader, writer) = tokio::io::split(here);
        let peer = RawPeer {
            reader,
            writer: Some(writer),
            received: BytesMut::new(),
            decoder: Decoder::new(dialect, Limits::default()),
        };
        (peer, connection)
    }

    /// Sends bytes. That the connection has ended meanwhile is not a failure: what it said before
    /// is what tests look at.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the writer has not been taken");
        let _ended = writer.write_all(bytes.as_ref()).await;
    }

    /// Says that nothing more will come.
    pub(crate) async fn finish(&mut self) {
        let writer = self.writer.as_mut().expect("the writer has not been taken");
        let _ended = writer.shutdown().await;
    }

    /// For somebody who writes while this peer reads.
    pub(crate) fn take_writer(&mut self) -> WriteHalf<DuplexStream> {
        self.writer.take().expect("the writer has not been taken")
    }

    /// The next frame; `None` at the end of the stream.
    pub(crate) async fn frame(&mut self) -> Option<Frame> {
        loop {
            let decoded = self.decoder.decode(&mut self.received);
            if let Some(frame) = decoded.expect("the connection writes sound frames") {
                return Some(frame);
            }
            if self.reader.read_buf(&mut self.received).await.ok()? == 0 {
                assert!(self.received.is_empty(), "cut short: {:?}", self.received);
                return None;
            }
        }
    }

    /// The next frame as text; `None` at the end of the stream.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let frame = self.frame().await?;
        Some(String::from_utf8(frame.bytes.to_vec()).expect("text"))
    }

    /// Everything up to the end of the stream.
    pub(crate) async fn rest(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.frame().await {
            frames.push(frame);
        }
        frames
    }
}

/// `echo` answers with its params, `wait` never.
pub(crate) fn router() -> Arc<Router> {
    let router = Router::new(())
        .on_raw("echo", |cx, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(cx.peer.format())))
        })
        .on_raw("wait", |_, _| std::future::pending());
    Arc::new(router)
}

/// A connection with this router, and the raw peer at its other end.
pub(crate) fn start(dialect: Dialect, options: Options) -> (RawPeer, Connection) {
    RawPeer::connect(dialect, router(), options, 64 * 1024)
}

/// The id of answers that belong to no call.
pub(crate) fn nobody(dialect: Dialect) -> Id {
    match dialect {
        Dialect::JsonRpcLines | Dialect::JsonRpcHeaders => Id::Null,
        Dialect::MsgpackRpc | Dialect::Orchard => Id::from(0),
    }
}

/// The bytes of a message.
pub(crate) fn encoded(dialect: Dialect, message: &Message) -> Vec<u8> {
    let mut out = BytesMut::new();
    dialect.encode(message, &mut out).expect("encodable");
    out.to_vec()
}

/// A call of `echo` with one text of `length` characters.
pub(crate) fn call(dialect: Dialect, id: u32, length: usize) -> Vec<u8> {
    let params = Payload::encode(dialect.format(), &["x".repeat(length)]).expect("a text");
    let request = Request {
        id: Id::from(id),
        method: "echo".into(),
        params: Some(params),
    };
    encoded(dialect, &Message::Request(request))
}

/// A result that is a number.
pub(crate) fn response(dialect: Dialect, id: u32, result: u64) -> Vec<u8> {
    let response = Response {
        id: Id::from(id),
        result: Ok(Payload::encode(dialect.format(), &result).expect("a number")),
    };
    encoded(dialect, &Message::Response(response))
}

/// The id and the outcome of a frame that must be a response.
pub(crate) fn answer(frame: Option<Frame>) -> (Id, Result<Payload, RpcError>) {
    match frame.map(|frame| frame.content) {
        Some(Inbound::Message(Message::Response(response))) => {
            (response.id, response.result.map_err(|error| *error))
        }
        other => panic!("no answer but {other:?}"),
    }
}

/// The next thing that comes is the answer to a call made now.
pub(crate) async fn assert_works(peer: &mut RawPeer, dialect: Dialect) {
    peer.send(call(dialect, 4711, 1)).await;
    let (id, result) = answer(peer.frame().await);
    assert_eq!(id, Id::from(4711));
    assert!(result.is_ok(), "{result:?}");
}

/// The text of the error with which the stream broke.
pub(crate) async fn broken(connection: &Connection) -> String {
    match connection.closed().await {
        CloseReason::BrokenStream(error) => error.to_string(),
        other => panic!("not a broken stream: {other}"),
    }
}
