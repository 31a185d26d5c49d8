//! JSON-RPC 2.0: strict in what is written, lenient in what is read where real peers need it.
//!
//! Accepted: a missing `jsonrpc`, params that are neither an array nor an object, an `error` or
//! `result` that is `null` beside the other one.

use bytes::{BufMut, Bytes, BytesMut};
use tenon_wire::json::{self, JsonError, Scanner};

use super::envelope::Envelope;
use super::object::{self, Members};
use super::{Inbound, Limits, Malformed, MalformedKind};
use crate::error::{Codes, ErrorCode, RpcError};
use crate::message::{Event, Id, Message, Request, Response, Text};
use crate::payload::{Format, Payload, PayloadError};

pub(super) static ENVELOPE: Envelope = Envelope {
    format: Format::Json,
    read,
    read_answer: Some(read_answer),
    write,
    write_around: Some(write_around),
    write_batch: Some(write_batch),
    codes: Codes::Numbers,
    malformed,
    // Some scripts leave out a result that is undefined.
    may_leave_out_result: true,
};

/// Reads one frame.
fn read(frame: &Bytes, limits: &Limits) -> Inbound {
    let mut scanner = Scanner::new(frame, limits.depth);
    let content = match scanner.peek() {
        Some(b'[') => json::check_utf8(frame).map(|()| read_batch(frame, scanner, limits)),
        Some(b'{') => read_object(frame, &mut scanner),
        _ => json::check(frame, limits.depth).map(|()| not_an_object()),
    };
    content.unwrap_or_else(|error| stray(&error))
}

fn read_object(frame: &Bytes, scanner: &mut Scanner<'_>) -> Result<Inbound, JsonError> {
    let members = Members::find(frame, scanner)?;
    scanner.end()?;
    object::check_utf8(frame, scanner)?;
    Ok(understand(frame, members))
}

/// Reads the object at the start of `text`, if it says that it is a message. Gives its length as
/// well: other text may follow.
fn read_answer(text: &Bytes, limits: &Limits) -> Result<(usize, Inbound), JsonError> {
    let mut scanner = Scanner::new(text, limits.depth);
    let members = Members::find(text, &mut scanner)?;
    object::check_utf8(&text[..scanner.at()], &scanner)?;
    let content = match members.jsonrpc {
        Some(_) => understand(text, members),
        None => not_an_object(),
    };
    Ok((scanner.at(), content))
}

fn read_batch(frame: &Bytes, mut scanner: Scanner<'_>, limits: &Limits) -> Inbound {
    let mut places = Vec::new();
    let mut count = 0;
    let scanned = scanner.array(|place| {
        count += 1;
        if count <= limits.batch {
            places.push(place);
        }
    });
    if let Err(error) = scanned.and_then(|()| scanner.end()) {
        return stray(&error);
    }
    if count == 0 {
        return request_error(None, "an empty batch");
    }
    if count > limits.batch {
        let problem = format!(
            "a batch of {count}, more than the limit of {}",
            limits.batch
        );
        return request_error(None, &problem);
    }
    let items = places.into_iter().map(|place| {
        let item = frame.slice(place);
        let mut scanner = Scanner::new(&item, limits.depth);
        match scanner.peek() {
            // It has been scanned as part of the batch: it cannot fail to scan now.
            Some(b'{') => read_object(&item, &mut scanner).unwrap_or_else(|error| stray(&error)),
            _ => not_an_object(),
        }
    });
    Inbound::Batch(items.collect())
}

/// Looks at which members are there, then decides what the message is.
fn understand(frame: &Bytes, members: Members) -> Inbound {
    let id = match members.id.clone() {
        None => None,
        Some(place) => match object::id(frame, place) {
            Some(id) => Some(id),
            None => return request_error(None, "the id is neither a string nor a number nor null"),
        },
    };
    if let Some(version) = &members.jsonrpc
        && &frame[version.clone()] != b"\"2.0\""
        && object::text(frame, version.clone()).is_none_or(|version| version != "2.0")
    {
        let problem = "`jsonrpc` is not \"2.0\"";
        return match id {
            Some(id) if members.method.is_none() && members.is_answer() => {
                response_error(id, problem)
            }
            id => request_error(id, problem),
        };
    }
    if let Some(place) = members.method {
        let Some(method) = object::text(frame, place).filter(|method| !method.is_empty()) else {
            return request_error(id, "the method is not a non-empty string");
        };
        let params = object::optional_payload(frame, members.params, members.outline);
        return Inbound::Message(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Event(Event { method, params }),
        });
    }
    let is_null = |place: &std::ops::Range<usize>| &frame[place.clone()] == b"null";
    let is_error = members.error.as_ref().is_some_and(|place| !is_null(place));
    let id = match id {
        Some(id) => id,
        // An error about no call has the id null; some peers leave it out.
        None if is_error && members.result.is_none() => Id::Null,
        None => return request_error(None, "neither method nor id"),
    };
    match (
        members.result,
        members.error.filter(|place| !is_null(place)),
    ) {
        (None, None) => Inbound::Malformed(Box::new(Malformed {
            id: Some(id),
            kind: MalformedKind::Bare,
            error: invalid_request("an id without method, result or error"),
        })),
        (Some(place), None) => response(id, Ok(object::outlined(frame, place, members.outline))),
        (result, Some(place)) if result.as_ref().is_none_or(is_null) => {
            match read_error(frame.slice(place)) {
                Some(error) => response(id, Err(error)),
                None => response_error(id, "the error is not an object with a code and a message"),
            }
        }
        (Some(_), Some(_)) | (None, Some(_)) => {
            response_error(id, "a response with both result and error")
        }
    }
}

