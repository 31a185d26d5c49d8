//! Secrets in a record, encrypted with a key that the user keeps elsewhere.
//!
//! XChaCha20-Poly1305 with a random nonce for each secret. What a secret belongs to (the run, the
//! action, the place in its attributes) is authenticated with it, so that none can be moved.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

use crate::hint::Hint;

/// What begins the bytes that the cipher's key is the hash of: the same text used elsewhere gives
/// another key.
const PURPOSE: &[u8] = b"tenon record key 1\0";
/// 32 characters hold at least 128 random bits even when they are hexadecimal digits.
const SHORTEST: usize = 32;
const NONCE: usize = 24;
/// What is encrypted to distinguish a wrong key from a damaged record.
const CHECK: &str = "\"tenon record\"";

/// A key for the secrets of records.
#[derive(Clone)]
pub struct RecordKey(XChaCha20Poly1305);

/// Why a text cannot be a key.
#[derive(Debug, thiserror::Error)]
#[error(
    "the record key is too short: it has {0} bytes and needs at least {SHORTEST}\n  \
     make one with `head -c 32 /dev/urandom | base64 > record.key`"
)]
pub struct ShortKey(usize);

/// Why a record's secrets cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the record key does not fit: the secrets of this record were encrypted with another key")]
pub struct WrongKey;

impl WrongKey {
    /// What a user can do about it.
    pub fn hint(&self) -> Hint {
        Hint::GiveRecordKey
    }
}

impl RecordKey {
    /// The environment variable that may hold a key. Providers do not get it.
    pub const VARIABLE: &'static str = "TENON_RECORD_KEY";

    /// The key that a text stands for. Blanks and line ends around it do not count. The text has to
    /// be random: it is hashed once, which makes a password no stronger.
    ///
    /// # Errors
    /// It is too short.
    pub fn new(text: &[u8]) -> Result<RecordKey, ShortKey> {
        let text = text.trim_ascii();
        if text.len() < SHORTEST {
            return Err(ShortKey(text.len()));
        }
        let hash: [u8; 32] = Sha256::new_with_prefix(PURPOSE)
            .chain_update(text)
            .finalize()
            .into();
        Ok(RecordKey(XChaCha20Poly1305::new(&Key::from(hash))))
    }

    /// A secret, readable only with the key and for the same `owner`.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(crate) fn seal(&self, owner: &str, secret: &str) -> io::Result<String> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)
            .map_err(|error| io::Error::other(format!("no randomness: {error}")))?;
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: owner.as_bytes(),
        };
        let sealed = { self.0.encrypt(&XNonce::from(nonce), payload) }
            .map_err(|_| io::Error::other("a secret could not be encrypted"))?;
        let mut bytes = nonce.to_vec();
        bytes.extend(sealed);
        Ok(STANDARD.encode(bytes))
    }

    /// The secret that was sealed for this owner.
    pub(crate) fn open(&self, owner: &str, sealed: &str) -> Option<String> {
        let bytes = STANDARD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: owner.as_bytes(),
        };
        let secret = self.0.decrypt(&XNonce::from(*nonce), payload).ok()?;
        String::from_utf8(secret).ok()
    }

    /// Shows later whether a key is this one.
    pub(crate) fn check(&self, run: &str) -> io::Result<String> {
        self.seal(&owner(run, "key", &[]), CHECK)
    }

    /// Whether a record's check was made with this key.
    pub(crate) fn fits(&self, run: &str, check: &str) -> bool {
        self.open(&owner(run, "key", &[]), check).as_deref() == Some(CHECK)
    }
}

/// What a secret belongs to.
pub(crate) fn owner(run: &str, what: &str, way: &[crate::masked::Key]) -> String {
    let way = serde_json::to_string(way).unwrap_or_default();
    format!("{run}\n{what}\n{way}")
}

impl fmt::Debug for RecordKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RecordKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"0123456789abcdef0123456789abcdef";

    #[test]
    fn opens_only_with_the_key_and_for_the_owner() {
        let key = RecordKey::new(TEXT).unwrap();
        let sealed = key.seal("run a", "hunter2").unwrap();
        assert!(!sealed.contains("hunter2"));
        assert_eq!(key.open("run a", &sealed).as_deref(), Some("hunter2"));
        assert_eq!(key.open("run b", &sealed), None);
        let other = RecordKey::new(b"0123456789abcdef0123456789abcdeF").unwrap();
        assert_eq!(other.open("run a", &sealed), None);
        assert_eq!(key.open("run a", "bm90IHNlYWxlZA=="), None);
        assert_eq!(key.open("run a", "?"), None);
    }

    #[test]
    fn the_same_secret_is_never_written_twice_alike() {
        let key = RecordKey::new(TEXT).unwrap();
        assert_ne!(key.seal("a", "x").unwrap(), key.seal("a", "x").unwrap());
    }

    #[test]
    fn blanks_around_a_key_do_not_count_and_short_ones_are_refused() {
        let key = RecordKey::new(TEXT).unwrap();
        let spaced = RecordKey::new(&[b" \n", TEXT, b"\r\n"].concat()).unwrap();
        let check = key.check("run").unwrap();
        assert!(spaced.fits("run", &check));
        assert!(!spaced.fits("other", &check));
        assert!(RecordKey::new(&TEXT[1..]).is_err());
        assert!(RecordKey::new(&[b' '; 64]).is_err());
    }
}
