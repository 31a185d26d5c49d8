//! `tenon state serve`, from the side of a client that speaks as much HTTP as it needs.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bench_harness::child::Child;
use bench_harness::section::fault;
use bench_harness::watchdog::Watchdog;
use md5::{Digest, Md5};

use super::{PATIENCE, Store};
use crate::tools::Tools;

/// A server with a plugin behind it, and a connection that is kept, as Terraform keeps it.
pub struct Served {
    _watchdog: Watchdog,
    stream: BufReader<TcpStream>,
    path: String,
    authorization: String,
    /// The MD5 of the state, which Terraform sends. Its work is not what is measured.
    sum: String,
    _child: Child,
    _stdout: BufReader<ChildStdout>,
}

impl Served {
    /// Starts both, to write this state.
    pub fn start(tools: &Tools, plugin: &[OsString], state: &[u8]) -> io::Result<Served> {
        let mut command = Command::new(&tools.tenon);
        command
            .args(["state", "serve", "--"])
            .args(plugin)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = Child::start(&mut command)?;
        let watchdog = Watchdog::over(child.pid(), PATIENCE);
        let stdout = child.inner.stdout.take();
        let mut stdout = BufReader::new(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        let variables = variables(&mut stdout)?;
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| known == name);
            found
                .map(|(_, value)| value.as_str())
                .ok_or_else(|| fault(format!("tenon state serve does not print {name}")))
        };
        let address = variable("TF_HTTP_ADDRESS")?;
        let address = address.strip_prefix("http://").unwrap_or(address);
        let (host, path) = address.split_once('/').ok_or_else(|| fault(address))?;
        let (user, password) = (variable("TF_HTTP_USERNAME")?, variable("TF_HTTP_PASSWORD")?);
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Served {
            _watchdog: watchdog,
            stream: BufReader::new(stream),
            path: format!("/{path}"),
            authorization: STANDARD.encode(format!("{user}:{password}")),
            sum: STANDARD.encode(Md5::digest(state)),
            _child: child,
            _stdout: stdout,
        })
    }

    /// Sends a request, and reads the head of its answer: the length of the body.
    fn ask(&mut self, method: &str, more: &str, body: &[u8]) -> io::Result<usize> {
        let head = format!(
            "{method} {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {}\r\n{more}\r\n",
            self.path, self.authorization
        );
        let stream = self.stream.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let (mut line, mut head, mut length) = (String::new(), String::new(), 0);
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            match line.trim_end() {
                "" => break,
                text => {
                    let lower = text.to_ascii_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length: ") {
                        length = value.parse().map_err(fault)?;
                    }
                }
            }
            head += &line;
        }
        match head.starts_with("HTTP/1.1 200 ") {
            true => Ok(length),
            false => Err(fault(head)),
        }
    }
}

/// The variables that are printed for a shell.
fn variables(stdout: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut variables = Vec::new();
    let mut line = String::new();
    // The lines behind the password are not needed.
    while !line.contains("TF_HTTP_PASSWORD=") {
        line.clear();
        if stdout.read_line(&mut line)? == 0 {
            return Err(fault("tenon state serve ended"));
        }
        let text = line.trim_end();
        let text = text.strip_prefix("export ").unwrap_or(text);
        if let Some((name, value)) = text.split_once('=') {
            variables.push((name.to_owned(), value.trim_matches('\'').to_owned()));
        }
    }
    Ok(variables)
}

impl Store for Served {
    fn write(&mut self, state: &[u8]) -> io::Result<()> {
        let more = format!(
            "Content-Type: application/json\r\nContent-MD5: {}\r\nContent-Length: {}\r\n",
            self.sum,
            state.len()
        );
        let length = self.ask("POST", &more, state)?;
        match length {
            0 => Ok(()),
            _ => Err(fault("an answer with a body")),
        }
    }

    fn read(&mut self, state: &mut Vec<u8>) -> io::Result<()> {
        let length = self.ask("GET", "", &[])?;
        state.resize(length, 0);
        self.stream.read_exact(state)
    }
}
