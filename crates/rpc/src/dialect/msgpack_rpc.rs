//! msgpack-rpc: `[0, id, method, params]`, `[1, id, error, result]`, `[2, method, params]`.
//!
//! Errors go out as `[code, message]` or `[code, message, data]`, and come in as that, as a map, or
//! as a text. (Neovim shows the message of such a list only if the code is 0 or 1 and there is no
//! data; its own errors have that form.) Params are an array; a map is accepted.

use bytes::{BufMut, Bytes, BytesMut};
use tenon_wire::msgpack::{Reader, Token, write};

use super::envelope::Envelope;
use super::{Inbound, Limits, Malformed, MalformedKind};
use crate::error::{Codes, ErrorCode, RpcError};
use crate::message::{Event, Id, Message, Request, Response, Text};
use crate::payload::{Format, Payload, PayloadError};

pub(super) static ENVELOPE: Envelope = Envelope {
    format: Format::Msgpack,
    read,
    read_answer: None,
    write: write_message,
    // The payload is the end of the frame.
    write_around: Some(|message, out| write_head(message, out).map(|_| out.len())),
    write_batch: None,
    codes: Codes::Both,
    malformed: |id, kind, problem| Inbound::Malformed(Box::new(malformed(id, kind, problem))),
    // A response has four elements, and one of them is its result.
    may_leave_out_result: false,
};

/// Reads one frame.
fn read(frame: &Bytes, _: &Limits) -> Inbound {
    match understand(frame) {
        Ok(message) => Inbound::Message(message),
        Err(malformed) => Inbound::Malformed(Box::new(malformed)),
    }
}

fn understand(frame: &Bytes) -> Result<Message, Malformed> {
    let mut reader = Reader::new(frame);
    let length = match reader.token() {
        Some(Token::Array(length)) => length,
        _ => return Err(malformed(None, MalformedKind::Request, "not an array")),
    };
    let (kind, expected) = match (length > 0).then(|| reader.token()).flatten() {
        Some(Token::Unsigned(0)) => (MalformedKind::Request, 4),
        Some(Token::Unsigned(1)) => (MalformedKind::Response, 4),
        Some(Token::Unsigned(2)) if length == 3 => return read_call(frame, reader, None),
        Some(Token::Unsigned(2)) => (MalformedKind::Request, 3),
        _ => {
            let problem = "the message type must be 0, 1 or 2";
            return Err(malformed(None, MalformedKind::Request, problem));
        }
    };
    let id = match (length > 1 && expected == 4)
        .then(|| reader.token())
        .flatten()
    {
        Some(Token::Unsigned(id)) => u32::try_from(id).ok().map(Id::from),
        _ => None,
    };
    if length != expected {
        let problem = format!("{length} elements instead of {expected}");
        return Err(malformed(id, kind, problem));
    }
    match (id, kind) {
        (None, _) => {
            let problem = "the id is not an unsigned 32-bit integer";
            Err(malformed(None, kind, problem))
        }
        (Some(id), MalformedKind::Response) => read_response(frame, reader, id),
        (Some(id), _) => read_call(frame, reader, Some(id)),
    }
}

fn read_call(frame: &Bytes, mut reader: Reader<'_>, id: Option<Id>) -> Result<Message, Malformed> {
    let fail = |problem| malformed(id.clone(), MalformedKind::Request, problem);
    let method = match reader.token() {
        Some(Token::Str(name) | Token::Bin(name)) => Text::from_utf8(frame.slice_ref(name)),
        _ => None,
    };
    let method = method.ok_or_else(|| fail("the method is not a string"))?;
    // The frame is one whole array, so that its last element is what is left of it.
    let place = reader.position()..frame.len();
    let params = match reader.token() {
        Some(Token::Nil) => None,
        Some(Token::Array(_) | Token::Map(_)) => Some(payload(frame, place)),
        _ => return Err(fail("the params are not an array")),
    };
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Event(Event { method, params }),
    })
}

fn read_response(frame: &Bytes, mut reader: Reader<'_>, id: Id) -> Result<Message, Malformed> {
    let fail = || malformed(Some(id.clone()), MalformedKind::Response, "cut short");
    let error = reader.skip().ok_or_else(fail)?;
    let result = error.end..frame.len();
    let result = if frame[error.clone()] == [0xc0] {
        Ok(payload(frame, result))
    } else if frame[result] == [0xc0] {
        Err(Box::new(read_error(&payload(frame, error))))
    } else {
        let problem = "a response with both result and error";
        return Err(malformed(Some(id), MalformedKind::Response, problem));
    };
    Ok(Message::Response(Response { id, result }))
}

/// Reads an error. Any value can be one, and is kept.
fn read_error(error: &Payload) -> RpcError {
    read_known_error(error).unwrap_or_else(|| RpcError {
        code: ErrorCode::SERVER_ERROR,
        message: "an error in an unknown form".into(),
        data: Some(error.clone()),
    })
}

