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
    let uri = path
        .canonicalize()
        .ok()
        .map(|path| format!("file://{}", path.display()));
    Ok(ContentBlock::Image(ImageContent {
        uri,
        ..ImageContent::new(STANDARD.encode(&bytes), *mime_type)
    }))
}
