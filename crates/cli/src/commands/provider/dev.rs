//! What `tenon dev` asks a plugin, and how it packs it.

use serde_json::Map;
use tenon_host::Problem;
use tenon_protocols::seasonings::{Level, Welcome, calls};
use tenon_rpc::CallError;
use tenon_schema::Offer;

use super::capture::{Captured, Settings, Unasked, ask};
use super::command::Command;
use super::pack::pack;
use crate::args::PackArgs;
use crate::exit::Failure;

/// What a plugin answers to the hosts that speak Seasonings.
pub(crate) struct Asked(Captured);

impl Asked {
    pub(crate) fn offer(&self) -> &Offer {
        &self.0.offer
    }

    pub(crate) fn welcome(&self) -> &Welcome {
        &self.0.welcome
    }

    /// Whether a provider can be made out of it.
    pub(crate) fn has_provider(&self) -> bool {
        self.0.has_provider()
    }
}

/// Asks a plugin what it offers; `None` if it says that it does not speak Seasonings.
///
/// # Errors
/// It cannot be started, violates the protocol, or its schema is invalid.
pub(crate) async fn describe(args: &PackArgs) -> Result<Option<Asked>, Failure> {
    let command = Command::resolve(&args.command)?;
    let settings = Settings {
        command: &command.words,
        environment: &args.environment,
        config: &Map::new(),
    };
    match ask(settings, &Level::ALL).await {
        Ok(captured) => Ok(Some(Asked(captured))),
        Err(Unasked::Schema(failure)) => Err(failure),
        Err(Unasked::Plugin(error)) => match &error.problem {
            Problem::Call(CallError::Answered(answer)) if calls::is_left_out(&answer.code) => {
                Ok(None)
            }
            _ => Err(Failure::from(&*error)),
        },
    }
}

/// Makes a provider of it. Returns its source and version.
///
/// # Errors
/// The program of the provider is missing, or the mirror cannot be written.
pub(crate) fn repack(args: &PackArgs, asked: Asked) -> Result<(String, String), Failure> {
    let command = Command::resolve(&args.command)?;
    let packed = pack(args, command, Map::new(), asked.0)?;
    Ok((packed.package.source, packed.package.version))
}
