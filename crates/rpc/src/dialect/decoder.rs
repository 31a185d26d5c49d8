//! From a stream of bytes to frames.

use bytes::{Buf, Bytes, BytesMut};

use super::{
    Dialect, Frame, Inbound, Limits, Oversized, content_length, json_rpc, lines, msgpack_rpc,
    orchard,
};
use crate::error::{DialectError, Quote};
use crate::msgpack;

/// Cuts a stream of bytes into frames. It remembers how far it has looked, so that a frame that
/// arrives in many pieces is not looked at again for each of them.
#[derive(Debug)]
pub struct Decoder {
    dialect: Dialect,
    limits: Limits,
    /// Bytes of an unfinished line that hold no newline.
    scanned: usize,
    msgpack: msgpack::Scanner,
    /// What is left of a frame that was too long.
    skipping: Option<Rest>,
}

/// Where the rest of a frame ends.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Line,
    Bytes(usize),
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new(dialect: Dialect, limits: Limits) -> Decoder {
        Decoder {
            dialect,
            limits,
            scanned: 0,
            msgpack: msgpack::Scanner::default(),
            skipping: None,
        }
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
        if !self.skip(buffer) {
            return Ok(None);
        }
        match self.cut(buffer) {
            Err(error) if error.is_over_limit && self.limits.oversized == Oversized::Skip => {
                let (known, rest) = match self.dialect {
                    Dialect::JsonRpcLines | Dialect::Orchard => (self.limits.frame, Rest::Line),
                    Dialect::JsonRpcHeaders => match content_length::size(buffer) {
                        Some((headers, all)) => (headers, Rest::Bytes(all)),
                        None => return Err(error),
                    },
                    Dialect::MsgpackRpc => return Err(error),
                };
                (self.skipping, self.scanned) = (Some(rest), 0);
                Ok(Some(Frame {
                    bytes: Bytes::copy_from_slice(&buffer[..known.min(Quote::LENGTH)]),
                    content: json_rpc::request_error(None, &error.problem),
                }))
            }
            cut => cut,
        }
    }

    /// Lets go of what is left of a frame that was too long; `false` while more of it is to come.
    fn skip(&mut self, buffer: &mut BytesMut) -> bool {
        let rest = match self.skipping {
            None => return true,
            Some(Rest::Line) => match memchr::memchr(b'\n', buffer) {
                Some(end) => end + 1,
                None => usize::MAX,
            },
            Some(Rest::Bytes(rest)) => rest,
        };
        if rest <= buffer.len() {
            buffer.advance(rest);
            self.skipping = None;
            return true;
        }
        if let Some(Rest::Bytes(rest)) = &mut self.skipping {
            *rest -= buffer.len();
        }
        // It may have grown as large as the limit.
        *buffer = BytesMut::new();
        false
    }

    fn cut(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, DialectError> {
        let limits = &self.limits;
        let (bytes, read): (_, fn(&Bytes, &Limits) -> Inbound) = match self.dialect {
            Dialect::JsonRpcLines => (
                lines::cut(buffer, &mut self.scanned, limits)?,
                json_rpc::read,
            ),
            Dialect::Orchard => (
                lines::cut(buffer, &mut self.scanned, limits)?,
                orchard::read,
            ),
            Dialect::JsonRpcHeaders => (content_length::cut(buffer, limits)?, json_rpc::read),
            Dialect::MsgpackRpc => (
                msgpack_rpc::cut(buffer, &mut self.msgpack, limits)?,
                msgpack_rpc::read,
            ),
        };
        Ok(bytes.map(|bytes| Frame {
            content: read(&bytes, limits),
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
        if matches!(self.dialect, Dialect::JsonRpcLines | Dialect::Orchard)
            && buffer.iter().any(|byte| !byte.is_ascii_whitespace())
        {
            buffer.extend_from_slice(b"\n");
            return self.decode(buffer);
        }
        if buffer.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        Err(DialectError::new(
            "the stream ended in the middle of a message",
            buffer,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the bytes arrive, what is too long is one bad frame, and the next one is read.
    #[test]
    fn what_is_too_long_can_be_passed_over() {
        let limits = Limits {
            frame: 40,
            oversized: Oversized::Skip,
            ..Limits::default()
        };
        let good = br#"{"jsonrpc":"2.0","method":"m"}"#;
        let long = [b'x'; 1000];
        let lines = [&long[..], b"\n", good, b"\n"].concat();
        let headers = [
            &b"Content-Length: 1000\r\n\r\n"[..],
            &long,
            b"Content-Length: 30\r\n\r\n",
            good,
        ]
        .concat();
        for (dialect, stream) in [
            (Dialect::JsonRpcLines, lines),
            (Dialect::JsonRpcHeaders, headers),
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
                assert!(matches!(&frames[0], Inbound::Malformed(_)));
                assert!(matches!(&frames[1], Inbound::Message(_)));
            }
        }
    }
}
