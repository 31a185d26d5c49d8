//! `--repl`: calls, events and answers, line by line, in one connection.

mod calls;
mod questions;

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tenon_protocols::Protocol;
use tenon_rpc::Payload;
use tokio::sync::mpsc;

use super::answers::{Answers, Question};
use super::line::{self, Line};
use super::target::Target;
use super::variables::Variables;
use super::{interrupted, list, params};
use crate::args::{CallArgs, repl_help};
use crate::commands::input::Input;
use crate::commands::terminal::{Entered, Prompt};
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};
use crate::platform::Signal;
use questions::asked;

pub(crate) struct Conversation<'a> {
    target: &'a Target,
    begun: Option<Payload>,
    args: &'a CallArgs,
    printer: Printer,
    answers: &'a Answers,
    variables: Variables,
    running: FuturesUnordered<Running<'a>>,
    /// The methods of the calls that run, by their numbers.
    unfinished: BTreeMap<usize, String>,
    /// How many calls were made with `&`.
    numbered: usize,
    /// The number of the current line, in a script.
    line: Option<usize>,
    /// Lines that were not empty.
    made: usize,
    failed: usize,
}

type Running<'a> = Pin<Box<dyn Future<Output = Finished> + 'a>>;

/// A call that ran while lines were read.
struct Finished {
    number: usize,
    method: String,
    name: Option<String>,
    outcome: Result<Payload, Failure>,
}

/// The user who types, and the questions for them.
struct Person {
    input: Input,
    questions: Option<mpsc::Receiver<Question>>,
    ctrl_c: Option<Signal>,
    /// Questions that came while a line was being typed.
    waiting: VecDeque<Question>,
}

