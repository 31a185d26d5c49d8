//! A host in memory.

use tenon_plugin::{Host, Plugin};
use tenon_rpc::Io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What comes back for these lines, until the plugin ends.
pub(crate) async fn converse<S: Send + Sync + 'static>(
    plugin: Plugin<S>,
    lines: &[&str],
) -> Vec<String> {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(here);
    let host = async move {
        for line in lines {
            writer.write_all(line.as_bytes()).await.unwrap();
            writer.write_all(b"\n").await.unwrap();
        }
        writer.shutdown().await.unwrap();
        let mut answers = String::new();
        reader.read_to_string(&mut answers).await.unwrap();
        answers
    };
    let (served, answers) =
        tokio::join!(plugin.serve_host(Host::Denobridge, Io::from(there)), host);
    served.unwrap();
    answers.lines().map(str::to_owned).collect()
}
