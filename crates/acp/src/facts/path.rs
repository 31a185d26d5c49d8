//! Paths as agents write them.

use std::path::{Component, Path, PathBuf};

use crate::paths::spelling;

/// What a path can mean: as it is, as a URI, and in the folder of the user. All of it counts, because only the agent knows
/// what it will do with the text.
pub(super) fn meanings(text: &str) -> Vec<String> {
    let mut meanings = Vec::new();
    let paths = of_file_uri(text);
    for path in &paths {
        meanings.push(spelling::of_uri(path));
        let decoded = decoded(path).filter(|decoded| decoded != path);
        meanings.extend(decoded.map(|path| spelling::of_uri(&path)));
    }
    if paths.is_empty() {
        meanings.push(text.to_owned());
    }
    if let Some(rest) = text.strip_prefix('~')
        && (rest.is_empty() || rest.starts_with(std::path::is_separator))
        && let Some(home) = spelling::home()
    {
        meanings.push(format!("{home}{rest}"));
    }
    meanings.retain(|path| !path.is_empty());
    meanings
}

/// The paths that a URI of a file can mean: `file:///x`, `FILE:/x`, `file://host/x`. Nothing if it is none.
pub(super) fn of_file_uri(text: &str) -> Vec<&str> {
    let Some((scheme, rest)) = text.split_once(':') else {
        return Vec::new();
    };
    if !scheme.eq_ignore_ascii_case("file") || !rest.starts_with('/') {
        return Vec::new();
    }
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let behind_host = path.find('/').filter(|at| *at > 0).map(|at| &path[at..]);
    [Some(path), behind_host].into_iter().flatten().collect()
}

/// The text without `%2F`. Nothing if that is not text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let code = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match code {
            Some((high, low)) => {
                bytes.push(high * 16 + low);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// The path without `.` and `..`, by its text alone.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Whether `..` may lead out of a folder that a link leads to.
pub(super) fn climbs(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// Where a path leads, also if its last parts do not exist yet.
pub(super) fn target(path: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().find_map(|part| {
        let target = spelling::target(part)?;
        Some((target, path.strip_prefix(part).ok()?))
    });
    existing.map(|(target, rest)| match rest.as_os_str().is_empty() {
        true => target,
        false => normal(&target.join(rest)),
    })
}
