//! The connection to a server.

use std::time::Duration;

use tenon_plugin::Failure;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, MutexGuard};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Connection, SimpleQueryMessage};

use super::error::failure;
use super::tls::Tls;
use crate::attribute::wrong;

/// A server that does not answer is not waited for longer, unless the dsn says so.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// One connection, which is made anew when it was lost.
pub(crate) struct Database {
    config: Config,
    session: Mutex<Session>,
}

/// The connection, for one action alone.
pub(super) struct Session {
    pub(super) client: Client,
    /// A transaction may be open that the next action must not become a part of.
    pub(super) is_in_doubt: bool,
}

impl Database {
    pub(super) async fn open(dsn: &str) -> Result<Database, Failure> {
        let config = read(dsn)?;
        let session = Mutex::new(connect(&config).await?);
        Ok(Database { config, session })
    }

    /// The connection, for one action alone. What an earlier one said with SET, and its temporary
    /// tables, are gone if the connection was lost in between.
    pub(super) async fn session(&self) -> Result<MutexGuard<'_, Session>, Failure> {
        let mut session = self.session.lock().await;
        // Asked, since a connection that the server has just ended does not look closed yet.
        if session.is_in_doubt || session.client.check_connection().await.is_err() {
            *session = connect(&self.config).await?;
        }
        Ok(session)
    }
}

impl Session {
    /// Rolls back a transaction that is still open after an action, and returns whether there was one.
    pub(super) async fn roll_back(&mut self) -> Result<bool, tokio_postgres::Error> {
        // A local setting lasts as long as the transaction it was made in. Without one, that is
        // the statement itself.
        let set = "SELECT set_config('tenon.transaction', 'open', true)";
        let shown = "SELECT current_setting('tenon.transaction', true)";
        let is_open = match self.client.simple_query(set).await {
            Ok(_) => {
                let answer = self.client.simple_query(shown).await?;
                answer.iter().any(|message| {
                    matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some("open"))
                })
            }
            // One that an error has ended is open until it is rolled back.
            Err(error) if error.code() == Some(&SqlState::IN_FAILED_SQL_TRANSACTION) => true,
            Err(error) => return Err(error),
        };
        if is_open {
            self.client.batch_execute("ROLLBACK").await?;
        }
        self.is_in_doubt = false;
        Ok(is_open)
    }
}

/// Reads a dsn. Errors do not quote it: it contains a password.
fn read(dsn: &str) -> Result<Config, Failure> {
    // A certificate is always checked, so these ask for no more than `require` does here.
    let dsn = dsn
        .replace("sslmode=verify-full", "sslmode=require")
        .replace("sslmode=verify-ca", "sslmode=require");
    let mut config: Config = dsn.parse().map_err(|error: tokio_postgres::Error| {
        let what = std::error::Error::source(&error).map(ToString::to_string);
        // Of the library's messages only this one is sure to quote none of the dsn.
        let known = what.filter(|what| what.starts_with("invalid value for option"));
        let known = known.map(|what| format!(" ({what})")).unwrap_or_default();
        wrong(
            "dsn",
            format!(
                "it cannot be read{known} and should look like postgres://user:password@host:5432/database, with special characters percent-encoded"
            ),
        )
    })?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_LIMIT);
    }
    if config.get_application_name().is_none() {
        config.application_name("tenon");
    }
    if config.get_ssl_mode() != SslMode::Require {
        // To prefer encryption does not protect from an attacker who can change what is sent, and fails where
        // a server on the same machine has a certificate of its own making.
        config.ssl_mode(SslMode::Disable);
    }
    Ok(config)
}

async fn connect(config: &Config) -> Result<Session, Failure> {
    let (client, connection) = config.connect(Tls).await.map_err(|e| failure(&e))?;
    drive(connection);
    Ok(Session {
        client,
        is_in_doubt: false,
    })
}

/// Moves the messages. It ends with the client, or when the connection is lost, which the client
/// then says.
fn drive<S, T>(connection: Connection<S, T>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!("the connection to PostgreSQL was lost: {error}");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_dsn_is_not_quoted() {
        for wrong in [
            "postgres://user:s3cret@host:port/x",
            "postgres://user:s3cret@host/x?s3cret=1",
            "host=x s3cret",
            "s3cret",
            "host=x password='s3cret",
            "host=x sslmode=s3cret",
        ] {
            let error = format!("{:?}", read(wrong).unwrap_err());
            assert!(error.contains("postgres://user:password@host"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        let error = format!("{:?}", read("host=x sslmode=always").unwrap_err());
        assert!(error.contains("sslmode"), "{error}");
    }

    #[test]
    fn omitted_settings_have_a_default() {
        let config = read("host=x").unwrap();
        assert_eq!(config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(config.get_connect_timeout(), Some(&CONNECT_LIMIT));
        let config = read("postgres://x/y?sslmode=verify-full&connect_timeout=3").unwrap();
        assert_eq!(config.get_ssl_mode(), SslMode::Require);
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
    }
}
