//! Functions and actions by name: the plugin as an ipc service and as an MCP server.

#[path = "tools/ipc.rs"]
mod ipc;
#[path = "tools/mcp.rs"]
mod mcp;
#[path = "tools/plugin.rs"]
mod plugin;

use serde_json::Value;
use tenon_rpc::Io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What a plugin answers to these lines, until it ends; answers sorted by their ids, behind everything
/// without one.
async fn converse(lines: &[Value]) -> Vec<Value> {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(here);
    let host = async move {
        for line in lines {
            writer
                .write_all(format!("{line}\n").as_bytes())
                .await
                .unwrap();
        }
        writer.shutdown().await.unwrap();
        let mut answers = String::new();
        reader.read_to_string(&mut answers).await.unwrap();
        answers
    };
    let (served, answers) = tokio::join!(plugin::plugin().serve_on(Io::from(there)), host);
    served.unwrap();
    let parse = |line| serde_json::from_str(line).unwrap();
    let mut answers: Vec<Value> = answers.lines().map(parse).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers
}
