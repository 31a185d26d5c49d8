//! What a frame means, in the words of the files in `conformance/dialects`.

use crate::error_names::ERROR_NAMES;
use crate::ext_names::EXT_NAMES;
use tenon_rpc::{
    Dialect, ErrorCode, Format, Id, Message, Payload,
    wire::{Inbound, Malformed, MalformedKind, Response},
};

/// What arrived.
pub(crate) fn describe(content: &Inbound, dialect: Dialect) -> String {
    match content {
        Inbound::Message(Message::Request(request)) => format!(
            r#"{{"request":{{"id":{},"method":{}{}}}}}"#,
            id_text(&request.id),
            quoted(&request.method),
            member("params", request.params.as_ref()),
        ),
        Inbound::Message(Message::Event(event)) => format!(
            r#"{{"event":{{"method":{}{}}}}}"#,
            quoted(&event.method),
            member("params", event.params.as_ref()),
        ),
        Inbound::Message(Message::Response(Response { id, result })) => {
            let outcome = match result {
                Ok(result) => member("result", Some(result)),
                Err(error) => format!(
                    r#","error":{{"code":{},"message":{}{}}}"#,
                    code_text(&error.code, dialect),
                    quoted(&error.message),
                    member("data", error.data.as_ref()),
                ),
            };
            format!(r#"{{"response":{{"id":{}{outcome}}}}}"#, id_text(id))
        }
        Inbound::Batch(items) => {
            let items: Vec<String> = items.iter().map(|item| describe(item, dialect)).collect();
            format!(r#"{{"batch":[{}]}}"#, items.join(","))
        }
        Inbound::Malformed(malformed) => {
            let Malformed { id, kind, error } = &**malformed;
            let kind = match kind {
                MalformedKind::Stray => "stray",
                MalformedKind::Request => "request",
                MalformedKind::Response => "response",
                MalformedKind::Bare => "bare",
                MalformedKind::TooLong { is_answer: true } => "long response",
                MalformedKind::TooLong { is_answer: false } => "long request",
                other => panic!("a kind that the vectors do not have: {other:?}"),
            };
            let id = id
                .as_ref()
                .map_or_else(String::new, |id| format!(r#","id":{}"#, id_text(id)));
            let code = code_text(&error.code, dialect);
            format!(r#"{{"malformed":{{"kind":"{kind}"{id},"code":{code}}}}}"#)
        }
    }
}

fn member(name: &str, payload: Option<&Payload>) -> String {
    payload.map_or_else(String::new, |payload| {
        let json = payload
            .to_format_with(Format::Json, EXT_NAMES)
            .expect("valid in its format");
        let text = String::from_utf8(json.bytes().to_vec()).expect("JSON is UTF-8");
        format!(r#","{name}":{text}"#)
    })
}

fn id_text(id: &Id) -> String {
    match id {
        Id::Null => "null".to_owned(),
        Id::Number(number) => number.to_string(),
        Id::Text(text) => quoted(text),
        Id::Verbatim(text) => text.to_string(),
    }
}

/// The code as the dialect writes it.
fn code_text(code: &ErrorCode, dialect: Dialect) -> String {
    match (code, dialect) {
        (ErrorCode::Number(number), Dialect::Orchard) => {
            let known = ERROR_NAMES.iter().find(|(known, _)| known == number);
            known.map_or_else(|| quoted(&code.name()), |(_, name)| quoted(name))
        }
        (ErrorCode::Number(number), _) => number.to_string(),
        (ErrorCode::Name(name), _) => quoted(name),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text")
}
