//! The terminal while a question is open.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr,
};
use tokio::net::unix::pipe::Receiver;

/// The terminal while a question is open. Dropping it restores the terminal, and forgets what was typed but not read.
pub(crate) struct Tty {
    input: Receiver,
    before: Termios,
}

const EDITED: LocalModes = LocalModes::ICANON.union(LocalModes::ECHO);

impl Tty {
    /// Each key is read when it is pressed, and not shown. Ctrl-C stays a signal.
    ///
    /// # Errors
    /// There is no terminal.
    pub(crate) fn for_keys() -> io::Result<Tty> {
        Tty::open(|modes| modes.remove(EDITED))
    }

    /// Lines are read when Enter is pressed.
    ///
    /// # Errors
    /// There is no terminal.
    pub(crate) fn for_lines() -> io::Result<Tty> {
        Tty::open(|modes| modes.insert(EDITED))
    }

    /// What was typed before is thrown away: it was not meant as an answer.
    fn open(change: impl FnOnce(&mut LocalModes)) -> io::Result<Tty> {
        // Opened anew: that it does not block must not hold for stdin, which others share.
        let terminal = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open("/dev/tty")?;
        let input = Receiver::from_file_unchecked(terminal)?;
        let before = tcgetattr(&input)?;
        let mut during = before.clone();
        change(&mut during.local_modes);
        tcflush(&input, QueueSelector::IFlush)?;
        tcsetattr(&input, OptionalActions::Now, &during)?;
        Ok(Tty { input, before })
    }

    /// What was typed, as soon as there is something; nothing at the end of the input.
    pub(crate) async fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut typed = vec![0; 1024];
        loop {
            self.input.readable().await?;
            match self.input.try_read(&mut typed) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => {
                    typed.truncate(read?);
                    return Ok(typed);
                }
            }
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _gone = tcflush(&self.input, QueueSelector::IFlush);
        let _gone = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}
