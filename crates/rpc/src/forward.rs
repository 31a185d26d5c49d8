//! Forwards calls and events to another peer: the basis of a proxy.
//!
//! A proxy is two connections whose routers forward to each other. Methods that it inspects or changes
//! get a handler or a [wrapper](crate::Router::wrap); everything else is forwarded without being
//! decoded:
//!
//! ```
//! use tenon_rpc::{Connection, Dialect, Io, Payload, Router, forward::Forward};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (editor_io, proxy_left) = Io::pair();
//! let (proxy_right, agent_io) = Io::pair();
//! let lines = Dialect::JsonRpcLines;
//!
//! // The proxy: one interceptor, and everything else untouched, both ways.
//! let (to_agent, to_editor) = Forward::pair();
//! let router = Router::new(()).forwarding(&to_agent).wrap(|call, next| async move {
//!     match call.method == "rm" {
//!         true => Err(tenon_rpc::RpcError::invalid_params("not through this proxy")),
//!         false => next.run(call).await,
//!     }
//! });
//! let left = Connection::start(proxy_left, lines, router);
//! let right = Connection::start(proxy_right, lines, Router::new(()).forwarding(&to_editor));
//! to_agent.connect(right.peer());
//! to_editor.connect(left.peer());
//!
//! let agent = Router::new(()).fallback(|call, ()| async move { Ok(call.params.unwrap()) });
//! let _agent = Connection::start(agent_io, lines, agent);
//! let editor = Connection::start(editor_io, lines, Router::new(()));
//! let params = Payload::from_json(r#"{"n": 1.00}"#)?;
//! let echo = editor.peer().call_raw("echo", Some(params.clone())).await?;
//! assert_eq!(echo.bytes(), params.bytes());
//! assert!(editor.peer().call_raw("rm", None).await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! What is kept:
//!
//! - **Bytes.** Params, results and the data of errors stay as they came, unless the two sides have
//!   different [formats](crate::Format): then they are converted, with the
//!   [`ext_names`](crate::Options::ext_names) of the connection that they go out on.
//! - **Ids.** Each side numbers its own calls. An answer gets back the id of the call.
//! - **Cancellation.** A caller that cancels by the event in its connection's
//!   [`Options::cancel`](crate::Options::cancel) has the call cancelled by the event in the options
//!   of the other connection. An event in [`Options::withdrawals`](crate::Options::withdrawals) is
//!   forwarded with only the id in it changed.
//! - **Order.** Calls and events of one side reach the other in the order they came in, and an answer
//!   comes after the events that were sent before it, such as progress. To keep that while more
//!   requests wait than may be handled at the same time, set [`Options::events`](crate::Options::events) to
//!   [`InTurn`](crate::options::EventOrder::InTurn).
//! - **Back-pressure.** A side that sends faster than the other reads is temporarily not read; nothing
//!   is dropped.

mod lane;
mod passed;
mod passing;
mod target;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::oneshot;

use crate::asked::Asked;
use crate::error::{CallError, RpcError};
use crate::message::{Event, Id};
use crate::payload::Payload;
use crate::peer::Peer;
use crate::reply::Reply;
use crate::router::{Call, Router};
use lane::{Item, Lane};
pub use passed::Passed;
use passed::{Entry, converted};
pub use passing::Passing;
pub use target::{Slot, Target};

/// Forwards a call to another peer, and returns its answer. If the future is dropped, the call is
/// cancelled with the message in the options of the peer's connection.
///
/// This is for single calls. Messages that have to keep their order go through a [`Forward`].
///
/// # Errors
/// See [`reply`].
pub async fn forward(call: Call, peer: &Peer) -> Reply {
    let outcome = match converted(call.params, peer) {
        Ok(params) => peer.call_raw(call.method, params).await,
        Err(error) => Err(error),
    };
    reply(outcome, &call.peer)
}

