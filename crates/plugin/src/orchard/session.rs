//! A provider at work: what has been configured, what is running, whether it is over.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tenon_protocols::orchard::{
    Code, Configure, ConfigureParams, Describe, DescribeResult, Empty, Execute, ExecuteParams,
    ExecuteResult, Json, ProviderError, Shutdown, complete,
};
use tenon_rpc::{Call, Format, Limits, Method, Payload, Reply, Router, RpcError};
use tenon_values::Value;
use tokio::sync::{Notify, RwLock};

use super::provider::{Setup, Work};
use super::{Failure, Provider};

/// How long the author's shutdown may take once the host is gone: nobody is there any more to end
/// a provider that hangs.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

enum Stage<S> {
    /// `configure` has not succeeded yet.
    Waiting,
    Ready(Arc<S>),
    Ended,
}

pub(crate) struct Session<S> {
    provider: Provider<S>,
    /// Actions hold it for reading while they run, so that `configure` and `shutdown` wait for
    /// those that came before, and those that come later wait for them.
    stage: RwLock<Stage<S>>,
    ended: Notify,
}

impl<S: Send + Sync + 'static> Session<S> {
    pub(crate) fn new(provider: Provider<S>) -> Arc<Session<S>> {
        let stage = match &provider.setup {
            Setup::Ready(state) => Stage::Ready(state.clone()),
            Setup::Configure(_) => Stage::Waiting,
        };
        Arc::new(Session {
            provider,
            stage: RwLock::new(stage),
            ended: Notify::new(),
        })
    }

    pub(crate) fn router(self: &Arc<Self>) -> Router<Arc<Session<S>>> {
        Router::new(self.clone())
            .on_raw(Describe::NAME, |context, params| async move {
                decode::<Describe>(params)?;
                let schema = context.state.provider.schema.clone();
                encode(&DescribeResult { schema })
            })
            .on_raw(Configure::NAME, |context, params| async move {
                let params = decode::<Configure>(params)?;
                context.state.configure(params).await?;
                encode(&Empty {})
            })
            .on_raw(Execute::NAME, |context, params| async move {
                let params = decode::<Execute>(params)?;
                let outputs = context.state.execute(params).await?;
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
                // The connection closes once everything is answered, this call included, even
                // if the author's shutdown panics.
                context.state.ended.notify_one();
                context.state.shut_down().await;
                encode(&Empty {})
            })
            .fallback(|call, _| async move { Err(unknown_method(&call)) })
    }

    /// Waits until the host has said goodbye.
    pub(crate) async fn ended(&self) {
        self.ended.notified().await;
    }

    async fn configure(&self, params: ConfigureParams) -> Result<(), ProviderError> {
        let mut stage = self.stage.write().await;
        let given = object(&params.config, "config")?;
        let config = complete(&self.provider.schema.config, &given)
            .map_err(|errors| refusal(Code::ConfigureFailed, &errors))?;
        // Where there is nothing to configure, hosts need not know.
        let start = match (&*stage, &self.provider.setup) {
            (Stage::Ended, _) => return Err(over()),
            (_, Setup::Ready(_)) => return Ok(()),
            (Stage::Waiting, Setup::Configure(start)) => start,
            (Stage::Ready(_), Setup::Configure(_)) => {
                let problem = "configure has succeeded already; it is called once";
                return Err(ProviderError::new(Code::InvalidRequest, problem));
            }
        };
        let state = start(config.unmark_deep().0).await;
        let state = state.map_err(|failure| failure.into_error(Code::ConfigureFailed))?;
        *stage = Stage::Ready(Arc::new(state));
        Ok(())
    }

    async fn execute(&self, params: ExecuteParams) -> Result<Json, ProviderError> {
        let stage = self.stage.read().await;
        let actions = &self.provider.schema.actions;
        let found = { actions.get(&params.action) }.zip(self.provider.actions.get(&params.action));
        let Some((schema, run)) = found else {
            return Err(unknown_action(&params.action, actions.keys()));
        };
        let state = match &*stage {
            Stage::Ready(state) => state.clone(),
            Stage::Ended => return Err(over()),
            Stage::Waiting => {
                let problem = "configure has to succeed before anything is executed";
                return Err(ProviderError::new(Code::InvalidRequest, problem));
            }
        };
        let given = object(&params.attrs, "attrs")?;
        let attributes = complete(&schema.attrs, &given)
            .map_err(|errors| refusal(Code::ValidationFailed, &errors))?;
        let outputs = guarded(|| run(state, attributes.unmark_deep().0)).await;
        let outputs = outputs.map_err(|failure| failure.into_error(Code::ExecuteFailed))?;
        Json::of(&outputs.unmark_deep().0).map_err(|error| {
            let problem = format!("the action was run, but its outputs cannot be written: {error}");
            ProviderError::new(Code::OutcomeUnknown, problem)
        })
    }

    async fn shut_down(&self) {
        let mut stage = self.stage.write().await;
        let before = std::mem::replace(&mut *stage, Stage::Ended);
        if let (Stage::Ready(state), Some(stop)) = (before, &self.provider.stop) {
            stop(state).await;
        }
    }

    /// Shuts down without having been told to, if that is still to be done.
    pub(crate) async fn abandon(&self) {
        let _over_in_any_case = tokio::time::timeout(SHUTDOWN_LIMIT, self.shut_down()).await;
    }
}