fn response(id: Id, result: Result<Payload, RpcError>) -> Inbound {
    let result = result.map_err(Box::new);
    Inbound::Message(Message::Response(Response { id, result }))
}

/// Reads an error object. Some peers leave out the code or the message, but not both.
fn read_error(frame: Bytes) -> Option<RpcError> {
    let (mut code, mut message, mut data) = (None, None, None);
    let mut scanner = Scanner::new(&frame, json::MAX_DEPTH);
    object::members(&frame, &mut scanner, |name, value| match name {
        b"code" => code = Some(value),
        b"message" => message = Some(value),
        b"data" => data = Some(value),
        _ => {}
    })
    .ok()?;
    let code = code.map(|place| match object::text(&frame, place.clone()) {
        Some(name) => ErrorCode::Name(name),
        None => {
            serde_json::from_slice(&frame[place]).map_or(ErrorCode::SERVER_ERROR, ErrorCode::Number)
        }
    });
    let message = message.and_then(|place| object::text(&frame, place));
    if code.is_none() && message.is_none() {
        return None;
    }
    Some(RpcError {
        code: code.unwrap_or(ErrorCode::SERVER_ERROR),
        message: message.map_or_else(|| "(no message)".to_owned(), |text| text.to_string()),
        data: data.map(|place| object::payload(&frame, place)),
    })
}

fn invalid_request(detail: &str) -> RpcError {
    let error = RpcError::invalid_request("Invalid Request");
    match Payload::encode(Format::Json, detail) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

fn stray(error: &JsonError) -> Inbound {
    let data = Payload::encode(Format::Json, &error.to_string()).ok();
    Inbound::Malformed(Box::new(Malformed {
        id: None,
        kind: MalformedKind::Stray,
        error: RpcError {
            code: ErrorCode::PARSE_ERROR,
            message: "Parse error".into(),
            data,
        },
    }))
}

fn not_an_object() -> Inbound {
    request_error(None, "a message must be an object")
}

fn request_error(id: Option<Id>, detail: &str) -> Inbound {
    malformed(id, MalformedKind::Request, detail)
}

fn malformed(id: Option<Id>, kind: MalformedKind, detail: &str) -> Inbound {
    Inbound::Malformed(Box::new(Malformed {
        id,
        kind,
        error: invalid_request(detail),
    }))
}

fn response_error(id: Id, detail: &str) -> Inbound {
    Inbound::Malformed(Box::new(Malformed {
        id: Some(id),
        kind: MalformedKind::Response,
        error: RpcError::invalid_request(detail),
    }))
}

/// Writes one message as one object.
fn write(message: &Message, out: &mut BytesMut) -> Result<(), PayloadError> {
    out.put_slice(b"{\"jsonrpc\":\"2.0\",");
    write_members(message, out, write_error, object::write_payload)
}

/// Writes one message without its params or its result, and gives the place where they belong.
fn write_around(message: &Message, out: &mut BytesMut) -> Result<usize, PayloadError> {
    let mut place = 0;
    out.put_slice(b"{\"jsonrpc\":\"2.0\",");
    write_members(message, out, write_error, |out, payload| {
        place = out.len();
        object::check_format(payload)
    })?;
    Ok(place)
}

/// Writes the members that JSON-RPC and Orchard share, and the closing brace.
pub(super) fn write_members(
    message: &Message,
    out: &mut BytesMut,
    write_error: fn(&RpcError, &mut BytesMut) -> Result<(), PayloadError>,
    mut write_payload: impl FnMut(&mut BytesMut, &Payload) -> Result<(), PayloadError>,
) -> Result<(), PayloadError> {
    let mut write_call = |out: &mut BytesMut, method: &Text, params: &Option<Payload>| {
        out.put_slice(b"\"method\":");
        json::write_string(out, method);
        match params {
            Some(params) => {
                out.put_slice(b",\"params\":");
                write_payload(out, params)
            }
            None => Ok(()),
        }
    };
    match message {
        Message::Request(request) => {
            out.put_slice(b"\"id\":");
            object::write_id(out, &request.id);
            out.put_u8(b',');
            write_call(out, &request.method, &request.params)?;
        }
        Message::Event(event) => write_call(out, &event.method, &event.params)?,
        Message::Response(Response { id, result }) => {
            out.put_slice(b"\"id\":");
            object::write_id(out, id);
            match result {
                Ok(result) => {
                    out.put_slice(b",\"result\":");
                    write_payload(out, result)?;
                }
                Err(error) => {
                    out.put_slice(b",\"error\":");
                    write_error(error, out)?;
                }
            }
        }
    }
    out.put_u8(b'}');
    Ok(())
}

fn write_error(error: &RpcError, out: &mut BytesMut) -> Result<(), PayloadError> {
    let number = error.code.number();
    out.put_slice(b"{\"code\":");
    out.put_slice(itoa::Buffer::new().format(number).as_bytes());
    out.put_slice(b",\"message\":");
    json::write_string(out, &error.message);
    match (&error.data, &error.code) {
        (Some(data), _) => {
            out.put_slice(b",\"data\":");
            object::write_payload(out, data)?;
        }
        // A name that has no number would be lost otherwise.
        (None, ErrorCode::Name(name)) if number == -32000 => {
            out.put_slice(b",\"data\":{\"code\":");
            json::write_string(out, name);
            out.put_u8(b'}');
        }
        (None, _) => {}
    }
    out.put_u8(b'}');
    Ok(())
}

/// Writes several messages as one array.
fn write_batch(
    messages: &mut dyn Iterator<Item = Message>,
    out: &mut BytesMut,
) -> Result<(), PayloadError> {
    for (index, message) in messages.enumerate() {
        out.put_u8(if index == 0 { b'[' } else { b',' });
        write(&message, out)?;
    }
    out.put_u8(b']');
    Ok(())
}
