//! What is kept beside a provider that was made out of a plugin.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tenon_rpc::wire::Packed;

use super::schema::Schemas;

/// The name of the file, in the folder of the provider's program.
pub const MANIFEST_FILE: &str = "tenon-plugin.json";

/// The version of the file's format.
pub const FORMAT: u64 = 1;

/// How to start a plugin, and what it offers: what `tenon provider pack` writes and the packed provider
/// reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this format, which must be [`FORMAT`].
    pub format: u64,
    /// The name of the provider, which the names of its types begin with.
    pub name: String,
    /// The namespace in the source address.
    pub namespace: String,
    /// The version of the provider.
    pub version: String,
    /// The program and its arguments. Paths are absolute.
    pub command: Vec<String>,
    /// The environment variables that the plugin may see, besides those that programs need to run.
    #[serde(default)]
    pub environment: Vec<String>,
    /// What the user configured for the plugin, which it gets as `config` of its first call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// How long a call of the plugin may take, in milliseconds; any time if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The files of the plugin, with their checksums.
    #[serde(default)]
    pub files: Vec<PinnedFile>,
    /// The plugin is being written: its schema is not held to the captured one.
    #[serde(default)]
    pub is_open: bool,
    /// Methods that the plugin leaves out. It is not started to be asked for one of them.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The answer to `functions/getSchema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Packed>,
    /// The answer to `resources/getSchema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Packed>,
}

/// A file of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFile {
    /// Its absolute path.
    pub path: String,
    /// The SHA-256 of its content, in hex.
    pub sha256: String,
}

impl PinnedFile {
    /// Pins a file as it is now.
    ///
    /// # Errors
    /// It cannot be read, or its path is not UTF-8.
    pub fn of(path: &Path) -> io::Result<PinnedFile> {
        let text = path
            .to_str()
            .ok_or_else(|| io::Error::other("the path is not UTF-8"))?;
        Ok(PinnedFile {
            path: text.to_owned(),
            sha256: sha256(path)?,
        })
    }

    /// Checks that the file is as it was pinned.
    ///
    /// # Errors
    /// It is not, or cannot be read: a sentence without a full stop.
    pub fn check(&self) -> Result<(), String> {
        let found = sha256(Path::new(&self.path));
        let found = found.map_err(|error| format!("{}: {error}", self.path))?;
        match found == self.sha256 {
            true => Ok(()),
            false => Err(format!(
                "{} has changed since the plugin was packed: its SHA-256 is {found}, and the manifest has {}",
                self.path, self.sha256
            )),
        }
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// It cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    let hex = digest.finalize();
    Ok(hex.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why a manifest cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ManifestError {
    /// It is not a manifest.
    Unreadable(serde_json::Error),
    /// It was written by another version of Tenon.
    Format(u64),
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManifestError::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            ManifestError::Format(format) => write!(
                f,
                "it has format {format}, and this program reads format {FORMAT}; pack the plugin again"
            ),
        }
    }
}

impl std::error::Error for ManifestError {}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// It is not one, or one of another format.
    pub fn read(text: &[u8]) -> Result<Manifest, ManifestError> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let Format { format } = serde_json::from_slice(text).map_err(ManifestError::Unreadable)?;
        match format == FORMAT {
            true => serde_json::from_slice(text).map_err(ManifestError::Unreadable),
            false => Err(ManifestError::Format(format)),
        }
    }

    /// The captured schemas.
    pub fn schemas(&self) -> Schemas {
        Schemas {
            functions: self.functions.clone(),
            resources: self.resources.clone(),
        }
    }

    /// The source address: `NAMESPACE/NAME`.
    pub fn source(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let functions = json!({"functions": {"f": {"parameters": [{"name": "a", "type": "number",
            "default": 0.1}], "returns": ["list", "string"]}}});
        let manifest = Manifest {
            format: FORMAT,
            name: "mytool".to_owned(),
            namespace: "tenon".to_owned(),
            version: "1.0.0".to_owned(),
            command: vec!["/usr/bin/python3".to_owned(), "/srv/mytool.py".to_owned()],
            environment: vec!["TOKEN".to_owned()],
            config: Map::from_iter([("budget".to_owned(), json!(100))]),
            timeout_ms: Some(30_000),
            files: vec![PinnedFile {
                path: "/srv/mytool.py".to_owned(),
                sha256: "00".to_owned(),
            }],
            is_open: false,
            left_out: vec!["resources/validate".to_owned()],
            functions: Some(Packed::encode(&functions).unwrap()),
            resources: None,
        };
        let text = serde_json::to_vec_pretty(&manifest).unwrap();
        let read = Manifest::read(&text).unwrap();
        assert_eq!(
            read.schemas().offer().unwrap(),
            manifest.schemas().offer().unwrap()
        );
        assert_eq!(read.source(), "tenon/mytool");
        assert_eq!(
            (read.command, read.files),
            (manifest.command, manifest.files)
        );
        assert_eq!(
            (read.config, read.timeout_ms),
            (manifest.config, manifest.timeout_ms)
        );
    }

    #[test]
    fn a_changed_file_is_named() {
        let path = std::env::temp_dir().join(format!("tenon-pinned-{}", std::process::id()));
        std::fs::write(&path, "one").unwrap();
        let pinned = PinnedFile::of(&path).unwrap();
        assert_eq!(
            pinned.sha256,
            "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        );
        assert_eq!(pinned.check(), Ok(()));
        std::fs::write(&path, "two").unwrap();
        let changed = pinned.check().unwrap_err();
        assert!(
            changed.contains("has changed since the plugin was packed"),
            "{changed}"
        );
        std::fs::remove_file(&path).unwrap();
        pinned.check().unwrap_err();
    }

    #[test]
    fn another_format_is_refused() {
        let newer = Manifest::read(br#"{"format": 2, "later": true}"#).unwrap_err();
        assert!(newer.to_string().contains("format 2"), "{newer}");
        assert!(matches!(
            Manifest::read(b"{"),
            Err(ManifestError::Unreadable(_))
        ));
    }
}
