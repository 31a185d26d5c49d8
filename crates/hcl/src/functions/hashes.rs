//! Functions that make fingerprints and identifiers.

use base64::Engine;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use tenon_values::{Type, Value};

use super::encodings::BASE64;
use crate::function::parameter::string;
use crate::function::{Arguments, Function, FunctionError};

/// Makes text of bytes.
pub(super) type Hash = fn(&[u8]) -> String;

/// For each hash: the function of a string, the function of a file, the hash, and a description of both.
pub(super) const HASHES: [(&str, &str, Hash, &str); 6] = [
    (
        "base64sha256",
        "filebase64sha256",
        |bytes| BASE64.encode(Sha256::digest(bytes)),
        "Returns the SHA-256 hash, encoded as base64.",
    ),
    (
        "base64sha512",
        "filebase64sha512",
        |bytes| BASE64.encode(Sha512::digest(bytes)),
        "Returns the SHA-512 hash, encoded as base64.",
    ),
    (
        "md5",
        "filemd5",
        |bytes| hexadecimal(&Md5::digest(bytes)),
        "Returns the MD5 hash in hexadecimal; not for security.",
    ),
    (
        "sha1",
        "filesha1",
        |bytes| hexadecimal(&Sha1::digest(bytes)),
        "Returns the SHA-1 hash in hexadecimal; not for security.",
    ),
    (
        "sha256",
        "filesha256",
        |bytes| hexadecimal(&Sha256::digest(bytes)),
        "Returns the SHA-256 hash in hexadecimal.",
    ),
    (
        "sha512",
        "filesha512",
        |bytes| hexadecimal(&Sha512::digest(bytes)),
        "Returns the SHA-512 hash in hexadecimal.",
    ),
];

/// The first of the namespaces that RFC 4122 names; the others differ in one byte.
const NAMESPACE: u128 = 0x6ba7b810_9dad_11d1_80b4_00c04fd430c8;

pub(super) fn all() -> Vec<Function> {
    let hash = |(name, _, hash, description): (_, _, Hash, _)| {
        Function::new(name, [string("text")])
            .describe(description)
            .gives(Type::String, move |arguments| {
                Ok(hash(arguments.text(0)?.as_bytes()).into())
            })
    };
    let identifiers = [
        Function::new("uuid", [])
            .describe("Returns a new random UUID with each call.")
            .impure()
            .gives(Type::String, |_| random_uuid()),
        Function::new("uuidv5", [string("namespace"), string("name")])
            .describe("Returns the version 5 UUID of a name in a namespace: dns, url, oid, x500 or a UUID.")
            .gives(Type::String, named_uuid),
    ];
    HASHES.into_iter().map(hash).chain(identifiers).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn random_uuid() -> Result<Value, FunctionError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        FunctionError::new("the system returned no random bytes").because(error)
    })?;
    Ok(uuid(bytes, 4).into())
}

fn named_uuid(arguments: Arguments) -> Result<Value, FunctionError> {
    let namespace = arguments.text(0)?;
    let standard = |number: u128| (NAMESPACE + (number << 96)).to_be_bytes();
    let namespace = match namespace {
        "dns" => standard(0),
        "url" => standard(1),
        "oid" => standard(2),
        "x500" => standard(4),
        text => read_uuid(text).ok_or_else(|| {
            let message = "the namespace dns, url, oid, x500 or a UUID is required";
            FunctionError::new(message).at(0).quoting(text)
        })?,
    };
    let digest = Sha1::new()
        .chain_update(namespace)
        .chain_update(arguments.text(1)?)
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Ok(uuid(bytes, 5).into())
}

/// A UUID with hyphens, perhaps in braces or as a URN, or one without hyphens.
fn read_uuid(text: &str) -> Option<[u8; 16]> {
    let in_braces = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let text = in_braces.or(text.strip_prefix("urn:uuid:")).unwrap_or(text);
    let has_hyphens = text.len() == 36
        && text
            .match_indices('-')
            .map(|(at, _)| at)
            .eq([8, 13, 18, 23]);
    let digits = match has_hyphens {
        true => text.replace('-', ""),
        false => text.to_owned(),
    };
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(&digits, 16)
        .ok()
        .map(u128::to_be_bytes)
}

/// The text of a UUID, with the bits that every one of this version has.
fn uuid(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = (bytes[6] & 0x0f) | (version << 4);
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hexadecimal(&bytes);
    let parts = [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ones_differ_and_say_what_they_are() {
        let [this, that] = [(); 2].map(|()| random_uuid().unwrap());
        assert_ne!(this, that);
        let text = this.as_str().unwrap();
        assert!(read_uuid(text).is_some());
        assert_eq!(&text[14..15], "4");
        assert!("89ab".contains(&text[19..20]));
    }
}
