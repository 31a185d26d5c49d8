//! The console while a question is open.

use std::io;

use tenon_host::console::Keyboard;

use crate::output;

/// The console while a question is open. Dropping it restores the console, and forgets what was typed but not read.
pub(crate) struct Tty {
    keyboard: Keyboard,
    line: Option<Line>,
}

impl Tty {
    /// Each key is read when it is pressed, and not shown. Ctrl-C stays a signal.
    ///
    /// # Errors
    /// There is no console.
    pub(crate) fn for_keys() -> io::Result<Tty> {
        Ok(Tty {
            keyboard: Keyboard::open()?,
            line: None,
        })
    }

    /// Lines are read when Enter is pressed.
    ///
    /// # Errors
    /// There is no console.
    pub(crate) fn for_lines() -> io::Result<Tty> {
        Ok(Tty {
            keyboard: Keyboard::open()?,
            line: Some(Line::default()),
        })
    }

    /// What was typed, as soon as there is something; nothing at the end of the input.
    pub(crate) async fn read(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let typed = self.keyboard.typed().await?;
            let Some(line) = &mut self.line else {
                return Ok(typed.into_bytes());
            };
            // The system's own line editing cannot be interrupted.
            let (shown, read) = line.add(&typed);
            output::error_bytes(shown.as_bytes());
            if let Some(read) = read {
                return Ok(read.into_bytes());
            }
        }
    }
}

/// The line that is being typed.
#[derive(Debug, Default)]
struct Line(String);

impl Line {
    /// Adds keys. Returns what is shown of them, and the lines that are complete; an empty text at the end of the input.
    fn add(&mut self, typed: &str) -> (String, Option<String>) {
        const CONTROL_D: char = '\u{4}';
        const CONTROL_Z: char = '\u{1a}';
        let (mut shown, mut complete) = (String::new(), None);
        for letter in typed.chars() {
            match letter {
                '\r' | '\n' => {
                    shown.push_str("\r\n");
                    let lines = complete.get_or_insert_with(String::new);
                    lines.push_str(&std::mem::take(&mut self.0));
                    lines.push('\n');
                }
                '\u{8}' | '\u{7f}' => {
                    if self.0.pop().is_some() {
                        shown.push_str("\u{8} \u{8}");
                    }
                }
                CONTROL_D | CONTROL_Z if self.0.is_empty() => {
                    complete.get_or_insert_with(String::new);
                }
                letter if letter.is_control() => {}
                letter => {
                    self.0.push(letter);
                    shown.push(letter);
                }
            }
        }
        (shown, complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_can_be_corrected() {
        let mut line = Line::default();
        assert_eq!(line.add("héx\u{8}y"), ("héx\u{8} \u{8}y".into(), None));
        assert_eq!(line.add("\u{1b}\r"), ("\r\n".into(), Some("héy\n".into())));
        assert_eq!(line.add("\u{8}"), (String::new(), None));
        assert_eq!(line.add("\u{1a}"), (String::new(), Some(String::new())));
        assert_eq!(line.add("a\u{1a}\r"), ("a\r\n".into(), Some("a\n".into())));
    }
}
