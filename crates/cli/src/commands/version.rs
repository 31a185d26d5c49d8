//! `tenon version`.

use serde_json::{Map, Value, json};
use tenon_protocols::Protocol;
use tenon_providers::Builtin;

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

/// The features that this program was built with: each is a built-in provider.
fn features() -> Vec<&'static str> {
    let all = Builtin::ALL.iter().filter(|builtin| builtin.is_optional());
    all.map(|builtin| builtin.name()).collect()
}

fn as_json() -> Value {
    let protocols = Protocol::ALL.map(|one| (one.name().to_owned(), json!(one.versions())));
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
            protocol.versions().join(", ")
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}
