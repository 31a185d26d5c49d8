//! What a packed provider adds to a call: `CallFunction` over gRPC beside `functions/call` over the plugin's pipes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bench_harness::section::fault;
use bench_terraform::calls::{self, Calls, Subject, Way, median};
use bench_terraform::identity::Identity;
use bench_terraform::provider::Provider;
use tenon_host::{PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::{Argument, CallFunction, call};
use tenon_rpc::Router;
use tenon_schema::Parameter;
use tenon_tfplugin::proto::tfplugin6::{DynamicValue, call_function};
use tenon_values::{Type, Value};

use crate::packing::{Packed, Plugin};

const TEXT: &str = "Hello, World";
const SLUG: &str = "hello-world";

pub async fn run(rounds: usize, millis: u64, packed: &Packed) -> io::Result<Calls> {
    let subject = Subject {
        heading: "plugin",
        about: "`functions/call` of a plugin, and `CallFunction` of the provider that it was packed into.",
        provider: "the packed provider",
        bar: 150.0,
    };
    let identity = Identity::new()?;
    let each = Duration::from_millis(millis);
    let languages = packed.plugins.iter().map(|plugin| plugin.language);
    let rows = languages.flat_map(|language| Way::ALL.map(|way| (language, way)));
    calls::run(rounds, subject, rows, async |language, way| {
        let plugin = packed.plugin(language).ok_or_else(|| fault(language))?;
        match way {
            Way::Pipes => bare(plugin, each).await,
            Way::Plain => provided(plugin, None, each).await,
            Way::Encrypted => provided(plugin, Some(&identity), each).await,
        }
    })
    .await
}

async fn bare(plugin: &Plugin, each: Duration) -> io::Result<f64> {
    let protocol = Protocol::Seasonings;
    let start = Start {
        options: protocol.host_options(),
        ..Start::new(protocol.dialect())
    };
    let command = PluginCommand::new(&plugin.words[0]).args(&plugin.words[1..]);
    let first = |peer| async move { protocol.begin(&peer).await };
    let (plugin, _) = tenon_host::Plugin::start(&command, start, Arc::new(Router::new(())), first)
        .await
        .map_err(fault)?;
    let peer = plugin.peer();
    let (text, separator) = (
        Parameter::new("text", Type::String),
        Parameter::new("separator", Type::String),
    );
    let slug = CallFunction {
        name: "slug",
        arguments: &[
            (&text, Argument::One(TEXT.into())),
            (&separator, Argument::One("-".into())),
        ],
        returns: &Type::String,
    };
    let expected = Some(Value::from(SLUG));
    let made = async || match call(&peer, &slug).await {
        Ok(returned) if returned.result == expected => Ok(()),
        other => Err(fault(other)),
    };
    let measured = median(made, each).await;
    plugin
        .stop(|peer| async move { protocol.end(&peer).await })
        .await;
    measured
}

async fn provided(plugin: &Plugin, identity: Option<&Identity>, each: Duration) -> io::Result<f64> {
    let provider = Provider::start(&plugin.provider, identity).await?;
    let mut client = provider.client();
    let request = call_function::Request {
        name: "slug".to_owned(),
        arguments: vec![text(TEXT)],
    };
    let expected = Some(text(SLUG));
    let made = async || {
        let answer = client.call_function(request.clone()).await;
        let answer = answer.map_err(fault)?.into_inner();
        match answer.result == expected {
            true => Ok(()),
            false => Err(fault(answer)),
        }
    };
    let measured = median(made, each).await?;
    drop(client);
    provider.end().await?;
    Ok(measured)
}

/// A text as Terraform sends it.
fn text(text: &str) -> DynamicValue {
    let mut msgpack = Vec::new();
    tenon_wire::msgpack::write::str(&mut msgpack, text.as_bytes());
    DynamicValue {
        msgpack,
        ..DynamicValue::default()
    }
}
