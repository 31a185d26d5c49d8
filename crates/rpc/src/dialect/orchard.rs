//! Orchard's envelope: ids are 64-bit integers, error codes are names, and nothing says
//! `jsonrpc`.

use bytes::{BufMut, Bytes, BytesMut};

use super::envelope::{self, Envelope};
use super::{Inbound, Limits, Malformed, MalformedKind, json_rpc};
use crate::error::{ErrorCode, RpcError};
use crate::message::{Event, Id, Message, Request, Response, Text};
use crate::payload::{Format, Payload, PayloadError};
use tenon_wire::json::{self, JsonError, Scanner};

/// Reads one frame.
pub(super) fn read(frame: &Bytes, limits: &Limits) -> Inbound {
    if let Err(error) = json::check(frame, limits.depth) {
        return malformed(None, MalformedKind::Stray, error.to_string());
    }
    let mut scanner = Scanner::new(frame, limits.depth);
    match Envelope::find(frame, &mut scanner) {
        Ok(envelope) => understand(frame, envelope),
        Err(_) => malformed(None, MalformedKind::Request, "a message is an object"),
    }
}

/// Reads the object at the start of `text`. Gives its length as well: other text may follow.
pub(super) fn read_answer(text: &Bytes, limits: &Limits) -> Result<(usize, Inbound), JsonError> {
    let mut scanner = Scanner::new(text, limits.depth);
    let envelope = Envelope::find(text, &mut scanner)?;
    Ok((scanner.at(), understand(text, envelope)))
}

fn understand(frame: &Bytes, envelope: Envelope) -> Inbound {
    let id = match envelope.id {
        None => None,
        Some(place) => match envelope::id(frame, place).filter(is_int64) {
            Some(id) => Some(id),
            None => return malformed(None, MalformedKind::Request, "the id is no int64"),
        },
    };
    if let Some(place) = envelope.method {
        let Some(method) = envelope::text(frame, place).filter(|method| !method.is_empty()) else {
            return malformed(id, MalformedKind::Request, "the method is no name");
        };
        let params = envelope::optional_payload(frame, envelope.params);
        return Inbound::Message(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Event(Event { method, params }),
        });
    }
    let Some(id) = id else {
        return malformed(None, MalformedKind::Request, "neither method nor id");
    };
    // Providers in Go may write the member that does not apply as null.
    let is_null = |place: &std::ops::Range<usize>| &frame[place.clone()] == b"null";
    let (result, error) = match (envelope.result, envelope.error) {
        (result, Some(error)) if is_null(&error) => (result, None),
        (Some(result), error @ Some(_)) if is_null(&result) => (None, error),
        both => both,
    };
    let result = match (result, error) {
        (Some(place), None) => Ok(envelope::payload(frame, place)),
        (None, Some(place)) => match read_error(frame.slice(place)) {
            Some(error) => Err(Box::new(error)),
            None => {
                let problem = "the error is no object with a code and a message";
                return malformed(Some(id), MalformedKind::Response, problem);
            }
        },
        (None, None) => {
            let problem = "an id without method, result or error";
            return malformed(Some(id), MalformedKind::Bare, problem);
        }
        (Some(_), Some(_)) => {
            let problem = "a response with both result and error";
            return malformed(Some(id), MalformedKind::Response, problem);
        }
    };
    Inbound::Message(Message::Response(Response { id, result }))
}

fn is_int64(id: &Id) -> bool {
    matches!(id, Id::Number(_))
}

fn read_error(frame: Bytes) -> Option<RpcError> {
    let (mut code, mut message, mut detail) = (None, None, None);
    let mut scanner = Scanner::new(&frame, json::MAX_DEPTH);
    envelope::members(&frame, &mut scanner, |name, value| match name {
        b"code" => code = envelope::text(&frame, value),
        b"message" => message = envelope::text(&frame, value),
        b"detail" => detail = envelope::optional_payload(&frame, Some(value)),
        _ => {}
    })
    .ok()?;
    Some(RpcError {
        code: ErrorCode::Name(code?),
        message: message.as_deref().unwrap_or_default().to_owned(),
        data: detail,
    })
}

fn malformed(id: Option<Id>, kind: MalformedKind, problem: impl Into<String>) -> Inbound {
    Inbound::Malformed(Box::new(Malformed {
        id,
        kind,
        error: RpcError::invalid_request(problem),
    }))
}

/// Writes one message as one object.
pub(super) fn encode(message: &Message, out: &mut BytesMut) -> Result<(), PayloadError> {
    let refuse = |id: &Id| {
        let problem = format!("Orchard's ids are 64-bit integers, not {id}");
        Err(PayloadError::new(problem))
    };
    out.put_u8(b'{');
    match message {
        Message::Request(Request { id, .. }) if !is_int64(id) => refuse(id),
        // The answer to a frame whose id could not be read has nowhere to go but 0.
        Message::Response(Response {
            id: Id::Null,
            result,
        }) => {
            let response = Response {
                id: Id::Number(0),
                result: result.clone(),
            };
            json_rpc::write_members(&Message::Response(response), out, write_error)
        }
        Message::Response(Response { id, .. }) if !is_int64(id) => refuse(id),
        message => json_rpc::write_members(message, out, write_error),
    }
}

fn write_error(error: &RpcError, out: &mut BytesMut) -> Result<(), PayloadError> {
    out.put_slice(b"{\"code\":");
    envelope::write_text(out, &error.code.name());
    out.put_slice(b",\"message\":");
    envelope::write_text(out, &error.message);
    if let Some(data) = &error.data {
        out.put_slice(b",\"detail\":");
        match data.bytes().first() {
            Some(b'"') => envelope::write_payload(out, data)?,
            // Orchard's detail is a text: anything else goes as the text of its JSON.
            _ => envelope::write_text(out, &json_text(data)?),
        }
    }
    out.put_u8(b'}');
    Ok(())
}

fn json_text(payload: &Payload) -> Result<Text, PayloadError> {
    match payload.format() {
        Format::Json => Text::from_utf8(payload.bytes().clone()),
        Format::Msgpack => None,
    }
    .ok_or_else(|| PayloadError::new("the error's data is no JSON"))
}
