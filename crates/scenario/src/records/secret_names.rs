//! The names that the secrets of a record can be given under.

use std::collections::BTreeSet;

use tenon_hcl::{Diagnostic, did_you_mean};

use crate::address::part_of;
use crate::records::item::Item;
use crate::records::kept::Kept;
use crate::records::known::{Given, way_text};
use crate::records::record::Record;

/// Refuses secrets under names that nothing in the record has: a misspelt name would have no effect. Names of
/// actions that are undone already are accepted, so that the same command can be repeated.
///
/// # Errors
/// The names.
pub(crate) fn check_secret_names(record: &Record, given: &Given) -> Result<(), Vec<Diagnostic>> {
    let known = secret_names(record);
    let is_known = |name: &str| known.iter().any(|known| part_of(known, name).is_some());
    let unknown = given.secrets.keys().filter(|name| !is_known(name));
    let problem = |name: &String| {
        let summary = format!("unknown secret `{name}`: this run does not need it");
        let mut problem = Diagnostic::error(summary);
        problem.help = did_you_mean(name, known.iter().map(String::as_str));
        problem
    };
    let problems: Vec<Diagnostic> = unknown.map(problem).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

fn secret_names(record: &Record) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in &record.nodes {
        let ways = node.sensitive.iter();
        names.extend(ways.map(|way| format!("{}{}", node.address, way_text(way))));
    }
    for item in Item::all(record) {
        let undo = item.undo(record);
        if let Some(call) = undo.and_then(|undo| undo.call.as_ref()) {
            let (kept, _) = item.attributes(call, record);
            let prefix = format!("{}.teardown", item.address(record));
            add_names(&mut names, &kept, &prefix);
        }
    }
    for provider in &record.providers {
        let prefix = format!("provider.{}", provider.label());
        add_names(&mut names, &provider.config, &prefix);
    }
    names
}

fn add_names(names: &mut BTreeSet<String>, kept: &Kept, prefix: &str) {
    for secret in &kept.secrets {
        let rest = secret.at.get(1..).unwrap_or_default();
        let copy = secret.copy_of.iter();
        names.extend(copy.map(|copy| format!("{copy}{}", way_text(rest))));
        names.extend(secret.from.iter().cloned());
        names.insert(format!("{prefix}{}", way_text(&secret.at)));
    }
}
