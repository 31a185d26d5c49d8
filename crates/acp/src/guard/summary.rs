//! What has happened, for people.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// More paths and commands than these are only counted.
const LISTED: usize = 1000;

/// What an agent has asked for, and what it was allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Turns that were begun.
    pub turns: u64,
    /// Requests for permission that the user decided.
    pub asked: u64,
    /// Requests that the policy allowed.
    pub allowed: u64,
    /// Requests and calls that the policy denied, or that lead out of the folders.
    pub denied: u64,
    /// Messages that were refused for other reasons.
    pub refused: u64,
    /// Files that were read through the client, and how often.
    pub read: BTreeMap<String, u64>,
    /// Files that were written through the client, and how often.
    pub written: BTreeMap<String, u64>,
    /// Commands that were run through the client, and how often.
    pub run: BTreeMap<String, u64>,
}

impl Summary {
    pub(super) fn count(list: &mut BTreeMap<String, u64>, what: &str) {
        let is_listed = list.len() < LISTED || list.contains_key(what);
        let name = if is_listed { what } else { "(others)" };
        *list.entry(name.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = |list: &BTreeMap<String, u64>| list.values().sum::<u64>();
        write!(
            f,
            "{} turns; {} asked, {} allowed, {} denied, {} refused; {} read, {} written, {} run",
            self.turns,
            self.asked,
            self.allowed,
            self.denied,
            self.refused,
            total(&self.read),
            total(&self.written),
            total(&self.run)
        )
    }
}
