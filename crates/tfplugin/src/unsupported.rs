//! What Terraform's protocol has and this provider has not, said clearly.

use std::pin::Pin;

use tokio_stream::Stream;
use tonic::Status;

use crate::diagnostic::{self, Diagnostics};

pub(crate) const STATE_STORES: &str = "This provider keeps no states. Configure a backend instead.";

pub(crate) fn said(what: &str) -> Diagnostics {
    vec![diagnostic::error("Not supported", what)]
}

pub(crate) fn list(type_name: &str) -> Diagnostics {
    said(&format!(
        "{type_name} cannot be listed: which resources there are is known to no script. Import \
         them one by one."
    ))
}

/// A stream of one answer.
pub(crate) fn only<T: Send + 'static>(
    answer: T,
) -> Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>> {
    Box::pin(tokio_stream::once(Ok(answer)))
}
