//! `tenon provider pack`.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tenon_host::{Environment, Plugin, PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::{
    Greeting, Level, MANIFEST_FILE, MANIFEST_FORMAT, Manifest, PinnedFile, Welcome, begin, calls,
};
use tenon_rpc::{Peer, Router};
use tenon_schema::Offer;

use super::mirror::{self, Package};
use crate::args::{PackArgs, Pins, version};
use crate::exit::{Code, Failure};
use crate::output;

pub(super) async fn run(args: &PackArgs) -> Result<(), Failure> {
    let binary = mirror::binary(args.binary.as_deref(), "tenon")?;
    let command = Command::resolve(&args.command)?;
    let Captured {
        welcome,
        schemas,
        left_out,
    } = capture(&command, &args.environment).await?;
    let offer = schemas.offer().map_err(|error| {
        let text = format!("the schema of the plugin is wrong: {error}");
        Failure::new(Code::BrokenProtocol, text)
    })?;
    if is_empty(&offer) {
        return Err(Failure::new(
            Code::Failed,
            "the plugin offers neither functions nor resources, so there is nothing to make a provider of",
        ));
    }
    let is_pinned = args.sha256 == Pins::Auto && !args.dev;
    let manifest = Manifest {
        format: MANIFEST_FORMAT,
        name: args.name.clone(),
        namespace: args.namespace.clone(),
        version: { args.as_version.clone() }
            .or_else(|| version(&welcome.version).ok())
            .unwrap_or_else(|| "0.1.0".to_owned()),
        files: match is_pinned {
            true => command.pins()?,
            false => Vec::new(),
        },
        command: command.words,
        environment: args.environment.clone(),
        is_open: args.dev,
        left_out: match args.dev {
            true => Vec::new(),
            false => left_out,
        },
        functions: schemas.functions,
        resources: schemas.resources,
    };
    let text =
        serde_json::to_vec_pretty(&manifest).map_err(|error| Failure::new(Code::Failed, error))?;
    let package = Package {
        mirror: mirror::folder(args.mirror.as_deref())?,
        source: manifest.source(),
        include: format!("{}/*", manifest.namespace),
        version: manifest.version.clone(),
    };
    let done = package.install(&args.programs, args.write_config, |folder, provider| {
        mirror::copy(&binary, folder, provider)?;
        write_whole(&folder.join(MANIFEST_FILE), &text)
    })?;
    if args.json {
        let done: Vec<_> = done.iter().map(mirror::Installed::json).collect();
        return output::json_data(json!({
            "source": package.source,
            "version": package.version,
            "mirror": package.mirror,
            "functions": offer.functions.keys().collect::<Vec<_>>(),
            "resources": offer.resources.keys().collect::<Vec<_>>(),
            "data_sources": offer.data_sources.keys().collect::<Vec<_>>(),
            "ephemeral": offer.ephemeral_resources.keys().collect::<Vec<_>>(),
            "pinned": manifest.files,
            "installed": done,
        }));
    }
    output::talk(format_args!(
        "packed {} {}: {} functions, {} resources, {} data sources, {} ephemeral resources",
        package.source,
        package.version,
        offer.functions.len(),
        offer.resources.len(),
        offer.data_sources.len(),
        offer.ephemeral_resources.len()
    ));
    for file in &manifest.files {
        output::talk(format_args!("pinned {}", tenon_text::line(&file.path)));
    }
    package.print(&done)
}

fn is_empty(offer: &Offer) -> bool {
    offer.functions.is_empty()
        && offer.resources.is_empty()
        && offer.data_sources.is_empty()
        && offer.ephemeral_resources.is_empty()
}

/// What a plugin says about itself.
struct Captured {
    welcome: Welcome,
    schemas: Schemas,
    left_out: Vec<String>,
}

