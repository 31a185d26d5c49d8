//! Hooks.

use serde_json::Value as Json;
use tenon_protocols::seasonings::{FAILED, Params, canonical};
use tenon_rpc::wire::Packed;
use tenon_rpc::{Format, Payload, Peer, Reply, RpcError};
use tenon_values::{Number, Value};

use super::Received;
use super::answers::say;
use crate::Failure;
use crate::context::Progress;
use crate::hooks::{ANY, Action, AnyHook, Change, Stage, Verdict};
use crate::session::Session;

pub(super) async fn call(
    session: &Session,
    peer: Peer,
    method: &str,
    params: Option<&Payload>,
) -> Reply {
    let failed = |failure: Failure| RpcError::new(FAILED, failure.into_text());
    let parts = session.parts().await.map_err(failed)?;
    let Some(name) = parts
        .hooks
        .keys()
        .copied()
        .find(|name| canonical(name) == method)
    else {
        return Err(RpcError::method_not_found(method, Format::Msgpack));
    };
    let given = Received::new(name, params)?;
    let say = say(peer);
    let progress = Progress::new(&say);
    let verdict = match &parts.hooks[name] {
        AnyHook::Resource(run) => run(progress, change(&given)?).await,
        AnyHook::Stage(run) => run(progress, stage(name, &given)?).await,
    };
    answer(verdict.map_err(failed)?)
}

fn change(given: &Received) -> Result<Change, RpcError> {
    let text = |name| Ok::<String, RpcError>(given.optional(name)?.unwrap_or_default());
    let planned: Option<String> = given.optional("planned_action")?;
    let applied = given.optional("applied_action")?;
    Ok(Change {
        address: text("address")?,
        provider: text("provider")?,
        resource_type: text("resource_type")?,
        resource_name: text("resource_name")?,
        resource_mode: text("resource_mode")?,
        module: given.optional("module")?,
        index: { given.optional::<Json>("index")? }.and_then(index),
        action: applied.or(planned).as_deref().and_then(Action::named),
        before: value(given, "before")?,
        after: value(given, "after")?,
        config: value(given, "config")?,
        sensitive_paths: given.optional("sensitive_paths")?.unwrap_or_default(),
        metadata: value(given, "metadata")?,
    })
}

/// The key of an instance.
fn index(sent: Json) -> Option<Value> {
    match sent {
        Json::String(key) => Some(Value::from(key)),
        Json::Number(number) => { number.as_i64() }.map(|index| Value::number(Number::from(index))),
        _ => None,
    }
}

/// A value without a type; null if it is missing.
fn value(given: &Received, name: &str) -> Result<Value, RpcError> {
    match given.has(name) {
        true => given.value(name, &ANY),
        false => Ok(Value::NULL),
    }
}

fn stage(name: &'static str, given: &Received) -> Result<Stage, RpcError> {
    let resources: Vec<Packed> = given.optional("resources")?.unwrap_or_default();
    let resources = resources.into_iter().map(|one| {
        let payload = Payload::from(one);
        change(&Received::new(name, Some(&payload))?)
    });
    let summary: Json = given.optional("summary")?.unwrap_or_default();
    let count = |name: &str| summary[name].as_u64().unwrap_or(0);
    Ok(Stage {
        name: given.optional("stage")?.unwrap_or_default(),
        resources: resources.collect::<Result<_, RpcError>>()?,
        add: count("add"),
        change: count("change"),
        destroy: count("destroy"),
        import: count("import"),
        errors: given.optional("errors")?.unwrap_or_default(),
        plan_sha256: given.optional("plan_sha256")?,
    })
}

fn answer(verdict: Verdict) -> Reply {
    let unwritable = |error| RpcError::internal(format!("the verdict cannot be written: {error}"));
    let mut result = Params::new().text("status", verdict.status);
    if let Some(message) = &verdict.message {
        result = result.text("message", message);
    }
    if !verdict.warnings.is_empty() {
        result = { result.member("warnings", &verdict.warnings) }.map_err(unwritable)?;
    }
    if !verdict.metadata.is_empty() {
        let metadata = Value::object(verdict.metadata);
        result = { result.value("metadata", &metadata, &metadata.ty()) }.map_err(unwritable)?;
    }
    Ok(result.into_answer())
}
