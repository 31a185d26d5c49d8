//! Images for prompts.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tenon_protocols::acp::{ContentBlock, ImageContent};

use crate::exit::Failure;

/// Larger ones are refused: agents and models do not take them.
const LARGEST: u64 = 10 * 1024 * 1024;

/// How the files of each type begin.
const TYPES: [(&str, &[u8]); 5] = [
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF8"),
    ("image/webp", b"RIFF"),
    ("image/bmp", b"BM"),
];

/// Reads an image. Its first bytes determine its type.
pub(super) fn read(path: &Path) -> Result<ContentBlock, Failure> {
    let name = tenon_text::path(path);
    let problem =
        |problem: &dyn std::fmt::Display| Failure::usage(format!("image {name}: {problem}"));
    let size = std::fs::metadata(path)
        .map_err(|error| problem(&error))?
        .len();
    if size > LARGEST {
        return Err(problem(&"it has more than 10 MiB"));
    }
    let bytes = std::fs::read(path).map_err(|error| problem(&error))?;
    let found = TYPES.iter().find(|(_, magic)| bytes.starts_with(magic));
    let is_webp = || bytes.get(8..12) == Some(b"WEBP");
    let found = found.filter(|(name, _)| *name != "image/webp" || is_webp());
    let Some((mime_type, _)) = found else {
        return Err(problem(&"it is not a PNG, JPEG, GIF, WebP or BMP image"));
    };
    // A name that is not UTF-8 has no URI that agents read.
    let absolute = path.canonicalize().ok();
    let uri = absolute.and_then(|path| path.to_str().map(tenon_acp::paths::uri));
    Ok(ContentBlock::Image(ImageContent {
        uri,
        ..ImageContent::new(STANDARD.encode(&bytes), *mime_type)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_of_an_image_is_encoded() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a #1 ü%.png");
        std::fs::write(&path, TYPES[0].1).unwrap();
        let Ok(ContentBlock::Image(image)) = read(&path) else {
            panic!("an image");
        };
        let uri = image.uri.unwrap();
        assert!(uri.starts_with("file:///"), "{uri}");
        assert!(uri.ends_with("/a%20%231%20%C3%BC%25.png"), "{uri}");
    }
}
