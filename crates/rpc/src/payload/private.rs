//! Errors about values that may be secret.

use std::fmt;

use super::PayloadError;

/// An error of serde that quotes nothing of the value.
pub(super) fn unquoted(error: impl fmt::Display) -> PayloadError {
    PayloadError::new(without_value(&error.to_string()))
}

/// An error of serde without the value that it quotes: `invalid type: string "hunter2", expected
/// u64` becomes `invalid type: string, expected u64`. What was expected comes from the type that
/// was to be decoded, so the last `, expected ` is the one that ends the value.
fn without_value(error: &str) -> String {
    let quoting = ["invalid type: ", "invalid value: ", "unknown variant "];
    let found = quoting.iter().find(|start| error.starts_with(**start));
    let (Some(start), Some(end)) = (found, error.rfind(", expected ")) else {
        return error.to_owned();
    };
    // `string "..."`, `integer `5``: the kind comes before the value, if there is one.
    let found = error.get(start.len()..end).unwrap_or_default();
    let kind = found.split(['"', '`']).next().unwrap_or_default();
    format!(
        "{}{}",
        format_args!("{start}{kind}").to_string().trim_end(),
        &error[end..]
    )
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::payload::{Format, Payload};

    #[test]
    fn a_private_value_is_not_quoted() {
        #[derive(Deserialize, Debug)]
        #[serde(rename_all = "snake_case")]
        enum Mode {
            Fast,
        }
        #[derive(Deserialize, Debug)]
        #[expect(dead_code, reason = "only what does not fit is of interest")]
        struct Params {
            port: u16,
            mode: Option<Mode>,
        }
        let rows = [
            (
                r#"{"port":"hunter2"}"#,
                "invalid type: string, expected u16 at line 1 column 17",
            ),
            (
                r#"{"port":"a, expected \"hunter2\""}"#,
                "invalid type: string, expected u16 at line 1 column 33",
            ),
            (
                r#"{"port":4242424}"#,
                "invalid value: integer, expected u16 at line 1 column 15",
            ),
            (
                r#"{"port":1,"mode":"hunter2"}"#,
                "unknown variant, expected `fast` at line 1 column 26",
            ),
            (
                r#"["hunter2"]"#,
                "invalid type: string, expected u16 at line 1 column 10",
            ),
            ("{}", "missing field `port` at line 1 column 2"),
        ];
        for (json, expected) in rows {
            let payload = Payload::new(Format::Json, json);
            let error = payload.decode_private::<Params>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{json}");
            let msgpack = payload.to_format(Format::Msgpack).unwrap();
            let error = msgpack.decode_private::<Params>().unwrap_err().to_string();
            assert!(
                !error.contains("hunter2") && !error.contains("4242424"),
                "{error}"
            );
        }
    }
}
