//! `--batch`: several calls in one frame.

use std::io::Read;

use futures_util::stream::{FuturesOrdered, StreamExt};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tenon_rpc::{Dialect, Format, Payload, calls::BatchItem, options::Limits};
use tokio::time::Instant;

use super::target::Target;
use super::{check_result, params};
use crate::args::CallArgs;
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};

/// One call or event, as it stands in the file.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a call, {\"method\":..,\"params\":..}, or an event, {\"event\":..,\"params\":..}"
)]
struct Item {
    method: Option<String>,
    event: Option<String>,
    params: Option<Box<RawValue>>,
    /// Accepted and ignored.
    #[serde(rename = "jsonrpc")]
    _version: Option<IgnoredAny>,
    id: Option<IgnoredAny>,
}

/// Reads the batch, if there is one, and makes sure that it can be sent.
pub(crate) fn read(args: &CallArgs) -> Result<Option<Vec<BatchItem>>, Failure> {
    let Some(place) = &args.batch else {
        return Ok(None);
    };
    let dialect = args.dialect();
    if !dialect.has_batches() {
        let names = Dialect::ALL
            .into_iter()
            .filter(|dialect| dialect.has_batches());
        let names = names.map(Dialect::name).collect::<Vec<_>>().join(" or ");
        return Err(Failure::usage(format!(
            "{dialect} does not support batches; use {names}\n  hint: --repl makes several calls at the same time with & at the end of a line"
        )));
    }
    let unreadable =
        |error| Failure::usage(format!("the batch could not be read from {place}: {error}"));
    let text = match place.as_str() {
        "-" => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map(|_| text)
        }
        path => std::fs::read_to_string(path),
    };
    items(&text.map_err(unreadable)?).map(Some)
}

fn items(text: &str) -> Result<Vec<BatchItem>, Failure> {
    let items: Vec<Item> = serde_json::from_str(text).map_err(|error| {
        let hint = "a batch is a JSON array, such as [{\"method\":\"add\",\"params\":[1,2]}]";
        Failure::usage(format!("the batch is not valid: {error}\n  hint: {hint}"))
    })?;
    if items.is_empty() {
        return Err(Failure::usage("the batch is empty"));
    }
    let most = Limits::default().batch;
    let calls = items.iter().filter(|item| item.method.is_some()).count();
    if calls > most {
        return Err(Failure::usage(format!(
            "the batch has {calls} calls; the maximum is {most}\n  hint: split it into several batches"
        )));
    }
    let item = |(index, item): (usize, Item)| {
        let number = index + 1;
        let wrong = |problem: &str| Failure::usage(format!("item {number} of the batch {problem}"));
        if item.id.is_some() {
            return Err(wrong(
                "has an `id`, but tenon chooses the ids\n  hint: remove it; for an event, which is not answered, write {\"event\":..}",
            ));
        }
        let params = item.params.map(|params| params.get().to_owned());
        let params = params.map(Payload::from_json).transpose();
        let params = params.map_err(|error| wrong(&format!("has wrong params: {error}")))?;
        match (item.method, item.event) {
            (Some(method), None) => Ok(BatchItem::Call(method.into(), params)),
            (None, Some(event)) => Ok(BatchItem::Event(event.into(), params)),
            _ => Err(wrong("needs either `method` or `event`")),
        }
    };
    items.into_iter().enumerate().map(item).collect()
}

/// Makes the calls, and prints their results in order.
pub(crate) async fn call(
    target: &Target,
    items: Vec<BatchItem>,
    args: &CallArgs,
    printer: Printer,
) -> Result<(), Failure> {
    let mut methods = Vec::new();
    let mut sent = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        sent.push(match item {
            BatchItem::Call(method, given) => {
                methods.push(method.clone());
                let given = params::with_progress(given, args, index as u64 + 1)?;
                BatchItem::Call(method, params::encode(given, Format::Json)?)
            }
            event => event,
        });
    }
    let peer = target.peer();
    let limit = args.timeout.0;
    let end = limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
    let asked = target.until(end, peer.ask_batch(sent)).await?;
    // All are waited for in parallel: one that is not answered does not delay the others.
    let mut answers: FuturesOrdered<_> = asked
        .into_iter()
        .map(|call| target.until(end, call))
        .collect();
    let mut failures = Failures::default();
    for method in &methods {
        match answers.next().await {
            Some(Ok(result)) => {
                printer.result(method, &result)?;
                if let Err(failure) = check_result(method, &result, args) {
                    failures.print(method, failure, printer)?;
                }
            }
            Some(Err(failure)) => failures.print(method, failure, printer)?,
            None => break,
        }
    }
    failures.outcome(methods.len(), args)
}

/// The calls of a batch that failed.
#[derive(Default)]
struct Failures {
    count: usize,
    /// The exit code that all of them have.
    code: Option<Code>,
    /// The message of the last one.
    last: String,
}

impl Failures {
    fn print(&mut self, method: &str, failure: Failure, printer: Printer) -> Result<(), Failure> {
        self.count += 1;
        self.code = match self.code {
            Some(code) if code != failure.code => Some(Code::Failed),
            _ => Some(failure.code),
        };
        if printer.json {
            return printer.error(Some(method), &failure);
        }
        // Details that are the same for all are printed once.
        let shown = match failure.message == self.last {
            true => failure.message.lines().next().unwrap_or_default(),
            false => &failure.message,
        };
        let shown = format!("{}: {shown}", output::on_one_line(method));
        printer.error(Some(method), &Failure::new(failure.code, shown))?;
        self.last = failure.message;
        Ok(())
    }

    fn outcome(self, calls: usize, args: &CallArgs) -> Result<(), Failure> {
        match self.code {
            None => Ok(()),
            Some(code) if args.json => Err(Failure::printed(code)),
            Some(code) => Err(Failure::new(
                code,
                format!("{} of {calls} calls failed", self.count),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_count_against_the_limit() {
        let most = Limits::default().batch;
        let text = |calls: usize| {
            let calls = "{\"method\":\"a\"},".repeat(calls);
            format!("[{calls}{{\"event\":\"b\"}}]")
        };
        assert_eq!(items(&text(most)).unwrap_or_default().len(), most + 1);
        let failure = items(&text(most + 1)).expect_err("too many");
        assert_eq!(failure.code, Code::Usage);
        let expected = "the batch has 1025 calls; the maximum is 1024";
        assert!(failure.message.contains(expected), "{}", failure.message);
    }

    #[test]
    fn mistakes_in_a_batch_are_reported() {
        for (text, expected) in [
            ("{}", "a batch is a JSON array"),
            ("[]", "the batch is empty"),
            ("[{}]", "item 1 of the batch needs either"),
            (
                "[{\"method\":\"a\"},{\"method\":\"a\",\"id\":1}]",
                "item 2 of the batch has an `id`",
            ),
            ("[{\"method\":\"a\",\"parms\":1}]", "unknown field `parms`"),
            ("[1]", "a call, {\"method\":"),
        ] {
            let failure = items(text).expect_err(text);
            assert!(
                failure.message.contains(expected),
                "{text}: {}",
                failure.message
            );
        }
        let text = "[{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[1.0]},{\"event\":\"b\"}]";
        let items = items(text).unwrap_or_default();
        let params = Payload::from_json("[1.0]").ok();
        assert_eq!(items[0], BatchItem::Call("a".into(), params));
        assert_eq!(items[1], BatchItem::Event("b".into(), None));
    }
}
