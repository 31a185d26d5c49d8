//! What Terraform says in the environment of the process it starts, and the line that answers it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::error::StartError;
use super::listening::Address;

/// The variable, and its value, by which Terraform and OpenTofu say that it is they who start the
/// process. This is not a secret; it keeps people from starting a provider by mistake.
pub(super) const COOKIE: (&str, &str) = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
);

/// The only version of the provider protocol that is spoken here.
pub(super) const PROTOCOL: u32 = 6;

/// What Terraform asks for.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    /// The only certificate that may connect. Without one everything is plain, which Terraform has
    /// to ask for by not sending one.
    pub(super) client: Option<CertificateDer<'static>>,
    pub(super) folder: Option<PathBuf>,
    pub(super) group: Option<String>,
    pub(super) asks_to_multiplex: bool,
}

impl Handshake {
    /// # Errors
    /// The protocol is not among those offered, or the certificate cannot be read.
    pub(super) fn from_environment(provider: &str) -> Result<Handshake, StartError> {
        let mut handshake = Handshake::for_debugging();
        check_versions(env::var_os("PLUGIN_PROTOCOL_VERSIONS"), provider)?;
        handshake.client = read_certificate(env::var_os("PLUGIN_CLIENT_CERT"))?;
        handshake.asks_to_multiplex =
            env::var_os("PLUGIN_MULTIPLEX_GRPC").is_some_and(|value| !value.is_empty());
        Ok(handshake)
    }

    /// Settings that also apply without Terraform: where the socket is, and who may use it.
    pub(super) fn for_debugging() -> Handshake {
        let non_empty = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
        Handshake {
            folder: non_empty("PLUGIN_UNIX_SOCKET_DIR").map(PathBuf::from),
            group: non_empty("PLUGIN_UNIX_SOCKET_GROUP")
                .map(|group| group.to_string_lossy().into_owned()),
            ..Handshake::default()
        }
    }
}

/// An old client names no versions; it finds ours in the line.
fn check_versions(offered: Option<OsString>, provider: &str) -> Result<(), StartError> {
    let Some(offered) = offered else {
        return Ok(());
    };
    let offered = offered.to_string_lossy();
    let is_ours = |version: &str| version.trim().parse() == Ok(PROTOCOL);
    if offered.split(',').any(is_ours) {
        Ok(())
    } else {
        Err(StartError::Protocol {
            provider: provider.to_owned(),
            offered: offered.into_owned(),
        })
    }
}

/// Anything but exactly one certificate is an error: without one, every client that the file permissions
/// admit could connect.
fn read_certificate(text: Option<OsString>) -> Result<Option<CertificateDer<'static>>, StartError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let mut certificates = CertificateDer::pem_slice_iter(text.as_encoded_bytes());
    match (certificates.next(), certificates.next()) {
        (Some(Ok(certificate)), None) => Ok(Some(certificate)),
        (Some(Err(error)), _) | (Some(Ok(_)), Some(Err(error))) => {
            Err(StartError::UnreadableCertificate(error))
        }
        (None, _) => Err(StartError::NoCertificate),
        (Some(Ok(_)), Some(Ok(_))) => Err(StartError::SeveralCertificates),
    }
}

/// The line that Terraform reads from stdout: version of go-plugin's core, of the protocol, network,
/// address, kind, certificate and, if it asks, whether streams can be multiplexed, which they
/// cannot.
pub(super) fn line(
    address: Address<'_>,
    certificate: Option<&CertificateDer<'_>>,
    asks_to_multiplex: bool,
) -> String {
    let certificate = certificate.map(|certificate| STANDARD_NO_PAD.encode(certificate));
    let certificate = certificate.unwrap_or_default();
    let multiplex = if asks_to_multiplex { "|false" } else { "" };
    let Address(network, address) = address;
    let network = network.name();
    format!("1|{PROTOCOL}|{network}|{address}|grpc|{certificate}{multiplex}\n")
}

/// The line that says instead why there is nothing to connect to. With four fields or more it would
/// be taken for an address.
pub(super) fn refusal(error: &StartError) -> String {
    let text = error
        .to_string()
        .replace('|', "/")
        .replace(['\n', '\r'], " ");
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::super::listening::Network;
    use super::*;

    #[test]
    fn six_has_to_be_offered() {
        for offered in ["6", "5,6", "6,5", "4, 6"] {
            check_versions(Some(offered.into()), "a").unwrap();
        }
        check_versions(None, "a").unwrap();
        for offered in ["5", "4,5", "", "16,60"] {
            let error = check_versions(Some(offered.into()), "a").unwrap_err();
            assert!(error.to_string().contains(&format!("\"{offered}\"")));
        }
    }

    #[test]
    fn an_invalid_certificate_is_an_error() {
        let bad = [
            "",
            "yes",
            "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n",
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        ];
        for text in bad {
            assert!(read_certificate(Some(text.into())).is_err(), "{text:?}");
        }
        assert!(read_certificate(None).unwrap().is_none());
    }

    #[test]
    fn one_certificate_is_read_and_two_are_too_many() {
        let one = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
        let read = read_certificate(Some(one.into())).unwrap().unwrap();
        assert_eq!(read.as_ref(), [1, 2, 3]);
        let error = read_certificate(Some(one.repeat(2).into())).unwrap_err();
        assert!(matches!(error, StartError::SeveralCertificates), "{error}");
    }

    #[test]
    fn the_line_has_six_fields_and_a_seventh_on_demand() {
        let certificate = CertificateDer::from(vec![0xff; 4]);
        let socket = Address(Network::Unix, "/a");
        assert_eq!(line(socket, None, false), "1|6|unix|/a|grpc|\n");
        assert_eq!(
            line(socket, Some(&certificate), false),
            "1|6|unix|/a|grpc|/////w\n"
        );
        assert_eq!(line(socket, None, true), "1|6|unix|/a|grpc||false\n");
        let port = Address(Network::Tcp, "127.0.0.1:10000");
        assert_eq!(
            line(port, Some(&certificate), false),
            "1|6|tcp|127.0.0.1:10000|grpc|/////w\n"
        );
    }
}