/// Whether the conversation continues.
#[derive(PartialEq, Eq)]
enum Next {
    Line,
    End,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(
        target: &'a Target,
        begun: Option<Payload>,
        args: &'a CallArgs,
        printer: Printer,
        answers: &'a Answers,
    ) -> Conversation<'a> {
        Conversation {
            target,
            begun,
            args,
            printer,
            answers,
            variables: Variables::default(),
            running: FuturesUnordered::new(),
            unfinished: BTreeMap::new(),
            numbered: 0,
            line: None,
            made: 0,
            failed: 0,
        }
    }

    /// Reads lines until they end. A failed call does not end the conversation; a closed connection does.
    pub(crate) async fn hold(
        mut self,
        input: Input,
        questions: Option<mpsc::Receiver<Question>>,
        ctrl_c: Option<Signal>,
    ) -> Result<(), Failure> {
        let mut person = Person {
            input,
            questions,
            ctrl_c,
            waiting: VecDeque::new(),
        };
        if let Err(failure) = self.obey_all(&mut person).await {
            return Err(self.cut_short(failure, &mut person).await?);
        }
        if person.input.is_terminal() {
            // The user has seen what failed.
            return self.cancel_running().await;
        }
        self.wait(&mut person).await?;
        match self.failed {
            0 => Ok(()),
            _ if self.args.json => Err(Failure::printed(Code::Failed)),
            failed => Err(Failure::new(
                Code::Failed,
                format!("{failed} of {} lines failed", self.made),
            )),
        }
    }

    async fn obey_all(&mut self, person: &mut Person) -> Result<(), Failure> {
        loop {
            let entered = self.next_line(person).await?;
            self.line = person.input.line_number();
            let line = match entered {
                Entered::Line(line) => line,
                Entered::Unreadable => {
                    self.made += 1;
                    self.fail(None, &Failure::usage("the line is not UTF-8"))?;
                    continue;
                }
                Entered::Interrupted => {
                    self.cancel_at_the_prompt().await?;
                    continue;
                }
                Entered::End => return Ok(()),
            };
            // Only an empty line opens a question: otherwise the next line would be taken for the answer.
            if line.trim().is_empty() && self.ask_all(person).await? == Next::End {
                return Ok(());
            }
            if self.obey(&line, person).await? == Next::End {
                return Ok(());
            }
        }
    }

    /// The conversation cannot continue: prints why, the outcome of the calls that still ran, and how many
    /// lines of a script were not run.
    async fn cut_short(
        &mut self,
        failure: Failure,
        person: &mut Person,
    ) -> Result<Failure, Failure> {
        /// A script that is still being written is not waited for.
        const MOMENT: Duration = Duration::from_millis(200);
        if !failure.message.is_empty() {
            self.printer.error(None, &failure)?;
        } else if !self.target.peer().is_closed() {
            // The results cannot be written.
            return Ok(failure);
        }
        while let Some(finished) = self.running.next().await {
            self.finish(finished)?;
        }
        if person.input.is_terminal() {
            return Ok(Failure::printed(failure.code));
        }
        let mut left = 0_usize;
        let counting = async {
            while let Ok(entered) = person.input.next(Prompt::Line).await {
                left += match entered {
                    Entered::Line(line) => {
                        usize::from(!matches!(line::parse(&line), Ok(Line::Nothing)))
                    }
                    Entered::Unreadable => 1,
                    Entered::Interrupted | Entered::End => break,
                };
            }
        };
        let _not_at_its_end = tokio::time::timeout(MOMENT, counting).await;
        if left > 0 {
            let after = self.line.unwrap_or_default();
            let message = format!("not run after line {after}: {left} lines");
            self.printer
                .error(None, &Failure::new(failure.code, message))?;
        }
        Ok(Failure::printed(failure.code))
    }

    /// Waits for a line, and prints what happens meanwhile.
    async fn next_line(&mut self, person: &mut Person) -> Result<Entered, Failure> {
        let is_terminal = person.input.is_terminal();
        loop {
            tokio::select! {
                entered = person.input.next(Prompt::Line) => return entered,
                Some(finished) = self.running.next() => self.finish(finished)?,
                question = asked(&mut person.questions) => {
                    output::talk("  press Enter on an empty line to answer it");
                    person.waiting.push_back(question);
                }
                () = interrupted(&mut person.ctrl_c) => self.cancel_running().await?,
                failure = self.target.watch(), if is_terminal => return Err(failure),
            }
        }
    }

    async fn obey(&mut self, line: &str, person: &mut Person) -> Result<Next, Failure> {
        let parsed = line::parse(line);
        self.made += usize::from(!matches!(parsed, Ok(Line::Nothing)));
        let line = match parsed {
            Ok(line) => line,
            Err(failure) => return self.fail(None, &failure),
        };
        match line {
            Line::Nothing => {}
            Line::Call(typed) => return self.call(&typed, person).await,
            Line::Event { method, params } => {
                let params = match params.map(|params| self.json("params", params)).transpose() {
                    Ok(params) => params,
                    Err(failure) => return self.fail(Some(method), &failure),
                };
                let sending = self.target.send(method, params);
                let sent = self.while_waiting(sending, person).await?;
                if let Some(Err(failure)) = sent {
                    return self.fail(Some(method), &failure);
                }
            }
            Line::Keep { name, value } => match self.json("value", value) {
                Ok(value) => self.variables.set(name, &value),
                Err(failure) => return self.fail(None, &failure),
            },
            Line::Show(reference) => match self.json("value", reference) {
                Ok(value) => self.printer.value(reference, &value)?,
                Err(failure) => return self.fail(None, &failure),
            },
            Line::Answer { method, answer } => match self.json("answer", answer) {
                Ok(answer) => self.answer(method, answer, person),
                Err(failure) => return self.fail(None, &failure),
            },
            Line::Wait(None) => {
                // The calls that are waited for may themselves wait for these answers.
                if self.ask_all(person).await? == Next::End {
                    return Ok(Next::End);
                }
                self.wait(person).await?;
            }
            Line::Wait(Some(event)) => return self.wait_for(event, person).await,
            Line::List => return self.list(person).await,
            Line::Variables => {
                for (name, value) in self.variables.iter() {
                    self.printer.variable(name, value);
                }
            }
            Line::Help => output::talk(repl_help()),
            Line::Quit => return Ok(Next::End),
        }
        Ok(Next::Line)
    }

    async fn list(&mut self, person: &mut Person) -> Result<Next, Failure> {
        let protocol = self.args.protocol.filter(|protocol| protocol.can_list());
        let Some(protocol) = protocol else {
            let spoken = self.args.protocol.map_or("this dialect", Protocol::name);
            let failure = format!("{spoken} cannot list what the other side offers");
            return self.fail(None, &Failure::usage(failure));
        };
        let begun = self.begun.clone();
        let listing = list(self.target, Some(protocol), begun.as_ref(), self.args);
        match self.while_waiting(listing, person).await? {
            Some(Err(failure)) => self.fail(None, &failure),
            _ => Ok(Next::Line),
        }
    }

    /// JSON as it was typed, with the values of variables in it, or `@FILE`.
    fn json(&self, what: &str, text: &str) -> Result<Payload, Failure> {
        match text {
            "-" => Err(Failure::usage(
                "params cannot be read from stdin, because the lines are read from it",
            )),
            file if file.starts_with('@') => params::value(what, file),
            text => params::value(what, &self.variables.resolve(text)?),
        }
    }

    /// Prints what went wrong with a line, and continues if the connection is still open.
    fn fail(&mut self, method: Option<&str>, failure: &Failure) -> Result<Next, Failure> {
        self.failed += 1;
        match self.line {
            Some(line) if !self.args.json => {
                let message = format!("line {line}: {}", failure.message);
                let failure = Failure::new(failure.code, message);
                self.printer.error(method, &failure)?;
            }
            _ => self.printer.error(method, failure)?,
        }
        match self.target.peer().is_closed() {
            true => Err(Failure::printed(failure.code)),
            false => Ok(Next::Line),
        }
    }
}
