//! What has happened, for people.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::facts::beginning;

/// More paths and commands than these are only counted.
const LISTED: usize = 1000;
/// Of longer names only the beginning is kept, in bytes: an agent chooses them.
const LONGEST: usize = 1024;

/// What an agent has asked for, what it was allowed, and what was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The name and version that the agent has given.
    pub agent: Option<String>,
    /// Sessions that were begun or continued.
    pub sessions: u64,
    /// Turns that were begun.
    pub turns: u64,
    /// Requests for permission that the user decided.
    pub asked: u64,
    /// Those that the user approved.
    pub approved: u64,
    /// Those that the user rejected.
    pub rejected: u64,
    /// Requests that the policy allowed.
    pub allowed: u64,
    /// Requests and calls that the policy denied, or that lead out of the folders.
    pub denied: u64,
    /// Messages that were refused for other reasons.
    pub refused: u64,
    /// Messages that were longer than a line may be, and were not read. Calls among them are refused as well.
    pub oversized: u64,
    /// Lines of the agent that are not messages, and were skipped.
    pub skipped: u64,
    /// How often each rule of the policy decided.
    pub rules: BTreeMap<String, u64>,
    /// Files that were read through the client, and how often.
    pub read: BTreeMap<String, u64>,
    /// Files that were written through the client, and how often.
    pub written: BTreeMap<String, u64>,
    /// Commands that were run through the client, and how often.
    pub run: BTreeMap<String, u64>,
    /// What the agent says it has done itself.
    pub reported: Reported,
    /// Files and commands that were written and run without a decision: there was no request, and no rule allows them.
    pub undecided: BTreeMap<String, u64>,
    /// Files and commands that were written and run although they were rejected or denied.
    pub against: BTreeMap<String, u64>,
}

/// What an agent says it has done itself, in tool calls that it has completed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reported {
    /// Files that it has read, and how often.
    pub read: BTreeMap<String, u64>,
    /// Files that it has changed, and how often.
    pub written: BTreeMap<String, u64>,
    /// Commands that it has run, and how often.
    pub run: BTreeMap<String, u64>,
}

/// A function that is called with the summary so far. It may block, for a second at most: then the client gets its answer
/// first. It is never called twice at the same time.
#[derive(Clone, Default)]
pub struct OnSummary(Option<Arc<See>>);

type See = dyn Fn(&Summary) + Send + Sync;

impl OnSummary {
    /// Calls this function.
    pub fn new(see: impl Fn(&Summary) + Send + Sync + 'static) -> OnSummary {
        OnSummary(Some(Arc::new(see)))
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn see(&self, summary: &Summary) {
        if let Some(see) = &self.0 {
            see(summary);
        }
    }
}

impl fmt::Debug for OnSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnSummary({})", self.0.is_some())
    }
}

impl Summary {
    pub(super) fn count(list: &mut BTreeMap<String, u64>, what: &str) {
        let mut name = Summary::bounded(what);
        if list.len() >= LISTED && !list.contains_key(&name) {
            "(others)".clone_into(&mut name);
        }
        *list.entry(name).or_default() += 1;
    }

    /// A name that is not too long to be shown.
    pub(super) fn bounded(name: &str) -> String {
        match name.len() > LONGEST {
            false => name.to_owned(),
            true => format!("{}... ({} bytes)", beginning(name, LONGEST), name.len()),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} turns; {} asked, {} allowed, {} denied, {} refused; {} read, {} written, {} run",
            self.turns,
            self.asked,
            self.allowed,
            self.denied,
            self.refused,
            names(&self.read, &self.reported.read).len(),
            names(&self.written, &self.reported.written).len(),
            names(&self.run, &self.reported.run).len()
        )
    }
}

impl Summary {
    /// The files that were read, by whomever.
    pub fn all_read(&self) -> Vec<&str> {
        names(&self.read, &self.reported.read)
    }

    /// The files that were written, by whomever.
    pub fn all_written(&self) -> Vec<&str> {
        names(&self.written, &self.reported.written)
    }

    /// The commands that were run, by whomever.
    pub fn all_run(&self) -> Vec<&str> {
        names(&self.run, &self.reported.run)
    }
}

/// The names in either list.
fn names<'a>(one: &'a BTreeMap<String, u64>, other: &'a BTreeMap<String, u64>) -> Vec<&'a str> {
    let more = other.keys().filter(|name| !one.contains_key(*name));
    let mut names: Vec<&str> = one.keys().chain(more).map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An agent may say anything that it has done, any number of times.
    #[test]
    fn names_are_bounded_in_number_and_length() {
        let mut list = BTreeMap::new();
        for number in 0..3 * LISTED {
            Summary::count(&mut list, &format!("{number:05}{}", "é".repeat(100_000)));
        }
        assert_eq!((list.len(), list["(others)"]), (LISTED + 1, 2 * 1000));
        assert!(list.keys().all(|name| name.len() < LONGEST + 30));
        let (first, count) = list.iter().nth(1).unwrap();
        assert!(first.starts_with("00000éé") && first.ends_with("é... (200005 bytes)"));
        assert_eq!(*count, 1);
    }
}
