//! Method name to function.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::hash::BuildHasherDefault;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use crate::error::RpcError;
use crate::guarded::{Guarded, panicked};
use crate::message::{Event, Id, Text};
use crate::method::{EventKind, Method};
use crate::payload::{Format, Payload};
use crate::peer::Peer;
use crate::reply::Reply;
use crate::spread::Spread;

/// A handler at work.
pub(crate) type Work = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// A request on its way to its handler.
#[derive(Debug)]
pub struct Call {
    /// The id the caller chose.
    pub id: Id,
    /// The name of the method.
    pub method: Text,
    /// The arguments, still encoded.
    pub params: Option<Payload>,
    /// The caller.
    pub peer: Peer,
}

/// What a handler knows besides its params.
#[derive(Debug)]
pub struct Context<S> {
    /// The router's state.
    pub state: S,
    /// The caller, who can be called back.
    pub peer: Peer,
    /// The id the caller chose.
    pub id: Id,
    /// The name the caller used.
    pub method: Text,
}

/// What the handler of an event knows besides its params.
#[derive(Debug)]
pub struct EventContext<'a, S> {
    /// The router's state.
    pub state: &'a S,
    /// The sender.
    pub peer: &'a Peer,
}

/// The rest of a call: the inner wrappers, then the handler.
pub struct Next {
    service: Arc<dyn Service>,
    depth: usize,
}

