//! The messages between a host and a script.

mod resource;

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use tenon_rpc::{events, methods};

use super::Diagnostic;
use super::diagnostic::diagnostics;
use super::lenient::{count, present, texts, time};
use crate::json::Json;
pub use resource::*;

methods! {
    /// Calls a script.
    pub client ScriptClient;

    /// Creates a resource.
    pub Create, create = "create" (CreateParams) -> CreateResult;
    /// Reads the current state of a resource.
    pub Read, read = "read" (ReadParams) -> ReadResult;
    /// Updates a resource.
    pub Update, update = "update" (UpdateParams) -> UpdateResult;
    /// Deletes a resource.
    pub Delete, delete = "delete" (DeleteParams) -> Option<Outcome>;
    /// Checks or changes a plan. Optional for scripts.
    pub ModifyPlan, modify_plan = "modifyPlan" (ModifyPlanParams) -> Option<ModifyPlanResult>;
    /// Reads a data source.
    pub Look, look = "read" (Props) -> DataResult;
    /// Opens an ephemeral resource.
    pub Open, open = "open" (Props) -> OpenResult;
    /// Renews an ephemeral resource. Optional for scripts.
    pub Renew, renew = "renew" (PrivateData) -> Option<RenewResult>;
    /// Closes an ephemeral resource. Optional for scripts.
    pub Close, close = "close" (PrivateData) -> Option<Outcome>;
    /// Runs an action.
    pub Invoke, invoke = "invoke" (Props) -> Option<Outcome>;
    /// Calls a function.
    pub CallFunction, call_function = "call" (FunctionParams) -> FunctionResult;
}

events! {
    /// The progress of an action. Sent by the script while `invoke` runs.
    pub InvokeProgress = "invokeProgress" (Progress);
}

/// The answer to `health`, the first call of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// Whether the script is ready.
    pub ok: bool,
    /// How many calls the script can handle at the same time; 1 if absent. Any value that is not a
    /// positive integer counts as absent.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<NonZeroUsize>,
}

/// The outcome of a call without a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// `true` if it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// A successful outcome.
    pub fn done() -> Outcome {
        Outcome {
            done: Some(true),
            diagnostics: Vec::new(),
        }
    }

    /// Whether it was done. Scripts that return only warnings leave `done` out.
    pub fn is_done(&self) -> bool {
        self.done.unwrap_or(!self.diagnostics.is_empty())
    }
}

/// The params of [`Look`], [`Open`] and [`Invoke`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Props {
    /// The props of the configuration.
    pub props: Json,
}

/// The result of [`Look`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataResult {
    /// The values that were found.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// Sensitive values that were found.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_result: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of [`Open`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenResult {
    /// The values of the resource.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// The sensitive values of the resource.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_result: Option<Json>,
    /// When to renew it, in seconds since 1970.
    #[serde(deserialize_with = "time", skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<i64>,
    /// Data for `renew` and `close`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Renew`] and [`Close`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrivateData {
    /// The data that `open` or the last `renew` returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Json>,
}

/// The result of [`Renew`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RenewResult {
    /// When to renew it again, in seconds since 1970.
    #[serde(deserialize_with = "time", skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<i64>,
    /// Data for the next `renew` and `close`; if absent, the data does not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`InvokeProgress`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The text to show.
    pub message: String,
}

/// The params of [`CallFunction`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionParams {
    /// The name of the function.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Json>,
}

