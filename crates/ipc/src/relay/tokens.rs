//! Progress tokens. Clients choose them independently, so each is replaced by a unique one on the way
//! to the plugin. Progress of the plugin gets the original token back, and goes only to the client that
//! chose it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_rpc::{Event, Payload};

use crate::session::Session;

/// Where protocols put a token in the params of a call: LSP in two places, then MCP.
const PLACES: [&[&str]; 4] = [
    &["workDoneToken"],
    &["partialResultToken"],
    &["_meta", "progressToken"],
    &["progressToken"],
];

/// How our own tokens begin, as JSON. A text, so that it cannot be one that a server counts up.
const OURS: &[u8] = b"\"tenon:";

/// The tokens of this many finished calls are remembered, for late progress. In MCP, work may continue
/// after its call was answered.
const REMEMBERED: usize = 1024;

/// Longer tokens are forgotten with their call.
const LONGEST: usize = 256;

/// The tokens that the plugin may report progress for.
#[derive(Debug, Default)]
pub(super) struct Tokens(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    last: u64,
    /// By our own tokens.
    given: HashMap<Vec<u8>, (Session, Payload)>,
    finished: VecDeque<Vec<u8>>,
    /// Tokens that the plugin chose, and had a client accept.
    accepted: HashMap<Vec<u8>, Session>,
    accepted_order: VecDeque<Vec<u8>>,
}

/// The tokens of a call that runs, until this is dropped.
pub(super) struct Given<'a> {
    tokens: &'a Tokens,
    ours: Vec<Vec<u8>>,
    is_answered: bool,
}

impl Given<'_> {
    /// The call has been answered: its tokens are remembered for a while. Those of a cancelled call are
    /// not.
    pub(super) fn answered(&mut self) {
        self.is_answered = true;
    }
}

/// The owner of a token.
#[derive(Debug)]
pub(super) enum Owner {
    /// A client, with the event for it.
    Client(Session, Event),
    /// A client that has disconnected.
    Gone,
    /// It is not known.
    Unknown(Event),
}

impl Tokens {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the tokens in the params of a call.
    pub(super) fn replace(
        &self,
        session: &Session,
        mut params: Option<Payload>,
    ) -> (Option<Payload>, Given<'_>) {
        let mut ours = Vec::new();
        // Most calls have none, and are not read for it.
        let has_some =
            |params: &Payload| memchr::memmem::find(params.bytes(), b"Token\"").is_some();
        if params.as_ref().is_some_and(has_some) {
            for place in PLACES {
                let Some(token) = params.as_ref().and_then(|params| params.member(place)) else {
                    continue;
                };
                if !is_token(&token) {
                    continue;
                }
                let mut table = self.table();
                table.last += 1;
                let our = [OURS, table.last.to_string().as_bytes(), b"\""].concat();
                params = params.and_then(|params| params.with_member(place, &our));
                table.given.insert(our.clone(), (session.clone(), token));
                ours.push(our);
            }
        }
        let given = Given {
            tokens: self,
            ours,
            is_answered: false,
        };
        (params, given)
    }

    /// A client has accepted a token of the plugin's own.
    pub(super) fn accept(&self, session: &Session, token: &Payload) {
        if token.bytes().len() > LONGEST || !is_token(token) {
            return;
        }
        let mut table = self.table();
        let token = token.bytes().to_vec();
        if table
            .accepted
            .insert(token.clone(), session.clone())
            .is_none()
        {
            table.accepted_order.push_back(token);
            if table.accepted_order.len() > REMEMBERED
                && let Some(oldest) = table.accepted_order.pop_front()
            {
                table.accepted.remove(&oldest);
            }
        }
    }

    /// Finds the client that an event of the plugin is for, by the token in it.
    pub(super) fn owner(&self, event: Event, field: &str) -> Owner {
        let params = event.params.as_ref();
        let Some(token) = params.and_then(|params| params.member(&[field])) else {
            return Owner::Unknown(event);
        };
        let table = self.table();
        if let Some((session, token)) = table.given.get(&token.bytes()[..]) {
            let params = params.and_then(|params| params.with_member(&[field], token.bytes()));
            let method = event.method.clone();
            return Owner::Client(session.clone(), Event { method, params });
        }
        if token.bytes().starts_with(OURS) {
            return Owner::Gone;
        }
        match table.accepted.get(&token.bytes()[..]) {
            Some(session) => Owner::Client(session.clone(), event),
            None => Owner::Unknown(event),
        }
    }

    /// An event of a client with its token replaced for the plugin; `None` if the token is another
    /// client's.
    pub(super) fn for_plugin(&self, session: &Session, event: Event, field: &str) -> Option<Event> {
        let params = event.params.as_ref();
        let Some(token) = params.and_then(|params| params.member(&[field])) else {
            return Some(event);
        };
        let table = self.table();
        let is_own =
            |given: &(Session, Payload)| given.0.number() == session.number() && given.1 == token;
        let given = table.given.iter().find(|(_, given)| is_own(given));
        if let Some((our, _)) = given {
            let params = params.and_then(|params| params.with_member(&[field], our));
            let method = event.method.clone();
            return Some(Event { method, params });
        }
        let owner = table.accepted.get(&token.bytes()[..]);
        let is_anothers = owner.is_some_and(|owner| owner.number() != session.number());
        (!is_anothers && !token.bytes().starts_with(OURS)).then_some(event)
    }

    /// Forgets a client that has disconnected.
    pub(super) fn forget(&self, session: &Session) {
        let mut table = self.table();
        let is_others = |owner: &Session| owner.number() != session.number();
        table.given.retain(|_, (owner, _)| is_others(owner));
        table.accepted.retain(|_, owner| is_others(owner));
        let Table {
            given,
            finished,
            accepted,
            accepted_order,
            ..
        } = &mut *table;
        finished.retain(|token| given.contains_key(token));
        accepted_order.retain(|token| accepted.contains_key(token));
    }
}

/// Whether it is what protocols have for tokens.
fn is_token(token: &Payload) -> bool {
    matches!(token.bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

impl Drop for Given<'_> {
    fn drop(&mut self) {
        if self.ours.is_empty() {
            return;
        }
        let mut table = self.tokens.table();
        for our in self.ours.drain(..) {
            let is_answered = self.is_answered;
            let is_kept =
                |(_, token): &(Session, Payload)| is_answered && token.bytes().len() <= LONGEST;
            match table.given.get(&our).map(is_kept) {
                None => {}
                Some(false) => drop(table.given.remove(&our)),
                Some(true) => table.finished.push_back(our),
            }
        }
        while table.finished.len() > REMEMBERED {
            if let Some(oldest) = table.finished.pop_front() {
                table.given.remove(&oldest);
            }
        }
    }
}
