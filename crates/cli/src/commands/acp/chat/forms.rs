//! Questions with a form or a page.

use serde_json::Map;
use tenon_acp::client::{Canceller, Field, Form};
use tenon_protocols::acp::{
    AcceptedElicitation, ElicitationParams, ElicitationResult, Empty, FormElicitation, Raw,
    UrlElicitation,
};
use tokio::sync::oneshot;

use super::Interrupts;
use super::talking::Talk;
use super::tty::{Keys, Lines};
use crate::exit::Failure;
use crate::output::{Paint, on_one_line};

/// A question that is open.
struct Question<'q> {
    answer: oneshot::Sender<ElicitationResult>,
    /// Without a turn there is nothing to cancel.
    canceller: Option<&'q Canceller>,
    interrupts: &'q mut Interrupts,
}

/// What became of a question, or of a field of it.
enum Outcome<T> {
    Answered(T),
    Declined,
    /// By Ctrl-C, outside of a turn.
    Cancelled,
    /// The agent has withdrawn it, or the turn was cancelled.
    Withdrawn,
}

pub(super) async fn ask(
    talk: &mut Talk<'_>,
    question: &ElicitationParams,
    answer: oneshot::Sender<ElicitationResult>,
    canceller: Option<&Canceller>,
    interrupts: &mut Interrupts,
) -> Result<(), Failure> {
    // It may have been withdrawn while another question was open.
    if answer.is_closed() {
        return Ok(());
    }
    let mut open = Question {
        answer,
        canceller,
        interrupts,
    };
    let (message, outcome) = match question {
        ElicitationParams::Form(form) => (&form.message, talk.fill(form, &mut open).await?),
        ElicitationParams::Url(page) => (&page.message, talk.open_page(page, &mut open).await?),
        _ => return Ok(()),
    };
    let result = match outcome {
        Outcome::Answered(accepted) => ElicitationResult::Accept(accepted),
        Outcome::Declined => ElicitationResult::Decline(Empty::default()),
        Outcome::Cancelled => ElicitationResult::Cancel(Empty::default()),
        Outcome::Withdrawn => return talk.withdrawn(message),
    };
    talk.transcript.end_question();
    let _withdrawn = open.answer.send(result);
    Ok(())
}

