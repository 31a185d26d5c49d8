//! `tenon provider`: installs denobridge, and packs plugins.

mod capture;
mod command;
#[cfg(unix)]
pub(crate) mod dev;
mod docs;
mod files;
mod installation;
mod mirror;
mod pack;
mod packed;

use serde_json::json;
use tenon_protocols::denobridge::provider::{self, ADDRESS as SOURCE};

use self::mirror::Package;
use crate::args::{InstallArgs, ProviderCommand};
use crate::exit::Failure;
use crate::output;

pub(crate) async fn run(command: &ProviderCommand) -> Result<(), Failure> {
    match command {
        ProviderCommand::Install(args) => install(args).await,
        ProviderCommand::Pack(args) => pack::run(args).await,
        ProviderCommand::List(args) => packed::list(args),
        ProviderCommand::Remove(args) => packed::remove(args),
        ProviderCommand::Docs(args) => docs::run(args).await,
    }
}

async fn install(args: &InstallArgs) -> Result<(), Failure> {
    let binary = mirror::binary(args.binary.as_deref(), provider::NAME)?;
    mirror::check_binary(&binary, provider::NAME).await?;
    let package = Package {
        mirror: mirror::folder(args.mirror.as_deref())?,
        source: SOURCE.to_owned(),
        include: SOURCE.to_owned(),
        version: args.as_version.clone(),
    };
    let done = package.install(&args.programs, args.write_config, &binary, None)?;
    if args.json {
        let done: Vec<_> = done.iter().map(mirror::Installed::json).collect();
        return output::json_data(
            json!({ "version": package.version, "mirror": package.mirror, "installed": done }),
        );
    }
    package.print(&done)
}
