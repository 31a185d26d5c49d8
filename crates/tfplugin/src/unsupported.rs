//! Errors for what Terraform's protocol has and a provider does not.

use std::pin::Pin;

use tokio_stream::Stream;
use tonic::Status;

use crate::diagnostic::{Diagnostic, Diagnostics};

/// A call that the provider does not implement.
pub(crate) fn call(what: &str) -> Diagnostics {
    error(format!("This provider cannot {what}."))
}

/// Calls about state storage.
pub(crate) fn state_stores() -> Diagnostics {
    error("This provider does not store states. Configure a backend instead.")
}

/// Queries for resources that exist.
pub(crate) fn list(type_name: &str) -> Diagnostics {
    error(format!(
        "{type_name} cannot be listed. Import resources one by one."
    ))
}

fn error(detail: impl Into<String>) -> Diagnostics {
    vec![Diagnostic::error("Not supported", detail)]
}

/// A stream of one answer.
pub(crate) fn only<T: Send + 'static>(
    answer: T,
) -> Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>> {
    Box::pin(tokio_stream::once(Ok(answer)))
}
