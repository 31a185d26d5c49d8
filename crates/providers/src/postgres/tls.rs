//! TLS to a server whose certificate the system trusts, with channel binding.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use sha2::{Digest, Sha256, Sha384, Sha512};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// Makes a connector for each server. A connection without TLS needs none, so certificates are read only when one is used.
pub(super) struct Tls;

pub(super) struct Connector {
    server: String,
}

pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connector;
    type Error = io::Error;

    fn make_tls_connect(&mut self, server: &str) -> io::Result<Connector> {
        let server = server.to_owned();
        Ok(Connector { server })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connector {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let server = ServerName::try_from(self.server).map_err(io::Error::other)?;
            let connector = TlsConnector::from(Arc::new(config()?));
            connector.connect(server, stream).await.map(Encrypted)
        })
    }
}

fn config() -> io::Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| io::Error::other(format!("no certificates to trust were found: {error}")))?
        .with_no_client_auth();
    // What sslnegotiation=direct asks for.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(config)
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    /// Binds the password's proof to this certificate, so that a man in the middle cannot pass it on.
    fn channel_binding(&self) -> ChannelBinding {
        let (_, session) = self.0.get_ref();
        let certificate = session.peer_certificates().and_then(<[_]>::first);
        match certificate.and_then(|certificate| end_point(certificate)) {
            Some(hash) => ChannelBinding::tls_server_end_point(hash),
            None => ChannelBinding::none(),
        }
    }
}

/// The hash of a certificate for `tls-server-end-point` (RFC 5929): with the function of its signature, and with SHA-256
/// instead of weaker ones. `None` for signatures without one such function, as Ed25519.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
    let algorithm = signature_algorithm(certificate)?;
    let rsa = algorithm.strip_prefix(RSA);
    let ecdsa = algorithm.strip_prefix(ECDSA);
    match (rsa, ecdsa) {
        // MD5, SHA-1, SHA-256; SHA-1, SHA-256.
        (Some([4 | 5 | 11]), _) | (_, Some([1] | [3, 2])) => {
            Some(Sha256::digest(certificate).to_vec())
        }
        (Some([12]), _) | (_, Some([3, 3])) => Some(Sha384::digest(certificate).to_vec()),
        (Some([13]), _) | (_, Some([3, 4])) => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

/// The object identifier in `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { OID, .. }, .. }`.
fn signature_algorithm(certificate: &[u8]) -> Option<&[u8]> {
    const SEQUENCE: u8 = 0x30;
    const OBJECT_IDENTIFIER: u8 = 0x06;
    let (certificate, _) = element(SEQUENCE, certificate)?;
    let (_to_be_signed, rest) = element(SEQUENCE, certificate)?;
    let (algorithm, _) = element(SEQUENCE, rest)?;
    let (identifier, _) = element(OBJECT_IDENTIFIER, algorithm)?;
    Some(identifier)
}

/// Splits DER into the content of its first element, which must have this tag, and what follows it.
fn element(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = der.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        // The length of the length, in a long form.
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let length = { bytes.iter() }.fold(0, |length, byte| length << 8 | usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    (*first == tag)
        .then(|| rest.split_at_checked(length))
        .flatten()
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};

    use super::*;

    fn certificate(key: &KeyPair) -> Vec<u8> {
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.self_signed(key).unwrap().der().to_vec()
    }

    #[test]
    fn a_certificate_is_hashed_as_it_was_signed() {
        let usual = certificate(&KeyPair::generate().unwrap());
        assert_eq!(end_point(&usual), Some(Sha256::digest(&usual).to_vec()));
        let longer = certificate(&KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap());
        assert_eq!(end_point(&longer), Some(Sha384::digest(&longer).to_vec()));
        let other = certificate(&KeyPair::generate_for(&PKCS_ED25519).unwrap());
        assert_eq!(end_point(&other), None);
    }

    #[test]
    fn what_is_not_a_certificate_has_no_hash() {
        let whole = certificate(&KeyPair::generate().unwrap());
        // The signature at the end is not looked at.
        for length in 0..whole.len() - 100 {
            assert_eq!(end_point(&whole[..length]), None);
        }
        for text in [
            &[0x30, 0x80][..],
            &[0x30, 0x85, 1, 1, 1, 1, 1],
            &[0x30, 0x84, 255, 255, 255, 255],
        ] {
            assert_eq!(end_point(text), None);
        }
    }
}
