//! What was undone before a teardown: by hand, or perhaps by an earlier one.

use tenon_hcl::{Diagnostic, did_you_mean};

use crate::address::part_of;
use crate::event::{Event, Status, Watch};
use crate::records::item::Item;
use crate::records::journal::Journal;
use crate::records::record::Record;
use crate::run::RunError;

/// Marks what a user says was undone by hand. It is on disk as soon as anything else is undone.
pub(super) fn mark_undone(
    addresses: &[String],
    record: &mut Record,
    journal: &mut Journal,
) -> Result<(), RunError> {
    let items = Item::all(record);
    let mut problems = Vec::new();
    for address in addresses {
        let there = items.iter().filter(|item| item.is_there(record));
        let (same, others): (Vec<&Item>, Vec<&Item>) =
            there.partition(|item| item.address(record) == *address);
        // The address of a repeated action or of a component means everything in it.
        let is_group = record.groups.contains_key(address);
        let is_inside = |item: &&Item| {
            let inside = part_of(address, &record.nodes[item.node].address);
            item.earlier.is_none()
                && inside
                    .is_some_and(|rest| rest.starts_with('[') || (is_group && !rest.is_empty()))
        };
        let meant: Vec<&Item> = match same.is_empty() {
            true => others.into_iter().filter(is_inside).collect(),
            false => same,
        };
        if meant.is_empty() {
            let known = items.iter().filter(|item| item.is_there(record));
            let known: Vec<String> = known.map(|item| item.address(record)).collect();
            let mut problem = Diagnostic::error(format!(
                "there is no {address:?} in this run that a teardown undoes"
            ));
            problem.help = did_you_mean(address, known.iter().map(String::as_str));
            problems.push(problem);
        }
        for item in meant {
            let entry = item.undone_by_hand(record);
            journal.note(&entry)?;
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(RunError::Invalid(problems)),
    }
}

/// Warns of actions that are undone again, because the outcome of an earlier teardown is unknown.
pub(super) fn warn_of_repetition(items: &[Item], record: &Record, watch: Watch<'_>) {
    let is_repeated = |item: &&Item| item.is_wanted && item.teardown(record) == Some(Status::Maybe);
    let repeated = items.iter().filter(is_repeated);
    let addresses: Vec<String> = repeated.map(|item| item.address(record)).collect();
    if !addresses.is_empty() {
        let message = format!(
            "an earlier teardown began to undo these actions, and the outcome is unknown, so they \
             are undone again: {}",
            addresses.join(", ")
        );
        watch(Event::Warning { message });
    }
}
