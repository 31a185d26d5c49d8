//! The provider's process as Terraform sees it: the handshake's line, the socket, certificates,
//! what is served beside the provider, and how it ends.

#[path = "go_plugin/client.rs"]
mod client;
#[path = "go_plugin/debugging.rs"]
mod debugging;
#[path = "go_plugin/encryption.rs"]
mod encryption;
#[path = "go_plugin/ending.rs"]
mod ending;
#[path = "go_plugin/logging.rs"]
mod logging;
#[path = "go_plugin/port.rs"]
mod port;
#[path = "go_plugin/services.rs"]
mod services;
#[path = "go_plugin/start.rs"]
mod start;
#[path = "go_plugin/started.rs"]
mod started;
