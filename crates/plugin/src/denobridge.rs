//! The plugin as a script of denobridge: its one resource, data source, ephemeral resource and
//! action, and its functions.

mod answers;
mod as_given;
mod places;
mod resource;
mod secrets;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::IgnoredAny;
use tenon_protocols::Protocol;
use tenon_protocols::denobridge::{
    self as protocol, CallFunction, Close, Create, DataResult, Delete, Diagnostic, FunctionParams,
    FunctionResult, Health, Invoke, InvokeProgress, Json, Look, ModifyPlan, Open, OpenResult,
    Outcome, PrivateData, Props, Read, Renew, RenewResult, Update,
};
use tenon_rpc::{
    CloseReason, Connection, EventKind, Format, Io, Method, Options, Payload, Peer, Reply, Router,
    RpcError, events, options::Cancel,
};
use tenon_schema::Offer;
use tenon_values::{Error, Value};

use crate::context::{Progress, Said, Say};
use crate::ephemeral::AnyEphemeral;
use crate::parts::{Given, Part, Refusal};
use crate::running::Running;
use crate::session::Session;
use crate::{Failure, debug, wire};
use answers::{answer, failed, has_none, only};
use places::{Members, Places};
use secrets::split;

events! {
    /// Goodbye. Most hosts send it as an event, some as a call.
    Goodbye = "shutdown" (Option<Json>);
}

/// The protocol itself has no cancellation; this is the usual one of JSON-RPC, as in the other SDKs.
const CANCEL: Cancel = Cancel {
    method: "$/cancelRequest",
    field: "id",
};

fn may_be_cancelled(method: &str) -> bool {
    matches!(method, Read::NAME | ModifyPlan::NAME | CallFunction::NAME)
}

/// Serves a host until it says goodbye or goes away.
pub(crate) async fn serve(session: Arc<Session>, io: Io) -> Result<(), CloseReason> {
    let running = Arc::new(Running::new(CANCEL, may_be_cancelled));
    let heard = running.clone();
    let router = router(session.clone())
        .event_fallback(move |_, event| heard.hear(&event.method, event.params.as_ref()))
        .wrap(move |call, next| {
            let running = running.clone();
            async move {
                let (method, id) = (call.method.clone(), call.id.clone());
                running.run(&method, id, next.run(call)).await
            }
        });
    let router = Arc::new(router);
    let dialect = Protocol::Denobridge.dialect();
    let options = Options {
        tap: debug::tap(&session),
        ..Options::default()
    };
    let connection = Connection::start_with(io, dialect, router, options);
    session.last(connection).await
}

fn router(session: Arc<Session>) -> Router<Arc<Session>> {
    Router::new(session)
        .on_raw("health", |context, _| async move {
            let max_in_flight = context.state.offer.max_in_flight;
            let health = Health {
                ok: true,
                max_in_flight: max_in_flight.and_then(NonZeroUsize::new),
            };
            wire::encode("the result", &health).map_err(failed)
        })
        .on_raw(Goodbye::NAME, |context, _| async move {
            context.state.end();
            Ok(Payload::new(Format::Json, &b"{}"[..]))
        })
        .on_event(Goodbye, |context, _| context.state.end())
        .on_raw(Create::NAME, |context, params| async move {
            resource::create(&context.state, params).await
        })
        .on_raw(Read::NAME, |context, params| async move {
            match has_id(params.as_ref()) {
                true => resource::read(&context.state, params).await,
                false => look(&context.state, params).await,
            }
        })
        .on_raw(Update::NAME, |context, params| async move {
            resource::update(&context.state, params).await
        })
        .on_raw(Delete::NAME, |context, params| async move {
            resource::delete(&context.state, params).await
        })
        .on_raw(ModifyPlan::NAME, |context, params| async move {
            resource::modify_plan(&context.state, params).await
        })
        .on_raw(Open::NAME, |context, params| async move {
            open(&context.state, params).await
        })
        .on_raw(Renew::NAME, |context, params| async move {
            renew(&context.state, params).await
        })
        .on_raw(Close::NAME, |context, params| async move {
            close(&context.state, params).await
        })
        .on_raw(Invoke::NAME, |context, params| async move {
            invoke(&context.state, context.peer, params).await
        })
        .on_raw(CallFunction::NAME, |context, params| async move {
            call(&context.state, params).await
        })
}

