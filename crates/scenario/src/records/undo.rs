//! What undoes an action, as a record keeps it.

use serde::{Deserialize, Serialize};

use crate::environment::ProviderEnvironment;
use crate::event::Status;
use crate::planning::settings::Settings;
use crate::reading::model::ProviderSource;
use crate::records::kept::Kept;

/// What undoes an action.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Undo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Call>,
    /// Why there is no such call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// The status of undoing an earlier execution; that of the last one is the action's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status>,
    /// Why an earlier execution could not be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// An action that a provider runs to undo another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Which of the record's providers.
    pub(crate) provider: usize,
    /// What the provider calls the action.
    pub(crate) action: String,
    pub(crate) attributes: Kept,
    #[serde(default, skip_serializing_if = "Settings::is_default")]
    pub(crate) settings: Settings,
}

/// A provider as it was in the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProviderRecord {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) alias: Option<String>,
    pub(crate) source: ProviderSource,
    #[serde(default, skip_serializing_if = "ProviderEnvironment::is_empty")]
    pub(crate) env: ProviderEnvironment,
    pub(crate) version: String,
    pub(crate) config: Kept,
}

impl ProviderRecord {
    /// `name`, or `name.alias`.
    pub(crate) fn label(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{}.{alias}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Undo {
    pub(crate) fn problem(problem: impl Into<String>) -> Undo {
        Undo {
            problem: Some(problem.into()),
            ..Undo::default()
        }
    }

    /// What undoes an execution and its repetition, which are one. What another provider did, or
    /// the same with another configuration, is not: it stays with the earlier executions.
    pub(crate) fn of_both(
        before: Option<Undo>,
        now: Option<Undo>,
        earlier: &mut Vec<Undo>,
    ) -> Option<Undo> {
        let call = |undo: &Option<Undo>| undo.as_ref()?.call.as_ref().map(|call| call.provider);
        match (call(&before), call(&now)) {
            (Some(_), None) => before,
            (Some(one), Some(other)) if one != other => {
                earlier.extend(before);
                now
            }
            _ => now,
        }
    }
}

/// What the secrets of a teardown belong to.
pub(crate) fn undo_owner(address: &str) -> String {
    format!("undo {address}")
}

/// What the secrets of a configuration belong to.
pub(crate) fn provider_owner(label: &str) -> String {
    format!("provider {label}")
}
