//! What the raw client writes to each kind of server, and how it knows a right answer.
//!
//! Ids have a fixed width, so all requests of a size are equally long, and so are all their
//! answers: after the first one, which is checked in full, answers are counted by length.

use bench_workload::{Many, Size};
use serde_json::{Value, json};

use crate::msgpack;
use crate::template::{FIRST_ID, Template};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// JSON-RPC 2.0, one message per line.
    Lines,
    /// JSON-RPC 2.0 behind Content-Length headers.
    Headers,
    /// Lines, with the agent client protocol's greeting and its form of extension methods.
    Acp,
    /// Lines, with the model context protocol's greeting; the call is a tool call.
    Mcp,
    /// msgpack-rpc.
    Msgpack,
    /// msgpack-rpc as Neovim has it, which offers no echo: it evaluates or runs a line of Lua.
    Neovim,
    /// Not for the raw client.
    Own,
}

/// A message of the greeting, and whether an answer to it is awaited.
pub struct Greeting {
    pub bytes: Vec<u8>,
    pub answered: bool,
}

impl Wire {
    pub fn greeting(self) -> Vec<Greeting> {
        let line = |value: Value, answered| Greeting {
            bytes: format!("{value}\n").into_bytes(),
            answered,
        };
        let initialize = |params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        match self {
            Wire::Acp => {
                vec![line(
                    initialize(json!({"protocolVersion": 1, "clientCapabilities": {}})),
                    true,
                )]
            }
            Wire::Mcp => {
                let client = json!({"name": "bench", "version": "0"});
                let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                vec![line(initialize(params), true), line(ready, false)]
            }
            _ => Vec::new(),
        }
    }

    pub fn request(self, size: Size) -> Template {
        match self {
            Wire::Msgpack | Wire::Neovim => {
                let mut bytes = vec![0x94, 0x00, 0xce];
                let id_at = bytes.len();
                bytes.extend([0; 4]);
                self.msgpack_call("echo", size, &mut bytes);
                Template {
                    bytes,
                    id_at,
                    binary_id: true,
                }
            }
            _ => {
                let (method, params) = self.json_call(size, true);
                self.json_request(method, &params)
            }
        }
    }

    /// Asks a server that speaks JSON to send so many events: to the client that asks (`stream`), or to
    /// everybody (`broadcast`).
    pub fn request_events(self, method: &str, count: u64) -> Template {
        self.json_request(method, &json!(Many { count }))
    }

