//! `tenon provider list` and `tenon provider remove`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_protocols::seasonings::{MANIFEST_FILE, Manifest};

use super::mirror;
use crate::args::{ListPackedArgs, Program, RemovePackedArgs};
use crate::exit::{Code, Failure};
use crate::output;

/// A packed provider in a mirror.
struct Packed {
    /// The folder of its version, with a folder for each platform.
    version_folder: PathBuf,
    program: Program,
    manifest: Manifest,
}

impl Packed {
    /// Versions in their order: numbers first, and what is behind a hyphen comes before the release.
    fn order(&self) -> (Vec<u64>, bool, &str) {
        let version = self.manifest.version.as_str();
        let (numbers, rest) = version.split_once('-').unwrap_or((version, ""));
        let numbers = numbers
            .split('.')
            .map(|one| one.parse().unwrap_or_default());
        (numbers.collect(), rest.is_empty(), rest)
    }
}

/// The manifest of a packed provider: of this version, or the newest.
///
/// # Errors
/// There is none.
pub(super) fn manifest(
    mirror: &Path,
    source: &str,
    version: Option<&str>,
) -> Result<Manifest, Failure> {
    let found = find_meant(mirror, source, version)?.into_iter();
    let newest = found.max_by(|one, other| one.order().cmp(&other.order()));
    newest
        .map(|packed| packed.manifest)
        .ok_or_else(|| not_found(mirror, source, version))
}

pub(super) fn list(args: &ListPackedArgs) -> Result<(), Failure> {
    let mirror = mirror::folder(args.mirror.as_deref())?;
    let found = find(&mirror);
    if args.json {
        let found: Vec<_> = { found.iter() }
            .map(|one| {
                json!({
                    "source": one.manifest.source(),
                    "version": one.manifest.version,
                    "program": one.program.name(),
                    "command": one.manifest.command,
                    "env": one.manifest.environment,
                    "timeout_ms": one.manifest.timeout_ms,
                    "dev": one.manifest.is_open,
                })
            })
            .collect();
        return output::json_data(json!({ "mirror": mirror, "providers": found }));
    }
    if found.is_empty() {
        let mirror = tenon_text::path(&mirror);
        output::talk(format_args!("there is no packed provider in {mirror}"));
    }
    for one in &found {
        let manifest = &one.manifest;
        let dev = match manifest.is_open {
            true => ", --dev",
            false => "",
        };
        output::data(format_args!(
            "{} {} ({}{dev}): {}",
            manifest.source(),
            manifest.version,
            one.program.name(),
            tenon_text::line(&manifest.command.join(" "))
        ))?;
    }
    Ok(())
}

pub(super) fn remove(args: &RemovePackedArgs) -> Result<(), Failure> {
    let mirror = mirror::folder(args.mirror.as_deref())?;
    let source = format!("{}/{}", args.namespace, args.name);
    let found = find_meant(&mirror, &source, args.as_version.as_deref())?;
    for one in &found {
        let folder = &one.version_folder;
        fs::remove_dir_all(folder).map_err(|error| {
            Failure::new(
                Code::Failed,
                format!("{}: {error}", tenon_text::path(folder)),
            )
        })?;
        // Folders that are empty now; others are kept by the system.
        for parent in folder
            .ancestors()
            .skip(1)
            .take_while(|one| **one != *mirror)
        {
            if fs::remove_dir(parent).is_err() {
                break;
            }
        }
        if !args.json {
            output::talk(format_args!(
                "{}: removed {source} {}",
                one.program.name(),
                one.manifest.version
            ));
        }
    }
    if args.json {
        let removed = found.iter().map(|one| {
            json!({
                "source": source,
                "version": one.manifest.version,
                "program": one.program.name(),
            })
        });
        let removed: Vec<_> = removed.collect();
        return output::json_data(json!({ "mirror": mirror, "removed": removed }));
    }
    Ok(())
}

/// The packed providers of this source: of one version, or of all.
///
/// # Errors
/// There is none.
fn find_meant(mirror: &Path, source: &str, version: Option<&str>) -> Result<Vec<Packed>, Failure> {
    let is_meant = |one: &Packed| {
        let is_version = |version: &str| version == one.manifest.version;
        one.manifest.source() == source && version.is_none_or(is_version)
    };
    let found: Vec<Packed> = find(mirror).into_iter().filter(is_meant).collect();
    match found.is_empty() {
        true => Err(not_found(mirror, source, version)),
        false => Ok(found),
    }
}

fn not_found(mirror: &Path, source: &str, version: Option<&str>) -> Failure {
    let version = version.map_or_else(String::new, |one| format!(" {one}"));
    let mirror = tenon_text::path(mirror);
    Failure::new(
        Code::Failed,
        format!(
            "there is no packed provider {source}{version} in {mirror}\n  hint: `tenon provider list` lists \
             them; --namespace and --mirror choose others"
        ),
    )
}

/// Every packed provider, sorted by source and version. Providers that were not packed have no manifest and are ignored.
fn find(mirror: &Path) -> Vec<Packed> {
    let mut found = Vec::new();
    for program in Program::ALL {
        let registry = mirror.join(program.registry());
        for version_folder in { folders(&registry) }
            .flat_map(|namespace| folders(&namespace))
            .flat_map(|name| folders(&name))
        {
            let platforms = folders(&version_folder);
            let manifests = platforms.filter_map(|platform| {
                let text = fs::read(platform.join(MANIFEST_FILE)).ok()?;
                Manifest::read(&text).ok()
            });
            if let Some(manifest) = manifests.into_iter().next() {
                found.push(Packed {
                    version_folder,
                    program,
                    manifest,
                });
            }
        }
    }
    found.sort_by_cached_key(|one| {
        let (numbers, is_release, rest) = one.order();
        let version = (numbers, is_release, rest.to_owned());
        (one.manifest.source(), version, one.program.name())
    });
    found
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
}
