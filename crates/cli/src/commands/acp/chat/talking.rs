//! The talk: prompts and turns, until the user or the script ends it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tenon_acp::client::{Client, Session};
use tenon_protocols::acp::ContentBlock;
use tokio::sync::mpsc;

use super::connecting::Prepared;
use super::local::{self, Next};
use super::news::News;
use super::{Interrupts, greeting, initialized, session_event, sessions};
use crate::args::ChatArgs;
use crate::commands::input::Input;
use crate::commands::terminal::Entered;
use crate::exit::{Code, Failure};
use crate::output::{self, Paint, Transcript};

pub(super) struct Talk<'a> {
    pub(super) args: &'a ChatArgs,
    pub(super) client: &'a Client,
    pub(super) transcript: Transcript,
    pub(super) news: mpsc::Receiver<News>,
    /// Questions that came while a line was being typed.
    pub(super) waiting: VecDeque<News>,
    pub(super) is_interactive: bool,
    /// Where lines come from; opened when the first one is read.
    pub(super) input: Option<Input>,
    /// The commands of the agent, for Tab.
    pub(super) commands: Arc<Mutex<Vec<String>>>,
    /// Images for the next prompt.
    pub(super) images: Vec<ContentBlock>,
    /// Permissions that were rejected because there was no terminal to ask on.
    pub(super) lacking: usize,
    /// Ctrl-C was pressed so often in this turn.
    pub(super) cancelled: usize,
    /// The reader of stdout is gone.
    pub(super) is_unread: bool,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        args: &'a ChatArgs,
        client: &'a Client,
        news: mpsc::Receiver<News>,
        is_interactive: bool,
    ) -> Talk<'a> {
        Talk {
            args,
            client,
            transcript: Transcript::new(args.json),
            news,
            waiting: VecDeque::new(),
            is_interactive,
            input: None,
            commands: Arc::default(),
            images: Vec::new(),
            lacking: 0,
            cancelled: 0,
            is_unread: false,
        }
    }

    pub(super) async fn hold(
        mut self,
        prepared: Prepared,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        initialized(self.client, &self.transcript)?;
        if self.args.list {
            let sessions = self.sessions(interrupts).await?;
            return sessions::print(&sessions, self.args.json);
        }
        let session = self.open(&prepared, interrupts).await?;
        self.transcript.event(&session_event(&session))?;
        self.transcript.set_folder(session.folder());
        let terminals = session.clone();
        self.transcript
            .set_terminals(move |id| Some(terminals.terminal_output(id)?.output));
        self.set_up(&session, &prepared, interrupts).await?;
        self.images = prepared.images;
        match prepared.prompt {
            Some(prompt) => self.turn(&session, prompt, interrupts).await?,
            None => self.converse(&session, interrupts).await?,
        }
        match self.lacking {
            0 => Ok(()),
            _ if self.is_interactive => Ok(()),
            count => Err(Failure::new(
                Code::Failed,
                match count {
                    1 => {
                        "a request for permission was rejected because no rule allows it".to_owned()
                    }
                    count => format!(
                        "{count} requests for permission were rejected because no rule allows them"
                    ),
                },
            )),
        }
    }

    /// Reads prompts until they end.
    async fn converse(
        &mut self,
        session: &Session,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        if self.is_interactive {
            let agent = greeting(self.client);
            let line = format!(
                "{agent} in {}; :help shows the commands",
                tenon_text::path(session.folder())
            );
            self.transcript.painted(&Paint::Dim.on(line))?;
        }
        let mut is_leaving = false;
        loop {
            let entered = self.next_line(session, interrupts).await?;
            let line = match entered {
                Entered::Line(line) => line,
                Entered::Unreadable => return Err(Failure::usage("the line is not UTF-8")),
                Entered::Interrupted if is_leaving => return Ok(()),
                Entered::Interrupted => {
                    is_leaving = true;
                    self.transcript
                        .note("press Ctrl-C again, or Ctrl-D, to end")?;
                    continue;
                }
                Entered::End => return Ok(()),
            };
            is_leaving = false;
            if line.trim().is_empty() {
                self.answer_waiting(interrupts).await?;
                continue;
            }
            if let Some(command) = line.strip_prefix(':') {
                match local::obey(self, session, command.trim(), interrupts).await {
                    Ok(Next::Line) => {}
                    Ok(Next::End) => return Ok(()),
                    Err(failure) if failure.code == Code::Interrupted || !self.is_interactive => {
                        return Err(failure);
                    }
                    Err(failure) => output::talk_of(&failure),
                }
                continue;
            }
            match self.turn(session, line, interrupts).await {
                Err(failure) if self.may_go_on(&failure) => output::talk_of(&failure),
                outcome => outcome?,
            }
            if self.is_unread {
                return Ok(());
            }
        }
    }

    /// A turn that failed does not end a talk at a terminal, unless the agent is gone.
    fn may_go_on(&self, failure: &Failure) -> bool {
        self.is_interactive
            && matches!(
                failure.code,
                Code::Failed | Code::TimedOut | Code::BrokenProtocol
            )
    }
}
