//! A question on the screen, which disappears when it is withdrawn.

use crate::platform;

/// The rows of the terminal that a question takes.
#[derive(Debug, Default)]
pub(super) struct Question {
    rows: usize,
}

impl Question {
    /// Text was printed, and a line break after it.
    pub(super) fn add(&mut self, text: &str) {
        let (_, columns) = size();
        self.rows += text
            .split('\n')
            .map(|line| rows(line, columns))
            .sum::<usize>();
    }

    /// What erases it, if the cursor is below its last line, or at the end of this part of a line. What has left the screen
    /// stays where it is.
    pub(super) fn erasure(&self, part: &str) -> String {
        let (height, columns) = size();
        let above = self.rows + rows(part, columns) - 1;
        match above.min(height.saturating_sub(1)) {
            0 => "\r\u{1b}[J".to_owned(),
            rows => format!("\r\u{1b}[{rows}A\u{1b}[J"),
        }
    }
}

/// The rows and columns of the terminal.
fn size() -> (usize, usize) {
    platform::terminal_size().unwrap_or((24, 80))
}

/// How many rows a line takes. Colours take no room.
fn rows(line: &str, columns: usize) -> usize {
    let mut width = 0_usize;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                characters.by_ref().find(char::is_ascii_alphabetic);
            }
            '\t' => width = (width / 8 + 1) * 8,
            _ => width += 1,
        }
    }
    width.div_ceil(columns).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_take_the_rows_that_they_need() {
        for (line, expected) in [
            ("", 1),
            ("12345", 1),
            ("123456", 2),
            ("\u{1b}[31m12345\u{1b}[0m", 1),
            ("größe", 1),
            ("\tx", 2),
        ] {
            assert_eq!(rows(line, 5), expected, "{line:?}");
        }
    }
}
