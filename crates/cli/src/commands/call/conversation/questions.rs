//! Requests of the other side that a person answers.

use std::collections::VecDeque;

use futures_util::stream::StreamExt;
use tenon_rpc::Payload;
use tokio::sync::mpsc;

use super::{Conversation, Next, Person};
use crate::commands::call::answers::Question;
use crate::commands::terminal::{Entered, Prompt};
use crate::exit::Failure;
use crate::output;

/// What became of a question.
#[derive(PartialEq, Eq)]
pub(super) enum Asked {
    /// It was answered or refused.
    Done,
    /// Ctrl-C: it was refused, and what waits for it should be cancelled.
    Interrupted,
    /// Ctrl-D: the same, and the session ends.
    End,
}

impl Conversation<'_> {
    /// Asks what came while a line was typed.
    pub(super) async fn ask_all(&mut self, person: &mut Person) -> Result<Next, Failure> {
        while let Some(question) = person.waiting.pop_front() {
            match self.ask(question, person).await? {
                Asked::Done => {}
                Asked::Interrupted => self.cancel_running().await?,
                Asked::End => return Ok(Next::End),
            }
        }
        Ok(Next::Line)
    }

    /// Has a person answer a question of the other side. An empty answer refuses.
    pub(super) async fn ask(
        &mut self,
        question: Question,
        person: &mut Person,
    ) -> Result<Asked, Failure> {
        if question.reply.is_closed() {
            return Ok(Asked::Done);
        }
        let prompt = format!("{}? ", output::on_one_line(&question.method));
        loop {
            let entered = tokio::select! {
                entered = person.input.next(Prompt::Question(&prompt)) => entered?,
                Some(finished) = self.running.next() => {
                    self.finish(finished)?;
                    continue;
                }
                failure = self.target.watch() => return Err(failure),
            };
            let answer = match entered {
                Entered::Line(answer) => answer,
                Entered::Unreadable => continue,
                Entered::Interrupted => return Ok(Asked::Interrupted),
                Entered::End => return Ok(Asked::End),
            };
            if answer.trim().is_empty() {
                output::talk(format_args!("{prompt}answered \"method not found\""));
                return Ok(Asked::Done);
            }
            match self.json("answer", answer.trim()) {
                Ok(answer) => {
                    if question.reply.send(answer).is_err() {
                        output::talk("the other side no longer waits for it");
                    }
                    return Ok(Asked::Done);
                }
                Err(failure) => self.printer.error(Some(&question.method), &failure)?,
            }
        }
    }

    /// Answers a method from now on, and the questions that wait for it.
    pub(super) fn answer(&self, method: &str, answer: Payload, person: &mut Person) {
        let (answered, waiting) = std::mem::take(&mut person.waiting)
            .into_iter()
            .partition(|question| question.method == method);
        person.waiting = waiting;
        let answered: VecDeque<Question> = answered;
        for question in answered {
            let _no_longer_waits = question.reply.send(answer.clone());
        }
        self.answers.set(method, answer);
    }
}

/// The next question; without a prompt it never returns.
pub(super) async fn asked(questions: &mut Option<mpsc::Receiver<Question>>) -> Question {
    match questions {
        Some(questions) => match questions.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
