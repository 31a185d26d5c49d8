//! One turn, from the prompt to the reason why it ended.

use serde_json::json;
use tenon_acp::client::{Canceller, Session};
use tenon_protocols::acp::{ContentBlock, StopReason};

use super::talking::Talk;
use super::{Interrupt, Interrupts, failure, unless_interrupted};
use crate::exit::{Code, Failure};
use crate::output;

impl Talk<'_> {
    /// One turn. Ctrl-C cancels it, and a second one ends the talk.
    pub(super) async fn turn(
        &mut self,
        session: &Session,
        text: String,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        let mut prompt = vec![ContentBlock::text(text)];
        prompt.append(&mut self.images);
        self.cancelled = 0;
        // An agent that does not read may keep a large prompt waiting.
        let begun = session.prompt(prompt);
        let mut turn = unless_interrupted(begun, interrupts, self.args).await?;
        let canceller = turn.canceller();
        let mut unread = std::pin::pin!(output::reader_gone());
        loop {
            tokio::select! {
                // A flood of updates must not keep anyone from cancelling it.
                biased;
                // As with `AGENT | head`: the rest is not wanted.
                () = &mut unread => {
                    self.is_unread = true;
                    canceller.cancel();
                    return Ok(());
                }
                interrupt = interrupts.next() => self.interrupted(interrupt, &canceller)?,
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
            StopReason::Refusal => "the agent refused to continue",
            StopReason::MaxTokens => "the agent stopped at its limit of tokens",
            StopReason::MaxTurnRequests => "the agent stopped at its limit of requests in a turn",
            _ => return Ok(()),
        };
        Err(Failure::new(Code::Failed, problem))
    }

    pub(super) fn interrupted(
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
        canceller.cancel();
        Ok(())
    }

    /// Whether the user has cancelled the turn.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled > 0
    }
}
