//! The transcripts in `conformance/` against commands: `plugins/` against the weather plugin in every language, and
//! `exchanges/` against the servers that the README of `conformance` describes.

use std::path::PathBuf;

use tenon_rpc::Dialect;

use crate::exchange::{File, Step, files, last_call};
use crate::languages::{Language, beside, built, deno, node, python};
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
        dialects: &[
            Dialect::JsonRpcLines,
            Dialect::JsonRpcHeaders,
            Dialect::Orchard,
        ],
        exceptions: &[],
    },
    Desk {
        name: "Python",
        command: || python(&beside("desk.py")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines, Dialect::JsonRpcHeaders],
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
        command: || node(&beside("desk.mjs")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines, Dialect::JsonRpcHeaders],
        exceptions: IN_JAVASCRIPT,
    },
    Desk {
        name: "TypeScript on Deno",
        command: || deno(&beside("desk.mjs")),
        carrier: Carrier::Socket,
        dialects: &[Dialect::JsonRpcLines, Dialect::JsonRpcHeaders],
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

/// Plays the exchanges of a folder of `conformance` with one language.
async fn play_plugin(folder: &str, name: &str, command: Vec<PathBuf>) -> Vec<String> {
    let mark = Mark::new();
    let mut problems = Vec::new();
    let mut count = 0;
    for file in files(folder) {
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
    assert!(count >= 10, "{count}");
    mark.assert_nobody_left();
    problems
}

async fn play_plugins(
    folder: &'static str,
    plugins: impl Iterator<Item = (&'static Language, Vec<PathBuf>)>,
) {
    let plays: Vec<_> = plugins
        .map(|(language, command)| tokio::spawn(play_plugin(folder, language.name, command)))
        .collect();
    let mut problems = Vec::new();
    for play in plays {
        problems.extend(play.await.unwrap());
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_language_reproduces_the_transcripts_of_the_plugin() {
    play_plugins("plugins", Language::each()).await;
}

/// Storage, stages, ephemeral resources, schemas, progress and cancellation.
#[tokio::test(flavor = "multi_thread")]
async fn every_language_reproduces_the_transcripts_of_the_depot() {
    play_plugins("depot", Language::each_of(|language| (language.depot)())).await;
}

/// The exchanges that can be played in a dialect. Messages are the same in lines and behind headers.
fn exchanges_in(dialect: Dialect) -> impl Iterator<Item = (Dialect, File)> {
    let written = match dialect {
        Dialect::JsonRpcHeaders => Dialect::JsonRpcLines,
        other => other,
    };
    let files = files("exchanges").into_iter();
    files
        .filter(move |file| file.dialect == written)
        .map(move |file| (dialect, file))
}

/// Whether a step sends whole lines only, which can be sent behind headers.
fn is_whole(step: &Step) -> bool {
    match step {
        Step::Send(bytes) => bytes.ends_with(b"}\n") || bytes.ends_with(b"]\n"),
        _ => true,
    }
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
    for (dialect, file) in { desk.dialects.iter() }.flat_map(|dialect| exchanges_in(*dialect)) {
        for (name, mut steps) in file.exchanges {
            let title = format!("{}: {name}", file.name);
            let mut exceptions = desk.exceptions.iter();
            if exceptions.any(|(start, _)| title.starts_with(start)) {
                continue;
            }
            if dialect == Dialect::JsonRpcHeaders && !steps.iter().all(is_whole) {
                continue;
            }
            if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                steps.extend(last_call(file.dialect));
            }
            let played = match &server {
                None => on_stdio(&command, &[dialect.name()], dialect, steps, &mark).await,
                Some(server) => server.play(dialect, steps).await,
            };
            if let Err(problem) = played {
                let (desk, dialect) = (desk.name, dialect.name());
                problems.push(format!("{desk}: {dialect}: {title}: {problem}"));
            }
            count += 1;
        }
    }
    if let Some(server) = server
        && let Err(problem) = server.stop().await
    {
        problems.push(format!("{}: at its end: {problem}", desk.name));
    }
    assert!(count >= 100, "{count}");
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
