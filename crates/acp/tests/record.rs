//! The record: what it holds, who can read it, and which changes are found.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tenon_acp::record::{Masks, Record, RecordError, Source, Verdict, verify};

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    (folder, path)
}

fn check(path: &Path) -> Verdict {
    verify(fs::File::open(path).unwrap()).unwrap()
}

fn write(path: &Path) -> String {
    let mut record = Record::open(path, Masks::default()).unwrap();
    record
        .message(
            Source::Client,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        )
        .unwrap();
    record
        .message(
            Source::Agent,
            r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.00}}"#,
        )
        .unwrap();
    record.note(&json!({ "decision": "deny" })).unwrap();
    record.finish().unwrap()
}

#[test]
fn a_record_is_complete_and_private() {
    let (_folder, path) = place();
    let hash = write(&path);
    let verdict = check(&path);
    assert_eq!((verdict.lines, verdict.problem.as_deref()), (5, None));
    assert!(verdict.is_complete && verdict.torn_bytes == 0);
    assert_eq!(verdict.sha256, hash);
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions())
            & 0o777,
        0o600
    );
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains(r#""from":"agent","message":{"jsonrpc":"2.0","id":1,"result":{"n":1.00}}"#),
        "{text}"
    );
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["sha256"].is_string() && line["entry"].is_object());
    }
}

#[test]
fn every_change_is_found() {
    let (_folder, path) = place();
    let hash = write(&path);
    let original = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = original.lines().collect();
    let joined = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    // Every byte of every line.
    for at in (0..original.len()).filter(|at| original.as_bytes()[*at] != b'\n') {
        let mut changed = original.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        let verdict = verify(&changed[..]).unwrap();
        assert!(verdict.problem.is_some(), "byte {at} of {}", original.len());
    }
    // Every line removed, doubled or moved.
    for at in 0..lines.len() {
        let without: Vec<&str> = { lines.iter().enumerate() }
            .filter(|(n, _)| *n != at)
            .map(|(_, line)| *line)
            .collect();
        let verdict = verify(joined(&without).as_bytes()).unwrap();
        assert!(
            verdict.problem.is_some() || !verdict.is_complete,
            "line {at} removed"
        );
        let mut twice = lines.clone();
        twice.insert(at, lines[at]);
        assert!(
            verify(joined(&twice).as_bytes()).unwrap().problem.is_some(),
            "line {at} doubled"
        );
        let mut moved = lines.clone();
        moved.swap(at, (at + 1) % lines.len());
        assert!(
            verify(joined(&moved).as_bytes()).unwrap().problem.is_some(),
            "line {at} moved"
        );
    }
    // Cut at any byte.
    for end in 0..original.len() {
        let verdict = verify(&original.as_bytes()[..end]).unwrap();
        assert!(!verdict.is_complete, "cut at {end}");
    }
    // Lines from another record.
    let (_other_folder, other) = place();
    assert_ne!(write(&other), hash);
    let mut mixed = lines.clone();
    let other = fs::read_to_string(&other).unwrap();
    mixed[2] = other.lines().nth(2).unwrap();
    assert!(verify(joined(&mixed).as_bytes()).unwrap().problem.is_some());
    assert!(verify(&b"{}\n"[..]).unwrap().problem.is_some());
    assert!(!verify(&b""[..]).unwrap().is_complete);
}

/// A process that is killed leaves what it recorded, and perhaps a part of a line.
#[test]
fn a_record_survives_its_writer_and_is_continued() {
    let (_folder, path) = place();
    let mut record = Record::open(&path, Masks::default()).unwrap();
    record.message(Source::Client, "{}").unwrap();
    // As after a kill: nothing is finished or flushed.
    drop(record);
    let verdict = check(&path);
    assert!(verdict.problem.is_none() && !verdict.is_complete);
    assert_eq!(verdict.lines, 2);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(br#"{"sha256":"12"#).unwrap();
    assert_eq!(check(&path).torn_bytes, 13);
    write(&path);
    let verdict = check(&path);
    assert!(
        verdict.problem.is_none() && verdict.is_complete,
        "{verdict:?}"
    );
    assert_eq!(verdict.lines, 7);
    // What was not closed stays so, whatever follows.
    let unclosed: Vec<(u64, u64)> = { verdict.unclosed() }
        .map(|session| (session.first_line, session.last_line))
        .collect();
    assert_eq!((verdict.sessions.len(), unclosed), (2, vec![(1, 2)]));
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains(r#""removed_bytes":13"#)
    );
}

#[test]
fn only_an_intact_own_record_is_continued_and_by_one_process() {
    let (_folder, path) = place();
    let first = Record::open(&path, Masks::default()).unwrap();
    let second = Record::open(&path, Masks::default()).unwrap_err();
    assert!(matches!(second, RecordError::Busy(_)), "{second}");
    drop(first);
    fs::write(&path, "something else\n").unwrap();
    let error = Record::open(&path, Masks::default()).unwrap_err();
    assert!(matches!(error, RecordError::Damaged { .. }), "{error}");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "something else\n",
        "nothing was removed"
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_a_record_is_refused() {
    let (folder, path) = place();
    drop(Record::open(&path, Masks::default()).unwrap());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let error = Record::open(&link, Masks::default()).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
}

#[test]
fn secrets_are_masked() {
    let (_folder, path) = place();
    let masks = Masks::default().with_name("Session_Key");
    let params = json!({ "cwd": "/w", "mcpServers": [
        { "name": "a", "command": "x", "args": [], "env": [{ "name": "TOKEN", "value": "hunter2-hunter2" }] },
        { "type": "http", "name": "b", "url": "https://x", "headers": [{ "name": "Authorization", "value": "Bearer opensesame" }] },
        { "type": "local", "name": "c", "command": ["x"], "environment": { "KEY": "swordfish-9" } },
    ]});
    masks.learn(&params);
    let mut record = Record::open(&path, masks).unwrap();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "session/new", "params": params });
    record
        .message(Source::Client, &message.to_string())
        .unwrap();
    let echo =
        json!({ "text": "the token is hunter2-hunter2, or opensesame", "session_key": "abc" });
    record.message(Source::Agent, &echo.to_string()).unwrap();
    record
        .message(Source::Agent, "not JSON: swordfish-9")
        .unwrap();
    record.note(&json!({ "why": "swordfish-9" })).unwrap();
    record.finish().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    for secret in ["hunter2-hunter2", "opensesame", "swordfish-9", "abc\""] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("the token is"), "{text}");
    let verdict = check(&path);
    assert!(
        verdict.problem.is_none() && verdict.is_complete,
        "{verdict:?}"
    );
}

