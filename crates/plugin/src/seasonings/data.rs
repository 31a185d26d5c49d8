//! Data sources and ephemeral resources.

use std::sync::Arc;

use tenon_protocols::seasonings::{Params, value};
use tenon_rpc::{Peer, Reply, RpcError};
use tenon_schema::Body;
use tenon_values::{Error, Type, Value};

use super::answers::{answer, failed, part, say, subject, with_diagnostics};
use super::resources::select;
use super::{Received, Served};
use crate::Failure;
use crate::context::Progress;
use crate::ephemeral::AnyEphemeral;
use crate::parts::{Given, Kind, Refusal, Shape};

pub(super) async fn read(served: &Served, peer: Peer, given: &Received) -> Reply {
    let kinds = &served.session.kinds.data_sources;
    let (name, kind) = subject(served, given, "data source", kinds)?;
    let body = &served.offer()?.data_sources[name].body;
    let config = given.value("config", body)?;
    let parts = served.session.parts().await.map_err(failed)?;
    let say = say(peer);
    let work = async {
        let props = select(&config, kind.shape.given_names());
        let look = &parts.data_sources[name].work;
        let data = look(Progress::new(&say), props).await?;
        let result = with_returned("state", &data.value, &kind.shape, body)?;
        with_diagnostics(result, data.diagnostics, body)
    };
    let result = work.await;
    // From here on, a `Progress` that is still in use sends nothing.
    drop(say);
    answer(body, result)
}

/// What the plugin returned. What was configured is left out: the host has it.
fn with_returned(
    name: &str,
    returned: &Value,
    shape: &Shape,
    body: &Body,
) -> Result<Params, Refusal> {
    let unwritable = |error: Error| Failure::new(format!("the {name} cannot be written: {error}"));
    let mut written = Params::new();
    for one in &shape.returned {
        let value = part(returned, &one.name);
        let is_given = shape.given.iter().any(|given| given.name == one.name);
        if let Some(attribute) = body.attribute(&one.name)
            && !(is_given && value.is_null())
        {
            written = written
                .value(&one.name, &value, &attribute.ty)
                .map_err(unwritable)?;
        }
    }
    Ok(Params::new().map(name, written))
}

/// The ephemeral resource that a call is about.
struct Subject<'a> {
    kind: &'a Kind,
    body: &'a Body,
    work: Arc<dyn AnyEphemeral>,
}

impl<'a> Subject<'a> {
    async fn new(served: &'a Served, given: &Received) -> Result<Subject<'a>, RpcError> {
        let kinds = &served.session.kinds.ephemeral_resources;
        let (name, kind) = subject(served, given, "ephemeral resource", kinds)?;
        let parts = served.session.parts().await.map_err(failed)?;
        Ok(Subject {
            kind,
            body: &served.offer()?.ephemeral_resources[name].body,
            work: parts.ephemeral_resources[name].work.clone(),
        })
    }
}

pub(super) async fn open(served: &Served, given: &Received) -> Reply {
    let Subject { kind, body, work } = Subject::new(served, given).await?;
    let config = given.value("config", body)?;
    let work = async {
        let opened = work.open(select(&config, kind.shape.given_names())).await?;
        let result = with_returned("result", &opened.data.value, &kind.shape, body)?;
        let result = with_renewal(result, opened.renew_at, &opened.private)?;
        with_diagnostics(result, opened.data.diagnostics, body)
    };
    answer(body, work.await)
}

pub(super) async fn renew(served: &Served, given: &Received) -> Reply {
    let Subject { body, work, .. } = Subject::new(served, given).await?;
    let private = private(given)?;
    let work = async {
        let renewed = work.renew(private?).await?;
        let result = with_renewal(Params::new(), renewed.renew_at, &renewed.private)?;
        with_diagnostics(result, renewed.diagnostics, body)
    };
    answer(body, work.await)
}

pub(super) async fn close(served: &Served, given: &Received) -> Reply {
    let Subject { body, work, .. } = Subject::new(served, given).await?;
    let private = private(given)?;
    let work = async {
        let closed = work.close(private?).await?;
        with_diagnostics(Params::new(), closed.diagnostics, body)
    };
    answer(body, work.await)
}

/// With what is needed to renew and close it. Private data is a value with its type.
fn with_renewal(
    result: Params,
    renew_at: Option<std::time::SystemTime>,
    private: &Value,
) -> Result<Params, Refusal> {
    let unwritable = |_| Failure::new("the private data cannot be written");
    let private = value::encode(private, &Type::Dynamic).map_err(unwritable)?;
    let result = match renew_at {
        // Rounded down: a renewal may come too early, but not too late.
        Some(time) => result.text("renew_at", &tenon_text::Utc(time).to_string()),
        None => result,
    };
    Ok(result.binary("private", Some(&private)))
}

/// What an ephemeral resource left for later. Its errors are hidden: it may be a secret.
fn private(given: &Received) -> Result<Result<Value, Refusal>, RpcError> {
    let Some(private) = given.binary("private")?.filter(|it| !it.is_empty()) else {
        return Ok(Ok(Value::NULL));
    };
    let refuse = |error| Refusal::Unfit(Given::Private, crate::secret::hidden(error));
    Ok(value::decode(&private, &Type::Dynamic).map_err(refuse))
}
