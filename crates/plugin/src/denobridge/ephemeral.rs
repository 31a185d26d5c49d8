//! Ephemeral resources: what is there only while it is needed.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::{
    Diagnostic, Json, OpenResult, Outcome, PrivateData, Props, RenewResult,
};

use super::{Data, Failure, Secret, wire};

/// An ephemeral resource: a token, a tunnel, a lock. No state or plan ever holds it.
///
/// Calls come at the same time, for different resources, on one thread: what blocks keeps the
/// others waiting. Functions may be written as `async fn`.
pub trait Ephemeral: Send + Sync + 'static {
    /// What the configuration says about it.
    type Props: DeserializeOwned + Send + 'static;
    /// What may be shown of it once it is open; the rest is [`sensitive`](Data::sensitive).
    type Result: Serialize + Send + 'static;
    /// What has to be known to renew and close it; `()` if that is nothing. Nobody is shown it.
    type Private: Serialize + DeserializeOwned + Send + 'static;

    /// Opens it.
    fn open(
        &self,
        props: Self::Props,
    ) -> impl Future<Output = Result<Opened<Self::Result, Self::Private>, Failure>> + Send;

    /// Makes it last longer. Called when the time has come that `open` or the last `renew` named.
    fn renew(
        &self,
        private: Self::Private,
    ) -> impl Future<Output = Result<Renewed<Self::Private>, Failure>> + Send {
        std::future::ready(Ok(Renewed::new(private)))
    }

    /// Closes it. Hosts may know nothing newer than what `open` left for later.
    fn close(
        &self,
        private: Self::Private,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send {
        drop(private);
        std::future::ready(Ok(Outcome::done()))
    }
}

/// An ephemeral resource that was opened.
pub struct Opened<T, Private> {
    data: Data<T>,
    renew_at: Option<SystemTime>,
    private: Private,
}

impl<T, Private> Opened<T, Private> {
    /// What was opened, a result or [`Data`] with more, and what is needed to renew and close it.
    pub fn new(result: impl Into<Data<T>>, private: Private) -> Opened<T, Private> {
        Opened {
            data: result.into(),
            renew_at: None,
            private,
        }
    }

    /// When it has to be renewed; never, unless this is said.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Opened<T, Private> {
        self.renew_at = Some(time);
        self
    }
}

/// An ephemeral resource that lasts longer now.
pub struct Renewed<Private> {
    renew_at: Option<SystemTime>,
    private: Private,
    diagnostics: Vec<Diagnostic>,
}

impl<Private> Renewed<Private> {
    /// What is needed from now on to renew and close it.
    pub fn new(private: Private) -> Renewed<Private> {
        Renewed {
            renew_at: None,
            private,
            diagnostics: Vec::new(),
        }
    }

    /// When it has to be renewed again; never, unless this is said.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Renewed<Private> {
        self.renew_at = Some(time);
        self
    }

    /// And what to tell the user.
    #[must_use]
    pub fn diagnostic(mut self, diagnostic: Diagnostic) -> Renewed<Private> {
        self.diagnostics.push(diagnostic);
        self
    }
}

impl<T, Private> fmt::Debug for Opened<T, Private> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Opened")
            .field("renew_at", &self.renew_at)
            .finish_non_exhaustive()
    }
}

impl<Private> fmt::Debug for Renewed<Private> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Renewed")
            .field("renew_at", &self.renew_at)
            .finish_non_exhaustive()
    }
}

pub(super) async fn open<E: Ephemeral>(
    ephemeral: Arc<E>,
    params: Props,
) -> Result<OpenResult, Failure> {
    let opened = ephemeral.open(wire::read(&params.props, "props")?).await?;
    let written = opened.data.write("result")?;
    Ok(OpenResult {
        result: Some(written.value),
        sensitive_result: written.sensitive,
        renew_at: opened.renew_at.map(seconds),
        private_data: Some(write_private(&opened.private)?),
        diagnostics: written.diagnostics,
    })
}

pub(super) async fn renew<E: Ephemeral>(
    ephemeral: Arc<E>,
    params: PrivateData,
) -> Result<Option<RenewResult>, Failure> {
    let renewed = ephemeral.renew(read_private(params)?).await?;
    Ok(Some(RenewResult {
        renew_at: renewed.renew_at.map(seconds),
        private_data: Some(write_private(&renewed.private)?),
        diagnostics: renewed.diagnostics,
    }))
}

pub(super) async fn close<E: Ephemeral>(
    ephemeral: Arc<E>,
    params: PrivateData,
) -> Result<Option<Outcome>, Failure> {
    ephemeral.close(read_private(params)?).await.map(Some)
}

fn read_private<Private: DeserializeOwned>(params: PrivateData) -> Result<Private, Failure> {
    Secret::new(params.private_data, "privateData").reveal()
}

fn write_private<Private: Serialize>(private: &Private) -> Result<Json, Failure> {
    // What serde says about it may quote it.
    wire::write(private, "private data")
        .map_err(|_| Failure::new("the private data cannot be written as JSON"))
}

/// Rounded down: too early is no harm.
fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        // Before 1970: at once.
        Err(_) => 0,
    }
}
