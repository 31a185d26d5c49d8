//! The rows of this section.

use bench_harness::child::{Program, Programs};
use bench_harness::link::Transport::{self, Pipe, Unix};
use bench_harness::row::{Kind, Row};
use bench_harness::wire::Wire;

/// Names that goals refer to.
pub mod names {
    pub use bench_harness::row::LIMIT;

    pub const TYPED_FLOOR: &str = "parse floor (RawValue + typed)";
    pub const RAW_FLOOR: &str = "parse floor (RawValue passed on)";
    pub const LSP_SERVER: &str = "lsp-server 0.10";
    pub const ACP: &str = "agent-client-protocol 5.0";
    pub const RMCP: &str = "rmcp 3.8";
    pub const RMCP_PIPES: &str = "rmcp 3.8 stdio_pipes";
    pub const TONIC: &str = "tonic 0.14, own client";
    pub const TARPC_BINCODE: &str = "tarpc 0.38 bincode, own client";
    pub const TARPC_JSON: &str = "tarpc 0.38 json, own client";
    pub const TONIC_THREAD: &str = "tonic 0.14, own client, one thread";
    pub const TARPC_THREAD: &str = "tarpc 0.38 bincode, own client, one thread";
    pub const NEOVIM: &str = "Neovim --embed";
    pub const READY: &str = "tenon ready handler";
    pub const SPAWNED: &str = "tenon spawned handler";
    pub const RAW: &str = "tenon raw handler";
    pub const BOTH_ENDS: &str = "tenon both ends";
    pub const MSGPACK: &str = "tenon ready handler, msgpack-rpc";
}

pub fn rows(programs: &Programs) -> Vec<Row> {
    let raw = |name, kind, transport: Transport, wire, words: &[&str]| Row {
        name,
        transport,
        kind,
        wire,
        // Last on every server's command line; the path of a socket follows it.
        server: programs.named(words).with(&[transport.name()]),
        client: None,
    };
    let own = |name, kind, transport, server: &[&str], client: &[&str]| Row {
        client: Some(programs.named(client)),
        ..raw(name, kind, transport, Wire::Own, server)
    };
    let mut rows = Vec::new();
    for transport in [Pipe, Unix] {
        rows.extend([
            raw(
                names::LIMIT,
                Kind::Floor,
                transport,
                Wire::Lines,
                &["floor", "split"],
            ),
            raw(
                names::TYPED_FLOOR,
                Kind::Floor,
                transport,
                Wire::Lines,
                &["floor", "typed"],
            ),
            raw(
                names::RAW_FLOOR,
                Kind::Floor,
                transport,
                Wire::Lines,
                &["floor", "raw"],
            ),
        ]);
        if transport == Pipe {
            let lsp = &["peer-lsp-server"];
            rows.push(raw(
                names::LSP_SERVER,
                Kind::Peer,
                transport,
                Wire::Headers,
                lsp,
            ));
        }
        rows.push(raw(
            names::ACP,
            Kind::Peer,
            transport,
            Wire::Acp,
            &["peer-acp"],
        ));
        rows.push(raw(
            names::RMCP,
            Kind::Peer,
            transport,
            Wire::Mcp,
            &["peer-rmcp", "stdio"],
        ));
        if transport == Pipe {
            let pipes = &["peer-rmcp", "stdio_pipes"];
            rows.push(raw(
                names::RMCP_PIPES,
                Kind::Peer,
                transport,
                Wire::Mcp,
                pipes,
            ));
        } else {
            for (name, words) in [
                (names::TONIC, &["peer-tonic", "threads"][..]),
                (names::TONIC_THREAD, &["peer-tonic", "thread"]),
                (names::TARPC_BINCODE, &["peer-tarpc", "bincode", "threads"]),
                (names::TARPC_THREAD, &["peer-tarpc", "bincode", "thread"]),
                (names::TARPC_JSON, &["peer-tarpc", "json", "threads"]),
            ] {
                let (server, client) =
                    ([words, &["server"]].concat(), [words, &["client"]].concat());
                rows.push(own(name, Kind::Peer, transport, &server, &client));
            }
        }
        for (name, handler) in [
            (names::READY, "ready"),
            (names::SPAWNED, "spawned"),
            (names::RAW, "raw"),
        ] {
            let server = ["tenon-server", "lines", handler];
            rows.push(raw(name, Kind::Ours, transport, Wire::Lines, &server));
        }
        let msgpack = ["tenon-server", "msgpack", "ready"];
        rows.push(raw(
            names::MSGPACK,
            Kind::Ours,
            transport,
            Wire::Msgpack,
            &msgpack,
        ));
        let (server, client) = (
            ["tenon-server", "lines", "ready"],
            ["tenon-client", "lines"],
        );
        rows.push(own(
            names::BOTH_ENDS,
            Kind::Ours,
            transport,
            &server,
            &client,
        ));
    }
    rows.extend(neovim());
    rows
}

/// Whether its syscalls, allocations and instructions are counted as well.
pub fn is_counted(row: &Row) -> bool {
    let reference = [names::LIMIT, names::TYPED_FLOOR].contains(&row.name);
    row.transport == Pipe && row.client.is_none() && (reference || row.kind == Kind::Ours)
}

/// Neovim where the search path has it; otherwise a row that will be named as missing.
fn neovim() -> Option<Row> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .map(|folder| folder.join("nvim"))
        .find(|path| path.exists());
    let path = found.map_or("nvim".to_owned(), |path| {
        path.to_string_lossy().into_owned()
    });
    let words = [&path, "--embed", "--headless", "--clean"].map(str::to_owned);
    Some(Row {
        name: names::NEOVIM,
        transport: Pipe,
        kind: Kind::Peer,
        wire: Wire::Neovim,
        server: Program {
            words: words.to_vec(),
        },
        client: None,
    })
}
