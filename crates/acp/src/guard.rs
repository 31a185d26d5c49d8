//! The guard: an agent to the editor, and an editor to the agent.
//!
//! It is two connections that forward to each other ([`tenon_rpc::forward`]), and functions that look at what passes.
//! A message that is allowed is forwarded with the bytes that came in. One that is not is answered with an error, or, if it
//! is an event, dropped and noted in the record.
//!
//! | what is checked | of whom | otherwise |
//! |---|---|---|
//! | messages fit their types ([`METHODS`](tenon_protocols::acp::METHODS)) | both | -32602, -32603 |
//! | methods and contents that the other side supports ([`gates`](crate::gates)) | both | -32601, -32602 |
//! | sessions and turns ([`turns`](crate::turns)) | both | -31900, -31902, -32600 |
//! | sizes, rates and timeouts | both | -32600, -31903, -32001 |
//! | paths ([`paths`](crate::paths)) and rules ([`policy`](crate::policy)) | agent | -31701 |
//!
//! A guard that looked at `fs/*` alone would not guard anything: agents write files themselves. So the rules decide at
//! the request for permission, which agents wait for.

mod agent;
mod asking;
mod blocking;
mod client;
mod deeds;
pub(crate) mod ending;
mod examining;
mod files;
mod kept;
mod note;
mod questions;
mod refusing;
mod results;
mod state;
mod strict;
mod summary;
mod terminals;
mod updates;

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tenon_host::Exit;
use tenon_protocols::Protocol;
use tenon_protocols::acp::{Profile, Side, method};
use tenon_rpc::forward::Forward;
use tenon_rpc::options::{EventOrder, Stray, Unclaimed};
use tenon_rpc::trace::{Content, Direction, Seen};
use tenon_rpc::wire::{Inbound, MalformedKind};
use tenon_rpc::{CloseReason, Connection, Io, Message, Options, Payload, Router, Tap};
use tokio::time::timeout;

use crate::policy::Policy;
use crate::quirks::Quirks;
use crate::record::{Masks, Record, RecordError};
pub use deeds::Deed;
use ending::Ending;
pub use note::{Note, OnNote};
use state::Shared;
pub use summary::{OnSummary, Reported, Summary};

/// How a guard is set up.
#[derive(Debug, Default)]
pub struct Settings {
    /// Which reading of the protocol its errors follow.
    pub profile: Profile,
    /// What is allowed, asked for and denied. The default asks for everything.
    pub policy: Policy,
    /// Where everything is recorded.
    pub record: Option<Record>,
    /// Which limits hold.
    pub limits: Limits,
    /// Who reads and writes the files of `fs/*`.
    pub files: Files,
    /// Where the secrets that a client sends are learned: those of MCP servers, and of `authenticate`. A record has masks of its
    /// own, which should be a clone of these.
    pub masks: Masks,
    /// How the process of the agent ended, if it is one: errors about a lost connection say it.
    pub exit: Option<Exit>,
    /// What may be the reason if the agent says that the user is not logged in, and what to do: added to the text of that
    /// error, which is what editors show.
    pub login_hint: Option<String>,
    /// Called with everything that the guard does besides forwarding.
    pub on_note: OnNote,
    /// Called with the summary so far when a session was opened or closed and when a turn has ended, before the client gets
    /// the answer: a guard that is killed does not get to its end.
    pub on_summary: OnSummary,
}

/// Who reads and writes the files that an agent asks the client for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Files {
    /// The client, after the path has been checked. It sees what is not saved yet. Between the check and the client
    /// there is a moment in which a folder can be replaced by a link.
    #[default]
    Client,
    /// The guard, through the descriptors that it has checked: nothing can be replaced in between. What is not saved in
    /// the editor is not seen.
    Guard,
}

