//! The files of exchanges: what is sent, and what has to come back. Other crates' tests play them against commands.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_rpc::Dialect;

/// One thing that happens in an exchange.
pub(crate) enum Step {
    Send(Vec<u8>),
    Expect(String),
    Finish,
    ExpectEnd,
}

fn step(line: &str) -> Step {
    let (arrow, text) = line.split_at(line.len().min(4));
    match arrow {
        "--> " => Step::Send(format!("{text}\n").into_bytes()),
        "--+ " => Step::Send(text.as_bytes().to_vec()),
        "--% " => Step::Send(
            text.split_whitespace()
                .map(|byte| u8::from_str_radix(byte, 16).expect("two hex digits"))
                .collect(),
        ),
        "<-- " => Step::Expect(text.to_owned()),
        "--x" => Step::Finish,
        "<-x" => Step::ExpectEnd,
        _ => panic!("no step: {line:?}"),
    }
}

/// A file of exchanges.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    /// By their names.
    pub(crate) exchanges: Vec<(String, Vec<Step>)>,
}

/// All files in this folder of `conformance`, sorted by name.
pub(crate) fn files(folder: &str) -> Vec<File> {
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let entries = std::fs::read_dir(conformance.join(folder)).expect("the folder of exchanges");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<File> =
        { paths.filter(|path| path.extension().is_some_and(|it| it == "txt")) }
            .map(|path| {
                let text = std::fs::read_to_string(&path).expect("text");
                let mut blocks = text.trim_end().split("\n\n");
                let head = blocks
                    .next()
                    .and_then(|head| head.strip_prefix("dialect: "));
                let exchanges = blocks.map(|block| {
                    let (name, steps) = block.split_once('\n').expect("a name and steps");
                    (name.to_owned(), steps.lines().map(step).collect())
                });
                File {
                    name: path.file_name().unwrap_or_default().display().to_string(),
                    dialect: head.expect("the dialect first").parse().expect("a dialect"),
                    exchanges: exchanges.collect(),
                }
            })
            .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

/// The steps that show that nothing came on top of what was expected: it would come before the answer to this call.
pub(crate) fn last_call(dialect: Dialect) -> [Step; 2] {
    let (question, answer) = match dialect {
        Dialect::Orchard => (
            r#"{"id":424242,"method":"echo"}"#,
            r#"{"id":424242,"result":null}"#,
        ),
        _ => (
            r#"{"jsonrpc":"2.0","id":"last","method":"echo"}"#,
            r#"{"jsonrpc":"2.0","id":"last","result":null}"#,
        ),
    };
    let question = format!("{question}\n").into_bytes();
    [Step::Send(question), Step::Expect(answer.to_owned())]
}

/// The server's end of a connection.
pub(crate) trait Server {
    /// Sends bytes. That the server has ended meanwhile is not a failure.
    async fn send(&mut self, bytes: Vec<u8>);
    /// Says that nothing more will come.
    async fn finish(&mut self);
    /// The next frame as text; `None` at the end of the stream.
    async fn line(&mut self) -> Option<String>;
}

/// Plays one exchange on a connection of its own; the error says what came instead.
pub(crate) async fn play(server: &mut impl Server, steps: Vec<Step>) -> Result<(), String> {
    let mut bound = HashMap::new();
    for step in steps {
        match step {
            Step::Send(bytes) => server.send(substitute(bytes, &bound)).await,
            Step::Finish => server.finish().await,
            Step::Expect(expected) => {
                let line = server.line().await;
                let line = line.ok_or_else(|| format!("the end, not {expected}"))?;
                if !fits(&expected, &line, &mut bound) {
                    return Err(format!("{line}, not {expected}"));
                }
            }
            Step::ExpectEnd => {
                if let Some(line) = server.line().await {
                    return Err(format!("{line} before the end"));
                }
            }
        }
    }
    Ok(())
}

/// Puts what `"$name"` stands for in its place.
fn substitute(bytes: Vec<u8>, bound: &HashMap<String, Value>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Err(error) => error.into_bytes(),
        Ok(text) => bound
            .iter()
            .fold(text, |text, (name, value)| {
                text.replace(&format!("\"{name}\""), &value.to_string())
            })
            .into_bytes(),
    }
}

pub(crate) fn fits(expected: &str, line: &str, bound: &mut HashMap<String, Value>) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
    let same_ids = ids(expected)
        .iter()
        .zip(ids(line))
        .all(|(expected, id)| expected.starts_with("\"$") || *expected == id);
    same_ids && value_fits(&parse(expected), &parse(line), bound)
}

/// The ids as they are written: a value tree would lose the difference between `1` and `1.0`.
fn ids(line: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct HasId<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
    }
    let messages = serde_json::from_str::<Vec<HasId<'_>>>(line)
        .or_else(|_| serde_json::from_str(line).map(|one| vec![one]))
        .unwrap_or_default();
    messages
        .iter()
        .map(|message| message.id.map_or("none", RawValue::get).to_owned())
        .collect()
}

/// Everything expected is there and nothing else is, except in an error or a diagnostic, whose texts and data are the
/// implementation's own.
fn value_fits(expected: &Value, found: &Value, bound: &mut HashMap<String, Value>) -> bool {
    match (expected, found) {
        (Value::String(name), found) if name.starts_with('$') => match bound.get(name) {
            Some(known) => known == found,
            None => bound.insert(name.clone(), found.clone()).is_none(),
        },
        (Value::Object(expected), Value::Object(found)) => {
            let has_more = expected.contains_key("code") || expected.contains_key("severity");
            (has_more || expected.len() == found.len())
                && expected.iter().all(|(name, value)| {
                    found
                        .get(name)
                        .is_some_and(|other| value_fits(value, other, bound))
                })
        }
        (Value::Array(expected), Value::Array(found)) => {
            // An error of msgpack-rpc: a code, a text and data.
            let has_more =
                matches!(&expected[..], [Value::Number(code), ..] if code.as_i64() < Some(-1));
            (expected.len() == found.len() || (has_more && expected.len() < found.len()))
                && expected
                    .iter()
                    .zip(found)
                    .all(|(one, other)| value_fits(one, other, bound))
        }
        _ => expected == found,
    }
}