impl Next {
    /// Runs the rest. A panic in it is returned as an error.
    pub async fn run(self, call: Call) -> Reply {
        let begin = || self.service.call(&self.service, call, self.depth);
        match catch_unwind(AssertUnwindSafe(begin)) {
            Ok(work) => Guarded(work).await,
            Err(panic) => Err(panicked(&*panic)),
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Next({})", self.depth)
    }
}

/// A router without its state type: what a connection needs of it.
pub(crate) trait Service: Send + Sync {
    /// Starts the work on a call, from the wrapper at `depth` inwards. `this` is the service
    /// itself, for wrappers to hold on to.
    fn call(&self, this: &Arc<dyn Service>, call: Call, depth: usize) -> Work;
    fn event(&self, peer: &Peer, event: Event);
    /// Starts the work on the answer to a frame that is not a message, unless it is answered immediately.
    fn malformed(&self, id: &Id, error: &RpcError) -> Option<Work>;
}

type Handler<S> = Box<dyn Fn(Context<S>, Option<Payload>) -> Work + Send + Sync>;
type MalformedHandler<S> = Box<dyn Fn(Id, RpcError, S) -> Work + Send + Sync>;
type EventHandler<S> = Box<dyn Fn(EventContext<'_, S>, Event) + Send + Sync>;
/// Keyed by the bytes of a name, so that a look-up need not check UTF-8.
type Table<H> = HashMap<&'static [u8], H, BuildHasherDefault<Spread>>;
type Wrapper = Box<dyn Fn(Call, Next) -> Work + Send + Sync>;

/// Finds the function for a method or event by its name.
///
/// - Requests run at the same time as each other; a handler may call back its caller.
/// - Events are plain functions and run one after the other, in the order they arrive, before
///   anything that arrived after them. They must not block.
/// - An unknown method is answered with "method not found"; an unknown event is logged once for
///   each name. Both can be replaced.
/// - A handler that panics answers its caller with an internal error; other calls are not affected.
pub struct Router<S = ()> {
    state: S,
    methods: Table<Handler<S>>,
    events: Table<EventHandler<S>>,
    wrappers: Vec<Wrapper>,
    fallback: Option<Box<dyn Fn(Call, S) -> Work + Send + Sync>>,
    event_fallback: Option<EventHandler<S>>,
    malformed: Option<MalformedHandler<S>>,
    unknown_events: Mutex<HashSet<Text>>,
}

impl<S: Clone + Send + Sync + 'static> Router<S> {
    /// A router without handlers.
    pub fn new(state: S) -> Router<S> {
        Router {
            state,
            methods: HashMap::default(),
            events: HashMap::default(),
            wrappers: Vec::new(),
            fallback: None,
            event_fallback: None,
            malformed: None,
            unknown_events: Mutex::default(),
        }
    }

    /// Handles a method.
    #[must_use]
    pub fn on<M, F, W>(self, _method: M, handler: F) -> Router<S>
    where
        M: Method,
        F: Fn(Context<S>, M::Params) -> W + Send + Sync + 'static,
        W: Future<Output = Result<M::Result, RpcError>> + Send + 'static,
    {
        self.on_boxed(M::NAME, move |context, params| {
            let format = context.peer.format();
            match context.peer.decode_params::<M::Params>(params) {
                Ok(params) => {
                    let work = handler(context, params);
                    Box::pin(async move { encode_result(format, &work.await?) })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        })
    }

    /// Handles a method by name, with payloads that stay encoded.
    #[must_use]
    pub fn on_raw<F, W>(self, method: &'static str, handler: F) -> Router<S>
    where
        F: Fn(Context<S>, Option<Payload>) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        self.on_boxed(method, move |context, params| {
            Box::pin(handler(context, params))
        })
    }

    fn on_boxed<F>(mut self, method: &'static str, handler: F) -> Router<S>
    where
        F: Fn(Context<S>, Option<Payload>) -> Work + Send + Sync + 'static,
    {
        self.methods.insert(method.as_bytes(), Box::new(handler));
        self
    }

    /// Handles an event.
    #[must_use]
    pub fn on_event<E, F>(mut self, _event: E, handler: F) -> Router<S>
    where
        E: EventKind,
        F: Fn(EventContext<'_, S>, E::Params) + Send + Sync + 'static,
    {
        let handle = move |context: EventContext<'_, S>, event: Event| {
            match context.peer.decode_params::<E::Params>(event.params) {
                Ok(params) => handler(context, params),
                Err(error) => {
                    // The error may quote what the peer sent.
                    let error = error.to_string();
                    tracing::warn!(event = E::NAME, ?error, "an event was dropped");
                }
            }
        };
        self.events.insert(E::NAME.as_bytes(), Box::new(handle));
        self
    }

    /// Handles every method that nothing else handles.
    #[must_use]
    pub fn fallback<F, W>(mut self, handler: F) -> Router<S>
    where
        F: Fn(Call, S) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        self.fallback = Some(Box::new(move |call, state| Box::pin(handler(call, state))));
        self
    }

    /// Handles every event that nothing else handles.
    #[must_use]
    pub fn event_fallback<F>(mut self, handler: F) -> Router<S>
    where
        F: Fn(EventContext<'_, S>, Event) + Send + Sync + 'static,
    {
        self.event_fallback = Some(Box::new(handler));
        self
    }

    /// Decides how frames that are not messages are answered, or when. The function gets the id, which is null if none
    /// could be read, and the error; without one, the error is the answer. It is called only for frames that
    /// [`Options::stray`](crate::Options::stray) does not skip.
    #[must_use]
    pub fn malformed<F, W>(mut self, handler: F) -> Router<S>
    where
        F: Fn(Id, RpcError, S) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        self.malformed = Some(Box::new(move |id, error, state| {
            Box::pin(handler(id, error, state))
        }));
        self
    }

    /// Whether there is a function for every event.
    pub fn handles_every_event(&self) -> bool {
        self.event_fallback.is_some()
    }

    /// Wraps every call in a function. The wrapper added last is the outermost.
    ///
    /// ```
    /// # use tenon_rpc::{Call, Next, Reply, Router};
    /// async fn timing(call: Call, next: Next) -> Reply {
    ///     let (method, started) = (call.method.clone(), std::time::Instant::now());
    ///     let reply = next.run(call).await;
    ///     tracing::debug!(%method, elapsed = ?started.elapsed(), ok = reply.is_ok());
    ///     reply
    /// }
    /// let router = Router::new(()).wrap(timing);
    /// ```
    #[must_use]
    pub fn wrap<F, W>(mut self, wrapper: F) -> Router<S>
    where
        F: Fn(Call, Next) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        self.wrappers
            .insert(0, Box::new(move |call, next| Box::pin(wrapper(call, next))));
        self
    }

    fn log_unknown_event(&self, method: &Text) {
        /// A peer must not be able to fill the memory with invented names.
        const NAMES: usize = 64;
        const LENGTH: usize = 200;
        if method.len() > LENGTH {
            tracing::debug!("an event without a handler, with a very long name");
            return;
        }
        let Ok(mut known) = self.unknown_events.lock() else {
            return;
        };
        if known.len() < NAMES && known.insert(method.as_str().into()) {
            tracing::info!(?method, "an event without a handler");
        }
    }
}

impl<S: Clone + Send + Sync + 'static> Service for Router<S> {
    fn call(&self, this: &Arc<dyn Service>, call: Call, depth: usize) -> Work {
        if let Some(wrapper) = self.wrappers.get(depth) {
            let next = Next {
                service: this.clone(),
                depth: depth + 1,
            };
            return wrapper(call, next);
        }
        match (self.methods.get(call.method.as_bytes()), &self.fallback) {
            (Some(handler), _) => {
                let context = Context {
                    state: self.state.clone(),
                    peer: call.peer,
                    id: call.id,
                    method: call.method,
                };
                handler(context, call.params)
            }
            (None, Some(fallback)) => fallback(call, self.state.clone()),
            (None, None) => {
                let error = RpcError::method_not_found(&call.method, call.peer.format());
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }

    fn malformed(&self, id: &Id, error: &RpcError) -> Option<Work> {
        let handler = self.malformed.as_ref()?;
        Some(handler(id.clone(), error.clone(), self.state.clone()))
    }

    fn event(&self, peer: &Peer, event: Event) {
        let context = EventContext {
            state: &self.state,
            peer,
        };
        match (
            self.events.get(event.method.as_bytes()),
            &self.event_fallback,
        ) {
            (Some(handler), _) | (None, Some(handler)) => handler(context, event),
            (None, None) => self.log_unknown_event(&event.method),
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for Router<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router")
            .field("state", &self.state)
            .field("methods", &self.methods.len())
            .field("events", &self.events.len())
            .finish_non_exhaustive()
    }
}

fn encode_result<T: serde::Serialize>(format: Format, result: &T) -> Reply {
    Payload::encode(format, result)
        .map_err(|error| RpcError::internal(format!("the result could not be encoded: {error}")))
}
