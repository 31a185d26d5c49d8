//! The plugin as a provider of Orchard: its configuration and its actions.

use std::sync::Arc;

use tenon_protocols::orchard::{
    Code, Configure, ConfigureParams, Describe, DescribeResult, ERROR_NAMES, Empty, Execute,
    ExecuteParams, ExecuteResult, Json, ProviderError, ProviderSchema, Shutdown,
};
use tenon_rpc::{
    Call, CloseReason, Connection, Dialect, Io, Method, Options, Payload, Reply, Router, RpcError,
};
use tenon_values::Value;

use crate::context::Progress;
use crate::failure::tell;
use crate::parts::{self, Refusal};
use crate::session::{Session, Stage, Unconfigured, join};
use crate::{debug, wire};

/// Serves a host until it says goodbye or goes away.
pub(crate) async fn serve(session: Arc<Session>, io: Io) -> Result<(), CloseReason> {
    let options = Options {
        running: session.offer.max_in_flight.unwrap_or(1).max(1),
        error_names: ERROR_NAMES,
        tap: debug::tap(&session),
        ..Options::default()
    };
    let router = Arc::new(router(session.clone()));
    let connection = Connection::start_with(io, Dialect::Orchard, router, options);
    let reason = tokio::select! {
        reason = connection.closed() => reason,
        () = session.ended() => connection.close().await,
    };
    session.abandon().await;
    match reason {
        CloseReason::PeerClosed | CloseReason::ClosedHere => Ok(()),
        _ => Err(reason),
    }
}

fn router(session: Arc<Session>) -> Router<Arc<Session>> {
    Router::new(session)
        .on_raw(Describe::NAME, |context, params| async move {
            decode::<Describe>(params)?;
            let schema = ProviderSchema::try_from(&context.state.offer);
            let schema = schema.map_err(|error| fault(error.to_string()))?;
            encode(&DescribeResult { schema })
        })
        .on_raw(Configure::NAME, |context, params| async move {
            let params = decode::<Configure>(params)?;
            configure(&context.state, params).await?;
            encode(&Empty {})
        })
        .on_raw(Execute::NAME, |context, params| async move {
            let params = decode::<Execute>(params)?;
            let outputs = execute(&context.state, params).await?;
            // The action was run, so what is wrong now leaves its outcome unknown.
            encode(&ExecuteResult { outputs }).map_err(|error| {
                let error = ProviderError::from(error);
                RpcError::from(ProviderError {
                    code: Code::OutcomeUnknown,
                    ..error
                })
            })
        })
        .on_raw(Shutdown::NAME, |context, params| async move {
            decode::<Shutdown>(params)?;
            // The connection closes once everything is answered, this call included, even if the
            // author's shutdown panics.
            context.state.end();
            context.state.shut_down().await;
            encode(&Empty {})
        })
        .fallback(|call, _| async move { Err(unknown_method(&call)) })
}

async fn configure(session: &Session, params: ConfigureParams) -> Result<(), ProviderError> {
    let given = object(&params.config, "config")?;
    session
        .configure(&given)
        .await
        .map_err(|problem| match problem {
            Unconfigured::Ended => over(),
            Unconfigured::Twice => {
                let problem = "the plugin is already configured";
                ProviderError::new(Code::InvalidRequest, problem)
            }
            Unconfigured::Invalid(errors) => {
                ProviderError::new(Code::ConfigureFailed, join(&errors))
            }
            Unconfigured::Failed(failure) => failure.into_error(Code::ConfigureFailed),
        })
}

async fn execute(session: &Session, params: ExecuteParams) -> Result<Json, ProviderError> {
    let stage = session.stage().await;
    let Some(schema) = session.offer.actions.get(&params.action) else {
        return Err(unknown_action(session, &params.action));
    };
    let part = match &*stage {
        Stage::Ready(parts) => &parts.actions[&params.action],
        Stage::Ended => return Err(over()),
        Stage::Waiting | Stage::Deferred => {
            let problem = "configure must succeed before execute is called";
            return Err(ProviderError::new(Code::InvalidRequest, problem));
        }
    };
    let given = object(&params.attrs, "attrs")?;
    let given = { schema.input.complete(&given) }
        .map_err(|errors| ProviderError::new(Code::ValidationFailed, join(&errors)))?;
    let given = given.unmark_deep().0;
    let data = parts::guarded(|| (part.work)(Progress::none(), given), parts::panicked).await;
    let data = data.map_err(|refusal| match refusal {
        // It fits the schema, but not the Rust type.
        Refusal::Unfit(_, error) => ProviderError::new(Code::ValidationFailed, error.to_string()),
        Refusal::Failed(failure) => failure.into_error(Code::ExecuteFailed),
    })?;
    tell(&data.diagnostics);
    Json::of(&data.value.unmark_deep().0).map_err(|error| {
        let problem = format!("the action was run, but its outputs cannot be written: {error}");
        ProviderError::new(Code::OutcomeUnknown, problem)
    })
}

fn decode<M: Method>(params: Option<Payload>) -> Result<M::Params, RpcError> {
    wire::params(M::NAME, params)
        .map_err(|problem| ProviderError::new(Code::InvalidRequest, problem).into())
}

fn encode<T: serde::Serialize>(result: &T) -> Reply {
    wire::encode("the outputs", result).map_err(|problem| fault(problem).into())
}

fn fault(problem: String) -> ProviderError {
    ProviderError::new(Code::InternalError, problem)
}

fn object(json: &Json, member: &str) -> Result<Value, ProviderError> {
    let undecodable =
        |problem: String| ProviderError::new(Code::InvalidRequest, format!("`{member}` {problem}"));
    let value = json
        .value()
        .map_err(|error| undecodable(format!("cannot be read: {error}")))?;
    match value.attributes() {
        Some(_) => Ok(value),
        None => Err(undecodable("must be an object".to_owned())),
    }
}

fn over() -> ProviderError {
    ProviderError::new(Code::InvalidRequest, "the provider has been shut down")
}

fn unknown_action(session: &Session, name: &str) -> ProviderError {
    let known = session.offer.actions.keys();
    ProviderError::new(Code::UnknownAction, session.missing("action", name, known))
}

fn unknown_method(call: &Call) -> RpcError {
    let problem = format!("unknown method `{}`", call.method);
    ProviderError::new(Code::UnknownMethod, problem).into()
}
