//! What the storage writes to stderr, which is shown once it fails.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::show_log;

/// So many lines are kept.
const MAX_LINES: usize = 20;

/// Keeps the last lines until they are needed. From then on, every line is shown: a line about the failure may come
/// after the failure itself.
pub(super) struct LastWords(Mutex<State>);

enum State {
    Kept(VecDeque<(String, String)>),
    Shown,
}

impl LastWords {
    /// With `is_shown`, every line is shown elsewhere.
    pub(super) fn new(is_shown: bool) -> LastWords {
        LastWords(Mutex::new(match is_shown {
            true => State::Shown,
            false => State::Kept(VecDeque::new()),
        }))
    }

    pub(super) fn hear(&self, plugin: &str, line: &str) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Shown => show_log(plugin, line),
            State::Kept(lines) => {
                if lines.len() == MAX_LINES {
                    lines.pop_front();
                }
                lines.push_back((plugin.to_owned(), line.to_owned()));
            }
        }
    }

    /// Shows what was kept, and from now on every line.
    pub(super) fn show(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Kept(lines) = std::mem::replace(&mut *state, State::Shown) {
            for (plugin, line) in lines {
                show_log(&plugin, &line);
            }
        }
    }
}