fn read_known_error(error: &Payload) -> Option<RpcError> {
    let bytes = error.bytes();
    let text = |token| match token {
        Token::Str(text) | Token::Bin(text) => Text::from_utf8(bytes.slice_ref(text)),
        _ => None,
    };
    let code = |token| match token {
        Token::Unsigned(number) => i64::try_from(number).ok().map(ErrorCode::Number),
        Token::Negative(number) => Some(ErrorCode::Number(number)),
        other => text(other).map(ErrorCode::Name),
    };
    let mut reader = Reader::new(bytes);
    match reader.token()? {
        token @ (Token::Str(_) | Token::Bin(_)) => Some(RpcError::new(
            ErrorCode::SERVER_ERROR,
            text(token)?.as_str(),
        )),
        Token::Array(length @ 2..=3) => {
            let code = code(reader.token()?)?;
            let message = text(reader.token()?)?;
            let data = (length == 3).then(|| reader.skip()).flatten();
            Some(RpcError {
                code,
                message: message.to_string(),
                data: data.map(|place| payload(bytes, place)),
            })
        }
        Token::Map(length) => {
            let mut known = RpcError::new(ErrorCode::SERVER_ERROR, "");
            for _ in 0..length {
                let key = text(reader.token()?)?;
                let place = reader.skip()?;
                let value = Reader::new(&bytes[place.clone()]).token()?;
                match key.as_str() {
                    "code" => known.code = code(value)?,
                    "message" => known.message = text(value)?.to_string(),
                    "data" => known.data = Some(payload(bytes, place)),
                    _ => {}
                }
            }
            (!known.message.is_empty()).then_some(known)
        }
        _ => None,
    }
}

fn payload(frame: &Bytes, place: std::ops::Range<usize>) -> Payload {
    Payload::new(Format::Msgpack, frame.slice(place))
}

fn malformed(id: Option<Id>, kind: MalformedKind, problem: impl Into<String>) -> Malformed {
    Malformed {
        id,
        kind,
        error: RpcError::invalid_request(problem),
    }
}

/// Writes one message.
fn write_message(message: &Message, out: &mut BytesMut) -> Result<(), PayloadError> {
    if let Some(payload) = write_head(message, out)? {
        out.put_slice(payload.bytes());
    }
    Ok(())
}

/// Writes one message except for its params or its result, which end it.
fn write_head<'a>(
    message: &'a Message,
    out: &mut BytesMut,
) -> Result<Option<&'a Payload>, PayloadError> {
    match message {
        Message::Request(request) => {
            write::array(out, 4);
            write::unsigned(out, 0);
            if request.id == Id::Null {
                return Err(PayloadError::new("a request without an id is an event"));
            }
            write_id(out, &request.id)?;
            write_call_head(out, &request.method, request.params.as_ref())
        }
        Message::Event(event) => {
            write::array(out, 3);
            write::unsigned(out, 2);
            write_call_head(out, &event.method, event.params.as_ref())
        }
        Message::Response(response) => {
            write::array(out, 4);
            write::unsigned(out, 1);
            write_id(out, &response.id)?;
            match &response.result {
                Ok(result) => {
                    write::nil(out);
                    msgpack(result).map(Some)
                }
                Err(error) => {
                    write_error(out, error)?;
                    write::nil(out);
                    Ok(None)
                }
            }
        }
    }
}

fn write_id(out: &mut BytesMut, id: &Id) -> Result<(), PayloadError> {
    let number = match id {
        // The answer to a frame whose id could not be read has nowhere to go but 0.
        Id::Null => Some(0),
        Id::Number(number) => u32::try_from(*number).ok(),
        Id::Text(_) | Id::Verbatim(_) => None,
    };
    let number = number.ok_or_else(|| {
        PayloadError::new(format_args!(
            "msgpack-rpc ids are 32-bit integers, not {id}"
        ))
    })?;
    write::unsigned(out, number.into());
    Ok(())
}

fn write_call_head<'a>(
    out: &mut BytesMut,
    method: &Text,
    params: Option<&'a Payload>,
) -> Result<Option<&'a Payload>, PayloadError> {
    write::str(out, method.as_bytes());
    let Some(params) = params else {
        write::array(out, 0);
        return Ok(None);
    };
    if !matches!(
        Reader::new(params.bytes()).token(),
        Some(Token::Array(_) | Token::Map(_))
    ) {
        // Params are an array; a single value becomes the only one in it.
        write::array(out, 1);
    }
    msgpack(params).map(Some)
}

fn write_error(out: &mut BytesMut, error: &RpcError) -> Result<(), PayloadError> {
    write::array(out, if error.data.is_some() { 3 } else { 2 });
    match &error.code {
        ErrorCode::Number(number) => write::signed(out, *number),
        ErrorCode::Name(name) => write::str(out, name.as_bytes()),
    }
    write::str(out, error.message.as_bytes());
    if let Some(data) = &error.data {
        out.put_slice(msgpack(data)?.bytes());
    }
    Ok(())
}

/// The payload, which must be msgpack.
fn msgpack(payload: &Payload) -> Result<&Payload, PayloadError> {
    match payload.format() {
        Format::Msgpack => Ok(payload),
        Format::Json => Err(PayloadError::new(
            "the payload is JSON, the dialect is msgpack",
        )),
    }
}
