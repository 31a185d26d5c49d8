//! What a person has to tell Terraform so that it uses a provider that runs already.

use serde_json::{Map, Value, json};

use super::handshake::PROTOCOL;
use super::listening::Address;
use crate::Identity;

/// What is printed once the provider listens at `address`.
pub(super) fn text(identity: &Identity, address: Address<'_>) -> String {
    let value = value(identity, address, std::process::id()).to_string();
    let quoted = tenon_text::shell_word(&value);
    format!(
        "The provider {} is running. Press Ctrl-C to stop it. To make Terraform use it, run this in \
         the shell where you run Terraform:\n\n    export TF_REATTACH_PROVIDERS={quoted}\n\nRelative \
         paths are resolved from the folder in which the provider was started.\n",
        identity.name
    )
}

/// With `Test` Terraform leaves the process alone when it is done.
fn value(identity: &Identity, address: Address<'_>, process: u32) -> Value {
    let Address(network, address) = address;
    let one = json!({
        "Protocol": "grpc",
        "ProtocolVersion": PROTOCOL,
        "Pid": process,
        "Test": true,
        "Addr": { "Network": network.name(), "String": address },
    });
    // Terraform looks for the first, OpenTofu, whose registry is another, for the second.
    let addresses = [
        format!("registry.terraform.io/{}", identity.address),
        identity.address.clone(),
    ];
    let all = addresses.map(|provider| (provider, one.clone()));
    Value::Object(Map::from_iter(all))
}

#[cfg(test)]
mod tests {
    use super::super::listening::Network;
    use super::*;
    use crate::identity;

    #[test]
    fn an_apostrophe_in_the_path_survives_the_shell() {
        let text = text(&identity::for_tests(), Address(Network::Unix, "/it's"));
        assert!(text.contains(r#""String":"/it'\''s""#));
    }

    #[test]
    fn both_addresses_lead_to_the_same_process() {
        let value = value(&identity::for_tests(), Address(Network::Unix, "/socket"), 7);
        let one = &value["somebody/pan-try"];
        assert_eq!(one["Pid"], 7);
        assert_eq!(one["Addr"]["String"], "/socket");
        assert_eq!(&value["registry.terraform.io/somebody/pan-try"], one);
    }
}