    fn json_request(self, method: &str, params: &Value) -> Template {
        let head = r#"{"jsonrpc":"2.0","id":"#;
        let body = format!(r#"{head}{FIRST_ID},"method":"{method}","params":{params}}}"#);
        let (bytes, header) = self.framed(&body);
        Template {
            bytes,
            id_at: header + head.len(),
            binary_id: false,
        }
    }

    pub fn event(self, size: Size) -> Vec<u8> {
        match self {
            Wire::Msgpack | Wire::Neovim => {
                let mut bytes = vec![0x93, 0x02];
                self.msgpack_call("note", size, &mut bytes);
                bytes
            }
            _ => {
                let (method, params) = self.json_call(size, false);
                let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
                self.framed(&body).0
            }
        }
    }

    /// The length of the first whole message in the buffer.
    pub fn message_length(self, buffer: &[u8]) -> Result<Option<usize>, String> {
        match self {
            Wire::Msgpack | Wire::Neovim => msgpack::value_length(buffer),
            Wire::Headers => Ok(headers_end(buffer)
                .and_then(|(end, length)| (buffer.len() >= end + length).then_some(end + length))),
            _ => Ok(buffer
                .iter()
                .position(|&byte| byte == b'\n')
                .map(|at| at + 1)),
        }
    }

    /// Is this the answer to that request?
    pub fn check(self, message: &[u8], id: u32, size: Size) -> Result<(), String> {
        let quote = || String::from_utf8_lossy(&message[..message.len().min(200)]).into_owned();
        let text = size.text();
        let holds_text = memmem(message, text.as_bytes());
        if matches!(self, Wire::Msgpack | Wire::Neovim) {
            // Neovim answers the tiny call with the number it evaluated.
            let right = holds_text
                || (self == Wire::Neovim && size == Size::Tiny && message.ends_with(&[1]));
            let head = [&[0x94, 0x01, 0xce][..], &id.to_be_bytes(), &[0xc0]].concat();
            return if right && message.starts_with(&head) {
                Ok(())
            } else {
                Err(format!("{message:02x?}"))
            };
        }
        let body = message
            .iter()
            .position(|&byte| byte == b'{')
            .ok_or_else(quote)?;
        let value: Value = serde_json::from_slice(&message[body..]).map_err(|_| quote())?;
        // The byte echo of the limit sends the request itself back.
        let right = value["id"] == id && value.get("error").is_none() && holds_text;
        if right { Ok(()) } else { Err(quote()) }
    }

    fn json_call(self, size: Size, request: bool) -> (&'static str, Value) {
        let echo = serde_json::to_value(size.echo()).unwrap_or_default();
        match (self, request) {
            (Wire::Acp, true) => ("_bench/echo", echo),
            (Wire::Acp, false) => ("_bench/note", echo),
            (Wire::Mcp, true) => ("tools/call", json!({"name": "echo", "arguments": echo})),
            (Wire::Mcp, false) => ("notifications/note", echo),
            (_, true) => ("echo", echo),
            (_, false) => ("note", echo),
        }
    }

    fn msgpack_call(self, method: &str, size: Size, out: &mut Vec<u8>) {
        if self == Wire::Neovim {
            let (method, code) = match size {
                Size::Tiny => ("nvim_eval", "1"),
                _ => ("nvim_exec_lua", "return ..."),
            };
            msgpack::text(method, out);
            out.push(if size == Size::Tiny { 0x91 } else { 0x92 });
            msgpack::text(code, out);
            if size != Size::Tiny {
                out.push(0x91);
                msgpack::text(&size.text(), out);
            }
            return;
        }
        msgpack::text(method, out);
        // Parameters are positional in this protocol.
        out.extend([0x93, 1, 2]);
        msgpack::text(&size.text(), out);
    }

    /// The body framed, and how many bytes come before it.
    fn framed(self, body: &str) -> (Vec<u8>, usize) {
        match self {
            Wire::Headers => {
                let header = format!("Content-Length: {}\r\n\r\n", body.len());
                let length = header.len();
                ((header + body).into_bytes(), length)
            }
            _ => (format!("{body}\n").into_bytes(), 0),
        }
    }
}

fn headers_end(buffer: &[u8]) -> Option<(usize, usize)> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..end]).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))?;
    Some((end, line.trim().parse().ok()?))
}

fn memmem(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Wire; 6] = [
        Wire::Lines,
        Wire::Headers,
        Wire::Acp,
        Wire::Mcp,
        Wire::Msgpack,
        Wire::Neovim,
    ];

    #[test]
    fn every_request_and_event_is_one_whole_message() {
        for wire in ALL {
            for size in [Size::Tiny, Size::Kib] {
                let request = wire.request(size);
                let length = request.bytes().len();
                assert_eq!(
                    wire.message_length(request.bytes()),
                    Ok(Some(length)),
                    "{wire:?}"
                );
                assert_eq!(
                    wire.message_length(&request.bytes()[..length - 1]),
                    Ok(None),
                    "{wire:?}"
                );
                let event = wire.event(size);
                assert_eq!(
                    wire.message_length(&event),
                    Ok(Some(event.len())),
                    "{wire:?}"
                );
            }
        }
    }

    #[test]
    fn the_stamped_id_is_the_one_that_is_checked() {
        let template = Wire::Lines.request(Size::Tiny);
        let mut frame = template.bytes().to_vec();
        template.stamp(&mut frame, FIRST_ID + 2345);
        let text = String::from_utf8(frame.clone()).unwrap();
        assert!(
            text.starts_with(r#"{"jsonrpc":"2.0","id":10002345,"method":"echo","params":{"a":1,"#)
        );
        assert_eq!(
            Wire::Lines.check(&frame, FIRST_ID + 2345, Size::Tiny),
            Ok(())
        );
        assert!(Wire::Lines.check(&frame, FIRST_ID, Size::Tiny).is_err());
    }

    #[test]
    fn an_error_answer_is_not_right() {
        let answer = format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": FIRST_ID, "error": {"message": "hello"}})
        );
        assert!(
            Wire::Lines
                .check(answer.as_bytes(), FIRST_ID, Size::Tiny)
                .is_err()
        );
    }
}
