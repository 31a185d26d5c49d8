//! Orchard's envelope: ids are 64-bit integers, error codes are names, and nothing says
//! `jsonrpc`.

use bytes::{BufMut, Bytes, BytesMut};
use tenon_wire::json::{self, JsonError, Scanner};

use super::envelope::Envelope;
use super::object::{self, Members};
use super::{Inbound, Limits, Malformed, MalformedKind, json_rpc};
use crate::error::{Codes, ErrorCode, RpcError};
use crate::message::{Event, Id, Message, Request, Response, Text};
use crate::payload::{Format, Payload, PayloadError};

pub(super) static ENVELOPE: Envelope = Envelope {
    format: Format::Json,
    read,
    read_answer: Some(read_answer),
    write,
    write_around: None,
    write_batch: None,
    codes: Codes::Names,
    malformed,
    // Providers always have a result, even an empty one.
    may_leave_out_result: false,
};

/// Reads one frame.
fn read(frame: &Bytes, limits: &Limits) -> Inbound {
    match read_whole(frame, limits) {
        Ok(content) => content,
        Err(error) => malformed(None, MalformedKind::Stray, &error.to_string()),
    }
}

fn read_whole(frame: &Bytes, limits: &Limits) -> Result<Inbound, JsonError> {
    json::check_utf8(frame)?;
    let mut scanner = Scanner::new(frame, limits.depth);
    if scanner.peek() != Some(b'{') {
        scanner.value()?;
        scanner.end()?;
        let problem = "a message must be an object";
        return Ok(malformed(None, MalformedKind::Request, problem));
    }
    let members = Members::find(frame, &mut scanner)?;
    scanner.end()?;
    Ok(understand(frame, members))
}

/// Reads the object at the start of `text`. Gives its length as well: other text may follow.
fn read_answer(text: &Bytes, limits: &Limits) -> Result<(usize, Inbound), JsonError> {
    let mut scanner = Scanner::new(text, limits.depth);
    let members = Members::find(text, &mut scanner)?;
    Ok((scanner.at(), understand(text, members)))
}

fn understand(frame: &Bytes, members: Members) -> Inbound {
    let id = match members.id {
        None => None,
        Some(place) => match object::id(frame, place).filter(is_int64) {
            Some(id) => Some(id),
            None => {
                return malformed(
                    None,
                    MalformedKind::Request,
                    "the id is not a 64-bit integer",
                );
            }
        },
    };
    if let Some(place) = members.method {
        let Some(method) = object::text(frame, place).filter(|method| !method.is_empty()) else {
            return malformed(
                id,
                MalformedKind::Request,
                "the method is not a non-empty string",
            );
        };
        let params = object::optional_payload(frame, members.params, members.outline);
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
    let (result, error) = match (members.result, members.error) {
        (result, Some(error)) if is_null(&error) => (result, None),
        (Some(result), error @ Some(_)) if is_null(&result) => (None, error),
        both => both,
    };
    let result = match (result, error) {
        (Some(place), None) => Ok(object::outlined(frame, place, members.outline)),
        (None, Some(place)) => match read_error(frame.slice(place)) {
            Some(error) => Err(Box::new(error)),
            None => {
                let problem = "the error is not an object with a code and a message";
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
    object::members(&frame, &mut scanner, |name, value| match name {
        b"code" => code = object::text(&frame, value),
        b"message" => message = object::text(&frame, value),
        b"detail" => detail = object::optional_payload(&frame, Some(value), None),
        _ => {}
    })
    .ok()?;
    Some(RpcError {
        code: ErrorCode::Name(code?),
        message: message.as_deref().unwrap_or_default().to_owned(),
        data: detail,
    })
}

fn malformed(id: Option<Id>, kind: MalformedKind, problem: &str) -> Inbound {
    Inbound::Malformed(Box::new(Malformed {
        id,
        kind,
        error: RpcError::invalid_request(problem),
    }))
}

/// Writes one message as one object.
fn write(message: &Message, out: &mut BytesMut) -> Result<(), PayloadError> {
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
            json_rpc::write_members(
                &Message::Response(response),
                out,
                write_error,
                object::write_payload,
            )
        }
        Message::Response(Response { id, .. }) if !is_int64(id) => refuse(id),
        message => json_rpc::write_members(message, out, write_error, object::write_payload),
    }
}

fn write_error(error: &RpcError, out: &mut BytesMut) -> Result<(), PayloadError> {
    out.put_slice(b"{\"code\":");
    json::write_string(out, &error.code.name());
    out.put_slice(b",\"message\":");
    json::write_string(out, &error.message);
    if let Some(data) = &error.data {
        out.put_slice(b",\"detail\":");
        match data.bytes().first() {
            Some(b'"') => object::write_payload(out, data)?,
            // Orchard's detail is a text: anything else goes as the text of its JSON.
            _ => json::write_string(out, &json_text(data)?),
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
    .ok_or_else(|| PayloadError::new("the error's data is not JSON"))
}
