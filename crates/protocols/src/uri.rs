//! Folders as URIs, for servers that need their location.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

/// The folder this process works in, as a URI and a name.
pub(crate) fn current_folder() -> Value {
    let folder = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let name = folder.file_name().map(|name| name.to_string_lossy());
    json!({ "uri": file_uri(&folder), "name": name.unwrap_or("/".into()) })
}

/// An absolute path as a URI.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _always_ok = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_bytes_are_escaped() {
        assert_eq!(
            file_uri(Path::new("/a b/é#1.sh")),
            "file:///a%20b/%C3%A9%231.sh"
        );
    }
}
