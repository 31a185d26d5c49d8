//! A script at work: one call after the other, each with its answer.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::program::{example, foreign, in_time, on_path, skipped, start};

/// A script that was started.
pub(crate) struct Script {
    program: PathBuf,
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Script {
    /// A program.
    pub(crate) fn program(program: &Path, args: &[&str]) -> Script {
        let mut child = start(program, args);
        Script {
            program: program.to_owned(),
            stdin: child.stdin.take().unwrap(),
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    /// An example in Python, if that is there.
    pub(crate) fn python(path: &str) -> Option<Script> {
        let script = foreign("python3", path)?;
        Some(Script::program(&script, &[]))
    }

    /// An example that Deno runs, if that is there, with these permissions.
    pub(crate) fn deno(path: &str, permissions: &[&str]) -> Option<Script> {
        let Some(deno) = deno() else {
            return skipped(path, "deno");
        };
        let script = example(path);
        let mut args = vec!["run", "-q", "--no-config"];
        args.extend(permissions);
        args.push(script.to_str().unwrap());
        Some(Script::program(&deno, &args))
    }

    /// Calls a method, and gives what comes next.
    pub(crate) async fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.send(&call).await;
        self.next().await
    }

    /// Calls a method, and gives its result.
    pub(crate) async fn result(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.call(method, params).await;
        assert_eq!(answer["id"], 7, "{answer}");
        answer["result"].take()
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let sent = self.stdin.write_all(line.as_bytes());
        in_time(&self.program, sent).await.unwrap();
    }

    /// The next line of the script.
    pub(crate) async fn next(&mut self) -> Value {
        match in_time(&self.program, self.lines.next_line()).await {
            Ok(Some(line)) => serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}")),
            other => {
                let mut said = String::new();
                let stderr = self.child.stderr.as_mut().unwrap();
                in_time(&self.program, stderr.read_to_string(&mut said))
                    .await
                    .unwrap();
                panic!("{}: {other:?}\n{said}", self.program.display())
            }
        }
    }

    /// Says goodbye as an event. The script ends at once and well, with its stdin still open.
    pub(crate) async fn end(mut self) {
        let goodbye = json!({ "jsonrpc": "2.0", "method": "shutdown" });
        self.send(&goodbye).await;
        let rest = in_time(&self.program, self.lines.next_line()).await;
        assert_eq!(rest.unwrap(), None);
        let status = in_time(&self.program, self.child.wait()).await.unwrap();
        assert!(status.success(), "{}: {status}", self.program.display());
    }

    /// Closes its stdin. The script ends well.
    pub(crate) async fn leave(self) {
        let Script {
            program,
            mut child,
            stdin,
            ..
        } = self;
        drop(stdin);
        let status = in_time(&program, child.wait()).await.unwrap();
        assert!(status.success(), "{}: {status}", program.display());
    }
}

/// Where the provider looks, and where `scripts/tools` puts it.
fn deno() -> Option<PathBuf> {
    let named = std::env::var_os("TENON_DENO").map(PathBuf::from);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Some(workspace.join(".tools/deno/deno")).filter(|file| file.is_file());
    named.or(installed).or_else(|| on_path("deno"))
}
