//! `--batch`: several calls in one frame.

use std::io::Read;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tenon_rpc::{BatchItem, Dialect, Format, Payload};

use super::params;
use super::target::Target;
use crate::args::CallArgs;
use crate::exit::{Code, Failure};
use crate::output::Printer;

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
    /// Says nothing that is not known.
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
        let names = names.map(Dialect::name).collect::<Vec<_>>().join(" and ");
        return Err(Failure::usage(format!(
            "{dialect} has no batches, only {names} have\n  hint: --repl makes several calls at once with & at the end of a line"
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
    let item = |(index, item): (usize, Item)| {
        let number = index + 1;
        let wrong = |problem: &str| Failure::usage(format!("item {number} of the batch {problem}"));
        if item.id.is_some() {
            return Err(wrong(
                "has an `id`, which is chosen here\n  hint: leave it out, and write {\"event\":..} for what is not answered",
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
    let outcomes = target.within(args.timeout.0, peer.call_batch(sent)).await?;
    let mut failed = 0;
    for (method, outcome) in methods.iter().zip(outcomes) {
        match outcome {
            Ok(result) => printer.result(method, &result)?,
            Err(error) => {
                failed += 1;
                printer.error(Some(method), &error.into())?;
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ if args.json => Err(Failure::told(Code::Failed)),
        _ => Err(Failure::new(
            Code::Failed,
            format!("{failed} of {} calls failed", methods.len()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_batch_is_said() {
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
