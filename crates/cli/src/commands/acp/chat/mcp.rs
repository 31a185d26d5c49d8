//! `--mcp`: MCP servers for the session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use tenon_protocols::acp::{HttpServer, McpServer, StdioServer, Variable};

use crate::commands::acp::splitting::split;
use crate::commands::plugin::locate;
use crate::exit::Failure;

/// The file that editors and agents have for their servers.
#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The servers of all `--mcp`, each with a name of its own.
pub(super) fn servers(options: &[String]) -> Result<Vec<McpServer>, Failure> {
    let mut servers = Vec::new();
    for option in options {
        let read = match named(option) {
            Some((name, command)) => one(name, command).map(|server| vec![server]),
            None => file(Path::new(option)),
        };
        servers
            .extend(read.map_err(|problem| Failure::usage(format!("--mcp {option}: {problem}")))?);
    }
    let mut names = BTreeSet::new();
    match servers.iter().map(name).find(|name| !names.insert(*name)) {
        Some(name) => Err(Failure::usage(format!(
            "--mcp: there are two servers with the name {name}"
        ))),
        None => Ok(servers),
    }
}

fn name(server: &McpServer) -> &str {
    match server {
        McpServer::Stdio(server) => &server.name,
        McpServer::Http(server) | McpServer::Sse(server) => &server.name,
        _ => "",
    }
}

/// `NAME=COMMAND`. A path is not a name.
fn named(option: &str) -> Option<(&str, &str)> {
    let (name, command) = option.split_once('=')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_part)).then_some((name, command))
}

/// A command line, or a URL.
fn one(name: &str, command: &str) -> Result<McpServer, String> {
    if command.starts_with("http://") || command.starts_with("https://") {
        return Ok(McpServer::Http(HttpServer::new(name, command, Vec::new())));
    }
    let mut words = split(command)?.into_iter();
    let program = words
        .next()
        .ok_or("write it as NAME=COMMAND, NAME=URL or FILE")?;
    stdio(name, &program, words.collect(), Vec::new())
}

fn file(path: &Path) -> Result<Vec<McpServer>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{error}; write it as NAME=COMMAND, NAME=URL or FILE"))?;
    let file: File = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let servers = file.servers.into_iter().map(|(name, entry)| {
        server(&name, entry).map_err(|problem| format!("server {name:?}: {problem}"))
    });
    servers.collect()
}

fn server(name: &str, entry: Entry) -> Result<McpServer, String> {
    let Entry {
        kind,
        command,
        args,
        env,
        url,
        headers,
    } = entry;
    match (kind.as_deref(), command, url) {
        (None | Some("stdio" | "local"), Some(command), None) if headers.is_empty() => {
            let args = args.iter().map(|word| expanded(word));
            stdio(
                name,
                &expanded(&command)?,
                args.collect::<Result<_, _>>()?,
                variables(env)?,
            )
        }
        (None | Some("http" | "streamable-http"), None, Some(url)) => {
            let server = HttpServer::new(name, expanded(&url)?, variables(headers)?);
            Ok(McpServer::Http(server))
        }
        (Some("sse"), None, Some(url)) => {
            let server = HttpServer::new(name, expanded(&url)?, variables(headers)?);
            Ok(McpServer::Sse(server))
        }
        (Some(kind), ..)
            if !["stdio", "local", "http", "streamable-http", "sse"].contains(&kind) =>
        {
            Err(format!("unknown type {kind:?}; use stdio, http or sse"))
        }
        _ => Err("either command, args and env, or url and headers are required".to_owned()),
    }
}

/// Agents need the path of the program: they may have another PATH and another folder.
fn stdio(
    name: &str,
    program: &str,
    args: Vec<String>,
    env: Vec<Variable>,
) -> Result<McpServer, String> {
    let path = locate(program).ok_or_else(|| format!("{program}: no such program"))?;
    let path = path
        .to_str()
        .ok_or("the path of the program is not UTF-8")?;
    Ok(McpServer::Stdio(StdioServer {
        args: Some(args),
        env: Some(env),
        ..StdioServer::new(name, path)
    }))
}

