//! Asking a plugin what it offers.

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::{Map, Value};
use tenon_host::{Environment, Plugin, PluginCommand, PluginError, Problem, Start, Variable};
use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::{Greeting, Level, Welcome, begin, calls};
use tenon_protocols::{Protocol, Secrets};
use tenon_rpc::{CallError, Options, Peer, Router};
use tenon_schema::Offer;

use crate::exit::{Code, Failure};

/// What a plugin is started with.
pub(super) struct Settings<'a> {
    pub(super) command: &'a [String],
    /// The names of the environment variables that it may see.
    pub(super) environment: &'a [String],
    pub(super) config: &'a Map<String, Value>,
}

/// What a plugin says about itself.
pub(super) struct Captured {
    pub(super) welcome: Welcome,
    pub(super) schemas: Schemas,
    pub(super) offer: Offer,
    /// The methods that it leaves out.
    pub(super) left_out: Vec<String>,
}

/// Starts the plugin once, and asks for its schemas.
///
/// # Errors
/// It cannot be started, does not speak Seasonings, or has nothing that a provider can have.
pub(super) async fn capture(settings: Settings<'_>) -> Result<Captured, Failure> {
    let captured = ask(settings, &[Level::Functions, Level::Resources]).await;
    let captured = captured.map_err(|error| match error {
        Unasked::Plugin(error) => not_understood(&error),
        Unasked::Schema(failure) => failure,
    })?;
    captured.check()?;
    Ok(captured)
}

/// Why a plugin did not say what it offers.
pub(super) enum Unasked {
    Plugin(Box<PluginError>),
    /// Its schema is invalid.
    Schema(Failure),
}

/// As [`capture`], for a plugin that need not have anything of a provider.
pub(super) async fn ask(settings: Settings<'_>, levels: &[Level]) -> Result<Captured, Unasked> {
    let secrets = Secrets::default();
    for name in settings.environment {
        let variable = Variable::Inherited(name.into());
        secrets.learn_variables(variable.secrets(), variable.values());
    }
    let more: Vec<OsString> = settings.environment.iter().map(OsString::from).collect();
    let mut words = settings.command.iter();
    let plugin = PluginCommand::new(words.next().map_or("", String::as_str))
        .args(words)
        .inherit(Environment::Few { more })
        .environment_advice("pass it on with --env NAME");
    let protocol = Protocol::Seasonings;
    let start = Start {
        options: Options {
            redact: Some(secrets.redact()),
            ..protocol.host_options()
        },
        limit: protocol.start_limit(),
        ..Start::new(protocol.dialect())
    };
    let greeting = Greeting {
        config: settings.config.clone(),
        ..Greeting::new(levels.iter().copied())
    };
    let first = |peer: Peer| async move {
        let welcome = begin(&peer, &greeting).await?;
        let schemas = calls::schemas(&peer, &welcome.capabilities).await?;
        Ok((welcome, schemas))
    };
    let started = Plugin::start(&plugin, start, Arc::new(Router::new(())), first).await;
    let (plugin, (welcome, schemas)) = started.map_err(|error| {
        let error = error.map_said(|said| secrets.hide(said));
        Unasked::Plugin(Box::new(error))
    })?;
    let peer = plugin.peer();
    let probed =
        plugin.while_alive(async { Ok(calls::left_out(&peer, &welcome.capabilities).await) });
    // A plugin that cannot answer such a call may still answer a real one.
    let probed = tokio::time::timeout(protocol.start_limit(), probed).await;
    let left_out = probed.ok().and_then(Result::ok).unwrap_or_default();
    plugin
        .stop(|peer| async move { protocol.end(&peer).await })
        .await;
    let offer = schemas.offer().map_err(|error| {
        let text = format!("the schema of the plugin is invalid: {error}");
        Unasked::Schema(Failure::new(Code::BrokenProtocol, secrets.hide(&text)))
    })?;
    Ok(Captured {
        welcome,
        schemas,
        offer,
        left_out,
    })
}

impl Captured {
    /// Whether the plugin has something that a provider can have.
    pub(super) fn has_provider(&self) -> bool {
        let offer = &self.offer;
        !offer.functions.is_empty()
            || !offer.resources.is_empty()
            || !offer.data_sources.is_empty()
            || !offer.ephemeral_resources.is_empty()
    }

    /// # Errors
    /// The plugin has nothing that a provider can have.
    fn check(&self) -> Result<(), Failure> {
        match self.has_provider() {
            true => Ok(()),
            false => Err(Failure::new(
                Code::Failed,
                "the plugin offers neither functions nor resources, so it cannot be packed as a provider\n  \
                 hint: its answer to `init` names them in `capabilities`: [\"functions\", \"resources\"]",
            )),
        }
    }
}

/// The failure of the first calls. What ran may be something else than a plugin for Terraform.
fn not_understood(error: &PluginError) -> Failure {
    let mut failure = Failure::from(error);
    let is_stranger = match &error.problem {
        Problem::Call(CallError::Answered(answer)) => calls::is_left_out(&answer.code),
        Problem::NoAnswer(_) => true,
        _ => error.broke_protocol(),
    };
    if is_stranger {
        failure.message += "\n  hint: only a plugin that speaks version 1 of Seasonings becomes a provider: msgpack-rpc on \
             stdin and stdout, `init` first";
    }
    failure
}
