//! Lines at the prompt, and what happens while one is typed.

use std::sync::PoisonError;

use tenon_acp::client::Session;

use super::news::News;
use super::talking::Talk;
use super::{Interrupt, Interrupts, failure, local};
use crate::commands::input::Input;
use crate::commands::terminal::{Editing, Entered, Prompt};
use crate::exit::Failure;
use crate::output;

impl Talk<'_> {
    /// Waits for a line, and shows what happens meanwhile.
    pub(super) async fn next_line(
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

    pub(super) async fn answer_waiting(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        while let Some(news) = self.waiting.pop_front() {
            self.receive(news, None, interrupts).await?;
        }
        Ok(())
    }
}
