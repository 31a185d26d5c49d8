//! The schemas of providers, read before anything is run.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tenon_host::{Capture, CaptureError};
use tenon_protocols::orchard::ProviderSchema;

use crate::environment::ProviderEnvironment;
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::providers::launcher::Launcher;
use crate::providers::provider::Provider;
use crate::reading::model::ProviderSource;

/// How long `<provider> schema` may take.
const SCHEMA_LIMIT: Duration = Duration::from_secs(5);

/// A provider whose schema is needed.
pub(crate) struct Asked<'a> {
    /// What errors call it.
    pub(crate) name: String,
    pub(crate) source: &'a ProviderSource,
    pub(crate) environment: &'a ProviderEnvironment,
}

impl Launcher {
    /// What providers offer, in their order. All are asked at the same time.
    ///
    /// # Errors
    /// Those of all that failed, in the order of their messages.
    pub(crate) async fn schemas(
        &self,
        asked: &[Asked<'_>],
    ) -> Result<Vec<Arc<ProviderSchema>>, Vec<ProviderFailure>> {
        let answers =
            { asked.iter() }.map(|one| self.schema(&one.name, one.source, one.environment));
        let mut schemas = Vec::new();
        let mut failures = Vec::new();
        for answer in join_all(answers).await {
            match answer {
                Ok(schema) => schemas.push(Arc::new(schema)),
                Err(failure) => failures.push(failure),
            }
        }
        failures.sort_by(|a, b| a.message.cmp(&b.message));
        match failures.is_empty() {
            true => Ok(schemas),
            false => Err(failures),
        }
    }

    /// What a provider offers: runs `<provider> schema`. One that does not know that subcommand
    /// is started and asked to `describe` itself.
    ///
    /// # Errors
    /// It cannot be started, takes too long, fails, or answers something else.
    pub async fn schema(
        &self,
        name: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> Result<ProviderSchema, ProviderFailure> {
        match self.printed_schema(name, source, environment).await {
            Ok(schema) => Ok(schema),
            Err(Unprinted::Broken(failure)) => Err(failure),
            Err(Unprinted::Unknown(mut failure)) => {
                let described = Provider::describe(name, source, environment, self).await;
                described.map_err(|second| {
                    failure.message += &format!(
                        "\n  without the subcommand `schema`, `describe` was tried:\n    {}",
                        second.message.replace('\n', "\n    ")
                    );
                    failure
                })
            }
        }
    }

    /// What `<provider> schema` prints.
    async fn printed_schema(
        &self,
        name: &str,
        source: &ProviderSource,
        environment: &ProviderEnvironment,
    ) -> Result<ProviderSchema, Unprinted> {
        let command = self.command(name, source, environment);
        let command = command.map_err(Unprinted::Broken)?.arg("schema");
        let capture = Capture {
            time_limit: Some(SCHEMA_LIMIT),
            ..Capture::default()
        };
        let captured = capture.run(&command).await.map_err(|error| {
            let (kind, problem) = match &error {
                CaptureError::CannotStart { .. } => (FailureKind::CannotStart, error.to_string()),
                CaptureError::TimedOut { limit, .. } => (
                    FailureKind::TimedOut,
                    format!("it did not print its schema within {limit:?}"),
                ),
                CaptureError::TooMuch { limit, .. } => (
                    FailureKind::BrokeProtocol,
                    format!("it printed more than {limit} bytes instead of a schema"),
                ),
                error => (FailureKind::BrokeProtocol, error.to_string()),
            };
            let message = format!("the provider {name:?}: {problem}\n  command: {command}");
            Unprinted::Broken(ProviderFailure::new(kind, message))
        })?;
        let broke = |problem: String| {
            let message = format!(
                "the provider {name:?}: {problem}\n  command: {command}{}",
                self.last_lines(&captured.stderr)
            );
            ProviderFailure::new(FailureKind::BrokeProtocol, self.secrets.hide(&message))
        };
        if !captured.status.success() {
            let failure = broke(format!(
                "could not read its schema: it ended with {}",
                captured.status
            ));
            // One that was killed has not refused the subcommand.
            return Err(match captured.status.code() {
                Some(_) => Unprinted::Unknown(failure),
                None => Unprinted::Broken(failure),
            });
        }
        if !captured.stdout.trim_ascii_start().starts_with(b"{") {
            let printed = self.quote(&captured.stdout);
            return Err(Unprinted::Unknown(broke(format!(
                "what it printed is not a schema, which is a JSON object\n  it printed: {printed}"
            ))));
        }
        let schema: ProviderSchema = serde_json::from_slice(&captured.stdout).map_err(|error| {
            let printed = self.quote(&captured.stdout);
            let error = self.secrets.hide(&error.to_string());
            Unprinted::Broken(broke(format!(
                "what it printed is not a schema: {error}\n  it printed: {printed}"
            )))
        })?;
        let checked = schema.check();
        checked.map_err(|error| Unprinted::Broken(broke(error.to_string())))?;
        Ok(schema)
    }

    /// The last lines that it wrote to stderr, without secrets.
    fn last_lines(&self, stderr: &[u8]) -> String {
        const SHOWN: usize = 10;
        let text = self.secrets.hide(&String::from_utf8_lossy(stderr));
        let lines: Vec<&str> = text.lines().collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN)..];
        match shown {
            [] => String::new(),
            shown => format!(
                "\n  last lines of its stderr:\n    {}",
                shown.join("\n    ")
            ),
        }
    }

    /// The beginning of what it printed. Secrets are masked before it is cut.
    fn quote(&self, bytes: &[u8]) -> String {
        const SHOWN: usize = 200;
        match &self.secrets.hide_bytes(bytes, false)[..] {
            [] => "nothing".into(),
            bytes => format!(
                "{:?}",
                String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)])
            ),
        }
    }
}

/// Why `<provider> schema` printed no schema.
enum Unprinted {
    /// It may lack the subcommand.
    Unknown(ProviderFailure),
    /// It cannot be used.
    Broken(ProviderFailure),
}