/// Whether a method is one of denobridge's that a plugin with this offer can answer.
pub(crate) fn serves(method: &str, offer: &Offer) -> bool {
    let has_resource = !offer.resources.is_empty();
    match method {
        "health" | Goodbye::NAME => true,
        Create::NAME | Update::NAME | Delete::NAME | ModifyPlan::NAME => has_resource,
        Read::NAME => has_resource || !offer.data_sources.is_empty(),
        Open::NAME | Renew::NAME | Close::NAME => !offer.ephemeral_resources.is_empty(),
        Invoke::NAME => !offer.actions.is_empty(),
        CallFunction::NAME => !offer.functions.is_empty(),
        _ => false,
    }
}

/// `read` is the name of two methods: only a resource has an id.
fn has_id(params: Option<&Payload>) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Subject {
        id: Option<IgnoredAny>,
    }
    // Params that are not an object are for the data source to refuse.
    let subject: Option<Subject> = params.and_then(|params| params.decode().ok());
    subject.unwrap_or_default().id.is_some()
}

fn decode<M: Method>(params: Option<Payload>) -> Result<M::Params, RpcError> {
    wire::params(M::NAME, params).map_err(RpcError::invalid_params)
}

fn value(given: Given, json: &Json) -> Result<Value, Refusal> {
    json.value().map_err(|error| Refusal::Unfit(given, error))
}

/// A value as it is sent. One without attributes is null.
fn json(value: &Value) -> Result<Json, Refusal> {
    match value.attributes() {
        Some(attributes) if attributes.is_empty() => Ok(Json::null()),
        _ => Json::of(value).map_err(|error| Failure::from(error).into()),
    }
}

async fn look(session: &Session, params: Option<Payload>) -> Reply {
    let name = only(
        session,
        Look::NAME,
        "data source",
        &session.offer.data_sources,
    )?;
    let params = decode::<Look>(params)?;
    let part = session.parts().await.map_err(failed)?.data_sources[name].clone();
    let places = Places::new(&Members::PLAIN, &part.shape);
    let work = async {
        let props = value(Given::Props, &params.props)?;
        let data = (part.work)(Progress::none(), props).await?;
        let (result, sensitive_result) = split(&data.value, &part.shape.returned)?;
        Ok(DataResult {
            result: Some(result),
            sensitive_result,
            diagnostics: places.all(data.diagnostics),
        })
    };
    answer(&places, work.await)
}

async fn ephemeral(session: &Session, method: &str) -> Result<Part<dyn AnyEphemeral>, RpcError> {
    let all = &session.offer.ephemeral_resources;
    let name = only(session, method, "ephemeral resource", all)?;
    let parts = session.parts().await.map_err(failed)?;
    Ok(parts.ephemeral_resources[name].clone())
}

async fn open(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = ephemeral(session, Open::NAME).await?;
    let params: Props = decode::<Open>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let opened = work.open(value(Given::Props, &params.props)?).await?;
        let (result, sensitive_result) = split(&opened.data.value, &shape.returned)?;
        Ok(OpenResult {
            result: Some(result),
            sensitive_result,
            renew_at: opened.renew_at.map(seconds),
            private_data: Some(json(&opened.private)?),
            diagnostics: places.all(opened.data.diagnostics),
        })
    };
    answer(&places, work.await)
}

fn private(params: &PrivateData) -> Result<Value, Refusal> {
    match &params.private_data {
        Some(json) => value(Given::Private, json),
        None => Ok(Value::NULL),
    }
}

