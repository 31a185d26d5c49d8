//! Two kinds of failure: what travelled ([`RpcError`]) and what happened here ([`CallError`]).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::message::Text;
use crate::payload::{Payload, PayloadError};

/// An error that one peer sends to the other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// What kind of failure it is, for programs.
    pub code: ErrorCode,
    /// What happened, for people.
    pub message: String,
    /// Anything more, still encoded.
    pub data: Option<Payload>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with `data`.
    pub fn with_data(mut self, data: Payload) -> RpcError {
        self.data = Some(data);
        self
    }

    /// The handler failed in a way its caller can do nothing about.
    pub fn internal(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INTERNAL_ERROR, message)
    }

    /// The params do not fit the method.
    pub fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// The frame is no valid message.
    pub fn invalid_request(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// There is no such method.
    pub fn method_not_found(method: &str, format: crate::Format) -> RpcError {
        let data = Payload::encode(format, &serde_json::json!({ "method": method })).ok();
        RpcError {
            code: ErrorCode::METHOD_NOT_FOUND,
            message: "Method not found".into(),
            data,
        }
    }
}

/// The code of an [`RpcError`]: a number in JSON-RPC, a name in Orchard.
///
/// A foreign code survives as it is. Those that a protocol has both forms for are written in the
/// form that the dialect has ([`Options::error_names`](crate::Options::error_names)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// A number, as in JSON-RPC.
    Number(i64),
    /// A name, as in Orchard.
    Name(Text),
}

impl ErrorCode {
    /// The bytes are not in the dialect's format.
    pub const PARSE_ERROR: ErrorCode = ErrorCode::Number(-32700);
    /// The frame is well-formed but no message.
    pub const INVALID_REQUEST: ErrorCode = ErrorCode::Number(-32600);
    /// There is no such method.
    pub const METHOD_NOT_FOUND: ErrorCode = ErrorCode::Number(-32601);
    /// The params do not fit the method.
    pub const INVALID_PARAMS: ErrorCode = ErrorCode::Number(-32602);
    /// The handler failed.
    pub const INTERNAL_ERROR: ErrorCode = ErrorCode::Number(-32603);
    /// The caller cancelled the call.
    pub const CANCELLED: ErrorCode = ErrorCode::Number(-32800);
    /// An error whose sender gave no code of its own.
    pub const SERVER_ERROR: ErrorCode = ErrorCode::Number(-32000);

    /// The code as a number, for dialects whose codes are numbers. A name that is not a number has
    /// that of [`SERVER_ERROR`](ErrorCode::SERVER_ERROR).
    pub fn number(&self) -> i64 {
        match self {
            ErrorCode::Number(number) => *number,
            // A number may have passed through a dialect with names.
            ErrorCode::Name(name) => name.parse().unwrap_or(-32000),
        }
    }

    /// The code as a name, for dialects whose codes are names. That of a number is its digits.
    pub fn name(&self) -> Text {
        match self {
            ErrorCode::Name(name) => name.clone(),
            ErrorCode::Number(number) => Text::from(number.to_string()),
        }
    }

    /// Takes the other form of the code, if `names` has one and that is the form that is wanted.
    pub(crate) fn reword(&mut self, wanted: Codes, names: &[(i64, &'static str)]) {
        let found = match (&*self, wanted) {
            (ErrorCode::Number(number), Codes::Names) => {
                let named = names.iter().find(|(known, _)| known == number);
                named.map(|(_, name)| ErrorCode::Name(Text::from_static(name)))
            }
            (ErrorCode::Name(name), Codes::Numbers) => {
                let numbered = names.iter().find(|(_, known)| name == known);
                numbered.map(|(number, _)| ErrorCode::Number(*number))
            }
            (_, Codes::Names | Codes::Numbers | Codes::Both) => None,
        };
        if let Some(found) = found {
            *self = found;
        }
    }
}

/// Which forms of error codes a dialect has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    Numbers,
    Names,
    Both,
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorCode::Number(number) => write!(f, "code {number}"),
            ErrorCode::Name(name) => f.write_str(name),
        }
    }
}

