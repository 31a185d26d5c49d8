//! What a session is.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tenon_protocols::acp::{ConfigValue, SessionInfo};

/// What a session is, without its history.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Info {
    /// The version of these files.
    pub(crate) format: u32,
    pub(crate) session_id: String,
    pub(crate) cwd: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) additional_directories: Vec<String>,
    pub(crate) created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) settings: Kept,
}

/// What was chosen in a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) options: BTreeMap<String, ConfigValue>,
}

impl Info {
    /// The version of the files that this program writes.
    pub(crate) const FORMAT: u32 = 1;

    /// A line of a list. The time is in milliseconds since 1970.
    pub(crate) fn listed(self, changed: u128) -> SessionInfo {
        let changed = i64::try_from(changed).unwrap_or_default();
        let changed = Timestamp::from_millisecond(changed).unwrap_or_default();
        let mut listed = SessionInfo::new(self.session_id, self.cwd);
        listed.title = self.title;
        listed.updated_at = Some(format!("{changed:.3}"));
        if !self.additional_directories.is_empty() {
            listed.additional_directories = Some(self.additional_directories);
        }
        listed
    }
}
