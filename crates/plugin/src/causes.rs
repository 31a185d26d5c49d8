//! What stands behind an error.

use std::error::Error;

/// The causes of an error, a line for each, if there are any.
pub(crate) fn causes(error: &impl Error) -> Option<String> {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let causes: Vec<String> = causes.map(|cause| format!("caused by: {cause}")).collect();
    (!causes.is_empty()).then(|| causes.join("\n"))
}
