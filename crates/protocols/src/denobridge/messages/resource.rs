//! Params and results of the methods of managed resources.

use serde::{Deserialize, Serialize};

use crate::denobridge::Diagnostic;
use crate::denobridge::diagnostic::diagnostics;
use crate::denobridge::lenient::{present, text};
use crate::json::Json;

/// The params of [`Create`](super::Create).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateParams {
    /// The props of the configuration.
    pub props: Json,
    /// The write-only props of the configuration, which must not be stored in the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_only_props: Option<Json>,
}

/// The result of [`Create`](super::Create).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateResult {
    /// The id of the resource.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// Its sensitive state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Read`](super::Read).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadParams {
    /// The id of the resource.
    pub id: String,
    /// The last known props; null directly after an import.
    pub props: Json,
}

/// The result of [`Read`](super::Read). Absent members have not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReadResult {
    /// `false` if the resource no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// The current props.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub props: Option<Json>,
    /// Its state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// Its sensitive state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Update`](super::Update).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateParams {
    /// The id of the resource.
    pub id: String,
    /// The new props of the configuration.
    pub next_props: Json,
    /// The new write-only props.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_write_only_props: Option<Json>,
    /// The current props.
    pub current_props: Json,
    /// The current state.
    pub current_state: Json,
    /// The current sensitive state. Absent if there is none: schemas of scripts refuse a null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_sensitive_state: Option<Json>,
}

/// The result of [`Update`](super::Update).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateResult {
    /// Its state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
    /// Its sensitive state.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}

/// The params of [`Delete`](super::Delete).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteParams {
    /// The id of the resource.
    pub id: String,
    /// The current props.
    pub props: Json,
    /// The current state.
    pub state: Json,
    /// The current sensitive state. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive_state: Option<Json>,
}

/// What a plan does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanType {
    /// Creates it.
    Create,
    /// Updates it.
    Update,
    /// Deletes it.
    Delete,
}

/// The params of [`ModifyPlan`](super::ModifyPlan).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModifyPlanParams {
    /// The id of the resource, if it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What the plan does.
    pub plan_type: PlanType,
    /// The props of the configuration; null if the resource is to be deleted. An unknown value is the
    /// empty value of its type (`""`, `0`, `false`, `[]`, `{}`), and its path is in
    /// [`unknown_props`](ModifyPlanParams::unknown_props).
    pub next_props: Json,
    /// The paths of unknown values, each beginning with `nextProps`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_props: Vec<Vec<String>>,
    /// The current props.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_props: Option<Json>,
    /// The current state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_state: Option<Json>,
    /// The current sensitive state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_sensitive_state: Option<Json>,
}

/// The result of [`ModifyPlan`](super::ModifyPlan).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModifyPlanResult {
    /// The plan is not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_changes: Option<bool>,
    /// The resource must be replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_replacement: Option<bool>,
    /// The props to plan instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_props: Option<Json>,
    /// Diagnostics for the user.
    #[serde(
        deserialize_with = "diagnostics",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub diagnostics: Vec<Diagnostic>,
}
