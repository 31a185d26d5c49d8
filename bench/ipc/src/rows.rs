//! The rows of this section, all on Unix sockets.

use std::env;
use std::path::{Path, PathBuf};

use bench_harness::child::{Program, Programs};
use bench_harness::link::Transport;
use bench_harness::row::{Kind, LIMIT, Row};
use bench_harness::wire::Wire;

pub const SERVER: &str = "tenon-ipc server";
pub const BOTH_ENDS: &str = "tenon-ipc both ends";
pub const VSCODE: &str = "vscode-jsonrpc 10, own client";
const TONIC: &str = "tonic 0.14, own client";
const TONIC_THREAD: &str = "tonic 0.14, own client, one thread";

/// Those that are built with the bench.
pub fn built(programs: &Programs) -> Vec<Row> {
    let row = |name, kind, wire, server: &[&str], client: Option<&[&str]>| Row {
        name,
        transport: Transport::Unix,
        kind,
        wire,
        server: programs.named(server).with(&["unix"]),
        client: client.map(|words| programs.named(words)),
    };
    let tonic = |name, threads| {
        let (server, client) = (
            ["peer-tonic", threads, "server"],
            ["peer-tonic", threads, "client"],
        );
        row(name, Kind::Peer, Wire::Own, &server, Some(&client))
    };
    vec![
        row(LIMIT, Kind::Floor, Wire::Lines, &["floor", "split"], None),
        tonic(TONIC, "threads"),
        tonic(TONIC_THREAD, "thread"),
        row(SERVER, Kind::Ours, Wire::Lines, &["ipc-server"], None),
        row(
            BOTH_ENDS,
            Kind::Ours,
            Wire::Own,
            &["ipc-server"],
            Some(&["ipc-client"]),
        ),
    ]
}

/// The folder that vscode-jsonrpc is in, for the script too.
const MODULES: &str = "NODE_MODULES_HERE";

/// vscode-jsonrpc with its own client. Raw clients can speak to its server as well: it writes
/// Content-Length headers.
///
/// # Errors
/// What is missing.
pub fn vscode() -> Result<Row, String> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let node = env::split_paths(&folders)
        .map(|folder| folder.join("node"))
        .find(|file| file.is_file())
        .ok_or("there is no node in PATH")?;
    let modules = env::var_os(MODULES).map(PathBuf::from);
    let modules = modules.ok_or_else(|| format!("{MODULES} is not set; bench/run ipc sets it"))?;
    if !modules.join("vscode-jsonrpc").is_dir() {
        let modules = modules.display();
        return Err(format!(
            "which is not in {modules}; scripts/tools fetches it"
        ));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/vscode-jsonrpc.mjs");
    let words = [node, script].map(|path| path.to_string_lossy().into_owned());
    let program = Program {
        words: words.to_vec(),
    };
    Ok(Row {
        name: VSCODE,
        transport: Transport::Unix,
        kind: Kind::Peer,
        wire: Wire::Headers,
        server: program.with(&["server", "unix"]),
        client: Some(program.with(&["client"])),
    })
}
