//! The agent that is measured: blocking, with as little work for a message as possible.

use std::io::{self, BufRead, BufReader, StdinLock, StdoutLock, Write};

use serde::Deserialize;
use serde_json::value::RawValue;

/// The first argument that makes the bench's own program the agent.
pub const ARGUMENT: &str = "be-the-agent";

/// The text of a chunk, by which the client counts them.
pub const WORD: &str = "word-of-a-model ";

/// How much is written at once while chunks are streamed.
const BATCH: usize = 32 * 1024;

#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prompt {
    session_id: String,
    prompt: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Poke<'a> {
    session_id: &'a str,
}

#[derive(Deserialize)]
struct Block {
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    cwd: String,
}

struct Agent {
    input: BufReader<StdinLock<'static>>,
    output: StdoutLock<'static>,
    folder: String,
    sessions: usize,
    /// A call that writes a file, made once: what is measured is not how long that takes.
    write: String,
}

pub fn run() -> io::Result<()> {
    Agent {
        input: BufReader::with_capacity(64 * 1024, io::stdin().lock()),
        output: io::stdout().lock(),
        folder: String::new(),
        sessions: 0,
        write: String::new(),
    }
    .serve()
}

impl Agent {
    fn serve(&mut self) -> io::Result<()> {
        let mut line = String::new();
        while self.next(&mut line)? {
            let message: Incoming = serde_json::from_str(&line)?;
            let params = message.params.map_or("null", RawValue::get);
            let result = match message.method.unwrap_or_default() {
                "initialize" => r#"{"protocolVersion":1,"agentCapabilities":{}}"#.to_owned(),
                "session/new" => self.open(params)?,
                "session/prompt" => self.prompt(params)?,
                "_bench/poke" => {
                    let poked: Poke = serde_json::from_str(params)?;
                    let update = update(poked.session_id);
                    self.send(&[update.as_bytes()])?;
                    continue;
                }
                _ => params.to_owned(),
            };
            if let Some(id) = message.id {
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
                self.send(&[answer.as_bytes(), b"\n"])?;
            }
        }
        Ok(())
    }

    fn next(&mut self, line: &mut String) -> io::Result<bool> {
        line.clear();
        Ok(self.input.read_line(line)? > 0)
    }

    fn send(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        self.output.write_all(&pieces.concat())?;
        self.output.flush()
    }

    fn open(&mut self, params: &str) -> io::Result<String> {
        let place: Place = serde_json::from_str(params)?;
        self.folder = place.cwd;
        self.sessions += 1;
        let number = self.sessions;
        Ok(format!(
            r#"{{"sessionId":"7d3f0b62-0000-4000-8000-{number:012}"}}"#
        ))
    }

    /// A turn: the prompt says what is done, and how often.
    fn prompt(&mut self, params: &str) -> io::Result<String> {
        let Prompt { session_id, prompt } = serde_json::from_str(params)?;
        let text = prompt.into_iter().map(|block| block.text).next();
        let text = text.unwrap_or_default();
        let (task, count) = text.split_once(' ').unwrap_or((&text, "1"));
        let count: usize = count.parse().map_err(io::Error::other)?;
        match task {
            "stream" => self.stream(&session_id, count)?,
            "read" => {
                let params = format!(r#""path":"{}/notes.txt""#, self.folder);
                self.ask("fs/read_text_file", &session_id, &params, count)?;
            }
            "write" => {
                if self.write.is_empty() {
                    let content = "a line of text that is written\\n".repeat(count / 32);
                    let path = format!("{}/notes.txt", self.folder);
                    let params = format!(r#""path":"{path}","content":"{content}""#);
                    self.write = call(0, "fs/write_text_file", &session_id, &params);
                }
                let write = std::mem::take(&mut self.write);
                self.answered(&write)?;
                self.write = write;
            }
            _ => {}
        }
        Ok(r#"{"stopReason":"end_turn"}"#.to_owned())
    }

    fn stream(&mut self, session: &str, count: usize) -> io::Result<()> {
        let update = update(session);
        let batch = update.repeat((BATCH / update.len()).max(1));
        let each = batch.len() / update.len();
        for _ in 0..count / each {
            self.output.write_all(batch.as_bytes())?;
        }
        let rest = update.repeat(count % each);
        self.output.write_all(rest.as_bytes())?;
        self.output.flush()
    }

    /// Calls the client, one call after the other.
    fn ask(&mut self, method: &str, session: &str, params: &str, count: usize) -> io::Result<()> {
        (0..count).try_for_each(|id| self.answered(&call(id, method, session, params)))
    }

    fn answered(&mut self, call: &str) -> io::Result<()> {
        self.output.write_all(call.as_bytes())?;
        self.output.flush()?;
        let mut line = String::new();
        match self.next(&mut line)? && line.contains("\"result\"") {
            true => Ok(()),
            false => Err(io::Error::other(line)),
        }
    }
}

fn call(id: usize, method: &str, session: &str, params: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"sessionId\":\"{session}\",{params}}}}}\n"
    )
}

fn update(session: &str) -> String {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{}","update":"#,
            r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{}"}}}}}}}}"#,
            "\n"
        ),
        session, WORD
    )
}