/// Runs an action. One that panics may have done anything until then. What the panic says goes to
/// stderr alone: it may quote a secret.
async fn guarded(begin: impl FnOnce() -> Work<Result<Value, Failure>>) -> Result<Value, Failure> {
    let panicked = |_| Failure::outcome_unknown("the action panicked; stderr says where");
    let mut work = catch_unwind(AssertUnwindSafe(begin)).map_err(panicked)?;
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx)));
        polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(panic))))
    })
    .await
}

fn decode<M: Method>(params: Option<Payload>) -> Result<M::Params, RpcError> {
    let refuse = |problem: String| {
        let problem = format!("the params of {} {problem}", M::NAME);
        RpcError::from(ProviderError::new(Code::InvalidRequest, problem))
    };
    let params = params.unwrap_or_else(|| Payload::new(Format::Json, &b"{}"[..]));
    if !params.bytes().starts_with(b"{") {
        return Err(refuse("have to be an object".to_owned()));
    }
    params
        .decode_private()
        .map_err(|error| refuse(format!("cannot be decoded: {error}")))
}

fn encode<T: serde::Serialize>(result: &T) -> Reply {
    let payload = Payload::encode(Format::Json, result)
        .map_err(|error| ProviderError::new(Code::InternalError, error.to_string()))?;
    // A host ends the connection over a frame that is too large, and nobody would know why.
    let limit = Limits::default().frame - ENVELOPE;
    match payload.bytes().len() {
        size if size > limit => {
            let problem = format!("the outputs have {size} bytes, and at most {limit} can be sent");
            Err(ProviderError::new(Code::ExecuteFailed, problem).into())
        }
        _ => Ok(payload),
    }
}

/// What a frame has around a result, and to spare.
const ENVELOPE: usize = 1024;

fn object(json: &Json, member: &str) -> Result<Value, ProviderError> {
    let undecodable =
        |problem: String| ProviderError::new(Code::InvalidRequest, format!("`{member}` {problem}"));
    let value = json
        .value()
        .map_err(|error| undecodable(format!("cannot be read: {error}")))?;
    match value.attributes() {
        Some(_) => Ok(value),
        None => Err(undecodable("has to be an object".to_owned())),
    }
}

fn refusal(code: Code, errors: &[tenon_values::Error]) -> ProviderError {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    ProviderError::new(code, errors.join("; "))
}

fn over() -> ProviderError {
    ProviderError::new(Code::InvalidRequest, "the provider has been shut down")
}

fn unknown_action<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> ProviderError {
    let hint = match tenon_text::nearest(name, known.map(String::as_str)) {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    };
    ProviderError::new(Code::UnknownAction, format!("unknown action: {name}{hint}"))
}

fn unknown_method(call: &Call) -> RpcError {
    let problem = format!("unknown method: {}", call.method);
    ProviderError::new(Code::UnknownMethod, problem).into()
}
