//! A Seasonings plugin in Rust: the function `slug` of `notes.py`, and a storage that keeps states in memory. It is
//! written with the engine alone, so that little of what is measured is the plugin's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bench_workload::driver::Fault;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tenon_protocols::Protocol;
use tenon_rpc::{Connection, Format, Io, Payload, Reply, Router, RpcError, methods};
use tenon_wire::msgpack::{Reader, Token, write};

#[derive(Deserialize, Serialize)]
struct Nothing {}

#[derive(Deserialize, Serialize)]
struct Slug {
    arguments: Arguments,
}

#[derive(Deserialize, Serialize)]
struct Arguments {
    text: String,
    separator: String,
}

#[derive(Deserialize, Serialize)]
struct Called {
    result: String,
}

methods! {
    /// The first call.
    Init = "init" (Json) -> Json;
    /// The functions.
    Schema = "functions/getSchema" (Nothing) -> Json;
    /// Makes a short name of a text.
    CallFunction = "functions/call" (Slug) -> Called;
    /// The last call.
    Shutdown = "shutdown" (Nothing) -> Nothing;
}

/// States by path, each as the answer to `storage/read`.
type States = Arc<Mutex<HashMap<String, Payload>>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let states = States::default();
    let reading = states.clone();
    let router = Router::new(())
        .on(Init, |_, _| async {
            Ok(json!({
                "name": "bench", "version": "1.0.0", "protocol_version": 1,
                "capabilities": ["functions", "storage"],
            }))
        })
        .on(Schema, |_, _| async { Ok(schema()) })
        .on(CallFunction, |_, slug| async move {
            Ok(Called {
                result: short_name(&slug.arguments),
            })
        })
        .on(Shutdown, |_, nothing| async { Ok(nothing) })
        .on_raw("storage/read", move |_, params| {
            let answer = load(&reading, params);
            async { answer }
        })
        .on_raw("storage/write", move |_, params| {
            let answer = store(&states, params);
            async { answer }
        });
    let protocol = Protocol::Seasonings;
    let connection = Connection::start_with(
        Io::stdio()?,
        protocol.dialect(),
        Arc::new(router),
        protocol.host_options(),
    );
    connection.closed().await;
    Ok(())
}

fn schema() -> Json {
    json!({"functions": {"slug": {
        "parameters": [
            {"name": "text", "type": "string"},
            {"name": "separator", "type": "string", "default": "-"},
        ],
        "returns": "string",
    }}})
}

fn short_name(arguments: &Arguments) -> String {
    let is_other = |letter: char| !letter.is_ascii_alphanumeric();
    let text = arguments.text.to_lowercase();
    let words = text.split(is_other).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&arguments.separator)
}

/// The members of the only param.
fn members(params: Option<Payload>) -> Result<Vec<(String, Payload)>, RpcError> {
    let wrong = |problem: &dyn std::fmt::Display| RpcError::invalid_params(problem.to_string());
    let params = params.ok_or_else(|| wrong(&"there are none"))?;
    let mut reader = Reader::new(params.bytes());
    let Some(Token::Array(1)) = reader.token() else {
        return Err(wrong(&"expected an array of one map"));
    };
    let only = params.bytes().slice(reader.position()..);
    let members = Payload::new(Format::Msgpack, only).members();
    let members = members.map_err(|error| wrong(&error))?;
    let named = |(name, value): (tenon_rpc::Text, Payload)| (name.to_string(), value);
    Ok(members.into_iter().map(named).collect())
}

fn member<'a>(members: &'a [(String, Payload)], name: &str) -> Result<&'a Payload, RpcError> {
    let found = members.iter().find(|(known, _)| known == name);
    let found = found.map(|(_, value)| value);
    found.ok_or_else(|| RpcError::invalid_params(format!("{name} is missing")))
}

fn path(members: &[(String, Payload)]) -> Result<String, RpcError> {
    let path = member(members, "path")?.decode();
    path.map_err(|error| RpcError::invalid_params(error.to_string()))
}

fn load(states: &States, params: Option<Payload>) -> Reply {
    let path = path(&members(params)?)?;
    let states = states.lock().unwrap_or_else(PoisonError::into_inner);
    match states.get(&path) {
        Some(answer) => Ok(answer.clone()),
        None => answer(|out| {
            write::str(out, b"state");
            write::nil(out);
        }),
    }
}

fn store(states: &States, params: Option<Payload>) -> Reply {
    let members = members(params)?;
    let (path, state) = (path(&members)?, member(&members, "state")?);
    // What a read is answered with. The copy lets go of the message.
    let kept = answer(|out| {
        write::str(out, b"state");
        out.extend_from_slice(state.bytes());
    })?;
    let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
    states.insert(path, kept);
    answer(|out| {
        write::str(out, b"success");
        write::bool(out, true);
    })
}

/// An answer of one member.
fn answer(member: impl FnOnce(&mut Vec<u8>)) -> Reply {
    let mut bytes = Vec::new();
    write::map(&mut bytes, 1);
    member(&mut bytes);
    Ok(Payload::new(Format::Msgpack, bytes))
}
