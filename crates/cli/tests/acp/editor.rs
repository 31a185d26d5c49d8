//! An editor that starts the guard as its agent.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use super::support::mark::Mark;
use super::support::program::in_time;
use super::support::shell::{Outcome, Shell};
use super::support::tools::{Tool, python};

/// The command line of the scripted agent.
pub(crate) fn script() -> Tool {
    python()
}

/// How the scripted agent is started.
pub(crate) fn agent_line() -> String {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp/agent.py");
    format!("python3 {}", agent.display())
}

/// The answer to a call of the agent, if there is one.
type Answer = dyn FnMut(&Value) -> Option<Value> + Send;

pub(crate) struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    stderr: JoinHandle<String>,
    mark: Mark,
    next_id: u64,
    /// How its ids are written.
    spelling: fn(u64) -> Value,
    /// What arrived while an answer was waited for.
    pub(crate) events: VecDeque<Value>,
    /// The calls of the agent that it was asked to answer.
    pub(crate) asked: Vec<Value>,
    pub(crate) session: String,
    /// How calls of the agent are answered.
    answer: Box<Answer>,
}

impl Editor {
    /// Starts an agent, or a guard with one.
    pub(crate) fn start(shell: &Shell, line: &str) -> Editor {
        let mark = Mark::new();
        let line = format!("exec env --default-signal=HUP {line}");
        let mut command = shell.command(&line, &mark);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a shell");
        let mut stderr = child.stderr.take().expect("stderr");
        let stdout = child.stdout.take().expect("stdout");
        Editor {
            stdin: child.stdin.take(),
            child,
            lines: BufReader::new(stdout).lines(),
            stderr: tokio::spawn(async move {
                let mut text = Vec::new();
                stderr.read_to_end(&mut text).await.expect("stderr");
                String::from_utf8_lossy(&text).into_owned()
            }),
            mark,
            next_id: 0,
            spelling: |id| json!(id),
            events: VecDeque::new(),
            asked: Vec::new(),
            session: String::new(),
            answer: Box::new(usual_answer),
        }
    }

    /// `tenon acp guard` with options and the scripted agent.
    pub(crate) fn guarded(shell: &Shell, options: &str) -> Editor {
        Editor::start(
            shell,
            &format!("tenon acp guard {options} -- {}", agent_line()),
        )
    }

    /// Writes its ids, which are numbers from 1, in this way.
    pub(crate) fn with_ids(mut self, spelling: fn(u64) -> Value) -> Editor {
        self.spelling = spelling;
        self
    }

    /// Answers calls of the agent by this function; nothing means no answer.
    pub(crate) fn answering(
        mut self,
        answer: impl FnMut(&Value) -> Option<Value> + Send + 'static,
    ) -> Editor {
        self.answer = Box::new(answer);
        self
    }

    /// Opens a session in this folder.
    pub(crate) async fn open(&mut self, cwd: &Path) -> Value {
        let all =
            json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true });
        let initialize = json!({ "protocolVersion": 1, "clientCapabilities": all });
        let initialized = self.request("initialize", initialize).await;
        // Without a slash at its end.
        let cwd: PathBuf = cwd.components().collect();
        let new = json!({ "cwd": cwd, "mcpServers": [] });
        let opened = self.request("session/new", new).await;
        self.session = opened["result"]["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("{opened}"))
            .to_owned();
        initialized
    }

    pub(crate) async fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin");
        let line = format!("{line}\n");
        stdin.write_all(line.as_bytes()).await.expect("a reader");
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        let spelled = (self.spelling)(id);
        let request =
            json!({ "jsonrpc": "2.0", "id": spelled, "method": method, "params": params });
        self.write(&request.to_string()).await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let event = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write(&event.to_string()).await;
    }

    /// The next line, whatever it is.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let line = in_time("a line of the guard", self.lines.next_line()).await;
        let line = line.expect("stdout")?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}")))
    }

    /// Waits for the answer to a request. Calls are answered and events kept meanwhile.
    pub(crate) async fn response(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await.expect("an answer");
            if message.get("method").is_none() && message["id"] == (self.spelling)(id) {
                return message;
            }
            self.take(message).await;
        }
    }

    /// The next line of a process that may have been killed while it wrote one; nothing at the end.
    pub(crate) async fn read_whole(&mut self) -> Option<Value> {
        let line = in_time("a line", self.lines.next_line()).await;
        serde_json::from_str(&line.expect("stdout")?).ok()
    }

    /// Waits for the end of a process that was killed. No process may be left.
    pub(crate) async fn gone(mut self) {
        let status = in_time("the end of the agent", self.child.wait()).await;
        assert_eq!(status.expect("a status").code(), None);
        self.mark.assert_nobody_left();
    }

    /// Answers a call, and keeps an event.
    pub(crate) async fn take(&mut self, message: Value) {
        if message.get("method").is_some() && message.get("id").is_some() {
            let answer = (self.answer)(&message);
            if let Some(mut answer) = answer {
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = message["id"].clone();
                self.write(&answer.to_string()).await;
            }
            self.asked.push(message);
        } else {
            self.events.push_back(message);
        }
    }

    /// Waits until something is true of what has arrived.
    pub(crate) async fn until(&mut self, mut is_so: impl FnMut(&Editor) -> bool) {
        while !is_so(self) {
            let message = self.read().await.expect("a message");
            self.take(message).await;
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.response(id).await
    }

    /// The params of a prompt that makes the scripted agent do these steps.
    pub(crate) fn steps(&self, steps: &str) -> Value {
        json!({ "sessionId": self.session, "prompt": [{ "type": "text", "text": steps }] })
    }

    /// Lets the agent do these steps, and returns its answer.
    pub(crate) async fn prompt(&mut self, steps: &str) -> Value {
        let params = self.steps(steps);
        self.request("session/prompt", params).await
    }

    /// The texts that the agent has said.
    pub(crate) fn said(&self) -> Vec<String> {
        let texts = self.events.iter().filter_map(|event| {
            let text = &event["params"]["update"]["content"]["text"];
            text.as_str().map(str::to_owned)
        });
        texts.collect()
    }

    /// What the agent was answered, as JSON.
    pub(crate) fn answers(&self) -> Vec<Value> {
        let said = self.said();
        { said.iter() }
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(id.expect("a process"), signal).expect("a running process");
    }

    /// Closes the input of the guard, and waits for its end.
    pub(crate) async fn leave(mut self) -> Outcome {
        self.stdin = None;
        self.ended().await
    }

    /// Waits for the end of the guard. No process may be left.
    pub(crate) async fn ended(mut self) -> Outcome {
        let mut stdout = String::new();
        while let Some(line) = self.read().await {
            stdout += &format!("{line}\n");
        }
        let status = in_time("the end of the guard", self.child.wait()).await;
        let stderr = in_time("stderr", self.stderr).await.expect("stderr");
        self.mark.assert_nobody_left();
        Outcome {
            stdout,
            stderr,
            code: status.expect("a status").code(),
        }
    }
}

/// Files are one letter, programs run, and the first option is chosen.
pub(crate) fn usual_answer(call: &Value) -> Option<Value> {
    let result = match call["method"].as_str().unwrap_or_default() {
        "session/request_permission" => {
            let first = &call["params"]["options"][0]["optionId"];
            json!({ "outcome": { "outcome": "selected", "optionId": first } })
        }
        "fs/read_text_file" => json!({ "content": "x" }),
        "terminal/create" => json!({ "terminalId": "t" }),
        _ => json!({}),
    };
    Some(json!({ "result": result }))
}
