//! Printing while a user types: lines go above the one that is being edited.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The maximum number of lines that wait to be shown; beyond that, the oldest are dropped.
const WAITING: usize = 10_000;

static SCREEN: OnceLock<Screen> = OnceLock::new();

/// Lines for the thread that prints them, which may block.
///
/// The line editor takes one message at a time and only while a line is being edited. Handing it a
/// message right when the line is finished blocks until the next one is begun; a separate
/// thread can be blocked without harm.
#[derive(Default)]
struct Screen {
    state: Mutex<State>,
    has_lines: Condvar,
}

#[derive(Default)]
struct State {
    is_editing: bool,
    lines: VecDeque<(Stream, String)>,
    dropped: usize,
}

/// Where a line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Data,
    Talk,
}

impl Screen {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints lines with `print` while a line is being edited.
pub(crate) fn start(mut print: impl FnMut(String) + Send + 'static) {
    if SCREEN.set(Screen::default()).is_err() {
        return;
    }
    let Some(screen) = SCREEN.get() else {
        return;
    };
    std::thread::spawn(move || {
        loop {
            let mut state = screen.state();
            while state.lines.is_empty() {
                let woken = screen.has_lines.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
            let text = state.take_text();
            drop(state);
            print(text);
        }
    });
}

/// A line is about to be edited.
pub(crate) fn begin_editing() {
    if let Some(screen) = SCREEN.get() {
        screen.state().is_editing = true;
    }
}

/// The line has been entered: what still waits is printed as usual.
pub(crate) fn end_editing() {
    let Some(screen) = SCREEN.get() else {
        return;
    };
    let lines = {
        let mut state = screen.state();
        state.is_editing = false;
        std::mem::take(&mut state.lines)
    };
    for (stream, line) in lines {
        // `finish` reports what cannot be written.
        let _unwritten = super::write_line(stream, &line);
    }
}

/// Whether there is a prompt at all.
pub(super) fn is_there() -> bool {
    SCREEN.get().is_some()
}

/// Takes a line if one is being edited; otherwise it is the caller's to print.
pub(super) fn offer(stream: Stream, line: &str) -> bool {
    let Some(screen) = SCREEN.get() else {
        return false;
    };
    let mut state = screen.state();
    if !state.is_editing {
        return false;
    }
    if state.lines.len() == WAITING {
        state.lines.pop_front();
        state.dropped += 1;
    }
    state.lines.push_back((stream, line.to_owned()));
    screen.has_lines.notify_one();
    true
}

impl State {
    fn take_text(&mut self) -> String {
        let mut text = String::new();
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            text += &format!("({dropped} lines were not shown)\n");
        }
        for (_, line) in self.lines.drain(..) {
            text += &line;
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lines_are_dropped_and_counted() {
        let mut state = State {
            dropped: 3,
            ..State::default()
        };
        state.lines.push_back((Stream::Talk, "a".into()));
        state.lines.push_back((Stream::Data, "b".into()));
        assert_eq!(state.take_text(), "(3 lines were not shown)\na\nb\n");
        assert_eq!(state.take_text(), "");
    }
}
