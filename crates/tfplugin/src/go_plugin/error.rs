//! Why the provider could not be served.

use std::io;

use super::handshake::PROTOCOL;
use super::listening::NETWORK_VARIABLE;
use super::platform::SocketError;

/// Why the provider could not be served.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error(
        "the provider {provider} speaks version {PROTOCOL} of the provider protocol, and Terraform \
         offers \"{offered}\" in PLUGIN_PROTOCOL_VERSIONS; use Terraform 1.0, OpenTofu 1.6 or newer"
    )]
    Protocol { provider: String, offered: String },

    #[error(
        "PLUGIN_CLIENT_CERT is set but does not contain a certificate; Terraform sets it to one in PEM, or \
         does not set it: make sure that nothing else sets it"
    )]
    NoCertificate,

    #[error(
        "PLUGIN_CLIENT_CERT contains more than one certificate; Terraform sets it to exactly one: make sure \
         that nothing else sets it"
    )]
    SeveralCertificates,

    #[error(
        "the certificate in PLUGIN_CLIENT_CERT cannot be read: {0}; Terraform sets it to one in PEM: make \
         sure that nothing else sets it"
    )]
    UnreadableCertificate(rustls::pki_types::pem::Error),

    #[error("the provider's own certificate could not be created: {0}")]
    OwnCertificate(rcgen::Error),

    #[error("TLS could not be set up: {0}")]
    Encryption(#[from] rustls::Error),

    #[error(transparent)]
    Socket(#[from] SocketError),

    #[error("{NETWORK_VARIABLE} is {0:?}; set it to \"unix\" or \"tcp\", or do not set it")]
    UnknownNetwork(String),

    #[error(
        "Terraform sent no certificate in PLUGIN_CLIENT_CERT, and without one every user of this machine \
         could use the provider on its TCP port; run Terraform without TF_DISABLE_PLUGIN_TLS"
    )]
    OpenPort,

    #[error(
        "--debug does not serve on a TCP port: Terraform would connect to it without a certificate, and so \
         could every other user of this machine; use a system with Unix sockets, such as WSL, or attach a \
         debugger to the process that Terraform starts"
    )]
    DebuggingOnPort,

    #[error("{variable} is {value:?}, which is not a port: use a number from 0 to 65535")]
    NotPort {
        variable: &'static str,
        value: String,
    },

    #[error(
        "PLUGIN_MIN_PORT, {first}, is greater than PLUGIN_MAX_PORT, {last}; set both, or none of them"
    )]
    NoPorts { first: u16, last: u16 },

    #[error(
        "no TCP port from {first} to {last} is available: {error}; set PLUGIN_MIN_PORT and \
         PLUGIN_MAX_PORT to a range with free ports"
    )]
    Ports {
        first: u16,
        last: u16,
        error: io::Error,
    },

    #[error("the provider could not be started: {0}")]
    Provider(io::Error),

    #[error("the runtime could not be started: {0}")]
    Runtime(io::Error),

    #[error("signal handlers could not be installed: {0}")]
    Signals(io::Error),

    #[error("stdout, where Terraform waits for the address, could not be written: {0}")]
    Stdout(io::Error),

    #[error("the gRPC server failed: {0}")]
    Serving(tonic::transport::Error),
}
