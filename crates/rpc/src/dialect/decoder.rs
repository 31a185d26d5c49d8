//! From a stream of bytes to frames.

use bytes::BytesMut;

use super::framing::Progress;
use super::skip::Skip;
use super::{Dialect, Frame, Limits, Oversized};
use crate::error::DialectError;

/// Cuts a stream of bytes into frames. It remembers how far it has looked, so that a frame that
/// arrives in many pieces is not looked at again for each of them.
#[derive(Debug)]
pub struct Decoder {
    dialect: Dialect,
    limits: Limits,
    progress: Progress,
    /// A frame that is too long and has not ended yet.
    skipping: Option<Skip>,
    /// The size of the last one, once it has ended.
    skipped: Option<u64>,
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new(dialect: Dialect, limits: Limits) -> Decoder {
        Decoder {
            dialect,
            limits,
            progress: Progress::default(),
            skipping: None,
            skipped: None,
        }
    }

    /// The bytes of a frame over the limit that has ended since this was asked for the last time.
    pub fn take_skipped(&mut self) -> Option<u64> {
        self.skipped.take()
    }

    /// The dialect it reads.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Takes the next frame out of `buffer`; `None` when it has not all arrived.
    ///
    /// # Errors
    /// The stream is broken.
    pub fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, DialectError> {
        loop {
            if let Some(skip) = &mut self.skipping {
                let has_ended = skip.advance(buffer)?;
                let report = skip.report(has_ended);
                if has_ended {
                    self.skipped = Some(skip.size());
                    self.skipping = None;
                } else if report.is_none() && skip.is_broken() {
                    continue;
                }
                if report.is_some() || !has_ended {
                    return Ok(report);
                }
            }
            match self.cut(buffer) {
                Err(error) if error.is_over_limit && self.limits.oversized == Oversized::Skip => {
                    self.skipping = Some(Skip::start(self.dialect, &self.limits, error, buffer)?);
                    self.progress = Progress::default();
                }
                cut => return cut,
            }
        }
    }

    fn cut(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, DialectError> {
        let Decoder {
            dialect, limits, ..
        } = self;
        let bytes = dialect.framing().cut(buffer, &mut self.progress, limits)?;
        Ok(bytes.map(|bytes| Frame {
            content: (dialect.envelope().read)(&bytes, limits),
            bytes,
        }))
    }

    /// Takes what is left at the end of the stream: a last line may lack its newline.
    ///
    /// # Errors
    /// The stream ended in the middle of a frame.
    pub fn finish(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, DialectError> {
        if let Some(frame) = self.decode(buffer)? {
            return Ok(Some(frame));
        }
        if let Some(mut skip) = self.skipping.take() {
            // Its end is missing, but the call that waits for it still has to fail.
            buffer.clear();
            self.skipped = Some(skip.size());
            return Ok(skip.report(true));
        }
        if buffer.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        if let Some(end) = self.dialect.framing().missing_end() {
            buffer.extend_from_slice(end);
            return self.decode(buffer);
        }
        Err(DialectError::cut(buffer))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Inbound, MalformedKind};
    use super::*;
    use crate::message::{Event, Id, Message, Response};
    use crate::payload::{Format, Payload};

    /// However the bytes arrive, what is too long is one bad frame, and the next one is read.
    #[test]
    fn a_frame_that_is_too_long_can_be_skipped() {
        let limits = Limits {
            frame: 40,
            oversized: Oversized::Skip,
            ..Limits::default()
        };
        let good = br#"{"jsonrpc":"2.0","method":"m"}"#;
        let long = format!(r#"{{"result":"{}","id":7}}"#, "x".repeat(980));
        let long = long.as_bytes();
        assert_eq!(long.len(), 1000);
        let lines = [long, b"\n", good, b"\n"].concat();
        let headers = [
            &b"Content-Length: 1000\r\n\r\n"[..],
            long,
            b"Content-Length: 30\r\n\r\n",
            good,
        ]
        .concat();
        let payload = |text: &str| Payload::encode(Format::Msgpack, text).unwrap();
        let response = Message::Response(Response {
            id: Id::from(7),
            result: Ok(payload(&"x".repeat(1000))),
        });
        let event = Message::Event(Event {
            method: "m".into(),
            params: None,
        });
        let mut msgpack = BytesMut::new();
        for message in [response, event] {
            Dialect::MsgpackRpc.encode(&message, &mut msgpack).unwrap();
        }
        for (dialect, stream) in [
            (Dialect::JsonRpcLines, lines),
            (Dialect::JsonRpcHeaders, headers),
            (Dialect::MsgpackRpc, msgpack.to_vec()),
        ] {
            for size in [1, 7, 41, 64, 5000] {
                let mut decoder = Decoder::new(dialect, limits);
                let mut buffer = BytesMut::new();
                let mut frames = Vec::new();
                for piece in stream.chunks(size) {
                    buffer.extend_from_slice(piece);
                    while let Some(frame) = decoder.decode(&mut buffer).unwrap() {
                        frames.push(frame.content);
                    }
                    assert!(buffer.len() <= 5000, "it is not kept");
                }
                assert_eq!(frames.len(), 2, "{dialect} in pieces of {size}");
                let Inbound::Malformed(malformed) = &frames[0] else {
                    panic!("{dialect}: {:?}", frames[0]);
                };
                assert_eq!(
                    malformed.id,
                    Some(Id::from(7)),
                    "{dialect} in pieces of {size}"
                );
                assert_eq!(malformed.kind, MalformedKind::TooLong { is_answer: true });
                assert!(matches!(&frames[1], Inbound::Message(_)));
            }
        }
    }
}
