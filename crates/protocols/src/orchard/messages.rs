//! The messages between a host and a provider.

use serde::{Deserialize, Serialize};
use tenon_rpc::methods;

use super::ProviderSchema;
use crate::json::Json;
use crate::lenient::null_as_default;

methods! {
    /// Calls a provider.
    pub client ProviderClient;

    /// Returns the schema of the provider. Called once, before anything else.
    pub Describe, describe = "describe" (Empty) -> DescribeResult;
    /// Configures the provider. Called once, before the first action.
    pub Configure, configure = "configure" (ConfigureParams) -> Empty;
    /// Runs one action.
    pub Execute, execute = "execute" (ExecuteParams) -> ExecuteResult;
    /// Stops the provider: it ends after it has answered.
    pub Shutdown, shutdown = "shutdown" (Empty) -> Empty;
}

/// Empty params or an empty result: `{}`, or null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Braces>")]
pub struct Empty {}

/// Refuses values that are neither an object nor null.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Braces {}

impl From<Option<Braces>> for Empty {
    fn from(_: Option<Braces>) -> Empty {
        Empty {}
    }
}

/// The result of [`Describe`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with a schema")]
pub struct DescribeResult {
    /// The schema of the provider.
    pub schema: ProviderSchema,
}

/// The params of [`Configure`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfigureParams {
    /// An object of the attributes in the schema's `config`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub config: Json,
}

/// The params of [`Execute`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecuteParams {
    /// Which action to run.
    pub action: String,
    /// An object of the attributes of the action.
    #[serde(default, deserialize_with = "null_as_default")]
    pub attrs: Json,
}

/// The result of [`Execute`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Option<PlainExecuteResult>")]
pub struct ExecuteResult {
    /// An object of the outputs of the action, `{}` if there are none.
    pub outputs: Json,
}

/// A result as it is mostly written; null stands for one without outputs.
#[derive(Deserialize)]
#[serde(expecting = "an object with outputs")]
struct PlainExecuteResult {
    #[serde(default, deserialize_with = "null_as_default")]
    outputs: Json,
}

impl From<Option<PlainExecuteResult>> for ExecuteResult {
    fn from(result: Option<PlainExecuteResult>) -> ExecuteResult {
        let outputs = result.map(|result| result.outputs).unwrap_or_default();
        ExecuteResult { outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_an_object_or_null() {
        assert_eq!(serde_json::to_string(&Empty {}).unwrap(), "{}");
        for text in ["{}", "null", r#"{"later":1}"#] {
            assert!(serde_json::from_str::<Empty>(text).is_ok(), "{text}");
        }
        assert!(serde_json::from_str::<Empty>("5").is_err());
    }

    #[test]
    fn absent_outputs_are_none() {
        for text in ["null", "{}", r#"{"outputs":null}"#, r#"{"outputs":{}}"#] {
            let result: ExecuteResult = serde_json::from_str(text).unwrap();
            assert_eq!(result.outputs.text(), "{}", "{text}");
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        let text = r#"{"action":"a","attrs":{"n":123456789012345678901234567890.5}}"#;
        let params: ExecuteParams = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), text);
    }

    #[test]
    fn the_table_is_the_protocol() {
        let names: Vec<_> = { ProviderClient::METHODS.iter() }
            .map(|row| row.name)
            .collect();
        assert_eq!(names, ["describe", "configure", "execute", "shutdown"]);
    }
}
