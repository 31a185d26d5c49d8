//! Whose calls a plugin is working on: who its events are for, and who is asked what it asks.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tenon_rpc::{Format, Payload};

use crate::progress::Token;
use crate::session::Session;

/// The calls that run, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Callers(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    running: BTreeMap<u64, Caller>,
    last: u64,
}

#[derive(Debug)]
struct Caller {
    session: Session,
    /// What the caller calls this work when it wants to hear of its progress.
    tokens: Vec<Token>,
}

/// A call that runs, until this is dropped.
pub(super) struct Running<'a> {
    callers: &'a Callers,
    number: u64,
}

impl Callers {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, session: Session, params: Option<&Payload>) -> Running<'_> {
        let tokens = params.map_or_else(Vec::new, tokens);
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        table.running.insert(number, Caller { session, tokens });
        Running {
            callers: self,
            number,
        }
    }

    /// Everybody whose call runs, each once.
    pub(super) fn all(&self) -> Vec<Session> {
        self.some(|_| true)
    }

    /// Those whose work has this token.
    pub(super) fn with_token(&self, token: &Token) -> Vec<Session> {
        self.some(|caller| caller.tokens.contains(token))
    }

    /// Who has waited longest.
    pub(super) fn first(&self) -> Option<Session> {
        let table = self.table();
        let first = table.running.values().next();
        first.map(|caller| caller.session.clone())
    }

    fn some(&self, is_wanted: impl Fn(&Caller) -> bool) -> Vec<Session> {
        let table = self.table();
        let wanted = table.running.values().filter(|caller| is_wanted(caller));
        let sessions = wanted.map(|caller| (caller.session.number(), caller.session.clone()));
        sessions.collect::<BTreeMap<_, _>>().into_values().collect()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.callers.table().running.remove(&self.number);
    }
}

/// The tokens in the params of a call, as language servers and MCP have them.
fn tokens(params: &Payload) -> Vec<Token> {
    // Most calls have none, and are not read for it.
    let has_some = |bytes: &[u8]| memchr::memmem::find(bytes, b"Token\"").is_some();
    if params.format() != Format::Json || !has_some(params.bytes()) {
        return Vec::new();
    }
    let Ok(params) = params.decode::<Value>() else {
        return Vec::new();
    };
    let named = [
        &params["workDoneToken"],
        &params["partialResultToken"],
        &params["progressToken"],
        &params["_meta"]["progressToken"],
    ];
    let tokens = named.into_iter();
    tokens
        .filter_map(|token| serde_json::from_value(token.clone()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_where_protocols_have_them() {
        let found = |text: &str| tokens(&Payload::from_json(text).unwrap());
        assert_eq!(
            found(r#"{"workDoneToken":"a","partialResultToken":2,"x":1}"#),
            [Token::Text("a".into()), Token::Number(2)]
        );
        assert_eq!(
            found(r#"{"_meta":{"progressToken":7}}"#),
            [Token::Number(7)]
        );
        assert!(found(r#"{"workDoneToken":null,"deep":{"workDoneToken":1}}"#).is_empty());
        assert!(found(r#"["workDoneToken"]"#).is_empty());
        assert!(found("1").is_empty());
    }
}