/// Each message is recorded after these params were learned. Returns the record.
fn recorded(learn: impl Fn(&Masks), messages: &[Value]) -> String {
    let (_folder, path) = place();
    let masks = Masks::default();
    learn(&masks);
    let mut record = Record::open(&path, masks).unwrap();
    for message in messages {
        record
            .message(Source::Client, &message.to_string())
            .unwrap();
    }
    record.finish().unwrap();
    assert_eq!(check(&path).problem, None);
    fs::read_to_string(&path).unwrap()
}

#[test]
fn secrets_in_arguments_and_urls_of_servers_are_masked() {
    let params = json!({ "cwd": "/w", "mcpServers": [
        { "type": "http", "name": "a", "url": "https://me:pa55w0rd@x/mcp?key=k3y-of-url&page=7&sig_token=t0k#end", "headers": [] },
        { "name": "b", "command": "/x", "args": ["--api-key", "k3y-of-option", "--accessToken=joined-one", "API_KEY=env-like", "--port", "8080",
            "--header", "Authorization: Bearer opensesame", "postgres://u:inner-one@db/x"], "env": [
            { "name": "API_KEY", "value": "f0ur" }, { "name": "LEVEL", "value": "debug" }, { "name": "A_TOKEN", "value": "true" }] },
    ]});
    let text = recorded(
        |masks| masks.learn(&params),
        &[
            json!({ "method": "session/new", "params": params }),
            json!({ "text": "k3y-of-url f0ur debug page=7 8080", "n": true }),
        ],
    );
    for secret in [
        "pa55w0rd",
        "k3y-of-url",
        "k3y-of-option",
        "joined-one",
        "env-like",
        "opensesame",
        "inner-one",
        "f0ur",
    ] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    for kept in ["debug page=7 8080", r#""n":true"#, "--port", "@x/mcp"] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
}

/// A switch or a branch is in every second sentence, whatever its name.
#[test]
fn ordinary_words_are_masked_in_their_members_only() {
    let params = json!({ "mcpServers": [{ "name": "a", "args": ["--sort-key", "main", "--token=auto"],
        "env": [{ "name": "AUTH_BRANCH", "value": "main" }, { "name": "USE_AUTH", "value": "True" },
            { "name": "NODE_ENV", "value": "production" }, { "name": "GIT_AUTHOR_NAME", "value": "Ann" }] }] });
    let text = recorded(
        |masks| masks.learn(&params),
        &[
            json!({ "method": "session/new", "params": params }),
            json!({ "text": "True: main is in production, auto" }),
        ],
    );
    let kept = r#""text":"True: main is in production, auto""#;
    assert!(text.contains(kept), "{text}");
    assert!(!text.contains("AUTH_BRANCH"), "{text}");
}

#[test]
fn what_is_given_to_log_in_is_masked() {
    let params = json!({ "methodId": "gateway-of-the-company", "_meta": {
        "gateway": { "baseUrl": "https://u:pa55w0rd@gate/v1", "headers": { "X-Anything": "h34der" } },
        "apiKey": "k3y1", "session": "long-text-without-a-name", "mode": "default" } });
    let text = recorded(
        |masks| masks.learn_authentication(&params),
        &[
            json!({ "method": "authenticate", "params": params }),
            json!({ "text": "by default with h34der k3y1 long-text-without-a-name" }),
        ],
    );
    for secret in ["pa55w0rd", "h34der", "k3y1", "long-text-without"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    for kept in ["gateway-of-the-company", "by default with", "@gate/v1"] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
}

#[test]
fn names_are_found_in_every_spelling() {
    let names = [
        "api-key",
        "API_KEY",
        "apiKey",
        "accessToken",
        "secretKey",
        "client-secret",
        "Authorization",
    ];
    for name in names {
        let text = recorded(|_| {}, &[json!({ "x": { name: "hunter2" } })]);
        assert!(!text.contains("hunter2"), "{name}: {text}");
    }
    for name in ["authMethods", "maxTokens", "key", "pwd"] {
        let text = recorded(|_| {}, &[json!({ "x": { name: "hunter2" } })]);
        assert!(text.contains("hunter2"), "{name}: {text}");
    }
}

/// A number that is a secret leaves no JSON behind, and is masked all the same.
#[test]
fn messages_with_secret_numbers_are_kept_as_texts() {
    let params =
        json!({ "mcpServers": [{ "name": "a", "env": [{ "name": "PIN", "value": "271828" }] }] });
    let long = "x".repeat(10_000);
    let text = recorded(
        |masks| masks.learn(&params),
        &[json!({ "n": 271_828, "text": long })],
    );
    assert!(!text.contains("271828") && text.contains(&long), "{text}");
}

/// Values beyond the limits are masked by the names of their members alone.
#[test]
fn what_is_learned_is_bounded() {
    let server = |value: String| json!({ "mcpServers": [{ "name": "a", "env": [{ "name": "A_TOKEN", "value": value }] }] });
    let count = |values: &mut dyn Iterator<Item = String>| {
        let masks = Masks::default();
        for value in values {
            masks.learn(&server(value));
        }
        format!("{:?}", masks.secrets())
    };
    assert_eq!(
        count(&mut (0..3000).map(|n| format!("value-{n}"))),
        "Secrets(1024)"
    );
    assert_eq!(
        count(&mut (0..20).map(|n| format!("{n:032}{}", "x".repeat(40_000)))),
        "Secrets(6)"
    );
    assert_eq!(
        count(&mut std::iter::once("x".repeat(70_000))),
        "Secrets(0)"
    );
    // The same servers in every session cost nothing.
    assert_eq!(
        count(&mut (0..3000).map(|_| "the-same-value".to_owned())),
        "Secrets(1)"
    );
}

/// The end of an earlier session is cut off, and a later guard continues what is left.
#[test]
fn a_cut_shows_although_the_record_goes_on() {
    let (_folder, path) = place();
    let first = write(&path);
    let second = write(&path);
    let verdict = check(&path);
    assert!(verdict.is_complete && verdict.unclosed().count() == 0);
    let ends: Vec<_> = { verdict.sessions.iter() }
        .map(|session| session.sha256.clone())
        .collect();
    assert_eq!(ends, [Some(first), Some(second)]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains(r#""continues":{"lines":5,"closed":true}"#),
        "{text}"
    );
    let lines: Vec<&str> = text.lines().collect();
    for kept in 6..lines.len() {
        fs::write(&path, format!("{}\n", lines[..kept].join("\n"))).unwrap();
        write(&path);
        let verdict = check(&path);
        assert!(
            verdict.problem.is_none() && verdict.is_complete,
            "{verdict:?}"
        );
        assert_eq!(verdict.unclosed().count(), 1, "{kept} lines");
    }
}

/// What a forger appends after the end of a session, or puts in front of a continuation, without new hashes for the rest.
#[test]
fn nothing_can_be_added_between_sessions() {
    let hashed = |before: &str, entry: &str| {
        let mut hash = Sha256::new();
        hash.update(before.as_bytes());
        hash.update(entry.as_bytes());
        let digits = hash.finalize();
        let hash: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
        (
            format!("{{\"sha256\":\"{hash}\",\"entry\":{entry}}}\n"),
            hash,
        )
    };
    let (_folder, path) = place();
    let end = write(&path);
    let original = fs::read_to_string(&path).unwrap();
    for (entry, problem) in [
        (r#"{"note":{"at":"x","note":{}}}"#, "after the end"),
        (r#"{"end":{"at":"x","lines":5}}"#, "after the end"),
        (
            r#"{"begin":{"format":"tenon-acp-record 2","at":"x"}}"#,
            "another record",
        ),
        (
            r#"{"begin":{"format":"tenon-acp-record 2","at":"x","continues":{"lines":5,"closed":false}}}"#,
            "another record",
        ),
        (
            r#"{"begin":{"format":"tenon-acp-record 2","at":"x","continues":{"lines":4,"closed":true}}}"#,
            "another record",
        ),
    ] {
        let (line, _) = hashed(&end, entry);
        let verdict = verify(format!("{original}{line}").as_bytes()).unwrap();
        assert!(
            verdict
                .problem
                .as_deref()
                .unwrap_or_default()
                .contains(problem),
            "{entry}: {verdict:?}"
        );
    }
}