/// The result of [`CallFunction`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionResult {
    /// The value that it returns.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// Diagnostics about the arguments.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The `data` of an error that a script answers with. Everything else in it is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorData {
    /// What the error is about, as in a [`Diagnostic`].
    #[serde(deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    pub prop_path: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_says_how_many_calls_it_takes() {
        let said = |text: &str| {
            let health: Health = serde_json::from_str(text).unwrap();
            health.max_in_flight.map(NonZeroUsize::get)
        };
        assert_eq!(said(r#"{"ok":true,"maxInFlight":8}"#), Some(8));
        assert_eq!(said(r#"{"ok":true,"maxInFlight":8.0}"#), Some(8));
        assert_eq!(said(r#"{"ok":true,"version":"1"}"#), None);
        for wrong in ["0", "-1", "1.5", "null", "\"many\"", "[4]", "1e300"] {
            assert_eq!(
                said(&format!(r#"{{"maxInFlight":{wrong}}}"#)),
                None,
                "{wrong}"
            );
        }
    }

    /// A resource that was created must not be lost because of an invalid diagnostic.
    #[test]
    fn a_diagnostic_that_cannot_be_read_is_an_error_beside_the_rest() {
        for (diagnostics, count) in [
            (
                r#"[{"summary": "just a note"}, {"severity": "warning", "summary": "w"}]"#,
                2,
            ),
            (r#"["disk nearly full"]"#, 1),
            (r#"[{"severity": "error", "propPath": "props.b"}]"#, 1),
            (r#"{"severity": "error"}"#, 1),
            (r#""no""#, 1),
        ] {
            let text = format!(r#"{{"id": "vm-1", "diagnostics": {diagnostics}}}"#);
            let created: CreateResult = serde_json::from_str(&text).unwrap();
            assert_eq!(created.id.as_deref(), Some("vm-1"), "{text}");
            assert_eq!(created.diagnostics.len(), count, "{text}");
            assert!(created.diagnostics[0].is_error(), "{text}");
        }
        let none: CreateResult = serde_json::from_str(r#"{"diagnostics": null}"#).unwrap();
        assert!(none.diagnostics.is_empty());
    }

    #[test]
    fn absent_and_null_are_distinguished() {
        let result: ReadResult = serde_json::from_str(r#"{"state": null}"#).unwrap();
        assert_eq!(result.state, Some(Json::null()));
        assert_eq!((result.props, result.exists), (None, None));
        assert_eq!(
            serde_json::to_string(&ReadResult {
                state: Some(Json::null()),
                ..ReadResult::default()
            })
            .unwrap(),
            r#"{"state":null}"#
        );
    }

    #[test]
    fn times_may_be_fractions_or_milliseconds() {
        let renew_at = |text: &str| {
            serde_json::from_str::<RenewResult>(&format!(r#"{{"renewAt": {text}}}"#))
                .map(|result| result.renew_at)
                .map_err(|error| error.to_string())
        };
        assert_eq!(renew_at("1735891200").unwrap(), Some(1_735_891_200));
        assert_eq!(renew_at("1735891200.9").unwrap(), Some(1_735_891_200));
        assert_eq!(renew_at("1735891200000").unwrap(), Some(1_735_891_200));
        assert_eq!(renew_at("\"1735891200\"").unwrap(), Some(1_735_891_200));
        assert_eq!(renew_at("null").unwrap(), None);
        assert!(renew_at("\"soon\"").unwrap_err().contains("soon"));
    }

    #[test]
    fn done_may_be_left_out_beside_warnings() {
        let is_done = |text: &str| serde_json::from_str::<Outcome>(text).unwrap().is_done();
        assert!(is_done(r#"{"done": true}"#));
        assert!(is_done(
            r#"{"diagnostics": [{"severity": "warning", "summary": "s"}]}"#
        ));
        for text in [
            "{}",
            r#"{"done": false}"#,
            r#"{"done": null, "diagnostics": []}"#,
        ] {
            assert!(!is_done(text), "{text}");
        }
    }

    #[test]
    fn nothing_more_is_sent_than_there_is() {
        let params = ModifyPlanParams {
            id: None,
            plan_type: PlanType::Create,
            next_props: Json::default(),
            unknown_props: Vec::new(),
            current_props: None,
            current_state: None,
            current_sensitive_state: None,
        };
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"planType":"create","nextProps":{}}"#
        );
    }
}
