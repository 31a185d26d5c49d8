//! `.tenon/metadata.json`: what plugins noted about resources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FOLDER, Record, RecordError, change};
use crate::chain::Metadata;

/// Of each state, the notes of older serials are forgotten.
const MAX_SERIALS: usize = 20;

/// By the lineage and the serial of the state, and the address of the resource.
#[derive(Debug, Deserialize, Serialize)]
struct Notes {
    format: u32,
    lineages: BTreeMap<String, BTreeMap<u64, BTreeMap<String, Metadata>>>,
}

impl Default for Notes {
    fn default() -> Notes {
        Notes {
            format: Notes::FORMAT,
            lineages: BTreeMap::new(),
        }
    }
}

impl Record for Notes {
    const NAME: &str = "metadata.json";
    const LOST: &str = "what plugins noted about resources is lost";
    const FORMAT: u32 = 1;

    fn format(&self) -> u32 {
        self.format
    }
}

/// What a version of a state is called.
#[derive(Debug, Deserialize)]
pub(crate) struct StateName {
    pub(crate) lineage: String,
    pub(crate) serial: u64,
}

/// The earlier address of a resource that was moved, and the new one.
pub(crate) type Move<'a> = (&'a str, &'a str);

/// Whether anything was noted in this folder.
pub(crate) fn has_metadata(folder: &Path) -> bool {
    folder.join(FOLDER).join(Notes::NAME).exists()
}

/// Notes what plugins said about the resources of a state. What they said earlier about resources that are still
/// in the state is kept, under the new address if they were moved; what they said about others is removed, from
/// earlier serials as well.
pub(crate) fn note_metadata(
    folder: &Path,
    state: &StateName,
    moves: &[Move<'_>],
    addresses: &BTreeSet<&str>,
    metadata: &BTreeMap<String, Metadata>,
) -> Result<(), RecordError> {
    change(folder, |notes: &mut Notes| {
        let serials = notes.lineages.entry(state.lineage.clone()).or_default();
        let latest = serials.last_key_value().map(|(_, latest)| latest.clone());
        let known = serials
            .entry(state.serial)
            .or_insert_with(|| latest.unwrap_or_default());
        // All in one step: two resources may have changed places.
        let noted: Vec<_> = { moves.iter() }
            .map(|(from, to)| (*to, known.remove(*from)))
            .collect();
        for (to, noted) in noted {
            known.extend(noted.map(|noted| (to.to_owned(), noted)));
        }
        for (address, by_plugin) in metadata {
            let noted = known.entry(address.clone()).or_default();
            noted.extend(by_plugin.clone());
        }
        for known in serials.values_mut() {
            known.retain(|address, _| addresses.contains(address.as_str()));
        }
        serials.retain(|_, known| !known.is_empty());
        while serials.len() > MAX_SERIALS {
            serials.pop_first();
        }
        notes.lineages.retain(|_, serials| !serials.is_empty());
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn metadata(text: &str) -> BTreeMap<String, Metadata> {
        serde_json::from_str(text).unwrap()
    }

    fn note(folder: &Path, lineage: &str, serial: u64, addresses: &[&str], noted: &str) -> String {
        note_moved(folder, (lineage, serial), &[], addresses, noted)
    }

    fn note_moved(
        folder: &Path,
        (lineage, serial): (&str, u64),
        moves: &[Move<'_>],
        addresses: &[&str],
        noted: &str,
    ) -> String {
        let state = StateName {
            lineage: lineage.to_owned(),
            serial,
        };
        let addresses = addresses.iter().copied().collect();
        note_metadata(folder, &state, moves, &addresses, &metadata(noted)).unwrap();
        let text = fs::read_to_string(folder.join(".tenon/metadata.json")).unwrap();
        let text = text.strip_prefix(r#"{"format":1,"lineages":"#).unwrap();
        text.trim_end().strip_suffix('}').unwrap().to_owned()
    }

    #[test]
    fn metadata_is_kept_by_lineage_serial_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let cost = r#"{"a.b": {"cost": {"monthly": 7}}}"#;
        note(folder, "l", 1, &["a.b"], cost);
        note(folder, "l", 1, &["a.b"], r#"{"a.b": {"tags": {}}}"#);
        assert_eq!(
            note(folder, "m", 4, &["a.b"], cost),
            r#"{"l":{"1":{"a.b":{"cost":{"monthly":7},"tags":{}}}},"m":{"4":{"a.b":{"cost":{"monthly":7}}}}}"#
        );
        let mode = |name: &str| {
            fs::metadata(folder.join(name))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!(mode(".tenon/metadata.json") & 0o777, 0o600);
        assert_eq!(mode(".tenon") & 0o777, 0o700);
    }

    #[test]
    fn what_is_still_in_the_state_is_kept_and_the_rest_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let both = r#"{"a": {"p": {"x": 1}}, "b": {"p": {"x": 2}}}"#;
        note(folder, "l", 1, &["a", "b"], both);
        assert_eq!(
            note(folder, "l", 2, &["a", "b"], r#"{"b": {"p": {"x": 3}}}"#),
            r#"{"l":{"1":{"a":{"p":{"x":1}},"b":{"p":{"x":2}}},"2":{"a":{"p":{"x":1}},"b":{"p":{"x":3}}}}}"#
        );
        assert_eq!(
            note(folder, "l", 3, &["a"], r#"{"b": {"p": {"x": 4}}}"#),
            r#"{"l":{"1":{"a":{"p":{"x":1}}},"2":{"a":{"p":{"x":1}}},"3":{"a":{"p":{"x":1}}}}}"#
        );
        assert_eq!(note(folder, "l", 4, &[], "{}"), "{}");
    }

    #[test]
    fn what_was_noted_about_a_resource_moves_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let both = r#"{"a": {"p": {"x": 1}}, "b": {"p": {"x": 2}}}"#;
        note(folder, "l", 1, &["a", "b"], both);
        let moves = [("a", "b"), ("b", "c")];
        assert_eq!(
            note_moved(folder, ("l", 2), &moves, &["b", "c"], r#"{"c": {"q": {}}}"#),
            r#"{"l":{"1":{"b":{"p":{"x":2}}},"2":{"b":{"p":{"x":1}},"c":{"p":{"x":2},"q":{}}}}}"#
        );
    }

    #[test]
    fn what_a_killed_command_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        note(folder.path(), "l", 1, &["a"], r#"{"a": {"p": {}}}"#);
        let left = folder.path().join(".tenon/metadata.tmp12345");
        fs::write(&left, "{\"form").unwrap();
        let expected = r#"{"l":{"1":{"a":{"p":{}}},"2":{"a":{"p":{}}}}}"#;
        assert_eq!(note(folder.path(), "l", 2, &["a"], "{}"), expected);
        assert!(!left.exists());
    }

    #[test]
    fn two_commands_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || {
                    let state = StateName {
                        lineage: format!("l{number}"),
                        serial: 1,
                    };
                    let addresses = BTreeSet::from(["a"]);
                    let noted = metadata(r#"{"a": {"p": {}}}"#);
                    note_metadata(folder, &state, &[], &addresses, &noted).unwrap();
                });
            }
        });
        let text = fs::read_to_string(folder.join(".tenon/metadata.json")).unwrap();
        let notes: Notes = serde_json::from_str(&text).unwrap();
        assert_eq!(notes.lineages.len(), 8);
    }
}
