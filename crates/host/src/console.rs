//! The console of Windows: single keys, its size, and escape codes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::io::AsHandle;
use std::time::Duration;

use crate::platform::console;

/// The keyboard of the console, without line editing and echo. Ctrl-C stays a signal. Dropping it restores the console, and
/// forgets what was typed but not read.
#[derive(Debug)]
pub struct Keyboard {
    input: File,
    before: u32,
    /// The first half of a letter that takes two units.
    half: Option<u16>,
}

impl Keyboard {
    /// What was typed before is forgotten.
    ///
    /// # Errors
    /// This process has no console.
    pub fn open() -> io::Result<Keyboard> {
        // The console itself, also if stdin is something else.
        let input = OpenOptions::new().read(true).write(true).open("CONIN$")?;
        let before = console::mode(&input)?;
        let edited = console::ENABLE_LINE_INPUT | console::ENABLE_ECHO_INPUT;
        console::forget(&input)?;
        console::set_mode(&input, before & !edited)?;
        Ok(Keyboard {
            input,
            before,
            half: None,
        })
    }

    /// The letters that are typed, as soon as there are some. Nothing is lost if this is dropped while it waits.
    ///
    /// # Errors
    /// The console is gone.
    pub async fn typed(&mut self) -> io::Result<String> {
        /// A wait for a handle would take a thread that cannot be interrupted.
        const PAUSE: Duration = Duration::from_millis(20);
        loop {
            let mut units = console::typed(&self.input)?;
            if let Some(half) = self.half.take() {
                units.insert(0, half);
            }
            self.half = units.pop_if(|last| (0xd800..0xdc00).contains(last));
            if !units.is_empty() {
                return Ok(String::from_utf16_lossy(&units));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        let _gone = console::forget(&self.input);
        let _gone = console::set_mode(&self.input, self.before);
    }
}

/// Lets the console act on escape codes, which colour text and move the cursor, if stdout or stderr is one. Otherwise it may show
/// them as characters. Returns whether it can; what is not a console takes everything.
pub fn enable_escape_codes() -> bool {
    fn enable(stream: impl AsHandle) -> bool {
        let Ok(mode) = console::mode(&stream) else {
            return true;
        };
        let wanted = mode | console::ENABLE_VIRTUAL_TERMINAL_PROCESSING;
        wanted == mode || console::set_mode(&stream, wanted).is_ok()
    }
    let stdout = enable(io::stdout());
    enable(io::stderr()) && stdout
}

/// The rows and columns of the console, if stderr is one.
pub fn size() -> Option<(usize, usize)> {
    console::size(io::stderr().as_handle()).ok()
}
