//! Only Terraform can connect, with the certificate that it sent.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    PKCS_ECDSA_P521_SHA512,
};
use rustls::client::ResolvesClientCert;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore, SignatureScheme, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use crate::client::Client;
use crate::started::Started;

/// A certificate like those that Terraform makes.
pub(crate) struct Identity {
    pub(crate) certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Identity {
    pub(crate) fn new() -> Identity {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).unwrap();
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ClientAuth,
            ExtendedKeyUsagePurpose::ServerAuth,
        ];
        Identity {
            certificate: parameters.self_signed(&key).unwrap(),
            key,
        }
    }

    fn certified(&self, key: &KeyPair) -> CertifiedKey {
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let key = aws_lc_rs::sign::any_supported_type(&key).unwrap();
        CertifiedKey::new(vec![self.certificate.der().clone()], key)
    }
}

/// Presents a certificate without checking that its key matches.
#[derive(Debug)]
struct Presented(Arc<CertifiedKey>);

impl ResolvesClientCert for Presented {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }

    fn has_certs(&self) -> bool {
        true
    }
}

/// A connection of either network.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The networks that a provider can listen on.
const NETWORKS: [&str; 2] = ["unix", "tcp"];

/// A provider that waits for one client, and its handshake line.
struct Encrypted {
    _provider: Started,
    network: String,
    address: String,
    certificate: CertificateDer<'static>,
}

impl Encrypted {
    fn start(terraform: &Identity) -> Encrypted {
        Encrypted::start_on("unix", terraform)
    }

    fn start_on(network: &str, terraform: &Identity) -> Encrypted {
        let provider = Started::by_terraform(&[
            ("PLUGIN_CLIENT_CERT", &terraform.certificate.pem()),
            ("TENON_PROVIDER_NETWORK", network),
        ]);
        let line = provider.line();
        let fields: Vec<_> = line.split('|').collect();
        let certificate = STANDARD_NO_PAD.decode(fields[5]).unwrap();
        assert_eq!(fields[2], network);
        Encrypted {
            network: network.to_owned(),
            address: fields[3].to_owned(),
            certificate: certificate.into(),
            _provider: provider,
        }
    }

    /// Connects without saying anything.
    async fn connect(&self) -> Box<dyn Stream> {
        match self.network.as_str() {
            "tcp" => Box::new(TcpStream::connect(&self.address).await.unwrap()),
            _ => Box::new(UnixStream::connect(&self.address).await.unwrap()),
        }
    }

    /// Connects and calls. With TLS 1.3 a client learns only after the handshake that it was
    /// refused.
    async fn call(
        &self,
        client: Option<CertifiedKey>,
        version: &'static SupportedProtocolVersion,
    ) -> Result<(), String> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match client {
            Some(client) => config.with_client_cert_resolver(Arc::new(Presented(client.into()))),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = self.connect().await;
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
            .map_err(|error| error.to_string())?;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let client = Client::on(stream)
            .await
            .map_err(|error| error.to_string())?;
        let healthy = client.health("plugin").await;
        healthy.map(drop).map_err(|status| status.to_string())
    }
}

#[tokio::test]
async fn only_terraform_gets_in() {
    let terraform = Identity::new();
    let stranger = Identity::new();
    for network in NETWORKS {
        let provider = Encrypted::start_on(network, &terraform);
        for version in [&TLS12, &TLS13] {
            provider.call(None, version).await.unwrap_err();
            let another = stranger.certified(&stranger.key);
            provider.call(Some(another), version).await.unwrap_err();
            let stolen = terraform.certified(&stranger.key);
            provider.call(Some(stolen), version).await.unwrap_err();
            // The refused clients had no effect.
            let right = terraform.certified(&terraform.key);
            provider.call(Some(right), version).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_plain_client_is_refused() {
    for network in NETWORKS {
        let provider = Encrypted::start_on(network, &Identity::new());
        let client = Client::on(provider.connect().await).await.unwrap();
        client.health("plugin").await.unwrap_err();
    }
}

#[tokio::test]
async fn silent_clients_do_not_hold_up_terraform() {
    let terraform = Identity::new();
    for network in NETWORKS {
        let provider = Encrypted::start_on(network, &terraform);
        let mut silent = Vec::new();
        for _ in 0..16 {
            silent.push(provider.connect().await);
        }
        let right = terraform.certified(&terraform.key);
        provider.call(Some(right), &TLS13).await.unwrap();
    }
}

#[test]
fn every_process_has_a_certificate_of_its_own() {
    let terraform = Identity::new();
    let one = Encrypted::start(&terraform);
    let other = Encrypted::start(&terraform);
    assert_ne!(one.certificate, other.certificate);
}
