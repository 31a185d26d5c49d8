//! The client that measures: blocking, with as little work for a message as possible.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use bench_harness::child::{Child, Program};
use bench_harness::section::fault;
use bench_harness::watchdog::Watchdog;
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::WORD;

/// No start and no measurement takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The answer to a prompt has this, and nothing else does.
const END: &[u8] = b"\"stopReason\"";

/// Answers to prompts are shorter.
const SHORT: usize = 200;

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
}

#[derive(Deserialize)]
struct Stored {
    params: Content,
}

#[derive(Deserialize)]
struct Content {
    path: String,
    content: String,
}

/// A client with an agent behind whatever is measured, and an open session.
pub struct Client {
    // Closed first, so that everything behind it ends.
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub child: Child,
    watchdog: Watchdog,
    next_id: u64,
    session: String,
    /// Kept, so that its memory is not new for each large message.
    line: Vec<u8>,
}

impl Client {
    pub fn start(program: &Program, folder: &Path) -> io::Result<Client> {
        let mut command = program.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Child::start(&mut command)?;
        let (input, output) = (child.inner.stdin.take(), child.inner.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(fault("no pipes"));
        };
        let watchdog = Watchdog::over(child.pid(), PATIENCE);
        let mut client = Client {
            input,
            output: BufReader::with_capacity(64 * 1024, output),
            child,
            watchdog,
            next_id: 0,
            session: String::new(),
            line: Vec::new(),
        };
        client.call(
            "initialize",
            r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}}"#,
        )?;
        client.open(folder)?;
        Ok(client)
    }

    /// Opens another session, which further turns are in.
    pub fn open(&mut self, folder: &Path) -> io::Result<()> {
        let params = format!(r#"{{"cwd":"{}","mcpServers":[]}}"#, folder.display());
        let answer = self.call("session/new", &params)?;
        let answer: serde_json::Value = serde_json::from_str(&answer)?;
        let session = answer["result"]["sessionId"].as_str();
        session
            .ok_or_else(|| fault(&answer))?
            .clone_into(&mut self.session);
        Ok(())
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.input.write_all(line.as_bytes())?;
        self.input.flush()
    }

    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<()> {
        line.clear();
        if self.output.read_until(b'\n', line)? == 0 {
            return Err(fault(match self.watchdog.has_bitten() {
                true => "nothing came for a minute",
                false => "the agent is gone",
            }));
        }
        Ok(())
    }

    fn request(&mut self, method: &str, params: &str) -> String {
        self.next_id += 1;
        let id = self.next_id;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    }

    /// A call whose answer is the next line.
    fn call(&mut self, method: &str, params: &str) -> io::Result<String> {
        let request = self.request(method, params);
        self.send(&request)?;
        let mut line = Vec::new();
        self.line(&mut line)?;
        String::from_utf8(line).map_err(fault)
    }

    /// The median microseconds of a call of the agent and its answer.
    pub fn calls(&mut self, each: Duration) -> io::Result<f64> {
        self.timed(each, |client| {
            client.request("_bench/echo", r#"{"text":"hello"}"#)
        })
    }

    /// The median microseconds of an event to the agent and the update that it answers with.
    pub fn updates(&mut self, each: Duration) -> io::Result<f64> {
        self.timed(each, |client| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"_bench/poke\",\"params\":{{\"sessionId\":\"{}\"}}}}\n",
                client.session
            )
        })
    }

    fn timed(
        &mut self,
        each: Duration,
        mut next: impl FnMut(&mut Client) -> String,
    ) -> io::Result<f64> {
        let (mut taken, mut line, start) = (Vec::new(), Vec::new(), Instant::now());
        while start.elapsed() < each {
            let text = next(self);
            let begun = Instant::now();
            self.send(&text)?;
            self.line(&mut line)?;
            taken.push(begun.elapsed().as_secs_f64() * 1e6);
            if memmem::find(&line, b"\"error\"").is_some() {
                return Err(fault(String::from_utf8_lossy(&line)));
            }
        }
        bench_harness::numbers::median(&taken).ok_or_else(|| fault("nothing was measured"))
    }

    fn prompt(&mut self, text: &str) -> io::Result<()> {
        let session = self.session.clone();
        let params =
            format!(r#"{{"sessionId":"{session}","prompt":[{{"type":"text","text":"{text}"}}]}}"#);
        let request = self.request("session/prompt", &params);
        self.send(&request)
    }

    /// Seconds in which so many chunks arrive, as one update each or joined.
    pub fn stream(&mut self, count: usize) -> io::Result<f64> {
        let finder = memmem::Finder::new(WORD.as_bytes());
        let (mut seen, mut line) = (0, Vec::new());
        let begun = Instant::now();
        self.prompt(&format!("stream {count}"))?;
        loop {
            self.line(&mut line)?;
            let words = finder.find_iter(&line).count();
            seen += words;
            if words == 0 && memmem::find(&line, END).is_some() {
                break;
            }
        }
        let taken = begun.elapsed().as_secs_f64();
        match seen == count {
            true => Ok(taken),
            false => Err(fault(format!("{seen} of {count} chunks have arrived"))),
        }
    }

    /// Seconds of so many calls of the agent, answered by this client with the result.
    fn serve(
        &mut self,
        prompt: &str,
        result: &str,
        handle: fn(&[u8]) -> io::Result<()>,
    ) -> io::Result<f64> {
        let mut line = std::mem::take(&mut self.line);
        let taken = self.answering(prompt, result, handle, &mut line);
        self.line = line;
        taken
    }

    fn answering(
        &mut self,
        prompt: &str,
        result: &str,
        handle: fn(&[u8]) -> io::Result<()>,
        line: &mut Vec<u8>,
    ) -> io::Result<f64> {
        let begun = Instant::now();
        self.prompt(prompt)?;
        loop {
            self.line(line)?;
            if line.len() < SHORT && memmem::find(line, END).is_some() {
                return Ok(begun.elapsed().as_secs_f64());
            }
            handle(line)?;
            let answer = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n",
                id_of(line)?
            );
            self.send(&answer)?;
        }
    }

    /// The microseconds of a file that the agent reads through the client.
    pub fn reads(&mut self, count: usize) -> io::Result<f64> {
        let content = r#"{"content":"one line"}"#;
        let taken = self.serve(&format!("read {count}"), content, |_| Ok(()))?;
        Ok(taken * 1e6 / count as f64)
    }

    /// The milliseconds of a file of so many bytes that the agent writes through the client, which stores it or not.
    pub fn write(&mut self, bytes: usize, is_stored: bool) -> io::Result<f64> {
        let handle = if is_stored { store } else { |_: &[u8]| Ok(()) };
        Ok(self.serve(&format!("write {bytes}"), "{}", handle)? * 1e3)
    }
}

fn store(line: &[u8]) -> io::Result<()> {
    let Stored { params } = serde_json::from_slice(line)?;
    std::fs::write(params.path, params.content)
}

/// The id of a call. Of a large one only the beginning is read, where most programs write it.
fn id_of(line: &[u8]) -> io::Result<String> {
    let beginning = &line[..line.len().min(SHORT)];
    if let Some(at) = memmem::find(beginning, b"\"id\":") {
        let id = &beginning[at + 5..];
        let end = memchr::memchr2(b',', b'}', id).unwrap_or(id.len());
        return String::from_utf8(id[..end].to_vec()).map_err(fault);
    }
    let call: Call = serde_json::from_slice(line)?;
    Ok(call.id.get().to_owned())
}
