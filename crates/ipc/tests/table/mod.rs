//! Tables of what is said and what is answered, as text files.
//!
//! ```text
//! // A remark.
//! # a title, which begins an exchange
//! --> a frame that is sent
//! === ["name", params]                  an event that is handled
//! <-- an answer, in the order in which they come
//! ```
//!
//! Two answers have short forms: `<-- unreadable` is a parse error and `<-- invalid ID` an invalid
//! request with this id; both have data that says more. In all others `"*"` is any text.

use crate::exact::Exact;

/// One row.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) title: String,
    pub(crate) sent: Vec<String>,
    pub(crate) handled: Vec<Exact>,
    pub(crate) answers: Vec<Exact>,
}

impl Exchange {
    /// One that has no good form in a file.
    pub(crate) fn new(title: &str, sent: String, answer: &str) -> Exchange {
        Exchange {
            title: title.to_owned(),
            sent: vec![sent],
            handled: Vec::new(),
            answers: vec![expected(answer)],
        }
    }
}

/// Reads a file.
pub(crate) fn read(file: &str, text: &str) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if let Some(title) = line.strip_prefix("# ") {
            exchanges.push(Exchange {
                title: format!("{file}: {title}"),
                ..Exchange::default()
            });
            continue;
        }
        let place = format!("{file}, line {}", index + 1);
        let exchange = exchanges.last_mut().expect(&place);
        match line.split_at_checked(4) {
            Some(("--> ", frame)) => exchange.sent.push(frame.to_owned()),
            Some(("=== ", event)) => exchange.handled.push(Exact::parse(event)),
            Some(("<-- ", answer)) => exchange.answers.push(expected(answer)),
            _ => panic!("{place}: no line of a table: {line}"),
        }
    }
    for exchange in &exchanges {
        assert!(!exchange.sent.is_empty(), "{}: nothing", exchange.title);
    }
    exchanges
}

fn expected(answer: &str) -> Exact {
    let error = |id: &str, code: i32, message: &str| {
        Exact::parse(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}","data":"*"}}}}"#
        ))
    };
    match (answer, answer.strip_prefix("invalid ")) {
        ("unreadable", _) => error("null", -32700, "Parse error"),
        (_, Some(id)) => error(id, -32600, "Invalid Request"),
        _ => Exact::parse(answer),
    }
}
