//! Runs the exchanges of `conformance/exchanges` against a connection: what the file says goes
//! in, and exactly what the file says has to come out.

mod desk;
mod error_names;
mod raw_peer;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use error_names::ERROR_NAMES;
use raw_peer::{RawPeer, watched};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_rpc::{
    Dialect, Options,
    options::{Cancel, Limits},
};

/// One thing that happens in an exchange.
enum Step {
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

/// Plays one exchange on a connection of its own; the error says what came instead.
async fn play(dialect: Dialect, steps: Vec<Step>) -> Result<(), String> {
    let options = Options {
        limits: Limits {
            batch: 8,
            ..Limits::default()
        },
        cancel: Some(Cancel {
            method: "$/cancelRequest",
            field: "id",
        }),
        error_names: ERROR_NAMES,
        ..Options::default()
    };
    let (mut peer, _connection) = RawPeer::connect(dialect, desk::router(), options, 64 * 1024);
    let mut bound = HashMap::new();
    let has_ended = steps.iter().any(|step| matches!(step, Step::ExpectEnd));
    for step in steps {
        match step {
            Step::Send(bytes) => peer.send(substitute(bytes, &bound)).await,
            Step::Finish => peer.finish().await,
            Step::Expect(expected) => {
                let line = peer
                    .line()
                    .await
                    .ok_or_else(|| format!("the end, not {expected}"))?;
                if !fits(&expected, &line, &mut bound) {
                    return Err(format!("{line}, not {expected}"));
                }
            }
            Step::ExpectEnd => {
                if let Some(line) = peer.line().await {
                    return Err(format!("{line} before the end"));
                }
            }
        }
    }
    if has_ended {
        return Ok(());
    }
    // Whatever came on top of what was expected would come before the answer to this.
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
    peer.send(format!("{question}\n")).await;
    match peer.line().await {
        Some(line) if line == answer => Ok(()),
        other => Err(format!("{other:?} on top of what was expected")),
    }
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

fn fits(expected: &str, line: &str, bound: &mut HashMap<String, Value>) -> bool {
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

/// Everything expected is there and nothing else is, except in an error, whose text and data are
/// the implementation's own.
fn value_fits(expected: &Value, found: &Value, bound: &mut HashMap<String, Value>) -> bool {
    match (expected, found) {
        (Value::String(name), found) if name.starts_with('$') => match bound.get(name) {
            Some(known) => known == found,
            None => bound.insert(name.clone(), found.clone()).is_none(),
        },
        (Value::Object(expected), Value::Object(found)) => {
            let is_error = expected.contains_key("code");
            (is_error || expected.len() == found.len())
                && expected.iter().all(|(name, value)| {
                    found
                        .get(name)
                        .is_some_and(|other| value_fits(value, other, bound))
                })
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .zip(found)
                    .all(|(one, other)| value_fits(one, other, bound))
        }
        _ => expected == found,
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/exchanges");
    let entries = fs::read_dir(folder).expect("the folder of exchanges");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files
}

#[tokio::test(start_paused = true)]
async fn every_recorded_exchange_is_reproduced() {
    let mut played = HashMap::<Dialect, usize>::new();
    let mut problems = Vec::new();
    for path in files() {
        let file = fs::read_to_string(&path).expect("text");
        let mut blocks = file.trim_end().split("\n\n");
        let head = blocks
            .next()
            .and_then(|head| head.strip_prefix("dialect: "));
        let dialect: Dialect = head.expect("the dialect first").parse().expect("a dialect");
        for block in blocks {
            let (name, steps) = block.split_once('\n').expect("a name and steps");
            let steps = steps.lines().map(step).collect();
            if let Err(problem) = watched(play(dialect, steps)).await {
                let file = path.file_name().unwrap_or_default().display();
                problems.push(format!("{file}: {name}: {problem}"));
            }
            *played.entry(dialect).or_default() += 1;
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    assert!(played[&Dialect::JsonRpcLines] >= 80, "{played:?}");
    assert!(played[&Dialect::Orchard] >= 10, "{played:?}");
}

#[test]
fn different_frames_do_not_match() {
    let fits = |expected, line| fits(expected, line, &mut HashMap::new());
    assert!(fits(
        r#"{"id":1,"error":{"code":5}}"#,
        r#"{"id":1,"error":{"code":5,"message":"no"}}"#
    ));
    assert!(!fits(
        r#"{"id":1,"error":{"code":5}}"#,
        r#"{"id":1,"error":{"code":6}}"#
    ));
    assert!(!fits(
        r#"{"id":1,"result":5}"#,
        r#"{"id":1,"result":5,"more":1}"#
    ));
    assert!(!fits(r#"{"id":1,"result":5}"#, r#"{"id":1.0,"result":5}"#));
    assert!(!fits(r#"[{"id":1,"result":5}]"#, r#"{"id":1,"result":5}"#));
}