impl Talk<'_> {
    /// The page is never opened by itself: the user should see where it leads.
    async fn open_page(
        &mut self,
        page: &UrlElicitation,
        question: &mut Question<'_>,
    ) -> Result<Outcome<AcceptedElicitation>, Failure> {
        self.transcript.begin_question(&page.message)?;
        let url = on_one_line(&page.url).into_owned();
        self.transcript.painted(&format!("  {url}"))?;
        let mut keys = Keys::open()?;
        let shown = "  [y] I have opened this page  [n] No";
        self.transcript.painted(&Paint::Bold.on(shown))?;
        loop {
            tokio::select! {
                biased;
                () = question.answer.closed() => return Ok(Outcome::Withdrawn),
                interrupt = question.interrupts.next() => {
                    if !self.cancels(interrupt, question.canceller)? {
                        return Ok(Outcome::Cancelled);
                    }
                }
                key = keys.next() => match key.map_err(|_| Failure::interrupted())? {
                    'y' | 'Y' => return Ok(Outcome::Answered(AcceptedElicitation::default())),
                    'n' | 'N' => return Ok(Outcome::Declined),
                    _ => {}
                },
            }
        }
    }

    /// Asks for each field, in the order of the form.
    async fn fill(
        &mut self,
        question: &FormElicitation,
        open: &mut Question<'_>,
    ) -> Result<Outcome<AcceptedElicitation>, Failure> {
        // The client has refused a schema that is not a form.
        let form = Form::read(&question.requested_schema).unwrap_or_default();
        self.transcript.begin_question(&question.message)?;
        let hint = "  (Enter takes the value in brackets; Ctrl-D declines)";
        self.transcript.painted(&Paint::Dim.on(hint))?;
        let mut lines = Lines::open()?;
        let mut content = Map::new();
        for field in &form.fields {
            self.introduce(field)?;
            let prompt = prompt(field);
            loop {
                let typed = match self.typed(&mut lines, &prompt, open).await? {
                    Outcome::Answered(typed) => typed,
                    Outcome::Declined => return Ok(Outcome::Declined),
                    Outcome::Cancelled => return Ok(Outcome::Cancelled),
                    Outcome::Withdrawn => return Ok(Outcome::Withdrawn),
                };
                match field.parse(&typed) {
                    Ok(value) => {
                        content.extend(value.map(|value| (field.name.clone(), value)));
                        break;
                    }
                    Err(problem) => {
                        let problem = format!("  {}", on_one_line(&problem));
                        self.transcript.painted(&Paint::Yellow.on(problem))?;
                    }
                }
            }
        }
        Ok(Outcome::Answered(AcceptedElicitation {
            content: Raw::of(&content).ok(),
            ..AcceptedElicitation::default()
        }))
    }

    /// Shows what a field means, and what there is to choose from.
    fn introduce(&mut self, field: &Field) -> Result<(), Failure> {
        if let Some(description) = &field.description {
            let line = format!("  {}", on_one_line(description));
            self.transcript.painted(&Paint::Dim.on(line))?;
        }
        for (number, choice) in field.choices().iter().enumerate() {
            let title = on_one_line(&choice.title);
            self.transcript
                .painted(&format!("    {}) {title}", number + 1))?;
        }
        Ok(())
    }

    /// One line for a field.
    async fn typed(
        &mut self,
        lines: &mut Lines,
        prompt: &str,
        question: &mut Question<'_>,
    ) -> Result<Outcome<String>, Failure> {
        self.transcript.ask(prompt)?;
        loop {
            tokio::select! {
                biased;
                () = question.answer.closed() => return Ok(Outcome::Withdrawn),
                interrupt = question.interrupts.next() => {
                    self.transcript.answered("")?;
                    if !self.cancels(interrupt, question.canceller)? {
                        return Ok(Outcome::Cancelled);
                    }
                }
                line = lines.next() => match line.map_err(|_| Failure::interrupted())? {
                    Some(line) => {
                        self.transcript.heard(&line);
                        return Ok(Outcome::Answered(line));
                    }
                    None => {
                        self.transcript.answered("declined")?;
                        return Ok(Outcome::Declined);
                    }
                },
            }
        }
    }
}

fn prompt(field: &Field) -> String {
    let mut prompt = format!("  {}", on_one_line(field.label()));
    let mut notes: Vec<String> = field.hint().into_iter().collect();
    if !field.is_required && field.default.is_none() {
        notes.push("optional".to_owned());
    }
    if !notes.is_empty() {
        prompt += &format!(" ({})", notes.join("; "));
    }
    if let Some(default) = &field.default {
        let default = match default.as_str() {
            Some(text) => text.to_owned(),
            None => default.to_string(),
        };
        prompt += &format!(" [{}]", on_one_line(&default));
    }
    prompt + ": "
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_say_what_is_expected() {
        let schema = r#"{"required":["name"],"properties":{
            "name":{"title":"Your name"}, "age":{"type":"integer","minimum":1,"maximum":9},
            "ok":{"type":"boolean","default":true}, "colour":{"enum":["red"],"default":"red"}}}"#;
        let form = Form::read(&Raw::parse(schema).unwrap()).unwrap();
        let prompts: Vec<String> = form.fields.iter().map(prompt).collect();
        assert_eq!(
            prompts,
            [
                "  Your name: ",
                "  age (a whole number from 1 to 9; optional): ",
                "  ok (yes or no) [true]: ",
                "  colour (a number or a name) [red]: ",
            ]
        );
    }
}
