//! Digests of texts.

use sha2::{Digest, Sha256};

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn digest_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
