//! Which client an ACP session with an agent belongs to: the one that began or loaded it. Other clients
//! cannot cancel work in it, and get no calls about it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_rpc::Payload;

use crate::session::Session;

/// The member that names a conversation.
pub(super) const ID: &[&str] = &["sessionId"];

/// Whether a method is about a conversation, and its params must be looked at.
pub(super) fn is_about_one(method: &str) -> bool {
    method.starts_with("session/") || method.starts_with("fs/") || method.starts_with("terminal/")
}

/// How many are remembered per client, and how long their names may be.
const REMEMBERED: usize = 1024;
const LONGEST: usize = 256;

/// The conversations of clients that are there.
#[derive(Debug, Default)]
pub(super) struct Conversations(Mutex<HashMap<Vec<u8>, Vec<Session>>>);

impl Conversations {
    fn owners(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Vec<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the conversation that a successful call has begun, if it is such a call.
    pub(super) fn note(
        &self,
        session: &Session,
        method: &str,
        name: Option<&Payload>,
        result: &Payload,
    ) {
        let begun = match method {
            "session/new" | "session/fork" => result.member(ID),
            "session/load" | "session/resume" => name.cloned(),
            _ => None,
        };
        let Some(name) = begun.filter(|name| name.bytes().len() <= LONGEST) else {
            return;
        };
        let mut owners = self.owners();
        let is_own = |owner: &Session| owner.number() == session.number();
        if owners
            .values()
            .filter(|owners| owners.iter().any(is_own))
            .count()
            < REMEMBERED
        {
            let owners = owners.entry(name.bytes().to_vec()).or_default();
            if !owners.iter().any(is_own) {
                owners.push(session.clone());
            }
        }
    }

    /// The clients that a conversation belongs to, as far as that is known.
    pub(super) fn owners_of(&self, params: Option<&Payload>) -> Vec<Session> {
        let name = params.and_then(|params| params.member(ID));
        let owners = name.and_then(|name| self.owners().get(&name.bytes()[..]).cloned());
        owners.unwrap_or_default()
    }

    /// Whether it is another client's.
    pub(super) fn is_anothers(&self, session: &Session, params: Option<&Payload>) -> bool {
        let owners = self.owners_of(params);
        let is_own = |owner: &Session| owner.number() == session.number();
        !owners.is_empty() && !owners.iter().any(is_own)
    }

    /// Forgets a client that has disconnected.
    pub(super) fn forget(&self, session: &Session) {
        self.owners().retain(|_, owners| {
            owners.retain(|owner| owner.number() != session.number());
            !owners.is_empty()
        });
    }
}
