//! `tenon provider docs`.

mod attributes;
mod example;
mod pages;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_protocols::seasonings::Manifest;
use tenon_protocols::seasonings::calls::{Call, Import};
use tenon_schema::Offer;

use self::pages::{FOLDERS, MARK, Page, Provider};
use super::capture::{Captured, Settings, capture};
use super::command::Command;
use super::{mirror, packed};
use crate::args::{DocsArgs, version};
use crate::commands::config;
use crate::exit::{Code, Failure};
use crate::output;

pub(super) async fn run(args: &DocsArgs) -> Result<(), Failure> {
    let source = format!("{}/{}", args.namespace, args.name);
    let (offer, version, left_out) = match args.command.is_empty() {
        true => of_packed(args, &source).await?,
        false => of_command(args).await?,
    };
    let version = args.as_version.clone().or(version);
    let provider = Provider {
        name: &args.name,
        source: &source,
        version: version.as_deref(),
        offer: &offer,
        can_import: !left_out.iter().any(|one| one == Import::METHOD),
    };
    let folder = &args.output;
    let fail = |(path, error): (PathBuf, io::Error)| {
        let path = tenon_text::path(&path);
        Failure::new(
            Code::Failed,
            format!("{path}: {error}\n  hint: choose another folder with --output FOLDER"),
        )
    };
    let outcome = write(folder, &provider.pages()).map_err(fail)?;
    if args.json {
        return output::json_data(json!({
            "folder": folder,
            "written": outcome.written,
            "kept": outcome.kept,
            "removed": outcome.removed,
        }));
    }
    for (what, paths) in [("removed", &outcome.removed), ("kept", &outcome.kept)] {
        for path in paths {
            let path = folder.join(path);
            output::talk(format_args!("{what} {}", tenon_text::path(&path)));
        }
    }
    if !outcome.kept.is_empty() {
        output::talk(
            "  hint: kept pages were not written by this command; delete them to get new ones",
        );
    }
    output::talk(format_args!(
        "wrote {} pages about {source} to {}",
        outcome.written.len(),
        tenon_text::path(folder)
    ));
    Ok(())
}

type Described = (Offer, Option<String>, Vec<String>);

/// What a packed provider offers: as captured, unless its plugin is being written.
async fn of_packed(args: &DocsArgs, source: &str) -> Result<Described, Failure> {
    if !args.config.config.is_empty() || !args.config.config_files.is_empty() {
        return Err(Failure::usage(
            "the configuration of a packed plugin is that of its manifest; --config needs a command: -- COMMAND",
        ));
    }
    let mirror = mirror::folder(args.mirror.as_deref())?;
    let manifest: Manifest = packed::manifest(&mirror, source, args.as_version.as_deref())?;
    if manifest.is_open {
        let Captured {
            offer, left_out, ..
        } = capture(Settings {
            command: &manifest.command,
            environment: &manifest.environment,
            config: &manifest.config,
        })
        .await?;
        return Ok((offer, Some(manifest.version), left_out));
    }
    let offer = manifest.schemas().offer().map_err(|error| {
        let text = format!(
            "the captured schema of {source} is invalid: {error}\n  hint: pack the plugin again"
        );
        Failure::new(Code::Failed, text)
    })?;
    Ok((offer, Some(manifest.version), manifest.left_out))
}

/// What a plugin offers that was not packed.
async fn of_command(args: &DocsArgs) -> Result<Described, Failure> {
    let command = Command::resolve(&args.command)?;
    let captured = capture(Settings {
        command: &command.words,
        environment: &args.environment,
        config: &config::read(&args.config)?,
    })
    .await?;
    let version = version(&captured.welcome.version).ok();
    Ok((captured.offer, version, captured.left_out))
}

/// What was done with the files in the folder, by their paths below it.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    written: Vec<String>,
    /// Pages that a person wrote or has made their own.
    kept: Vec<String>,
    /// Pages about what the plugin no longer has.
    removed: Vec<String>,
}

fn write(folder: &Path, pages: &[Page]) -> Result<Outcome, (PathBuf, io::Error)> {
    let mut outcome = Outcome::default();
    for Page { path, text } in pages {
        let file = folder.join(path);
        let at = |error| (file.clone(), error);
        if file.exists() && !is_ours(&file) {
            outcome.kept.push(path.clone());
            continue;
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(at)?;
        }
        fs::write(&file, text).map_err(at)?;
        outcome.written.push(path.clone());
    }
    let known: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    for below in FOLDERS {
        let entries = fs::read_dir(folder.join(below)).into_iter().flatten();
        for entry in entries.flatten() {
            let path = format!("{below}/{}", entry.file_name().to_string_lossy());
            if !known.contains(path.as_str()) && is_ours(&entry.path()) {
                fs::remove_file(entry.path()).map_err(|error| (entry.path(), error))?;
                outcome.removed.push(path);
            }
        }
    }
    outcome.removed.sort();
    Ok(outcome)
}

/// Whether this command wrote a page.
fn is_ours(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .nth(1)
        .is_some_and(|line| line.starts_with(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str) -> Page {
        Page {
            path: path.to_owned(),
            text: format!("---\n{MARK}\n---\n"),
        }
    }

    #[test]
    fn pages_of_people_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let [index, note] = ["index.md", "resources/note.md"];
        write(folder, &[page(index), page(note)]).unwrap();
        fs::write(folder.join("resources/own.md"), "# Mine\n").unwrap();
        fs::write(folder.join(index), "---\npage_title: mine\n---\n").unwrap();
        let outcome = write(folder, &[page(index)]).unwrap();
        assert_eq!(outcome.kept, [index]);
        assert_eq!(outcome.removed, [note]);
        assert!(folder.join("resources/own.md").exists());
    }
}
