//! One process of the plugin.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Environment, PluginCommand, PluginError, Problem, Start, Started, StopLimits};
use tenon_protocols::seasonings::{
    Greeting, Level, LogLevel, MANIFEST_FILE, Manifest, PinnedFile, Said, Welcome, begin, calls,
    listen,
};
use tenon_protocols::{Protocol, Secrets};
use tenon_rpc::{CallError, Options, Peer, Text};
use tenon_schema::Offer;
use tokio::sync::Mutex;

/// What belongs to a process.
pub(super) struct Extra {
    pub(super) welcome: Welcome,
    /// The generation of the configuration that it has; 0 for none.
    pub(super) configured: Mutex<u64>,
}

/// How long a process gets to end.
const STOP_LIMITS: StopLimits = StopLimits {
    asked: Duration::from_secs(1),
    terminated: Duration::from_millis(300),
};

/// Starts a process, and checks that it is the plugin that was packed.
pub(super) async fn start(
    manifest: &Manifest,
    expected: Option<Arc<Offer>>,
    secrets: &Secrets,
) -> Result<Started<Extra>, PluginError> {
    // Before anything of a changed plugin runs.
    if let Err(problem) = manifest.files.iter().try_for_each(PinnedFile::check) {
        return Err(not_started(manifest, refused(manifest, &problem)));
    }
    let protocol = Protocol::Seasonings;
    let start = Start {
        dialect: protocol.dialect(),
        options: Options {
            redact: Some(secrets.redact()),
            ..protocol.host_options()
        },
        limit: protocol.start_limit(),
        stop: STOP_LIMITS,
    };
    let heard = hear(manifest, secrets);
    let greeting = Greeting {
        config: manifest.config.clone(),
        ..Greeting::new([Level::Functions, Level::Resources])
    };
    let first = |peer: Peer| async move {
        let welcome = begin(&peer, &greeting).await?;
        if let Some(expected) = expected {
            let checked = check_schema(&peer, &welcome, &expected).await?;
            checked.map_err(|problem| refused(manifest, &problem))?;
            let checked = check_methods(&peer, &welcome, manifest).await?;
            checked.map_err(|problem| refused(manifest, &problem))?;
        }
        Ok(welcome)
    };
    let command = command(manifest, secrets);
    let started = tenon_host::Plugin::start(&command, start, Arc::new(listen(heard)), first);
    let (plugin, welcome) = started.await?;
    Ok(Started {
        plugin,
        capacity: welcome.max_in_flight.unwrap_or(NonZeroUsize::MIN),
        extra: Extra {
            welcome,
            configured: Mutex::new(0),
        },
    })
}

fn command(manifest: &Manifest, secrets: &Secrets) -> PluginCommand {
    let mut words = manifest.command.iter();
    let program = words.next().map_or("", String::as_str);
    let more: Vec<OsString> = manifest.environment.iter().map(OsString::from).collect();
    let heard = hear(manifest, secrets);
    PluginCommand::new(program)
        .args(words)
        .inherit(Environment::Few { more })
        .environment_advice("pack the plugin again with --env NAME")
        .on_stderr(move |line| heard(Said::of_line(line)))
}

/// Puts what the plugin says into Terraform's log, without secrets.
fn hear(manifest: &Manifest, secrets: &Secrets) -> impl Fn(Said) + Send + Sync + 'static {
    let (plugin, secrets) = (manifest.name.clone(), secrets.clone());
    move |said| {
        let text = secrets.hide(&said.text);
        match said.level {
            LogLevel::Trace => tracing::trace!(plugin, "{text}"),
            LogLevel::Debug => tracing::debug!(plugin, "{text}"),
            LogLevel::Info => tracing::info!(plugin, "{text}"),
            LogLevel::Warn => tracing::warn!(plugin, "{text}"),
            LogLevel::Error => tracing::error!(plugin, "{text}"),
        }
    }
}

/// What is wrong with the schema.
async fn check_schema(
    peer: &Peer,
    welcome: &Welcome,
    expected: &Offer,
) -> Result<Result<(), String>, CallError> {
    let schemas = calls::schemas(peer, &welcome.capabilities).await?;
    Ok(match schemas.offer() {
        Ok(offer) if offer == *expected => Ok(()),
        Ok(_) => Err("its schema is not the one that was captured when it was packed".to_owned()),
        Err(error) => Err(format!("its schema: {error}")),
    })
}

/// What is wrong with its methods: one that the manifest leaves out would never be called, as if the plugin did not have
/// it.
async fn check_methods(
    peer: &Peer,
    welcome: &Welcome,
    manifest: &Manifest,
) -> Result<Result<(), String>, CallError> {
    for method in &manifest.left_out {
        if calls::has(peer, &welcome.capabilities, method).await? {
            return Ok(Err(format!(
                "it has the method {method}, which it did not have when it was packed"
            )));
        }
    }
    Ok(Ok(()))
}

/// The plugin is not the one that was packed.
fn refused(manifest: &Manifest, problem: &str) -> CallError {
    let advice = match packed_since(manifest) {
        Some(version) => format!(
            "Version {version} of the provider was packed since: run `terraform init -upgrade` to use it"
        ),
        None => "Pack the plugin again with `tenon provider pack`, which prints how to update \
                 .terraform.lock.hcl"
            .to_owned(),
    };
    CallError::Malformed(Text::from(format!("{problem}. {advice}")))
}

/// Another version of the provider in the same mirror, whose plugin is as it is now.
fn packed_since(manifest: &Manifest) -> Option<String> {
    // MIRROR/REGISTRY/NAMESPACE/NAME/VERSION/PLATFORM/PROGRAM; Terraform links to the folder of the platform.
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let platform = program.parent()?;
    let versions = platform.parent()?.parent()?;
    let found = std::fs::read_dir(versions).ok()?.flatten();
    let mut others = found.filter_map(|version| {
        let file = version
            .path()
            .join(platform.file_name()?)
            .join(MANIFEST_FILE);
        let other = Manifest::read(&std::fs::read(file).ok()?).ok()?;
        let is_current = other.files.iter().all(|file| file.check().is_ok());
        let is_other = other.source() == manifest.source() && other.version != manifest.version;
        (is_other && is_current && !other.files.is_empty()).then_some(other.version)
    });
    others.next()
}

fn not_started(manifest: &Manifest, problem: CallError) -> PluginError {
    PluginError::new(&manifest.command.join(" "), Problem::Call(problem))
}

/// Says goodbye and sees to it that the process ends.
pub(super) async fn stop(plugin: tenon_host::Plugin) {
    let id = plugin.process().id();
    let stopped = plugin.stop(|peer| async move { Protocol::Seasonings.end(&peer).await });
    let stopped = stopped.await;
    tracing::debug!(id, how = ?stopped.how, status = %stopped.status, "the plugin ended");
}