fn variables(all: BTreeMap<String, String>) -> Result<Vec<Variable>, String> {
    let variables = all.into_iter();
    variables
        .map(|(name, value)| Ok(Variable::new(name, expanded(&value)?)))
        .collect()
}

/// `${NAME}` is an environment variable, so that secrets need not be in the file.
fn expanded(text: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or("${ without a }")?;
        let (name, default) = match name.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (name, None),
        };
        let value = std::env::var(name).ok().or(default);
        result += before;
        result += &value.ok_or_else(|| format!("the environment variable {name} is not set"))?;
        rest = after;
    }
    Ok(result + rest)
}

// They need programs of Unix.
#[cfg(all(test, unix))]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(option: &str) -> Result<Value, String> {
        let servers = servers(&[option.to_owned()]).map_err(|failure| failure.message)?;
        Ok(serde_json::to_value(&servers).unwrap())
    }

    #[test]
    fn a_server_is_a_command_or_a_url() {
        let expected =
            json!([{ "name": "files", "command": "/bin/sh", "args": ["-c", "a b"], "env": [] }]);
        assert_eq!(
            read("files=/bin/sh -c 'a b'").map(linkless),
            Ok(linkless(expected))
        );
        let expected = json!([{ "type": "http", "name": "docs", "url": "https://example.org/mcp", "headers": [] }]);
        assert_eq!(read("docs=https://example.org/mcp"), Ok(expected));
    }

    /// /bin may be a link.
    fn linkless(mut servers: Value) -> Value {
        let command = Path::new("/bin/sh").canonicalize().unwrap();
        servers[0]["command"] = json!(command);
        servers
    }

    #[test]
    fn a_file_has_the_servers_of_other_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let text = json!({ "mcpServers": {
            "a": { "command": "sh", "args": ["${TENON_NOT_SET:-x}"], "env": { "TOKEN": "$5" } },
            "b": { "type": "sse", "url": "http://localhost/", "headers": { "Authorization": "x" } },
        }});
        std::fs::write(&path, text.to_string()).unwrap();
        let servers = read(path.to_str().unwrap()).unwrap();
        assert_eq!(servers[0]["args"], json!(["x"]));
        assert_eq!(
            servers[0]["env"],
            json!([{ "name": "TOKEN", "value": "$5" }])
        );
        assert_eq!(servers[1]["type"], "sse");
        assert_eq!(
            servers[1]["headers"],
            json!([{ "name": "Authorization", "value": "x" }])
        );
        for (entry, problem) in [
            (
                json!({ "command": "no-such-program" }),
                "no-such-program: no such program",
            ),
            (
                json!({ "command": "sh", "url": "http://x/" }),
                "either command",
            ),
            (
                json!({ "type": "carrier-pigeon", "url": "http://x/" }),
                "unknown type",
            ),
            (
                json!({ "command": "sh", "comand": "x" }),
                "unknown field `comand`",
            ),
            (
                json!({ "command": "sh", "args": ["${TENON_NOT_SET}"] }),
                "TENON_NOT_SET is not set",
            ),
        ] {
            let text = json!({ "mcpServers": { "a": entry } });
            std::fs::write(&path, text.to_string()).unwrap();
            let error = read(path.to_str().unwrap()).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (option, problem) in [
            ("no-such-file.json", "NAME=COMMAND"),
            ("files=", "NAME=COMMAND"),
            ("files=no-such-program", "no such program"),
            ("files='sh", "not closed"),
        ] {
            let error = read(option).unwrap_err();
            assert!(error.contains(problem), "{option}: {error}");
        }
        let twice = ["a=sh".to_owned(), "a=sh".to_owned()];
        let error = servers(&twice).unwrap_err().message;
        assert!(error.contains("two servers with the name a"), "{error}");
    }
}
