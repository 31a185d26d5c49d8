//! Requests for permission: by keys at a terminal; without one they are rejected.

use serde_json::json;
use tenon_acp::client::Canceller;
use tenon_acp::policy::{Action, Decision};
use tenon_protocols::acp::{
    ElicitationResult, Empty, PermissionKind, PermissionOption, PermissionParams, PermissionResult,
};
use tokio::sync::oneshot;

use super::news::News;
use super::talking::Talk;
use super::tty::Keys;
use super::{Interrupt, Interrupts, forms, rules};
use crate::exit::Failure;
use crate::output::{self, Paint};

impl Talk<'_> {
    /// Answers a question, or shows what needs no answer. Without a turn there is nothing to cancel.
    pub(super) async fn receive(
        &mut self,
        news: News,
        canceller: Option<&Canceller>,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        match news {
            News::Permission(request, answer) if self.is_interactive => {
                self.ask(&request, answer, canceller, interrupts).await
            }
            News::Question(question, answer) if self.is_interactive => {
                forms::ask(self, &question, answer, canceller, interrupts).await
            }
            news => self.show(news),
        }
    }

    /// What happens without the user.
    pub(super) fn show(&mut self, news: News) -> Result<(), Failure> {
        match news {
            News::Permission(request, answer) => self.reject(&request, answer),
            News::Question(_, answer) => {
                let _gone = answer.send(ElicitationResult::Cancel(Empty::default()));
                Ok(())
            }
            News::Complete(id) => {
                let event = json!({ "event": "elicitation_complete", "elicitationId": id });
                self.transcript.event(&event)?;
                match self.args.json {
                    true => Ok(()),
                    false => self.transcript.note("the page was completed"),
                }
            }
            News::Decided(request, decision) => self.decided(&request, &decision),
            News::Wrote {
                session_id,
                path,
                bytes,
            } => {
                let event = json!({ "event": "write", "sessionId": session_id, "path": path, "bytes": bytes });
                self.transcript.event(&event)?;
                if self.args.json {
                    return Ok(());
                }
                let line = format!("wrote {} ({bytes} bytes)", output::on_one_line(&path));
                self.transcript.painted(&Paint::Dim.on(line))
            }
        }
    }

    fn decided(&mut self, request: &PermissionParams, decision: &Decision) -> Result<(), Failure> {
        let rule = decision.rule.as_deref();
        let option = rule.and_then(|rule| rules::option(rule, self.args));
        let by = if rule.is_some() { "rule" } else { "default" };
        self.transcript.event(&json!({
            "event": "permission", "sessionId": request.session_id, "toolCall": request.tool_call,
            "action": decision.action, "by": by, "rule": option.as_deref().or(rule), "why": decision.why,
        }))?;
        if self.args.json {
            return Ok(());
        }
        let title = title(request);
        let rule = match (option, rule) {
            (Some(option), _) => option,
            (None, Some(rule)) => format!("rule {rule:?}"),
            (None, None) => "the default of the policy".to_owned(),
        };
        let rule = output::on_one_line(&rule);
        match decision.action {
            Action::Deny => {
                let line = format!("denied by {rule}: {title}");
                self.transcript.painted(&Paint::Red.on(line))
            }
            _ => {
                let line = format!("allowed by {rule}: {title}");
                self.transcript.painted(&Paint::Dim.on(line))?;
                self.transcript.request_diffs(request)
            }
        }
    }

    /// There is no terminal to ask at.
    fn reject(
        &mut self,
        request: &PermissionParams,
        answer: oneshot::Sender<PermissionResult>,
    ) -> Result<(), Failure> {
        self.lacking += 1;
        let option = request.options.iter().find(|option| {
            matches!(
                option.kind,
                PermissionKind::RejectOnce | PermissionKind::RejectAlways
            )
        });
        let rejection = option.map_or_else(PermissionResult::cancelled, |option| {
            PermissionResult::selected(option.option_id.clone())
        });
        let _cancelled = answer.send(rejection);
        let kind = request
            .tool_call
            .kind
            .as_ref()
            .map_or("other", |kind| kind.as_str());
        let kind = output::on_one_line(kind).into_owned();
        let hint = match self.args.allow.contains(&kind) {
            false => format!("allow it with --allow {kind}, or with a rule in --policy FILE"),
            true => format!(
                "--allow {kind} is about the folders of the session; allow more with --allow '{kind}:PATTERN'"
            ),
        };
        self.transcript.event(&json!({
            "event": "permission", "sessionId": request.session_id, "toolCall": request.tool_call,
            "action": "deny", "by": "nobody", "why": format!("no rule matches, and there is no terminal to ask on; {hint}"),
        }))?;
        if self.args.json {
            return Ok(());
        }
        let line = format!(
            "rejected, because no rule allows it: {}\n  hint: {hint}",
            title(request)
        );
        self.transcript.painted(&Paint::Yellow.on(line))
    }

    async fn ask(
        &mut self,
        request: &PermissionParams,
        mut answer: oneshot::Sender<PermissionResult>,
        canceller: Option<&Canceller>,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        // It may have been cancelled while another question was open.
        if answer.is_closed() {
            return Ok(());
        }
        self.transcript.request(request)?;
        let choices = choices(&request.options);
        // Before the keys are shown: what is typed from then on is an answer.
        let mut keys = Keys::open()?;
        let shown: Vec<String> = { choices.iter() }
            .map(|(key, option)| format!("[{key}] {}", output::on_one_line(&option.name)))
            .collect();
        self.transcript
            .painted(&Paint::Bold.on(format_args!("  {}", shown.join("  "))))?;
        loop {
            let key = tokio::select! {
                biased;
                () = answer.closed() => return self.withdrawn(&title(request)),
                interrupt = interrupts.next() => {
                    if self.cancels(interrupt, canceller)? {
                        continue;
                    }
                    let _withdrawn = answer.send(PermissionResult::cancelled());
                    self.transcript.end_question();
                    return Ok(());
                }
                key = keys.next() => key.map_err(|_| Failure::interrupted())?,
            };
            let chosen = choices
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(&key));
            if let Some((_, option)) = chosen {
                let name = output::on_one_line(&option.name).into_owned();
                let result = PermissionResult::selected(option.option_id.clone());
                let _withdrawn = answer.send(result);
                self.transcript.end_question();
                return self
                    .transcript
                    .painted(&Paint::Dim.on(format_args!("  {name}")));
            }
        }
    }

    /// Cancels the turn, if there is one: that withdraws its questions. Without one, the question alone is cancelled.
    pub(super) fn cancels(
        &mut self,
        interrupt: Interrupt,
        canceller: Option<&Canceller>,
    ) -> Result<bool, Failure> {
        match canceller {
            Some(canceller) => self.interrupted(interrupt, canceller).map(|()| true),
            None if interrupt == Interrupt::End => Err(Failure::interrupted()),
            None => Ok(false),
        }
    }

    /// A question is no longer open: the agent has withdrawn it, or the user has cancelled the turn and sees why.
    pub(super) fn withdrawn(&mut self, message: &str) -> Result<(), Failure> {
        if self.is_cancelled() {
            return self.transcript.withdraw_question(false);
        }
        // Other lines between those of the question would be erased in its place.
        let is_alone = !self.args.verbose && !self.args.tap.trace;
        self.transcript.withdraw_question(is_alone)?;
        let message = output::on_one_line(message);
        let line = format!("this is no longer asked: {message}");
        self.transcript.painted(&Paint::Dim.on(line))
    }
}

