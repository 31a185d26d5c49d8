//! Terraform's part of the encryption: a certificate that is made anew, as go-plugin makes it.

use std::io;
use std::sync::Arc;

use bench_harness::section::fault;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    PKCS_ECDSA_P521_SHA512,
};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// By which the provider knows its client.
pub struct Identity {
    certificate: Certificate,
    key: KeyPair,
}

impl Identity {
    pub fn new() -> io::Result<Identity> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).map_err(fault)?;
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).map_err(fault)?;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ClientAuth,
            ExtendedKeyUsagePurpose::ServerAuth,
        ];
        let certificate = parameters.self_signed(&key).map_err(fault)?;
        Ok(Identity { certificate, key })
    }

    /// What goes into the provider's environment.
    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// Encrypts a connection to the provider that has this certificate.
    pub async fn connect(
        &self,
        stream: UnixStream,
        provider: CertificateDer<'static>,
    ) -> io::Result<TlsStream<UnixStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(provider).map_err(fault)?;
        let key = PrivateKeyDer::Pkcs8(self.key.serialize_der().into());
        let mut config =
            ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(fault)?
                .with_root_certificates(roots)
                .with_client_auth_cert(vec![self.certificate.der().clone()], key)
                .map_err(fault)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from("localhost").map_err(fault)?;
        TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
    }
}
