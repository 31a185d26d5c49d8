//! A script: what it can do.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::{
    CallFunction, Close, Create, DataResult, Delete, FunctionParams, FunctionResult, Invoke, Json,
    Look, ModifyPlan, Open, Outcome, Read, Renew, Update,
};
use tenon_rpc::{Method, Payload, Peer, Reply};
use tenon_values::Value;

use super::{Data, Ephemeral, Failure, Progress, Resource, ephemeral, resource, wire};

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;
pub(super) type Handler = Box<dyn Fn(Peer, Option<Payload>) -> Work<Reply> + Send + Sync>;
type Function = Box<dyn Fn(Value) -> Work<Result<Json, Failure>> + Send + Sync>;

/// A script: at most one resource, data source, ephemeral resource and action, and any number of
/// functions. Most scripts are one of these.
///
/// Calls are handled at the same time, on one thread. A panic is answered with an internal error
/// and ends nothing else. A host gives a process one call at a time all the same, unless the script
/// says that it takes more: see [`max_in_flight`](Script::max_in_flight).
#[derive(Default)]
pub struct Script {
    pub(super) handlers: BTreeMap<&'static str, Handler>,
    /// Apart from the others, since it is called `read` like the function of a resource.
    pub(super) data_source: Option<Handler>,
    pub(super) functions: BTreeMap<String, Function>,
    pub(super) max_in_flight: Option<NonZeroUsize>,
}

impl Script {
    /// A script that can do nothing yet.
    pub fn new() -> Script {
        Script::default()
    }

    /// Says how many calls one process of this script takes at a time. The host starts fewer
    /// processes then. For scripts that wait for others most of the time, and never block.
    #[must_use]
    pub fn max_in_flight(mut self, calls: NonZeroUsize) -> Script {
        self.max_in_flight = Some(calls);
        self
    }

    /// Adds a resource.
    ///
    /// # Panics
    /// There is one already.
    #[must_use]
    #[track_caller]
    pub fn resource<R: Resource>(self, resource: R) -> Script {
        let resource = Arc::new(resource);
        let [create, read, update, delete, plan] = std::array::from_fn(|_| resource.clone());
        self.add(Create, move |_, params| {
            resource::create(create.clone(), params)
        })
        .add(Read, move |_, params| resource::read(read.clone(), params))
        .add(Update, move |_, params| {
            resource::update(update.clone(), params)
        })
        .add(Delete, move |_, params| {
            resource::delete(delete.clone(), params)
        })
        .add(ModifyPlan, move |_, params| {
            resource::modify_plan(plan.clone(), params)
        })
    }

    /// Adds a data source: props in, data out.
    ///
    /// # Panics
    /// There is one already.
    #[must_use]
    #[track_caller]
    pub fn data_source<P, T, F, W>(mut self, look: F) -> Script
    where
        P: DeserializeOwned,
        T: Serialize,
        F: Fn(P) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Data<T>, Failure>> + Send + 'static,
    {
        assert!(self.data_source.is_none(), "there are two data sources");
        let look = handler(Look, move |_, params| {
            let work = wire::read(&params.props, "props").map(&look);
            async move {
                let written = work?.await?.write("result")?;
                Ok(DataResult {
                    result: Some(written.value),
                    sensitive_result: written.sensitive,
                    diagnostics: written.diagnostics,
                })
            }
        });
        self.data_source = Some(look);
        self
    }

    /// Adds an ephemeral resource.
    ///
    /// # Panics
    /// There is one already.
    #[must_use]
    #[track_caller]
    pub fn ephemeral<E: Ephemeral>(self, ephemeral: E) -> Script {
        let ephemeral = Arc::new(ephemeral);
        let [open, renew, close] = std::array::from_fn(|_| ephemeral.clone());
        self.add(Open, move |_, params| ephemeral::open(open.clone(), params))
            .add(Renew, move |_, params| {
                ephemeral::renew(renew.clone(), params)
            })
            .add(Close, move |_, params| {
                ephemeral::close(close.clone(), params)
            })
    }

