//! The provider postgres and a real PostgreSQL that proves by TLS who it is.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::json;

use crate::provider_support::postgres::{Identity, PASSWORD, Server, with_tls_server};
use crate::stage::Stage;
use crate::support::shell::Outcome;

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate, as PEM.
    certificate: String,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate").pem();
        Authority {
            issuer: Issuer::new(params, key),
            certificate,
        }
    }

    /// What proves that a server has this name.
    fn identity(&self, name: &str) -> Identity {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

/// Asks the server whether the connection is encrypted.
fn stage(server: &Server, name: &str) -> Stage {
    let stage = Stage::new(json!({}));
    stage.scenario_with(
        "postgres = { source = \"builtin/postgres\" }",
        r#"
  variable "dsn" {
    type = string
  }
  provider "postgres" {
    dsn = var.dsn
  }
  action "postgres_query" "security" {
    query = "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
  }
  output "is_encrypted" {
    value = action.postgres_query.security.ssl
  }
  output "version" {
    value = action.postgres_query.security.version
  }
"#,
    );
    let variables = json!({ "dsn": server.config_by_tls(name)["dsn"] });
    stage.shell.file("dsn.json", &variables.to_string());
    stage
}

/// Runs the scenario where this authority alone is trusted.
async fn run(stage: &mut Stage, trusted: &Authority) -> Outcome {
    stage.shell.file("authority.pem", &trusted.certificate);
    let file = stage.shell.path("authority.pem");
    let line = "tenon run demo.hcl --var-file dsn.json";
    let line = format!("SSL_CERT_FILE={} {line}", file.display());
    stage.run(&line).await
}

#[tokio::test]
async fn a_server_that_the_certificates_prove_is_used() {
    let authority = Authority::new("ours");
    with_tls_server(&authority.identity("localhost"), async |server: &Server| {
        let mut stage = stage(server, "localhost");
        let outcome = run(&mut stage, &authority).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        for line in ["is_encrypted = true", "version = TLSv1.3"] {
            assert!(outcome.stdout.contains(line), "{}", outcome.stdout);
        }
    })
    .await;
}

/// Neither one of an authority that is not trusted, nor one that has another name.
#[tokio::test]
async fn a_server_that_they_do_not_prove_is_refused() {
    let (authority, stranger) = (Authority::new("ours"), Authority::new("a stranger"));
    with_tls_server(&authority.identity("localhost"), async |server: &Server| {
        for (name, trusted, problem) in [
            ("localhost", &stranger, "UnknownIssuer"),
            ("database.example", &authority, "not valid for name"),
        ] {
            let mut stage = stage(server, name);
            let outcome = run(&mut stage, trusted).await;
            assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(said.contains(problem), "{said}");
            assert!(!said.contains(PASSWORD), "{said}");
        }
    })
    .await;
}
