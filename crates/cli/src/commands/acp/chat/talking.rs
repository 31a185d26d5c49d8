//! The talk: prompts and turns, until the user or the script ends it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tenon_acp::client::{Canceller, Client, Session};
use tenon_protocols::acp::{ContentBlock, SessionInfo, StopReason};
use tokio::sync::mpsc;

use super::connecting::Prepared;
use super::local::{self, Next};
use super::news::News;
use super::{
    Interrupt, Interrupts, failure, greeting, initialized, session_event, unless_interrupted,
};
use crate::args::ChatArgs;
use crate::commands::input::Input;
use crate::commands::terminal::{Editing, Entered, Prompt};
use crate::exit::{Code, Failure};
use crate::output::{self, Paint, Transcript};

pub(super) struct Talk<'a> {
    pub(super) args: &'a ChatArgs,
    pub(super) client: &'a Client,
    pub(super) transcript: Transcript,
    news: mpsc::Receiver<News>,
    /// Questions that came while a line was being typed.
    waiting: VecDeque<News>,
    pub(super) is_interactive: bool,
    /// Where lines come from; opened when the first one is read.
    pub(super) input: Option<Input>,
    /// The commands of the agent, for Tab.
    commands: Arc<Mutex<Vec<String>>>,
    /// Images for the next prompt.
    pub(super) images: Vec<ContentBlock>,
    /// Permissions that were rejected because nobody could be asked.
    pub(super) lacking: usize,
    /// Ctrl-C was pressed so often in this turn.
    cancelled: usize,
    /// The reader of stdout is gone.
    is_unread: bool,
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
            return local::print_sessions(&sessions, self.args.json);
        }
        let session = self.open(&prepared, interrupts).await?;
        self.transcript.event(&session_event(&session))?;
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
                format!(
                    "{count} requests for permission were rejected because no rule allows them"
                ),
            )),
        }
    }

    /// The sessions of the folder, the newest first.
    pub(super) async fn sessions(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<Vec<SessionInfo>, Failure> {
        let folder = self
            .args
            .cwd
            .as_deref()
            .unwrap_or(std::path::Path::new("."));
        let folder = folder.canonicalize().unwrap_or_default();
        let folder = folder.to_string_lossy();
        let listing = self.client.sessions(Some(&folder));
        let mut sessions = unless_interrupted(listing, interrupts, self.args).await?;
        // Not every agent filters them.
        sessions.retain(|session| session.cwd == *folder);
        sessions.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        Ok(sessions)
    }

    async fn open(
        &mut self,
        prepared: &Prepared,
        interrupts: &mut Interrupts,
    ) -> Result<Session, Failure> {
        let folder = prepared.folder.clone();
        let id = match self.args.resume.as_deref() {
            None => {
                let opening = self.client.new_session(folder);
                return unless_interrupted(opening, interrupts, self.args).await;
            }
            Some("") => {
                let sessions = self.sessions(interrupts).await?;
                let newest = sessions.into_iter().next().ok_or_else(|| {
                    Failure::new(Code::Failed, "the agent has kept no session of this folder")
                })?;
                newest.session_id
            }
            Some(id) => id.to_owned(),
        };
        let capabilities = self.client.agent().agent_capabilities.as_ref();
        let resumes = capabilities
            .and_then(|all| all.session_capabilities.as_ref())
            .is_some_and(|all| all.resume.is_some());
        let loads = capabilities.and_then(|all| all.load_session) == Some(true);
        // For one prompt the history is not needed.
        if resumes && (prepared.prompt.is_some() || !loads) {
            let opening = self.client.resume_session(&id, folder);
            return unless_interrupted(opening, interrupts, self.args).await;
        }
        let loading = self.client.load_session(&id, folder);
        let mut loading = unless_interrupted(loading, interrupts, self.args).await?;
        self.transcript.set_history(true)?;
        while let Some(update) = unless_interrupted(loading.next(), interrupts, self.args).await? {
            if self.args.json || prepared.prompt.is_none() {
                self.transcript.update(&id, &update)?;
            }
        }
        self.transcript.set_history(false)?;
        unless_interrupted(loading.session(), interrupts, self.args).await
    }

    /// What `--mode`, `--model` and `--set` ask for.
    async fn set_up(
        &mut self,
        session: &Session,
        prepared: &Prepared,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        if let Some(mode) = &self.args.mode {
            unless_interrupted(session.set_mode(mode), interrupts, self.args).await?;
        }
        if let Some(model) = &self.args.model {
            unless_interrupted(session.set_model(model), interrupts, self.args).await?;
        }
        for (id, value) in &prepared.settings {
            let value = local::value(session, id, value)?;
            let setting = session.set_config_option(id, value);
            unless_interrupted(setting, interrupts, self.args).await?;
        }
        Ok(())
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

    /// Waits for a line, and shows what happens meanwhile.
    async fn next_line(
        &mut self,
        session: &Session,
        interrupts: &mut Interrupts,
    ) -> Result<Entered, Failure> {
        self.know_commands(session);
        if self.input.is_none() {
            self.input = Some(Input::new(self.editing())?);
        }
        let is_terminal = self.is_interactive;
        self.transcript.set_idle(is_terminal)?;
        let entered = loop {
            let Some(input) = &mut self.input else {
                break Entered::End;
            };
            tokio::select! {
                biased;
                entered = input.next(Prompt::Line) => break entered?,
                update = session.next() => {
                    self.transcript.update(session.id(), &update)?;
                    self.know_commands(session);
                }
                Some(news) = self.news.recv() => self.receive_idle(news)?,
                interrupt = interrupts.next() => match (interrupt, is_terminal) {
                    (Interrupt::Cancel, true) => break Entered::Interrupted,
                    _ => return Err(Failure::interrupted()),
                },
                error = self.client.ended(), if is_terminal => return Err(failure(error, self.args)),
            }
        };
        self.transcript.set_idle(false)?;
        Ok(entered)
    }

    /// The answer to a question, by the line editor.
    pub(super) async fn line(&mut self, prompt: Prompt<'_>) -> Result<Entered, Failure> {
        if self.input.is_none() {
            self.input = Some(Input::new(self.editing())?);
        }
        match &mut self.input {
            Some(input) => input.next(prompt).await,
            None => Ok(Entered::End),
        }
    }

    fn editing(&self) -> Editing<'static> {
        let commands = self.commands.clone();
        let secrets = self.args.tap.mask.iter().map(|name| name.to_lowercase());
        Editing {
            history: "chat_history",
            secrets: secrets.collect(),
            complete: Box::new(move |typed| {
                let commands = commands.lock().unwrap_or_else(PoisonError::into_inner);
                local::complete(&commands, typed)
            }),
        }
    }

    fn know_commands(&self, session: &Session) {
        let names = session.about().commands.into_iter();
        let names = names.map(|command| output::on_one_line(&command.name).into_owned());
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = names.collect();
    }

    /// Something that came while a line is being edited.
    fn receive_idle(&mut self, news: News) -> Result<(), Failure> {
        let is_question = matches!(news, News::Permission(..) | News::Question(..));
        if is_question && self.is_interactive {
            self.waiting.push_back(news);
            return self
                .transcript
                .note("the agent asks something: press Enter on an empty line to answer");
        }
        self.show(news)
    }

    async fn answer_waiting(&mut self, interrupts: &mut Interrupts) -> Result<(), Failure> {
        while let Some(news) = self.waiting.pop_front() {
            self.receive(news, None, interrupts).await?;
        }
        Ok(())
    }

    /// One turn. Ctrl-C cancels it, and a second one ends the talk.
    async fn turn(
        &mut self,
        session: &Session,
        text: String,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        let mut prompt = vec![ContentBlock::text(text)];
        prompt.append(&mut self.images);
        self.cancelled = 0;
        let begun = session.prompt(prompt).await;
        let mut turn = begun.map_err(|error| failure(error, self.args))?;
        let canceller = turn.canceller();
        let mut unread = std::pin::pin!(output::reader_gone());
        loop {
            tokio::select! {
                // A flood of updates must not keep anyone from cancelling it.
                biased;
                // As with `AGENT | head`: nobody wants the rest.
                () = &mut unread => {
                    self.is_unread = true;
                    canceller.cancel().await;
                    return Ok(());
                }
                interrupt = interrupts.next() => self.interrupted(interrupt, &canceller).await?,
                update = turn.next() => match update {
                    Ok(Some(update)) => self.transcript.update(session.id(), &update)?,
                    Ok(None) => break,
                    Err(error) => {
                        self.transcript.end_turn(false)?;
                        return Err(failure(error, self.args));
                    }
                },
                Some(news) = self.news.recv() => {
                    self.receive(news, Some(&canceller), interrupts).await?;
                }
            }
        }
        let result = turn.result().cloned();
        let reason = result
            .as_ref()
            .map_or(StopReason::EndTurn, |result| result.stop_reason.clone());
        self.transcript.end_turn(self.is_interactive)?;
        self.transcript.event(&json!({
            "event": "turn", "sessionId": session.id(), "stopReason": reason, "result": result,
        }))?;
        self.judge(&reason)
    }

    fn judge(&mut self, reason: &StopReason) -> Result<(), Failure> {
        let problem = match reason {
            StopReason::Cancelled if self.is_interactive && self.args.prompt.is_none() => {
                return self.transcript.note("cancelled");
            }
            StopReason::Cancelled if self.cancelled > 0 => return Err(Failure::interrupted()),
            StopReason::Cancelled => "the agent cancelled the turn",
            StopReason::Refusal => "the agent refused to go on",
            StopReason::MaxTokens => "the agent stopped at its limit of tokens",
            StopReason::MaxTurnRequests => "the agent stopped at its limit of requests in a turn",
            _ => return Ok(()),
        };
        Err(Failure::new(Code::Failed, problem))
    }

    pub(super) async fn interrupted(
        &mut self,
        interrupt: Interrupt,
        canceller: &Canceller,
    ) -> Result<(), Failure> {
        self.cancelled += 1;
        if interrupt == Interrupt::End || self.cancelled > 1 {
            return Err(Failure::interrupted());
        }
        self.transcript
            .note("cancelling; press Ctrl-C again to end immediately")?;
        canceller.cancel().await;
        Ok(())
    }
}