fn title(request: &PermissionParams) -> String {
    let call = &request.tool_call;
    let title = call.title.as_deref().unwrap_or(&call.tool_call_id);
    let kind = call.kind.as_ref().map_or("other", |kind| kind.as_str());
    format!(
        "{}: {}",
        output::on_one_line(kind),
        output::on_one_line(title)
    )
}

/// Keys for the options after the first of each kind: digits, and from the tenth on letters that mean nothing else.
const KEYS: &str = "123456789bcefghijklmopqrstuvwxz";

/// A key for each option: a letter for the first of each kind, [`KEYS`] for the others.
fn choices(options: &[PermissionOption]) -> Vec<(char, &PermissionOption)> {
    let mut choices: Vec<(char, &PermissionOption)> = Vec::new();
    for (option, key) in options.iter().zip(KEYS.chars()) {
        let letter = match option.kind {
            PermissionKind::AllowOnce => 'y',
            PermissionKind::AllowAlways => 'a',
            PermissionKind::RejectOnce => 'n',
            PermissionKind::RejectAlways => 'd',
            _ => key,
        };
        let is_taken = choices.iter().any(|(taken, _)| *taken == letter);
        choices.push((if is_taken { key } else { letter }, option));
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_has_a_key() {
        let option = |name: &str, kind| PermissionOption::new(name, name, kind);
        let options = [
            option("a", PermissionKind::AllowOnce),
            option("b", PermissionKind::AllowAlways),
            option("c", PermissionKind::AllowAlways),
            option("d", PermissionKind::RejectOnce),
            option("e", PermissionKind::from("someday")),
        ];
        let keys: String = choices(&options).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, "ya3n5");
        let many = vec![option("x", PermissionKind::AllowOnce); KEYS.len()];
        let keys: String = choices(&many).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, KEYS.replacen('1', "y", 1));
    }
}
