//! Which sessions there are, and what may be sent in their state.
//!
//! A session begins with the answer to `session/new`, `session/load` or `session/resume`, and ends with `session/close`
//! or `session/delete`. In it there is at most one turn at a time: from `session/prompt` to its answer. Some agents
//! send updates for a session before the answer that names it, and after the answer that ends a turn; both are legal.

mod rulings;
mod session;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use serde_json::json;
use tenon_protocols::acp::{Failure, Profile, view};
use tenon_rpc::{Payload, RpcError};

pub use rulings::Ruling;
pub(crate) use rulings::changes;
pub(crate) use session::TERMINALS;
pub use session::{Completed, Session};

/// As many sessions as a connection may have open. One more is refused.
const SESSIONS: usize = 1024;
/// Longer names are refused; they are kept in memory.
const NAME: usize = 256;

/// The sessions of one connection.
#[derive(Debug)]
pub struct Turns {
    profile: Profile,
    phase: Phase,
    sessions: HashMap<String, Session>,
    /// Calls on their way that begin a session, whose name only the answer says.
    beginning: usize,
    /// Sessions that the agent has sent updates for before that answer: at most one for each of these calls.
    early: HashMap<String, Session>,
    /// The agent takes prompts while it works, and says so.
    queues_prompts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Initializing,
    Ready,
}

/// What a call of the client will change when it is answered. It is given back with the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the answer to the call changes the state"]
pub enum Step {
    /// Nothing.
    None,
    /// The connection is ready.
    Initialize,
    /// A session begins, in these folders.
    New(Vec<PathBuf>),
    /// A session continues, in these folders.
    Open(String, Vec<PathBuf>),
    /// A turn ends.
    Prompt(String),
    /// A session ends.
    Close(String),
}

/// Whether an update can be forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The session is known.
    Known,
    /// A session is being opened, and this may be it.
    Early,
    /// There is no such session.
    Stray,
}

impl Turns {
    /// A connection on which nothing was said.
    pub fn new(profile: Profile) -> Turns {
        Turns {
            profile,
            phase: Phase::New,
            sessions: HashMap::new(),
            beginning: 0,
            early: HashMap::new(),
            queues_prompts: false,
        }
    }

    /// Checks a call of the client, before it is forwarded.
    ///
    /// # Errors
    /// It may not be made now. Nothing has changed.
    pub fn client_calls(
        &mut self,
        method: &str,
        params: Option<&Payload>,
    ) -> Result<Step, RpcError> {
        match (method, self.phase) {
            ("initialize", Phase::New) => {
                self.phase = Phase::Initializing;
                return Ok(Step::Initialize);
            }
            ("initialize", _) => {
                return Err(self.invalid("the connection is already initialized"));
            }
            (_, Phase::Ready) => {}
            _ => return Err(self.invalid("call `initialize` first")),
        }
        match method {
            // A fork is a new session too, although it is not in version 1.
            "session/new" | "session/fork" => {
                self.check_room()?;
                let folders = self.folders(params)?;
                self.beginning += 1;
                Ok(Step::New(folders))
            }
            "session/load" | "session/resume" => {
                let id = self.session_id(params)?;
                let folders = self.folders(params)?;
                let is_locked = |session: &Session| session.is_busy() || session.is_loading();
                if self.sessions.get(&id).is_some_and(is_locked) {
                    return Err(self.failure(Failure::SessionLocked, &id));
                }
                if !self.sessions.contains_key(&id) {
                    self.check_room()?;
                }
                // The history is sent before the answer.
                self.sessions
                    .entry(id.clone())
                    .and_modify(Session::reopen)
                    .or_insert_with(|| Session::opening(folders.clone()));
                Ok(Step::Open(id, folders))
            }
            "session/prompt" => {
                let id = self.known_session(params)?;
                let queues = self.queues_prompts;
                let locked = self.failure(Failure::SessionLocked, &id);
                let session = self.sessions.get_mut(&id);
                match session.is_some_and(|session| session.begin_turn(queues)) {
                    true => Ok(Step::Prompt(id)),
                    false => Err(locked),
                }
            }
            "session/close" => self.known_session(params).map(Step::Close),
            // A session that is not open can be deleted too.
            "session/delete" => self.session_id(params).map(Step::Close),
            "session/set_mode" | "session/set_model" | "session/set_config_option" => {
                self.known_session(params).map(|_| Step::None)
            }
            _ => Ok(Step::None),
        }
    }