    /// Adds an action. It may tell how far it has come.
    ///
    /// # Panics
    /// There is one already.
    #[must_use]
    #[track_caller]
    pub fn action<P, F, W>(self, invoke: F) -> Script
    where
        P: DeserializeOwned,
        F: Fn(Progress, P) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Outcome, Failure>> + Send + 'static,
    {
        self.add(Invoke, move |peer, params| {
            let peer = Arc::new(peer);
            let work =
                wire::read(&params.props, "props").map(|props| invoke(Progress::new(&peer), props));
            async move {
                let outcome = work?.await;
                // Whoever still holds a `Progress` has nobody to talk to from here on.
                drop(peer);
                outcome.map(Some)
            }
        })
    }

    /// Adds a function. It gets its arguments as a tuple, or as a `Vec` if there may be any number
    /// of them.
    ///
    /// # Panics
    /// There is one of this name already.
    #[must_use]
    #[track_caller]
    pub fn function<A, T, F, W>(mut self, name: impl Into<String>, call: F) -> Script
    where
        A: DeserializeOwned,
        T: Serialize,
        F: Fn(A) -> W + Send + Sync + 'static,
        W: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let function = move |arguments: Value| -> Work<Result<Json, Failure>> {
            let work = wire::read_value(&arguments, &["arguments"]).map(&call);
            Box::pin(async move { wire::write(&work?.await?, "result") })
        };
        let name = name.into();
        let before = self.functions.insert(name.clone(), Box::new(function));
        assert!(before.is_none(), "there are two functions called {name:?}");
        self
    }

    #[track_caller]
    fn add<M, F, W>(mut self, method: M, handle: F) -> Script
    where
        M: Method,
        F: Fn(Peer, M::Params) -> W + Send + Sync + 'static,
        W: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        let before = self.handlers.insert(M::NAME, handler(method, handle));
        assert!(
            before.is_none(),
            "there are two functions for {:?}",
            M::NAME
        );
        self
    }
}

/// Reads params, calls, writes the result.
fn handler<M, F, W>(_: M, handle: F) -> Handler
where
    M: Method,
    F: Fn(Peer, M::Params) -> W + Send + Sync + 'static,
    W: Future<Output = Result<M::Result, Failure>> + Send + 'static,
{
    Box::new(
        move |peer, params| match wire::params(M::NAME, params.as_ref()) {
            Ok(params) => {
                let work = handle(peer, params);
                Box::pin(async move { wire::answer(work.await) })
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        },
    )
}

/// The one method behind all functions.
pub(super) fn functions(functions: BTreeMap<String, Function>) -> Handler {
    handler(CallFunction, move |_, params: FunctionParams| {
        let work = call(&functions, &params);
        async move {
            let result = Some(work?.await?);
            Ok(FunctionResult {
                result,
                ..FunctionResult::default()
            })
        }
    })
}

fn call(
    functions: &BTreeMap<String, Function>,
    params: &FunctionParams,
) -> Result<Work<Result<Json, Failure>>, Failure> {
    let name = &params.name;
    let Some(function) = functions.get(name) else {
        let hint = match tenon_text::nearest(name, functions.keys().map(String::as_str)) {
            Some(nearest) => format!("; did you mean {nearest}?"),
            None => String::new(),
        };
        return Err(Failure::new(format!("there is no function {name:?}{hint}")));
    };
    let values: Result<Vec<Value>, Failure> = { params.arguments.iter().enumerate() }
        .map(|(index, json)| wire::read_at(json, &["arguments", &index.to_string()]))
        .collect();
    Ok(function(Value::tuple(values?)))
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods = self.handlers.keys();
        formatter
            .debug_struct("Script")
            .field("methods", &methods.collect::<Vec<_>>())
            .field("data_source", &self.data_source.is_some())
            .field("functions", &self.functions.keys().collect::<Vec<_>>())
            .finish()
    }
}