/// The reply to the caller of a forwarded call.
///
/// # Errors
/// An error that the peer answered with is passed on as it is. Any other failure becomes an internal
/// error, or "invalid params" if the params cannot be expressed in the peer's format.
pub fn reply(outcome: Result<Payload, CallError>, caller: &Peer) -> Reply {
    let convert = |payload: Payload| payload.to_format_with(caller.format(), caller.ext_names());
    match outcome {
        Ok(result) => convert(result).map_err(|error| {
            RpcError::internal(format!("the answer cannot be forwarded: {error}"))
        }),
        Err(CallError::Answered(mut error)) => {
            let data = error.data.take();
            error.data = data.and_then(|data| convert(data).ok());
            Err(error)
        }
        Err(CallError::Unsendable(error)) => {
            let problem = format!("Invalid params: they cannot be forwarded: {error}");
            Err(RpcError::invalid_params(problem))
        }
        Err(error) => Err(RpcError::internal(error.to_string())),
    }
}

/// Forwards the messages of one connection to a target, in order. Cloning it is cheap.
///
/// Each connection whose messages are forwarded has its own. [`Router::forwarding`] gives it all messages
/// without a handler; handlers and wrappers can give it messages that they have changed.
pub struct Forward<T = Peer>(Arc<Inner<T>>);

struct Inner<T> {
    target: T,
    lane: Arc<Lane>,
    passed: Passed,
    /// The opposite direction, whose messages come before the answers.
    back: Option<Arc<Lane>>,
}

impl Forward<Slot> {
    /// Both directions of a proxy. Messages wait until both have been [connected](Forward::connect).
    pub fn pair() -> (Forward<Slot>, Forward<Slot>) {
        let (one, other) = (Arc::<Lane>::default(), Arc::<Lane>::default());
        let forward = |lane, back| Forward::new(Slot::default(), lane, Some(back));
        (forward(one.clone(), other.clone()), forward(other, one))
    }

    /// Messages go to this peer from now on.
    pub fn connect(&self, peer: Peer) {
        self.0.target.set(peer);
    }
}

impl<T: Target> Forward<T> {
    /// Forwards messages to `target`.
    pub fn to(target: T) -> Forward<T> {
        Forward::new(target, Arc::default(), None)
    }

    fn new(target: T, lane: Arc<Lane>, back: Option<Arc<Lane>>) -> Forward<T> {
        Forward(Arc::new(Inner {
            target,
            lane,
            passed: Passed::default(),
            back,
        }))
    }

    /// Forwards a call, and returns its answer.
    ///
    /// # Errors
    /// See [`reply`].
    pub async fn call(&self, call: Call) -> Reply {
        let caller = call.peer.clone();
        let outcome = self.ask(call).await;
        if let Some(back) = &self.0.back {
            back.caught_up().await;
        }
        reply(outcome, &caller)
    }

    /// Forwards a call. When this returns, the call has its place in the order of messages.
    pub fn ask(&self, call: Call) -> Passing {
        let entry = self.0.passed.enter(call.id);
        let request = Event {
            method: call.method,
            params: call.params,
        };
        let mut queue = self.0.lane.queue();
        if !queue.is_moving
            && let Some(sent) = self.0.try_ask(&entry, &request)
        {
            return Passing::begun(entry, sent);
        }
        let (sender, sent) = oneshot::channel();
        let item = Item::Call(entry.number(), request, sender);
        queue.push(item, &call.peer);
        self.start_moving(&mut queue);
        Passing::waiting(entry, self.0.lane.clone(), sent)
    }

    /// Forwards an event of `from`. A cancellation gets the id that the call has at the target.
    pub fn event(&self, from: &Peer, event: Event) {
        if self.0.passed.cancel(from, &event) {
            return;
        }
        let mut queue = self.0.lane.queue();
        if !queue.is_moving && self.0.try_send(&event) {
            return;
        }
        queue.push(Item::Event(event), from);
        self.start_moving(&mut queue);
    }

    /// The id that the caller has given to a call, by the id that it has at the target. Nothing if it was answered or
    /// cancelled already.
    pub fn caller_id(&self, id: &Id) -> Option<Id> {
        self.0.passed.caller_id(id)
    }

    /// Waits until all earlier messages have been forwarded.
    pub async fn caught_up(&self) {
        self.0.lane.caught_up().await;
    }