/// Starts the plugin once, and asks for its schemas.
async fn capture(command: &Command, environment: &[String]) -> Result<Captured, Failure> {
    let more: Vec<OsString> = environment.iter().map(OsString::from).collect();
    let mut words = command.words.iter();
    let plugin = PluginCommand::new(words.next().map_or("", String::as_str))
        .args(words)
        .inherit(Environment::Few { more })
        .environment_advice("pass it on with --env NAME");
    let protocol = Protocol::Seasonings;
    let start = Start {
        options: protocol.host_options(),
        limit: protocol.start_limit(),
        ..Start::new(protocol.dialect())
    };
    let first = |peer: Peer| async move {
        let welcome = begin(&peer, &Greeting::new([Level::Functions, Level::Resources])).await?;
        let schemas = calls::schemas(&peer, &welcome.capabilities).await?;
        Ok((welcome, schemas))
    };
    let started = Plugin::start(&plugin, start, Arc::new(Router::new(())), first).await;
    let (plugin, (welcome, schemas)) = started?;
    let peer = plugin.peer();
    let probed =
        plugin.while_alive(async { Ok(calls::left_out(&peer, &welcome.capabilities).await) });
    // A plugin that cannot answer such a call may still answer a real one.
    let probed = tokio::time::timeout(protocol.start_limit(), probed).await;
    let left_out = probed.ok().and_then(Result::ok).unwrap_or_default();
    plugin
        .stop(|peer| async move { protocol.end(&peer).await })
        .await;
    Ok(Captured {
        welcome,
        schemas,
        left_out,
    })
}

/// A command whose paths are absolute: Terraform starts the provider in any folder.
struct Command {
    words: Vec<String>,
    /// The program was looked up on PATH.
    is_from_path: bool,
    /// The arguments that are files.
    files: Vec<PathBuf>,
}

impl Command {
    fn resolve(words: &[String]) -> Result<Command, Failure> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Failure::usage("there is no command"))?;
        let absolute = |path: &Path| {
            std::path::absolute(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", tenon_text::path(path))))
        };
        let is_from_path = !program.contains('/');
        let program = match is_from_path {
            true => on_path(program).ok_or_else(|| {
                Failure::cannot_start(format!(
                    "the program {program:?} was not found on PATH\n  hint: install it, or give its path"
                ))
            })?,
            false => absolute(Path::new(program))?,
        };
        let mut resolved = vec![text(&program)?];
        let mut files = Vec::new();
        for argument in arguments {
            let path = Path::new(argument);
            match path.is_file() {
                true => {
                    let path = absolute(path)?;
                    resolved.push(text(&path)?);
                    files.push(path);
                }
                false => resolved.push(argument.clone()),
            }
        }
        Ok(Command {
            words: resolved,
            is_from_path,
            files,
        })
    }

    /// The files of the plugin with their checksums. A program from PATH that is given files is taken
    /// for an interpreter, which changes with the system.
    fn pins(&self) -> Result<Vec<PinnedFile>, Failure> {
        let program = PathBuf::from(&self.words[0]);
        let is_interpreter = self.is_from_path && !self.files.is_empty();
        let own = (!is_interpreter).then_some(program);
        let pin = |path: PathBuf| {
            PinnedFile::of(&path).map_err(|error| {
                Failure::new(
                    Code::Failed,
                    format!("{}: {error}", tenon_text::path(&path)),
                )
            })
        };
        own.into_iter().chain(self.files.clone()).map(pin).collect()
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage(format!("{}: the path is not UTF-8", tenon_text::path(path))))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let found = file.metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|folder| folder.join(program));
    let found = candidates.find(is_program)?;
    std::path::absolute(found).ok()
}

/// Writes a file of which nobody ever sees a part.
fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let written = File::create(&part)
        .and_then(|mut file| file.write_all(text).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The error to tell is the first one.
        let _also_failed = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn paths_become_absolute_and_files_are_pinned() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("plugin.py");
        fs::write(&script, "x").unwrap();
        let given = words(&["sh", script.to_str().unwrap(), "--flag"]);
        let command = Command::resolve(&given).unwrap();
        assert!(
            Path::new(&command.words[0]).is_absolute(),
            "{:?}",
            command.words
        );
        assert_eq!(command.words[1..], given[1..]);
        let pinned: Vec<String> = command
            .pins()
            .unwrap()
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(
            pinned,
            [script.to_str().unwrap()],
            "the interpreter is not pinned"
        );
        let alone = Command::resolve(&words(&[script.to_str().unwrap()])).unwrap();
        assert_eq!(alone.pins().unwrap().len(), 1);
        let from_path = Command::resolve(&words(&["sh"])).unwrap();
        assert_eq!(from_path.pins().unwrap()[0].path, from_path.words[0]);
        assert!(Command::resolve(&words(&["no-such-program-here"])).is_err());
    }
}
