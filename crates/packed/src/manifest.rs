//! The manifest beside the program.

use std::io;
use std::path::Path;

use tenon_protocols::seasonings::{MANIFEST_FILE, Manifest};
use tenon_tfplugin::Identity;

/// Reads the manifest in the folder of this program.
///
/// # Errors
/// There is none, or it cannot be used. The error says which file, and what to do.
pub fn beside_program() -> io::Result<Manifest> {
    // Terraform may start the program through a link to its folder; either way leads to the manifest.
    let program = std::env::current_exe()?;
    read(&program.with_file_name(MANIFEST_FILE))
}

fn read(file: &Path) -> io::Result<Manifest> {
    let fail = |problem: String| {
        let text = format!(
            "{}: {problem}. `tenon provider pack` makes a provider from a plugin",
            file.display()
        );
        io::Error::other(text)
    };
    let text = std::fs::read(file).map_err(|error| fail(error.to_string()))?;
    Manifest::read(&text).map_err(|error| fail(error.to_string()))
}

/// Who the provider is.
pub fn identity(manifest: Option<&Manifest>) -> Identity {
    let about = "\
A Terraform and OpenTofu provider made from a plugin. `tenon provider pack` puts it where
`terraform init` finds it, with a manifest beside it that says which plugin."
        .to_owned();
    match manifest {
        Some(manifest) => Identity {
            name: manifest.name.clone(),
            address: manifest.source(),
            version: manifest.version.clone(),
            about,
        },
        None => Identity {
            name: "tenon".to_owned(),
            address: "tenon/tenon".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            about,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_manifest_says_what_makes_one() {
        let error = read(Path::new("/nowhere/tenon-plugin.json")).unwrap_err();
        assert!(error.to_string().contains("tenon provider pack"), "{error}");
    }
}
