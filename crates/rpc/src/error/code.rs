//! Error codes: numbers in some dialects, names in others.

use std::fmt;

use crate::message::Text;

/// The code of an [`RpcError`](crate::RpcError): a number in JSON-RPC, a name in Orchard.
///
/// Unknown codes are kept as they are. Codes that a protocol has both forms for are written in the form
/// of the dialect ([`Options::error_names`](crate::Options::error_names)).
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
    /// The frame is well-formed but not a message.
    pub const INVALID_REQUEST: ErrorCode = ErrorCode::Number(-32600);
    /// There is no such method.
    pub const METHOD_NOT_FOUND: ErrorCode = ErrorCode::Number(-32601);
    /// The params do not fit the method.
    pub const INVALID_PARAMS: ErrorCode = ErrorCode::Number(-32602);
    /// The handler failed.
    pub const INTERNAL_ERROR: ErrorCode = ErrorCode::Number(-32603);
    /// The caller cancelled the call.
    pub const CANCELLED: ErrorCode = ErrorCode::Number(-32800);
    /// An error without a code.
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

    /// Takes the other form of the code, if `names` has one and that form is required.
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
}
