//! `tenon provider pack`.

use serde_json::{Map, Value, json};
use tenon_protocols::seasonings::{MANIFEST_FILE, MANIFEST_FORMAT, Manifest};
use tenon_schema::Offer;

use super::capture::{Captured, Settings, capture};
use super::command::Command;
use super::mirror::{self, Package};
use crate::args::{PackArgs, Pins, version};
use crate::commands::config;
use crate::exit::{Code, Failure};
use crate::output;

pub(super) async fn run(args: &PackArgs) -> Result<(), Failure> {
    // What is missing is reported before the plugin is started.
    mirror::binary(args.binary.as_deref(), "tenon")?;
    let command = Command::resolve(&args.command)?;
    let config = config::read(&args.config)?;
    let settings = Settings {
        command: &command.words,
        environment: &args.environment,
        config: &config,
    };
    let captured = capture(settings).await?;
    let Packed {
        package,
        manifest,
        offer,
        done,
    } = pack(args, command, config, captured)?;
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

/// A provider in the mirror.
pub(super) struct Packed {
    pub(super) package: Package,
    manifest: Manifest,
    offer: Offer,
    done: Vec<mirror::Installed>,
}

/// Puts a provider into the mirror that is made out of what a plugin says about itself.
pub(super) fn pack(
    args: &PackArgs,
    command: Command,
    config: Map<String, Value>,
    captured: Captured,
) -> Result<Packed, Failure> {
    let binary = mirror::binary(args.binary.as_deref(), "tenon")?;
    let Captured {
        welcome,
        schemas,
        offer,
        left_out,
    } = captured;
    let is_pinned = args.sha256 == Pins::Auto && !args.dev;
    let manifest = Manifest {
        format: MANIFEST_FORMAT,
        name: args.name.clone(),
        namespace: args.namespace.clone(),
        version: version_of(args, &welcome.version),
        files: match is_pinned {
            true => command.pins()?,
            false => Vec::new(),
        },
        command: command.words,
        environment: args.environment.clone(),
        config,
        timeout_ms: { args.timeout.0 }
            .map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1)),
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
    let beside = (MANIFEST_FILE, &text[..]);
    let done = package.install(&args.programs, args.write_config, &binary, Some(beside))?;
    Ok(Packed {
        package,
        manifest,
        offer,
        done,
    })
}

/// The version of the provider: of the command line, or of the plugin if Terraform can use that.
fn version_of(args: &PackArgs, of_plugin: &str) -> String {
    const OTHERWISE: &str = "0.1.0";
    if let Some(version) = &args.as_version {
        return version.clone();
    }
    version(of_plugin).unwrap_or_else(|_| {
        if !of_plugin.is_empty() {
            output::talk(format_args!(
                "warning: the version of the plugin, {}, is not three numbers such as 1.2.0, so the provider has the \
                 version {OTHERWISE}\n  hint: --as-version sets the version of the provider",
                tenon_text::line(&format!("{of_plugin:?}"))
            ));
        }
        OTHERWISE.to_owned()
    })
}
