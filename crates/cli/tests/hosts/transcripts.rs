//! The transcripts in `conformance/` against commands: `plugins/` against the weather plugin in every language, and
//! `exchanges/` against the servers that the README of `conformance` describes.

use std::path::{Path, PathBuf};

use tenon_rpc::Dialect;

use crate::exchange::{Step, files, last_call};
use crate::languages::{Language, built, deno, node, python};
use crate::mark::Mark;
use crate::talk::{SocketServer, on_stdio};
use crate::tools;

/// A server for the exchanges, in one language.
struct Desk {
    name: &'static str,
    /// The command, without its last argument; or why it cannot be run.
    command: fn() -> Result<Vec<PathBuf>, String>,
    carrier: Carrier,
    dialects: &'static [Dialect],
    /// The exchanges that it cannot reproduce: the beginning of the name, and the reason.
    exceptions: &'static [(&'static str, &'static str)],
}

/// How a desk is reached.
enum Carrier {
    /// Through stdin and stdout. Its argument is the name of the dialect, and each exchange has its own process.
    Stdio,
    /// On the socket that its argument names. Each exchange has its own connection.
    Socket,
}

const ITS_LIMITS: &[(&str, &str)] = &[
    (
        "batches.txt: # more than the eight messages",
        "its limit is 1024, and not an option",
    ),
    (
        "parse-errors.txt: # nested two hundred levels",
        "it reads what the parser of the language reads",
    ),
];

const DESKS: &[Desk] = &[
    Desk {
        name: "Rust",
        command: || match built("examples/desk") {
            desk if desk.is_file() => Ok(vec![desk]),
            _ => Err("cargo build -p tenon-rpc --example desk".to_owned()),
        },
        carrier: Carrier::Stdio,
        dialects: &[Dialect::JsonRpcLines, Dialect::Orchard],
        exceptions: &[],
    },
    Desk {
        name: "Python",
        command: || python(&file("desk.py")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines],
        exceptions: &[
            ITS_LIMITS[0],
            ITS_LIMITS[1],
            (
                "order.txt: # events run in order, and before the requests that follow them",
                "a coroutine begins after everything that came in the same piece has been read",
            ),
            (
                "exact-numbers.txt: # minus zero",
                "an int of Python has no sign of zero",
            ),
            (
                "exact-numbers.txt: # an exponent",
                "1e3 is written as 1000.0",
            ),
            (
                "exact-numbers.txt: # a number beyond a double",
                "a float of Python cannot hold it: refused with -32600",
            ),
        ],
    },
    Desk {
        name: "TypeScript on Node",
        command: || node(&file("desk.mjs")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines],
        exceptions: IN_JAVASCRIPT,
    },
    Desk {
        name: "TypeScript on Deno",
        command: || deno(&file("desk.mjs")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines],
        exceptions: IN_JAVASCRIPT,
    },
];

const IN_JAVASCRIPT: &[(&str, &str)] = &[
    ITS_LIMITS[0],
    ITS_LIMITS[1],
    (
        "exact-numbers.txt",
        "JSON.parse makes every number a double",
    ),
];

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    folder.join(name)
}

/// Plays the exchanges of `conformance/plugins` with one language.
async fn play_plugin(name: &str, command: Vec<PathBuf>) -> Vec<String> {
    let mark = Mark::new();
    let mut problems = Vec::new();
    let mut count = 0;
    for file in files("plugins") {
        for (exchange, mut steps) in file.exchanges {
            if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                // The plugin ends with its host, and says nothing more.
                steps.extend([Step::Finish, Step::ExpectEnd]);
            }
            if let Err(problem) = on_stdio(&command, &[], file.dialect, steps, &mark).await {
                problems.push(format!("{name}: {}: {exchange}: {problem}", file.name));
            }
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
    mark.assert_nobody_left();
    problems
}

#[tokio::test(flavor = "multi_thread")]
async fn every_language_reproduces_the_transcripts_of_the_plugin() {
    let languages = Language::each();
    let plays: Vec<_> = languages
        .map(|(language, command)| tokio::spawn(play_plugin(language.name, command)))
        .collect();
    let mut problems = Vec::new();
    for play in plays {
        problems.extend(play.await.unwrap());
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// Plays the exchanges of `conformance/exchanges` with one desk.
async fn play_desk(desk: &'static Desk, command: Vec<PathBuf>) -> Vec<String> {
    let mark = Mark::new();
    let mut problems = Vec::new();
    let mut count = 0;
    let server = match desk.carrier {
        Carrier::Stdio => None,
        Carrier::Socket => Some(SocketServer::start(&command, &mark).await.unwrap()),
    };
    for file in files("exchanges") {
        if !desk.dialects.contains(&file.dialect) {
            continue;
        }
        for (name, mut steps) in file.exchanges {
            let title = format!("{}: {name}", file.name);
            let mut exceptions = desk.exceptions.iter();
            if exceptions.any(|(start, _)| title.starts_with(start)) {
                continue;
            }
            if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                steps.extend(last_call(file.dialect));
            }
            let dialect = file.dialect;
            let played = match &server {
                None => on_stdio(&command, &[dialect.name()], dialect, steps, &mark).await,
                Some(server) => server.play(dialect, steps).await,
            };
            if let Err(problem) = played {
                problems.push(format!("{}: {title}: {problem}", desk.name));
            }
            count += 1;
        }
    }
    if let Some(server) = server
        && let Err(problem) = server.stop().await
    {
        problems.push(format!("{}: at its end: {problem}", desk.name));
    }
    assert!(count >= 50, "{count}");
    mark.assert_nobody_left();
    problems
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_reproduces_the_exchanges() {
    let mut plays = Vec::new();
    for desk in DESKS {
        match (desk.command)() {
            Ok(command) => plays.push(tokio::spawn(play_desk(desk, command))),
            Err(why) => {
                let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
                assert!(!is_ci, "{} is needed under CI=true: {why}", desk.name);
                tools::say(&format!("skipped: {}: {why}", desk.name));
            }
        }
    }
    let mut problems = Vec::new();
    for play in plays {
        problems.extend(play.await.unwrap());
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
