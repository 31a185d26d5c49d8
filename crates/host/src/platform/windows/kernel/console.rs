//! The console of this process: the calls of the system.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle};

use windows_sys::Win32::System::Console::{
    CONSOLE_SCREEN_BUFFER_INFO, FlushConsoleInputBuffer, GetConsoleMode,
    GetConsoleScreenBufferInfo, GetNumberOfConsoleInputEvents, INPUT_RECORD, KEY_EVENT,
    ReadConsoleInputW, SetConsoleMode,
};

use super::check;

pub(crate) use windows_sys::Win32::System::Console::{
    ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING,
};

/// How input is treated, or output. It fails for what is not a console.
pub(crate) fn mode(console: impl AsHandle) -> io::Result<u32> {
    let mut mode = 0;
    // SAFETY: the handle is open, and the number is written to.
    check(unsafe { GetConsoleMode(console.as_handle().as_raw_handle(), &raw mut mode) })?;
    Ok(mode)
}

pub(crate) fn set_mode(console: impl AsHandle, mode: u32) -> io::Result<()> {
    // SAFETY: the handle is open.
    check(unsafe { SetConsoleMode(console.as_handle().as_raw_handle(), mode) })
}

/// Forgets what was typed and not read.
pub(crate) fn forget(input: &File) -> io::Result<()> {
    // SAFETY: the handle is open.
    check(unsafe { FlushConsoleInputBuffer(input.as_raw_handle()) })
}

/// What was typed, in units of UTF-16. It does not wait.
pub(crate) fn typed(input: &File) -> io::Result<Vec<u16>> {
    let mut waiting = 0;
    // SAFETY: the handle is open, and the number is written to.
    check(unsafe { GetNumberOfConsoleInputEvents(input.as_raw_handle(), &raw mut waiting) })?;
    let mut typed = Vec::new();
    if waiting == 0 {
        return Ok(typed);
    }
    let mut events = [INPUT_RECORD::default(); 64];
    let mut count = 0;
    // SAFETY: the handle is open, the array has this many places, and the number is written to.
    check(unsafe {
        let most = events.len() as u32;
        ReadConsoleInputW(
            input.as_raw_handle(),
            events.as_mut_ptr(),
            most,
            &raw mut count,
        )
    })?;
    for event in events.iter().take(count as usize) {
        if u32::from(event.EventType) != KEY_EVENT {
            continue;
        }
        // SAFETY: the kind of the event says which one this is; all of it are numbers.
        let (key, unit) = unsafe { (event.Event.KeyEvent, event.Event.KeyEvent.uChar.UnicodeChar) };
        if key.bKeyDown != 0 && unit != 0 {
            typed.extend(std::iter::repeat_n(unit, key.wRepeatCount.into()));
        }
    }
    Ok(typed)
}

/// The rows and columns that are seen of a console.
pub(crate) fn size(console: BorrowedHandle<'_>) -> io::Result<(usize, usize)> {
    let mut buffer = CONSOLE_SCREEN_BUFFER_INFO::default();
    // SAFETY: the handle is open, and the structure is written to.
    check(unsafe { GetConsoleScreenBufferInfo(console.as_raw_handle(), &raw mut buffer) })?;
    let seen = buffer.srWindow;
    let length = |from: i16, to: i16| usize::try_from(i32::from(to) - i32::from(from) + 1);
    match (length(seen.Top, seen.Bottom), length(seen.Left, seen.Right)) {
        (Ok(rows @ 1..), Ok(columns @ 1..)) => Ok((rows, columns)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
