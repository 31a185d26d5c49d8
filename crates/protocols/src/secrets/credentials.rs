//! Credentials inside a larger secret: a header, a URL, a connection string.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter credentials could be any word, so they are masked only as a part of the whole secret.
const SHORTEST_PART: usize = 6;

/// A user name without a password in a URL counts as a token from this length on.
const TOKEN: usize = 20;

/// The schemes of an `Authorization` header.
const SCHEMES: [&str; 6] = ["basic", "bearer", "token", "apikey", "api-key", "negotiate"];

/// More names of secret settings, which are secrets in connection strings and in URLs, but not elsewhere.
const NAMES: [&str; 2] = ["pwd", "signature"];

/// The parts of a secret that are secrets by themselves.
pub(super) fn parts(secret: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for line in secret.lines() {
        of_scheme(line, &mut parts);
    }
    of_urls(secret, &mut parts);
    of_settings(secret, &mut parts);
    parts.retain(|part| part.len() >= SHORTEST_PART && part != secret);
    parts
}

/// `Bearer TOKEN`, `Basic BASE64`, with or without the name of the header.
fn of_scheme(line: &str, parts: &mut Vec<String>) {
    let value = match line.split_once(": ") {
        Some((name, value)) if name.to_ascii_lowercase().ends_with("authorization") => value,
        _ => line,
    };
    let Some((scheme, credentials)) = value.trim().split_once(' ') else {
        return;
    };
    let scheme = scheme.to_ascii_lowercase();
    if !SCHEMES.contains(&scheme.as_str()) {
        return;
    }
    let credentials = credentials.trim();
    // Some programs omit the padding.
    parts.push(credentials.trim_end_matches('=').to_owned());
    if scheme == "basic"
        && let Some((_, password)) = decoded(credentials).as_deref().and_then(user_and_password)
    {
        parts.push(password.to_owned());
    }
}

fn decoded(base64: &str) -> Option<String> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&alphabet::STANDARD, config).decode(base64);
    String::from_utf8(bytes.ok()?).ok()
}

fn user_and_password(text: &str) -> Option<(&str, &str)> {
    text.split_once(':')
}

/// The password in `scheme://user:password@host`, as written and percent-decoded.
fn of_urls(text: &str, parts: &mut Vec<String>) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("://") {
        let end = after.find(|letter: char| "/?# \t\r\n\"'<>".contains(letter));
        let authority = &after[..end.unwrap_or(after.len())];
        rest = &after[authority.len()..];
        let Some((user, _)) = authority.rsplit_once('@') else {
            continue;
        };
        let secret = match user_and_password(user) {
            Some((_, password)) => password,
            None if user.len() >= TOKEN => user,
            None => continue,
        };
        parts.push(secret.to_owned());
        parts.push(without_percent(secret));
    }
}

fn without_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, left) = match code {
            Some(code) if *first == b'%' => (code, &after[2..]),
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The values of settings with the names of secrets: `Password=x;`, `password=x host=y`,
/// `?access_token=x&`, `"client_secret": "x"`.
fn of_settings(text: &str, parts: &mut Vec<String>) {
    for (at, _) in text.match_indices(['=', ':']) {
        let before = text[..at].trim_end().trim_end_matches(['"', '\'']);
        let is_of_name = |letter: char| letter.is_alphanumeric() || "_-. ".contains(letter);
        let name = before.rsplit(|letter| !is_of_name(letter)).next();
        let name = name.unwrap_or_default();
        let plain = tenon_text::plain_name(name);
        let is_secret = NAMES.iter().any(|known| plain.ends_with(known));
        if !is_secret && !tenon_text::is_secret_name(name) {
            continue;
        }
        let value = text[at + 1..].trim_start();
        let quote = value.chars().next().filter(|first| "\"'".contains(*first));
        let (value, end) = match quote {
            Some(quote) => (&value[1..], value[1..].find(quote)),
            None => (
                value,
                value.find([';', '&', ',', ' ', '\t', '\r', '\n', '}']),
            ),
        };
        let value = &value[..end.unwrap_or(value.len())];
        parts.push(value.to_owned());
        parts.push(without_percent(value));
    }
}