/// Which limits hold; all do by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The sizes of messages. A larger call is refused; a larger update is noted, and dropped only in
    /// [`Profile::Seed`], because agents send large diffs.
    pub sizes: bool,
    /// How often a method is called. Updates are joined instead.
    pub rates: bool,
    /// How long answers take.
    pub timeouts: bool,
    /// How long nothing may happen in a turn before it is cancelled; without one, a turn may wait forever.
    pub idle: Option<Duration>,
    /// Files stay in the folders of their session.
    pub paths: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            sizes: true,
            rates: true,
            timeouts: true,
            idle: method("session/prompt").and_then(|entry| entry.timeout),
            paths: true,
        }
    }
}

/// How long a client has to read its last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// A running guard. Dropping it ends both connections.
pub struct Guard {
    client: Connection,
    agent: Connection,
    shared: Arc<Shared>,
    client_input: Ending,
}

impl Guard {
    /// Puts a guard between a client and an agent. Has to be called within a tokio runtime with time.
    pub fn start(client: Io, agent: Io, settings: Settings) -> Guard {
        let (to_agent, to_client) = Forward::pair();
        let shared = Arc::new(Shared::new(settings, (to_agent.clone(), to_client.clone())));
        let (client, client_input) = Ending::of(client);
        let dialect = Protocol::Acp.dialect();
        let start = |io, side, router| {
            Connection::start_with(io, dialect, Arc::new(router), options(&shared, side))
        };
        let client = start(client, Side::Client, client_router(&shared));
        let agent = start(agent, Side::Agent, agent_router(&shared));
        // Both are set before anything that was read is forwarded: updates of sessions follow answers.
        shared.agent.get_or_init(|| agent.peer());
        to_agent.connect(agent.peer());
        to_client.connect(client.peer());
        Guard {
            client,
            agent,
            shared,
            client_input,
        }
    }

    /// Waits until one of the two has disconnected, and returns which and why. Turns that the client has left behind are
    /// cancelled; their agent has ten seconds to end them.
    pub async fn closed(&self) -> (Side, CloseReason) {
        let (client, agent) = (self.client.peer(), self.agent.peer());
        tokio::select! {
            reason = client.closed() => (Side::Client, reason),
            reason = agent.closed() => (Side::Agent, reason),
            // A connection is not closed as long as something is to be answered.
            () = self.client_input.reached() => {
                self.shared.cancel_turns(&agent).await;
                let closed = timeout(client::GRACE, client.closed()).await;
                (Side::Client, closed.unwrap_or(CloseReason::PeerClosed))
            }
        }
    }

    /// What is different about this agent. Nothing before it has answered `initialize`.
    pub fn quirks(&self) -> Quirks {
        self.shared.state().quirks.clone()
    }

    /// What has happened so far.
    pub fn summary(&self) -> Summary {
        self.shared.summary()
    }

    /// Ends both connections and the record. What the client still waits for is answered. Returns the hash of the
    /// record, if there is one.
    ///
    /// # Errors
    /// The end of the record cannot be written.
    pub async fn finish(self) -> Result<(Summary, Option<String>), RecordError> {
        let Guard {
            client,
            agent,
            shared,
            ..
        } = self;
        // Calls that wait for the agent fail, and their answers have to reach a client that reads.
        drop(agent);
        client.close_within(LAST_ANSWERS).await;
        let summary = shared.summary();
        let hash = shared.finish_record(&summary)?;
        Ok((summary, hash))
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guard({})", self.summary())
    }
}

fn options(shared: &Arc<Shared>, side: Side) -> Options {
    Options {
        // Agents print to their output what does not belong there. A client gets errors for its mistakes.
        stray: match side {
            Side::Client => Stray::Answer,
            Side::Agent => Stray::Skip,
        },
        // Agents send errors that belong to no call, and continue.
        unclaimed: Unclaimed::Skip,
        events: EventOrder::InTurn {
            except: &["$/cancel_request"],
        },
        tap: shared.tap(side),
        // What is quoted of a wrong message may contain a secret.
        redact: Some(shared.masks.secrets().redact()),
        ..crate::options()
    }
}

fn client_router(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    Router::new(shared.clone())
        .fallback(|call, shared| shared.client_calls(call))
        .malformed(|id, error, shared| shared.unreadable(Side::Client, id, error))
        .event_fallback(|context, event| context.state.client_sends(context.peer, event))
}

