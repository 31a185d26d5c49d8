//! What is said to a script and by one.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use tenon_rpc::{events, methods};

use super::Diagnostic;
use super::diagnostic::diagnostics;
use super::lenient::{count, present, text, time};
use crate::json::Json;

methods! {
    /// Calls a script.
    pub client ScriptClient;

    /// Makes a new resource.
    pub Create, create = "create" (CreateParams) -> CreateResult;
    /// How a resource is now.
    pub Read, read = "read" (ReadParams) -> ReadResult;
    /// Changes a resource.
    pub Update, update = "update" (UpdateParams) -> UpdateResult;
    /// Takes a resource away.
    pub Delete, delete = "delete" (DeleteParams) -> Option<Outcome>;
    /// What is to become of a planned change. A script need not have it.
    pub ModifyPlan, modify_plan = "modifyPlan" (ModifyPlanParams) -> Option<ModifyPlanResult>;
    /// Looks something up: the whole of a data source.
    pub Look, look = "read" (Props) -> DataResult;
    /// Opens an ephemeral resource.
    pub Open, open = "open" (Props) -> OpenResult;
    /// Makes an ephemeral resource last longer. A script need not have it.
    pub Renew, renew = "renew" (PrivateData) -> Option<RenewResult>;
    /// Closes an ephemeral resource. A script need not have it.
    pub Close, close = "close" (PrivateData) -> Option<Outcome>;
    /// Runs an action.
    pub Invoke, invoke = "invoke" (Props) -> Option<Outcome>;
    /// Calls a function.
    pub CallFunction, call_function = "call" (FunctionParams) -> FunctionResult;
}

events! {
    /// How far an action has come. Sent by the script while `invoke` runs.
    pub InvokeProgress = "invokeProgress" (Progress);
}

/// The answer to `health`, the first call of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// Whether the script is ready.
    pub ok: bool,
    /// How many calls the script can work on at the same time; one if absent. Anything but a
    /// whole number of at least one counts as absent.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<NonZeroUsize>,
}

/// The params of [`Create`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateParams {
    /// What the configuration says.
    pub props: Json,
    /// What the configuration says and no state is to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_only_props: Option<Json>,
}

/// The result of [`Create`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateResult {
    /// By what the resource is found again.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What else is known about it.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// What else is known about it and not to be shown.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Read`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadParams {
    /// By what the resource is found.
    pub id: String,
    /// The props it had last; null right after an import.
    pub props: Json,
}

/// The result of [`Read`]. What is absent is as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReadResult {
    /// `false` if there is no such resource any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// The props as they are now.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub props: Option<Json>,
    /// What else is known about it.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// What else is known about it and not to be shown.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Update`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateParams {
    /// By what the resource is found.
    pub id: String,
    /// What the configuration says now.
    pub next_props: Json,
    /// What the configuration says now and no state is to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_write_only_props: Option<Json>,
    /// The props it has.
    pub current_props: Json,
    /// The state it has.
    pub current_state: Json,
    /// The sensitive state it has. Absent if there is none: schemas of scripts refuse a null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_sensitive_state: Option<Json>,
}

/// The result of [`Update`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateResult {
    /// What else is known about it.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// What else is known about it and not to be shown.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Delete`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteParams {
    /// By what the resource is found.
    pub id: String,
    /// The props it has.
    pub props: Json,
    /// The state it has.
    pub state: Json,
    /// The sensitive state it has. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
}

/// Whether something was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// `true` if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// It was done.
    pub fn done() -> Outcome {
        Outcome {
            done: Some(true),
            diagnostics: Vec::new(),
        }
    }

    /// Whether it was done. Scripts that have nothing but warnings to tell leave `done` out.
    pub fn is_done(&self) -> bool {
        self.done.unwrap_or(!self.diagnostics.is_empty())
    }
}

/// What a plan is about to do with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanType {
    /// Make it.
    Create,
    /// Change it.
    Update,
    /// Take it away.
    Delete,
}

/// The params of [`ModifyPlan`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModifyPlanParams {
    /// By what the resource is found, if there is one yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is about to happen.
    pub plan_type: PlanType,
    /// What the configuration says; null if the resource is to go. What is not known yet is the
    /// empty value of its type (`""`, `0`, `false`, `[]`, `{}`), and its path is in
    /// [`unknown_props`](ModifyPlanParams::unknown_props).
    pub next_props: Json,
    /// The paths of what is not known yet, each beginning with `nextProps`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_props: Vec<Vec<String>>,
    /// The props it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_props: Option<Json>,
    /// The state it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_state: Option<Json>,
    /// The sensitive state it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_sensitive_state: Option<Json>,
}

/// The result of [`ModifyPlan`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModifyPlanResult {
    /// The plan is fine as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_changes: Option<bool>,
    /// The resource has to go and be made anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_replacement: Option<bool>,
    /// What the props are to be instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_props: Option<Json>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Look`], [`Open`] and [`Invoke`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Props {
    /// What the configuration says.
    pub props: Json,
}

/// The result of [`Look`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataResult {
    /// What was found.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// What was found and is not to be shown.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_result: Option<Json>,
    /// What to tell the user.
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
    /// What was opened.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// What was opened and is not to be shown.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_result: Option<Json>,
    /// When to renew it, in seconds since 1970.
    #[serde(deserialize_with = "time", skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<i64>,
    /// What `renew` and `close` need to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Json>,
    /// What to tell the user.
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
    /// What `open`, or the last `renew`, left for later.
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
    /// What the next `renew` and `close` need to know; if absent, that of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<Json>,
    /// What to tell the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`InvokeProgress`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What to show.
    pub message: String,
}

/// The params of [`CallFunction`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionParams {
    /// The name of the function.
    pub name: String,
    /// What it is given.
    pub arguments: Vec<Json>,
}

/// The result of [`CallFunction`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionResult {
    /// What it makes of its arguments.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// What is wrong with them.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
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

    /// What was created must not be forgotten because of the words beside it.
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
    fn absent_and_null_are_told_apart() {
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