async fn renew(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = ephemeral(session, Renew::NAME).await?;
    let params = decode::<Renew>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let renewed = work.renew(private(&params)?).await?;
        Ok(RenewResult {
            renew_at: renewed.renew_at.map(seconds),
            private_data: Some(json(&renewed.private)?),
            diagnostics: places.all(renewed.diagnostics),
        })
    };
    answer(&places, work.await)
}

async fn close(session: &Session, params: Option<Payload>) -> Reply {
    let Part { shape, work } = ephemeral(session, Close::NAME).await?;
    let params = decode::<Close>(params)?;
    let places = Places::new(&Members::PLAIN, &shape);
    let work = async {
        let closed = work.close(private(&params)?).await?;
        Ok(done(places.all(closed.diagnostics)))
    };
    answer(&places, work.await)
}

async fn invoke(session: &Session, peer: Peer, params: Option<Payload>) -> Reply {
    let name = only(session, Invoke::NAME, "action", &session.offer.actions)?;
    let params = decode::<Invoke>(params)?;
    let part = session.parts().await.map_err(failed)?.actions[name].clone();
    let places = Places::new(&Members::PLAIN, &part.shape);
    let say: Arc<Say> = Arc::new(move |said| {
        let peer = peer.clone();
        Box::pin(async move {
            match said {
                Said::Progress { message, .. } => {
                    let progress = protocol::Progress { message };
                    // If the host is gone, progress is not shown.
                    let _unheard = peer.send(InvokeProgress, progress).await;
                }
                Said::Log(level, message) => level.tell(&message),
            }
        })
    });
    let work = async {
        let props = value(Given::Props, &params.props)?;
        let data = (part.work)(Progress::new(&say), props).await?;
        Ok(done(places.all(data.diagnostics)))
    };
    let result = work.await;
    // From here on, a `Progress` that is still in use sends nothing.
    drop(say);
    answer(&places, result)
}

fn done(diagnostics: Vec<Diagnostic>) -> Outcome {
    Outcome {
        done: Some(true),
        diagnostics,
    }
}

async fn call(session: &Session, params: Option<Payload>) -> Reply {
    let offered = &session.offer.functions;
    if offered.is_empty() {
        return Err(has_none(session, CallFunction::NAME, "function"));
    }
    let FunctionParams { name, arguments } = decode::<CallFunction>(params)?;
    let Some(schema) = offered.get(&name) else {
        return Err(failed(session.missing("function", &name, offered.keys())));
    };
    let function = session.function(&name).await.map_err(failed)?;
    let places = Places::of_parameters(schema);
    let work = async {
        let values = { arguments.iter().enumerate() }.map(|(index, json)| {
            let below = |error: Error| error.below(tenon_values::Step::Index(index));
            { json.value() }.map_err(|error| Refusal::Unfit(Given::Props, below(error)))
        });
        let mut values = values.collect::<Result<Vec<Value>, Refusal>>()?;
        let fixed = schema.parameters.len();
        let rest = values.split_off(fixed.min(values.len()));
        let names = schema
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str());
        let mut given: Vec<(&str, Value)> = names.zip(values).collect();
        match &schema.variadic {
            Some(variadic) => given.push((&variadic.name, Value::tuple(rest))),
            None if rest.is_empty() => {}
            None => {
                let detail = format!("{name} takes {fixed}, but {} are given", fixed + rest.len());
                return Err(
                    Failure::diagnosed([Diagnostic::error("too many arguments", detail)]).into(),
                );
            }
        }
        let data = function(Progress::none(), Value::object(given)).await?;
        let unwritable =
            |error| Failure::new(format!("the result cannot be written as JSON: {error}"));
        Ok(FunctionResult {
            result: Some(Json::of(&data.value).map_err(unwritable)?),
            diagnostics: places.all(data.diagnostics),
        })
    };
    answer(&places, work.await)
}

/// Rounded down: a renewal may come too early, but not too late.
fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        // Before 1970: immediately.
        Err(_) => 0,
    }
}
