//! Ephemeral resources: things that exist only while they are used.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use tenon_protocols::denobridge::Diagnostic;
use tenon_values::Value;

use crate::parts::{Given, Refusal, Work, read};
use crate::secret::hidden;
use crate::{Attributes, Data, Failure, Typed};

/// An ephemeral resource: a token, a tunnel, a lock. No state or plan ever holds it.
///
/// Calls for different resources run concurrently on one thread, so a function that blocks delays
/// the others. Functions may be written as `async fn`.
pub trait Ephemeral: Send + Sync + 'static {
    /// What the configuration says about it.
    type Props: Attributes + Send + 'static;
    /// What is known about it once it is open. Fields that are [`Secret`](crate::Secret) are not
    /// shown.
    type Result: Attributes + Send + 'static;
    /// What has to be known to renew and close it; `()` if that is nothing. It is never shown.
    type Private: Typed + Send + 'static;

    /// Opens it.
    fn open(
        &self,
        props: Self::Props,
    ) -> impl Future<Output = Result<Opened<Self::Result, Self::Private>, Failure>> + Send;

    /// Renews it. Called at the time that `open` or the last `renew` named.
    fn renew(
        &self,
        private: Self::Private,
    ) -> impl Future<Output = Result<Renewed<Self::Private>, Failure>> + Send {
        std::future::ready(Ok(Renewed::new(private)))
    }

    /// Closes it. Some hosts pass what `open` returned, even if it was renewed since.
    fn close(
        &self,
        private: Self::Private,
    ) -> impl Future<Output = Result<Data<()>, Failure>> + Send {
        drop(private);
        std::future::ready(Ok(Data::done()))
    }
}

/// An ephemeral resource that was opened.
pub struct Opened<T, Private> {
    pub(crate) data: Data<T>,
    pub(crate) renew_at: Option<SystemTime>,
    pub(crate) private: Private,
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

    /// When it has to be renewed; never if not set.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Opened<T, Private> {
        self.renew_at = Some(time);
        self
    }
}

/// An ephemeral resource that was renewed.
pub struct Renewed<Private> {
    pub(crate) renew_at: Option<SystemTime>,
    pub(crate) private: Private,
    pub(crate) diagnostics: Vec<Diagnostic>,
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

    /// When it has to be renewed again; never if not set.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Renewed<Private> {
        self.renew_at = Some(time);
        self
    }

    /// With a diagnostic.
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

/// An [`Ephemeral`] whose types are values.
pub(crate) trait AnyEphemeral: Send + Sync {
    fn open(self: Arc<Self>, props: Value) -> Work<Result<Opened<Value, Value>, Refusal>>;
    fn renew(self: Arc<Self>, private: Value) -> Work<Result<Renewed<Value>, Refusal>>;
    fn close(self: Arc<Self>, private: Value) -> Work<Result<Data<()>, Refusal>>;
}

impl<E: Ephemeral> AnyEphemeral for E {
    fn open(self: Arc<Self>, props: Value) -> Work<Result<Opened<Value, Value>, Refusal>> {
        Box::pin(async move {
            let opened = Ephemeral::open(&*self, read(Given::Props, &props)?).await?;
            Ok(Opened {
                data: opened.data.write("result")?,
                renew_at: opened.renew_at,
                private: write_private(&opened.private)?,
            })
        })
    }

    fn renew(self: Arc<Self>, private: Value) -> Work<Result<Renewed<Value>, Refusal>> {
        Box::pin(async move {
            let renewed = Ephemeral::renew(&*self, read_private(&private)?).await?;
            Ok(Renewed {
                renew_at: renewed.renew_at,
                private: write_private(&renewed.private)?,
                diagnostics: renewed.diagnostics,
            })
        })
    }

    fn close(self: Arc<Self>, private: Value) -> Work<Result<Data<()>, Refusal>> {
        Box::pin(async move { Ok(Ephemeral::close(&*self, read_private(&private)?).await?) })
    }
}

fn read_private<P: Typed>(private: &Value) -> Result<P, Refusal> {
    P::from_value(private).map_err(|error| Refusal::Unfit(Given::Private, hidden(error)))
}

fn write_private<P: Typed>(private: &P) -> Result<Value, Failure> {
    { private.to_value() }.map_err(|_| Failure::new("the private data cannot be written"))
}
