//! Calls that are waited for, calls in the background, and how both are cancelled.

use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use tenon_protocols::Protocol;
use tenon_rpc::Payload;
use tokio::time::Instant;

use super::questions::{Asked, asked};
use super::{Conversation, Finished, Next, Person, Running};
use crate::commands::call::line::Typed;
use crate::commands::call::{cancelled, check_result, interrupted, params};
use crate::exit::{Code, Failure};
use crate::output;

impl<'a> Conversation<'a> {
    pub(super) async fn call(
        &mut self,
        typed: &Typed<'_>,
        person: &mut Person,
    ) -> Result<Next, Failure> {
        let method = typed.method;
        let params = typed.params.map(|params| self.json("params", params));
        let params = params
            .transpose()
            .and_then(|params| params::with_progress(params, self.args, self.made as u64));
        let params = match params {
            Ok(params) => params,
            Err(failure) => return self.fail(Some(method), &failure),
        };
        if typed.at_once {
            return self.call_at_once(typed, params);
        }
        let calling = self.target.call(method, params, None);
        match self.while_waiting(calling, person).await? {
            Some(Ok(result)) => {
                self.variables.keep(typed.name, &result);
                self.printer.result(method, &result)?;
                match check_result(method, &result, self.args) {
                    Ok(()) => Ok(Next::Line),
                    Err(failure) => self.fail(Some(method), &failure),
                }
            }
            Some(Err(failure)) => self.fail(Some(method), &failure),
            None => {
                self.failed += 1;
                self.given_up(method);
                self.cancel_running().await?;
                Ok(Next::Line)
            }
        }
    }

    fn call_at_once(
        &mut self,
        typed: &Typed<'_>,
        params: Option<Payload>,
    ) -> Result<Next, Failure> {
        self.numbered += 1;
        let number = self.numbered;
        let method = typed.method.to_owned();
        self.unfinished.insert(number, method.clone());
        let name = typed.name.map(str::to_owned);
        let (target, limit) = (self.target, self.args.timeout.0);
        let mut running: Running<'a> = Box::pin(async move {
            let outcome = target.call(&method, params, limit).await;
            Finished {
                number,
                method,
                name,
                outcome,
            }
        });
        // It goes out before whatever the next line sends.
        match (&mut running).now_or_never() {
            Some(finished) => self.finish(finished)?,
            None => self.running.push(running),
        }
        Ok(Next::Line)
    }

    /// A call that was made with `&` has finished.
    pub(super) fn finish(&mut self, finished: Finished) -> Result<(), Failure> {
        let Finished {
            number,
            method,
            name,
            outcome,
        } = finished;
        self.unfinished.remove(&number);
        self.printer.finished(number, &method, &outcome)?;
        let Ok(result) = outcome else {
            self.failed += 1;
            return Ok(());
        };
        // Which of several would be the last is chance, so `$_` is none of them.
        if let Some(name) = &name {
            self.variables.set(name, &result);
        }
        if let Err(failure) = check_result(&method, &result, self.args) {
            self.failed += 1;
            self.printer.error(Some(&method), &failure)?;
        }
        Ok(())
    }

    /// Waits for something that the next line depends on; `None` if that was cancelled. The time in
    /// which a person is asked something does not count.
    pub(super) async fn while_waiting<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
        person: &mut Person,
    ) -> Result<Option<Result<T, Failure>>, Failure> {
        let mut work = pin!(work);
        let limit = self.args.timeout.0;
        let mut deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            tokio::select! {
                biased;
                outcome = &mut work => return Ok(Some(outcome)),
                () = interrupted(&mut person.ctrl_c) => {
                    leave_the_line();
                    return Ok(None);
                }
                () = passed(deadline) => {
                    let limit = limit.unwrap_or(Duration::MAX);
                    return Ok(Some(Err(self.target.timed_out(limit).await)));
                }
                question = asked(&mut person.questions) => {
                    let began = Instant::now();
                    if self.ask(question, person).await? != Asked::Done {
                        return Ok(None);
                    }
                    deadline = deadline.map(|deadline| deadline + began.elapsed());
                }
                Some(finished) = self.running.next() => self.finish(finished)?,
            }
        }
    }

    /// Waits for the calls that were made with `&`.
    pub(super) async fn wait(&mut self, person: &mut Person) -> Result<(), Failure> {
        while !self.running.is_empty() {
            tokio::select! {
                Some(finished) = self.running.next() => self.finish(finished)?,
                () = interrupted(&mut person.ctrl_c) => {
                    leave_the_line();
                    self.cancel_running().await?;
                }
                question = asked(&mut person.questions) => {
                    if self.ask(question, person).await? != Asked::Done {
                        self.cancel_running().await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits for an event of the other side, whose params are the last result then.
    pub(super) async fn wait_for(
        &mut self,
        event: &str,
        person: &mut Person,
    ) -> Result<Next, Failure> {
        let Some(events) = self.answers.events() else {
            return Ok(Next::Line);
        };
        // The other side may end meanwhile.
        let target = self.target;
        let waiting = async {
            tokio::select! {
                params = events.next(event) => Ok(params),
                failure = target.watch() => Err(failure),
            }
        };
        match self.while_waiting(waiting, person).await? {
            Some(Ok(params)) => {
                self.variables.keep(None, &params);
                Ok(Next::Line)
            }
            Some(Err(mut failure)) => {
                if let (Code::TimedOut, Some(limit)) = (failure.code, self.args.timeout.0) {
                    failure.message = format!("no event {event} within {limit:?}");
                }
                self.fail(Some(event), &failure)
            }
            None => {
                self.failed += 1;
                Ok(Next::Line)
            }
        }
    }

    /// Ctrl-C where no call is waited for.
    pub(super) async fn cancel_at_the_prompt(&mut self) -> Result<(), Failure> {
        if self.unfinished.is_empty() {
            output::talk("nothing is running; Ctrl-D ends the session");
        }
        self.cancel_running().await
    }

    /// Cancels every running call, and prints that.
    pub(super) async fn cancel_running(&mut self) -> Result<(), Failure> {
        // Dropping a call is what cancels it. The connection's task sends the cancellation, and `--trace`
        // shows it before the prompt is back.
        self.running.clear();
        tokio::task::yield_now().await;
        for (number, method) in std::mem::take(&mut self.unfinished) {
            self.failed += 1;
            match self.args.json {
                true => self.printer.finished(number, &method, &Err(cancelled()))?,
                false => self.given_up(&format!("[{number}] {method}")),
            }
        }
        Ok(())
    }

    fn given_up(&self, method: &str) {
        if self.args.json {
            let _gone = self.printer.error(Some(method), &cancelled());
            return;
        }
        let can_cancel = |protocol: Protocol| protocol.host_options().cancel.is_some();
        let method = output::on_one_line(method);
        match self.args.protocol.is_some_and(can_cancel) {
            true => output::talk(format_args!("cancelled {method}")),
            false => output::talk(format_args!(
                "stopped waiting for {method}, which may still be running: {} has no cancellation",
                self.args
                    .protocol
                    .map_or(self.args.dialect.name(), Protocol::name)
            )),
        }
    }
}

/// The terminal has just shown `^C`; what follows starts on a new line.
fn leave_the_line() {
    output::talk("");
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
