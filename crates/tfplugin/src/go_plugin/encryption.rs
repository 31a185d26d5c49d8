//! TLS in which each side knows exactly one certificate of the other: ours goes to Terraform in the
//! handshake's line, Terraform's comes in the environment.

use std::sync::Arc;

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature,
    verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use tokio_rustls::TlsAcceptor;

use super::error::StartError;

/// Our certificate and key, made for this process, and the one client that may connect.
pub(super) struct Encryption {
    certificate: CertificateDer<'static>,
    config: ServerConfig,
}

impl Encryption {
    /// # Errors
    /// The system has no randomness to make a key of.
    pub(super) fn new(client: CertificateDer<'static>) -> Result<Encryption, StartError> {
        let (certificate, key) = make_certificate().map_err(StartError::OwnCertificate)?;
        // The provider of ring knows no P-521, the curve of Terraform's certificates.
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = OnlyClient::new(client, &provider);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(Arc::new(verifier))
            .with_single_cert(vec![certificate.clone()], key.into())?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        // A resumed session would skip the look at the certificate, and Terraform resumes none.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Encryption {
            certificate,
            config,
        })
    }

    pub(super) fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    pub(super) fn into_acceptor(self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::new(self.config))
    }
}

/// Terraform connects to "localhost", whatever the socket is called.
fn make_certificate() -> Result<(CertificateDer<'static>, PrivatePkcs8KeyDer<'static>), rcgen::Error>
{
    let key = KeyPair::generate()?;
    let mut parameters = CertificateParams::new(["localhost".to_owned()])?;
    parameters
        .distinguished_name
        .push(DnType::CommonName, "localhost");
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let certificate = parameters.self_signed(&key)?;
    Ok((certificate.der().clone(), key.serialize_der().into()))
}

/// Lets in who presents one certificate and proves to have its key. What the certificate says of
/// itself is of no interest: rules for authorities would refuse Terraform's, which is one and is
/// used as an end entity.
#[derive(Debug)]
struct OnlyClient {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl OnlyClient {
    fn new(certificate: CertificateDer<'static>, provider: &CryptoProvider) -> OnlyClient {
        OnlyClient {
            certificate,
            algorithms: provider.signature_verification_algorithms,
        }
    }
}

impl ClientCertVerifier for OnlyClient {
    fn client_auth_mandatory(&self) -> bool {
        true
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        presented: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if presented.as_ref() == self.certificate.as_ref() {
            Ok(ClientCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
