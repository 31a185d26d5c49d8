//! Why the provider could not be served.

use std::io;
use std::path::PathBuf;

use super::handshake::PROTOCOL;

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

    #[error(
        "{}: the path of a socket can have {longest} bytes at most, and this one has {}; set {variable} \
         to a shorter folder", path.display(), path.as_os_str().len()
    )]
    LongPath {
        path: PathBuf,
        longest: usize,
        variable: &'static str,
    },

    #[error(
        "{}: the path of the socket must be UTF-8 without \"|\" and line breaks, because it is sent to \
         Terraform in a line; set {variable} to another folder", path.display()
    )]
    UnspeakablePath {
        path: PathBuf,
        variable: &'static str,
    },

    #[error("{}: {action}: {error}; set {variable} to a folder that you can write", path.display())]
    Socket {
        path: PathBuf,
        action: &'static str,
        error: io::Error,
        variable: &'static str,
    },

    #[error(
        "PLUGIN_UNIX_SOCKET_GROUP names the group \"{0}\", which is not in /etc/group; use its \
         number instead"
    )]
    UnknownGroup(String),

    #[error(
        "the socket {} could not be given to the group \"{group}\" of PLUGIN_UNIX_SOCKET_GROUP: \
         {error}; name a group that you are in", path.display()
    )]
    Group {
        path: PathBuf,
        group: String,
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