fn agent_router(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    Router::new(shared.clone())
        .fallback(|call, shared| shared.agent_calls(call))
        .malformed(|id, error, shared| shared.unreadable(Side::Agent, id, error))
        .event_fallback(|context, event| context.state.agent_sends(context.peer, event))
}

/// Remembers the secrets in what a client sends. Nothing is learned from an agent: what is learned is masked everywhere, so
/// an agent could hide what it does.
fn learn(masks: &Masks, method: &str, params: Option<&Payload>) {
    let learn = match method {
        "session/new" | "session/load" | "session/resume" => Masks::learn,
        "authenticate" => Masks::learn_authentication,
        _ => return,
    };
    if let Some(Ok(params)) = params.map(Payload::decode_private) {
        learn(masks, &params);
    }
}

impl Shared {
    /// Records what arrives from a side, exactly as it came.
    fn tap(self: &Arc<Self>, side: Side) -> Option<Arc<dyn Tap>> {
        let record = self.record.clone();
        // The connection has the tap, and the guard has the connection.
        let shared = Arc::downgrade(self);
        Some(Arc::new(Arrivals {
            side,
            record,
            shared,
        }))
    }
}

/// Sees what arrives from a side. What goes out has arrived from the other one, or is recorded as an answer of the guard.
struct Arrivals {
    side: Side,
    record: Option<Arc<Mutex<Record>>>,
    shared: Weak<Shared>,
}

impl Arrivals {
    /// Whether it is skipped: something that an agent has printed.
    fn is_stray(&self, content: Content<'_>) -> bool {
        match content {
            Content::Inbound(Inbound::Malformed(malformed)) => {
                self.side == Side::Agent
                    && malformed.id.is_none()
                    && matches!(
                        malformed.kind,
                        MalformedKind::Stray | MalformedKind::Request
                    )
            }
            _ => false,
        }
    }
}

impl Tap for Arrivals {
    fn watches(&self, direction: Direction) -> bool {
        direction == Direction::In
    }

    fn see(&self, seen: Seen<'_>) {
        if seen.direction != Direction::In {
            return;
        }
        let shared = self.shared.upgrade();
        if is_oversized(seen.content) {
            // Nothing of it is recorded: it was not read, so secrets in it were not found.
            if let Some(shared) = shared {
                shared.oversized(self.side);
            }
            return;
        }
        if let Some(shared) = shared.as_ref().filter(|_| self.is_stray(seen.content)) {
            shared.stray(self.side, seen.bytes);
        }
        let Some(record) = &self.record else {
            return;
        };
        let caller = match seen.content {
            Content::Inbound(Inbound::Message(Message::Response(response))) => {
                let forward = shared.as_ref().map(|shared| match self.side {
                    Side::Client => &shared.to_client,
                    Side::Agent => &shared.to_agent,
                });
                forward.and_then(|forward| forward.caller_id(&response.id))
            }
            _ => None,
        };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        // The secrets of a session have to be known before the message that names them is written.
        if let Content::Inbound(Inbound::Message(Message::Request(request))) = seen.content
            && self.side == Side::Client
        {
            learn(record.masks(), &request.method, request.params.as_ref());
        }
        let text = String::from_utf8_lossy(seen.bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        let caller = caller.and_then(|id| refusing::json_id(&id));
        let recorded = match &caller {
            Some(id) => record.forwarded_answer(self.side.into(), id, text),
            None => record.message(self.side.into(), text),
        };
        drop(record);
        if let Some(shared) = shared {
            shared.check_record(recorded);
        }
    }

    fn skipped(&self, size: u64) {
        if let Some(shared) = self.shared.upgrade() {
            let from = self.side.into();
            shared.note(&Note::Skipped { from, size });
        }
    }
}

/// Whether a frame was longer than the limit, and was not read.
fn is_oversized(content: Content<'_>) -> bool {
    let kind = match content {
        Content::Inbound(Inbound::Malformed(malformed)) => Some(malformed.kind),
        _ => None,
    };
    matches!(kind, Some(MalformedKind::TooLong { .. }))
}