/// Why a call brought no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer received the call and answered with an error.
    #[error("the peer answered with an error: {0}")]
    Answered(#[source] RpcError),
    /// The connection ended before the answer came.
    #[error("the connection ended before the answer came: {0}")]
    Closed(#[source] CloseReason),
    /// No answer came in time. The peer has been told, where its protocol has a message for it.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The params could not be encoded; nothing was sent.
    #[error("the params could not be encoded: {0}")]
    Unsendable(#[source] PayloadError),
    /// The answer came, but it breaks the protocol.
    #[error("the peer's answer breaks the protocol: {0}")]
    Malformed(Text),
    /// The answer came, but it does not fit the expected type.
    #[error("the peer's answer does not fit: {0}")]
    Undecodable(#[source] PayloadError),
    /// The answer came, but it is longer than this many bytes, the limit for one message
    /// ([`Limits::frame`](crate::options::Limits::frame)). It was skipped.
    #[error("the peer's answer is longer than the limit of {0} bytes for one message")]
    TooLong(usize),
    /// Too many calls are waiting for an answer already; nothing was sent.
    #[error("{0} calls are waiting for an answer already")]
    TooManyCalls(usize),
}

/// Why a connection ended.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer closed its side, and everything it asked for has been answered.
    #[error("the peer closed the connection")]
    PeerClosed,
    /// This side closed or dropped the connection.
    #[error("closed on this side")]
    ClosedHere,
    /// Reading or writing failed.
    #[error("input or output failed: {0}")]
    Io(#[source] Arc<std::io::Error>),
    /// What arrived is no longer a stream of messages.
    #[error(transparent)]
    BrokenStream(Arc<DialectError>),
}

/// The stream cannot be trusted any more; it ends the connection.
///
/// A message that is wrong while the stream is sound is not this but
/// [`Inbound::Malformed`](crate::wire::Inbound::Malformed).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; it began with {quote}")]
#[non_exhaustive]
pub struct DialectError {
    /// What is wrong.
    pub problem: String,
    /// The first offending bytes, printable.
    pub quote: Quote,
    /// Whether it is only too much of something, which a larger limit would let through.
    pub is_over_limit: bool,
    /// Whether it is a message, but one that must not be there.
    pub is_message: bool,
}

impl DialectError {
    pub(crate) fn new(problem: impl Into<String>, bytes: &[u8]) -> DialectError {
        DialectError {
            problem: problem.into(),
            quote: Quote::of(bytes),
            is_over_limit: false,
            is_message: false,
        }
    }

    pub(crate) fn over_limit(problem: impl Into<String>, bytes: &[u8]) -> DialectError {
        DialectError {
            is_over_limit: true,
            is_message: false,
            ..DialectError::new(problem, bytes)
        }
    }
}

/// Masks what nobody is to see in bytes that are about to be quoted. The second argument says
/// whether they are only the beginning of something, which may end in the middle of a secret.
pub type Redact = Arc<dyn Fn(&[u8], bool) -> Vec<u8> + Send + Sync>;

/// The first bytes of something unexpected, made printable: text as quoted text,
/// anything else as hex.
#[derive(Clone, PartialEq, Eq)]
pub struct Quote {
    shown: String,
    /// More than is shown, so that a secret can be masked that is shown in part.
    start: Vec<u8>,
}

impl Quote {
    /// How many bytes are shown.
    pub const LENGTH: usize = 120;

    /// How many bytes are kept.
    pub(crate) const KEPT: usize = 1024;

    /// So many readable characters at the start are taken for text.
    const TEXT: usize = 8;

    /// Quotes the beginning of `bytes`.
    pub fn of(bytes: &[u8]) -> Quote {
        let start = bytes[..bytes.len().min(Quote::KEPT)].to_vec();
        Quote {
            shown: Quote::shown(&start),
            start,
        }
    }

    /// The same with secrets masked. They are masked before the bytes are cut, so that no half of
    /// one is left.
    pub fn redacted(self, redact: &Redact) -> Quote {
        let redacted = redact(&self.start, self.start.len() >= Quote::KEPT);
        match redacted == self.start {
            true => self,
            false => Quote::of(&redacted),
        }
    }

    fn shown(bytes: &[u8]) -> String {
        let start = &bytes[..bytes.len().min(Quote::LENGTH)];
        let text = match std::str::from_utf8(start) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
        };
        let is_readable = |c: char| !c.is_control() || c.is_ascii_whitespace();
        let end = text.find(|c| !is_readable(c)).unwrap_or(text.len());
        // Text with something else behind it is text somebody printed; a few letters that happen
        // to be in binary data are not.
        if end == bytes.len() || end >= Quote::TEXT {
            let rest = if end < bytes.len() { "…" } else { "" };
            return format!("{:?}{rest}", &text[..end]);
        }
        let hex: Vec<String> = start.iter().take(32).map(|b| format!("{b:02x}")).collect();
        let rest = if bytes.len() > 32 { " …" } else { "" };
        format!("bytes {}{rest}", hex.join(" "))
    }
}

impl Quote {
    /// The dialect that this may be in, if it looks like one.
    pub fn dialect(&self) -> Option<Dialect> {
        let text = self.shown.strip_prefix('"');
        let begins = |start: &str| {
            let found = text.and_then(|text| text.get(..start.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(start))
        };
        let hex = self.shown.strip_prefix("bytes ");
        let first = hex.and_then(|hex| hex.get(..2));
        if begins("Content-Length:") {
            Some(Dialect::JsonRpcHeaders)
        } else if begins("{") && self.shown.contains("\\\"jsonrpc\\\"") {
            Some(Dialect::JsonRpcLines)
        } else if first.is_some_and(|first| first.starts_with('9') || first == "dc") {
            Some(Dialect::MsgpackRpc)
        } else {
            None
        }
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Only what is shown: the rest may hold secrets.
impl fmt::Debug for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quote").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_take_the_form_that_is_wanted() {
        let names = [
            (-32601, "unknown"),
            (-32600, "invalid"),
            (-32700, "invalid"),
        ];
        let reworded = |code: &ErrorCode, wanted| {
            let mut code = code.clone();
            code.reword(wanted, &names);
            code
        };
        let unknown = ErrorCode::Name("unknown".into());
        let invalid = ErrorCode::Name("invalid".into());
        let other = ErrorCode::Name("own".into());
        for (code, named, numbered) in [
            (
                ErrorCode::METHOD_NOT_FOUND,
                &unknown,
                ErrorCode::METHOD_NOT_FOUND,
            ),
            (ErrorCode::PARSE_ERROR, &invalid, ErrorCode::PARSE_ERROR),
            (invalid.clone(), &invalid, ErrorCode::INVALID_REQUEST),
            (other.clone(), &other, other.clone()),
            (
                ErrorCode::Number(7),
                &ErrorCode::Number(7),
                ErrorCode::Number(7),
            ),
        ] {
            assert_eq!(reworded(&code, Codes::Names), *named);
            assert_eq!(reworded(&code, Codes::Numbers), numbered);
            assert_eq!(reworded(&code, Codes::Both), code);
        }
    }

    #[test]
    fn every_code_has_a_number_and_a_name() {
        assert_eq!(ErrorCode::Name("execute_failed".into()).number(), -32000);
        assert_eq!(ErrorCode::Number(7).name(), "7");
        assert_eq!(ErrorCode::Name("7".into()).number(), 7);
    }

    #[test]
    fn errors_lead_to_what_is_behind_them() {
        let broken = std::io::Error::from(std::io::ErrorKind::TimedOut);
        let error = CallError::Closed(CloseReason::Io(Arc::new(broken)));
        let reason = std::error::Error::source(&error).expect("a reason");
        let source = reason.source().expect("an error of the system");
        let source = source.downcast_ref::<Arc<std::io::Error>>();
        assert_eq!(
            source.map(|error| error.kind()),
            Some(std::io::ErrorKind::TimedOut)
        );
        assert!(std::error::Error::source(&CallError::TooLong(1)).is_none());
    }

    #[test]
    fn a_quote_shows_the_dialect() {
        let dialect = |bytes: &[u8]| Quote::of(bytes).dialect();
        assert_eq!(
            dialect(b"Content-Length: 12\r\n"),
            Some(Dialect::JsonRpcHeaders)
        );
        let line = br#"{"jsonrpc":"2.0","id":1}"#;
        assert_eq!(dialect(line), Some(Dialect::JsonRpcLines));
        assert_eq!(dialect(b"\x94\x01\x01\xc0\x01"), Some(Dialect::MsgpackRpc));
        assert_eq!(dialect(b"hello"), None);
        assert_eq!(dialect(br#"{"a":1}"#), None);
    }

    #[test]
    fn quotes_are_printable_and_short() {
        assert_eq!(
            Quote::of(b"Hello from a plugin\n").to_string(),
            "\"Hello from a plugin\\n\""
        );
        assert_eq!(Quote::of(b"\x00\x01").to_string(), "bytes 00 01");
        let long = "é".repeat(200);
        assert!(Quote::of(long.as_bytes()).to_string().ends_with("é\"…"));
        assert!(
            Quote::of(&[0xff; 500]).to_string().len() < 120,
            "hex is cut as well"
        );
    }

    #[test]
    fn a_quote_is_masked_before_it_is_cut() {
        let redact: Redact = Arc::new(|bytes, is_cut| {
            let text = String::from_utf8_lossy(bytes).replace("secret", "***");
            let cut = text.strip_suffix("sec").filter(|_| is_cut);
            cut.map_or(text.clone(), |cut| format!("{cut}***"))
                .into_bytes()
        });
        let shown = |text: &str| Quote::of(text.as_bytes()).redacted(&redact).to_string();
        // Where it is shown in part, it is masked whole.
        let text = format!("{}secret", "x".repeat(Quote::LENGTH - 3));
        assert_eq!(shown(&text), format!("\"{}***\"", "x".repeat(117)));
        // Bytes that are shown in hex are masked before that.
        assert_eq!(shown("\u{1}secret"), "bytes 01 2a 2a 2a");
        let text = format!("{}secret", " ".repeat(Quote::KEPT - 3));
        let quote = Quote::of(text.as_bytes()).redacted(&redact);
        assert!(quote.start.ends_with(b"***"), "{quote:?}");
        assert_eq!(shown("a sec"), "\"a sec\"");
    }
}
