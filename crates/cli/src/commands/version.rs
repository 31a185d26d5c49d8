//! `tenon version`.

use serde_json::{Map, Value, json};
use tenon_protocols::{Protocol, acp, denobridge, mcp, orchard, seasonings};

use crate::exit::Failure;
use crate::output;

/// Set by the build script.
const TARGET: &str = env!("TENON_TARGET");
const PROFILE: &str = env!("TENON_PROFILE");
/// Known if the program was built by `scripts/package` or from a published crate.
const COMMIT: Option<&str> = option_env!("TENON_COMMIT");

pub(crate) fn run(is_json: bool) -> Result<(), Failure> {
    match is_json {
        true => output::json_data(as_json()),
        false => output::data(text().trim_end()),
    }
}

/// The features that this program was built with.
fn features() -> Vec<&'static str> {
    let all = [
        ("http", cfg!(feature = "http")),
        ("postgres", cfg!(feature = "postgres")),
        ("sqlite", cfg!(feature = "sqlite")),
    ];
    let on = all.into_iter().filter(|(_, is_on)| *is_on);
    on.map(|(name, _)| name).collect()
}

/// The versions of a protocol that are spoken, newest first; none if its messages carry no version.
fn versions(protocol: Protocol) -> Vec<String> {
    match protocol {
        Protocol::Ipc | Protocol::Lsp => Vec::new(),
        Protocol::Denobridge => vec![denobridge::provider::VERSION.to_owned()],
        Protocol::Acp => vec![acp::VERSION.to_string()],
        Protocol::Mcp => mcp::VERSIONS.map(str::to_owned).to_vec(),
        Protocol::Seasonings => vec![seasonings::VERSION.to_string()],
        Protocol::Orchard => vec![orchard::VERSION.to_owned()],
    }
}

fn as_json() -> Value {
    let protocols = Protocol::ALL.map(|one| (one.name().to_owned(), json!(versions(one))));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": COMMIT,
        "target": TARGET,
        "profile": PROFILE,
        "features": features(),
        "protocols": Map::from_iter(protocols),
    })
}

fn text() -> String {
    let mut text = format!("tenon {}\n", env!("CARGO_PKG_VERSION"));
    let features = features().join(", ");
    let lines = [
        ("commit", COMMIT.unwrap_or_default()),
        ("target", TARGET),
        ("profile", PROFILE),
        ("features", &features),
    ];
    for (name, value) in lines.into_iter().filter(|(_, value)| !value.is_empty()) {
        text += &format!("{name:<10} {value}\n");
    }
    text += "protocols\n";
    for protocol in Protocol::ALL {
        let line = format!(
            "  {:<11} {}",
            protocol.name(),
            versions(protocol).join(", ")
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}