    /// Takes note of the answer to a call of the client.
    pub fn agent_answers(&mut self, step: Step, answer: Result<&Payload, &RpcError>) {
        match (step, answer) {
            (Step::Initialize, Ok(result)) => {
                self.phase = Phase::Ready;
                let queues = ["_meta", "claudeCode", "promptQueueing"];
                let in_capabilities = [&["agentCapabilities"][..], &queues].concat();
                self.queues_prompts = [&queues[..], &in_capabilities].iter().any(|path| {
                    let flag = result.member(path);
                    flag.is_some_and(|flag| &flag.bytes()[..] == b"true")
                });
            }
            // It can be tried again.
            (Step::Initialize, Err(_)) => self.phase = Phase::New,
            (Step::New(folders), answer) => {
                let id = answer.ok().and_then(|result| result.decode_borrowed().ok());
                if let Some(view::OfSession { session_id }) = id
                    && is_name(&session_id)
                {
                    let early = self.early.remove(&*session_id);
                    // A session that is open is not replaced: it has a turn, terminals, and folders of its own.
                    let session = self.sessions.entry(session_id.into_owned());
                    if let Entry::Vacant(place) = session {
                        let session = early.unwrap_or_else(|| Session::opening(Vec::new()));
                        place.insert(session).opened(folders);
                    }
                }
                self.beginning = self.beginning.saturating_sub(1);
                if self.beginning == 0 {
                    self.early.clear();
                }
            }
            (Step::Open(id, folders), Ok(_)) => {
                let session = self.sessions.entry(id);
                session
                    .or_insert_with(|| Session::opening(Vec::new()))
                    .opened(folders);
            }
            (Step::Open(id, _), Err(_)) => {
                let stays = self.sessions.get_mut(&id).map(Session::stays_open);
                if stays == Some(false) {
                    self.sessions.remove(&id);
                }
            }
            (Step::Prompt(id), _) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.end_turn();
                }
            }
            (Step::Close(id), Ok(_)) => {
                self.sessions.remove(&id);
            }
            (Step::Close(_), Err(_)) | (Step::None, _) => {}
        }
    }

    /// Takes note of an event of the client. Returns whether it can be forwarded: `session/cancel` of an unknown session
    /// means nothing.
    pub fn client_sends(&mut self, method: &str, params: Option<&Payload>) -> bool {
        if method != "session/cancel" {
            return true;
        }
        match self.known_session(params).ok() {
            Some(id) => {
                self.cancel(&id);
                true
            }
            None => false,
        }
    }

    /// The turn of a session is cancelled.
    pub fn cancel(&mut self, id: &str) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.cancel();
        }
    }

    /// The session that a call of the agent is about.
    ///
    /// # Errors
    /// There is no such session.
    pub fn agent_calls(&mut self, id: &str) -> Result<&mut Session, RpcError> {
        let profile = self.profile;
        let session = self.sessions.get_mut(id);
        session.ok_or_else(|| match is_name(id) {
            true => Failure::SessionNotFound.error(profile, json!({ "sessionId": id })),
            false => not_a_name(profile),
        })
    }

    /// Whether an update of the agent can be forwarded.
    pub fn agent_updates(&mut self, session_id: &str) -> Arrival {
        if self.sessions.contains_key(session_id) {
            return Arrival::Known;
        }
        if self.early.contains_key(session_id) {
            return Arrival::Early;
        }
        if self.early.len() >= self.beginning || !is_name(session_id) {
            return Arrival::Stray;
        }
        // Its folders are in the call, but which of several calls it is for is not known yet.
        self.early
            .insert(session_id.to_owned(), Session::opening(Vec::new()));
        Arrival::Early
    }

    /// A session that is open, or that updates have been sent for before.
    pub(crate) fn session_or_early(&mut self, id: &str) -> Option<&mut Session> {
        let early = self.early.get_mut(id);
        self.sessions.get_mut(id).or(early)
    }

    /// Whether there is such a session, or may soon be.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.sessions.contains_key(id) || self.early.contains_key(id)
    }

    /// A session that is open.
    pub fn session(&mut self, id: &str) -> Option<&mut Session> {
        self.sessions.get_mut(id)
    }

    /// The sessions in which a turn runs: what is cancelled when a side is gone.
    pub fn busy(&self) -> Vec<String> {
        let busy = self
            .sessions
            .iter()
            .filter(|(_, session)| session.is_busy());
        busy.map(|(id, _)| id.clone()).collect()
    }

    fn check_room(&self) -> Result<(), RpcError> {
        match self.sessions.len() + self.beginning < SESSIONS {
            true => Ok(()),
            false => Err(self.invalid("too many sessions are open")),
        }
    }

    fn session_id(&self, params: Option<&Payload>) -> Result<String, RpcError> {
        let view = params.and_then(|params| params.decode_borrowed().ok());
        match view {
            Some(view::OfSession { session_id }) if is_name(&session_id) => {
                Ok(session_id.into_owned())
            }
            _ => Err(not_a_name(self.profile)),
        }
    }

    fn known_session(&self, params: Option<&Payload>) -> Result<String, RpcError> {
        let id = self.session_id(params)?;
        match self.sessions.contains_key(&id) {
            true => Ok(id),
            false => Err(self.failure(Failure::SessionNotFound, &id)),
        }
    }

    /// The folders that a session works in. In the strict reading they have to be absolute, and so they have to for
    /// everything that checks paths.
    fn folders(&self, params: Option<&Payload>) -> Result<Vec<PathBuf>, RpcError> {
        let view: Option<view::Folders<'_>> =
            params.and_then(|params| params.decode_borrowed().ok());
        let Some(view) = view else {
            let data = json!({ "details": "`cwd` is missing" });
            return Err(Failure::InvalidParams.error(self.profile, data));
        };
        let more = view.additional_directories.unwrap_or_default();
        let folders = std::iter::once(view.cwd.into_owned()).chain(more);
        let folders: Vec<PathBuf> = folders.map(PathBuf::from).collect();
        match folders.iter().find(|folder| !folder.is_absolute()) {
            None => Ok(folders),
            Some(folder) => {
                let data = json!({ "path": folder, "details": "the path is not absolute" });
                Err(Failure::InvalidParams.error(self.profile, data))
            }
        }
    }

    fn invalid(&self, details: &str) -> RpcError {
        Failure::InvalidRequest.error(self.profile, json!({ "details": details }))
    }

    fn failure(&self, failure: Failure, id: &str) -> RpcError {
        failure.error(self.profile, json!({ "sessionId": id }))
    }
}

fn not_a_name(profile: Profile) -> RpcError {
    let details = "`sessionId` is a text of 1 to 256 bytes without control characters";
    Failure::InvalidParams.error(profile, json!({ "details": details }))
}

/// Whether this can be the name of a session. It is never taken apart.
fn is_name(id: &str) -> bool {
    (1..=NAME).contains(&id.len()) && !id.chars().any(char::is_control)
}