    fn start_moving(&self, queue: &mut lane::Queue) {
        if !std::mem::replace(&mut queue.is_moving, true) {
            let inner = self.0.clone();
            tokio::spawn(async move { inner.move_on().await });
        }
    }
}

impl<T: Target> Inner<T> {
    /// Sends an event if it can be sent now.
    fn try_send(&self, event: &Event) -> bool {
        let Some(peer) = self.target.now() else {
            return false;
        };
        let params = converted(event.params.clone(), &peer);
        match params.and_then(|params| peer.try_send_raw(event.method.clone(), params)) {
            Ok(is_sent) => is_sent,
            Err(CallError::Closed(_)) => false,
            Err(error) => {
                tracing::warn!(method = ?event.method, %error, "an event could not be forwarded");
                true
            }
        }
    }

    /// Sends an event as soon as the target is there and reads.
    async fn send(&self, event: Event) {
        loop {
            let outcome = match self.target.ready().await {
                Err(reason) => {
                    tracing::debug!(method = ?event.method, %reason, "an event was lost");
                    return;
                }
                Ok(peer) => match converted(event.params.clone(), &peer) {
                    Err(error) => Err(error),
                    Ok(params) => match peer.send_raw(event.method.clone(), params).await {
                        Err(CallError::Closed(_)) => {
                            // It goes to the next peer.
                            peer.closed().await;
                            continue;
                        }
                        outcome => outcome,
                    },
                },
            };
            if let Err(error) = outcome {
                tracing::warn!(method = ?event.method, %error, "an event could not be forwarded");
            }
            return;
        }
    }

    /// Sends a call if it can be sent now.
    fn try_ask(&self, entry: &Entry, request: &Event) -> Option<Result<Asked, CallError>> {
        let peer = self.target.now()?;
        let params = converted(request.params.clone(), &peer);
        let sent = |id| self.passed.sent(entry.number(), &peer, id);
        let ask = |params| peer.try_ask_noting(request.method.clone(), params, sent);
        match params.and_then(ask) {
            Ok(None) | Err(CallError::Closed(_)) => None,
            Ok(Some(asked)) => Some(Ok(asked)),
            Err(error) => Some(Err(error)),
        }
    }

    /// Sends a call as soon as the target is there and reads.
    async fn ask(&self, number: u64, request: Event) -> Result<Asked, CallError> {
        loop {
            let peer = self.target.ready().await.map_err(CallError::Closed)?;
            let params = converted(request.params.clone(), &peer)?;
            let sent = |id| self.passed.sent(number, &peer, id);
            match peer.ask_noting(request.method.clone(), params, sent).await {
                // Nothing was sent: it goes to the next peer.
                Err(CallError::Closed(_)) => {
                    peer.closed().await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Sends waiting messages, as fast as the target reads.
    async fn move_on(&self) {
        while let Some((item, size)) = self.lane.next() {
            match item {
                Item::Event(event) => self.send(event).await,
                Item::Call(number, request, mut sent) => {
                    let mut asking = std::pin::pin!(self.ask(number, request));
                    let outcome = std::future::poll_fn(|cx| match sent.poll_closed(cx) {
                        Poll::Ready(()) => Poll::Ready(None),
                        Poll::Pending => asking.as_mut().poll(cx).map(Some),
                    })
                    .await;
                    if let Some(outcome) = outcome {
                        // If the caller has dropped the receiver, this drops the call, which
                        // cancels it.
                        let _given_up = sent.send(outcome);
                    }
                }
            }
            self.lane.gone(size);
        }
    }
}

impl<T> Clone for Forward<T> {
    fn clone(&self) -> Forward<T> {
        Forward(self.0.clone())
    }
}

impl<T> fmt::Debug for Forward<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Forward({:?})", self.0.passed)
    }
}

impl<S: Clone + Send + Sync + 'static> Router<S> {
    /// Forwards all calls and events without a handler.
    #[must_use]
    pub fn forwarding<T: Target>(self, forward: &Forward<T>) -> Router<S> {
        let (calls, events) = (forward.clone(), forward.clone());
        self.fallback(move |call, _| {
            let forward = calls.clone();
            async move { forward.call(call).await }
        })
        .event_fallback(move |context, event| events.event(context.peer, event))
    }
}
