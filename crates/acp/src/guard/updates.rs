//! Events of the agent: updates of sessions, most of all.

use std::sync::Arc;
use std::time::Duration;

use tenon_protocols::acp::{Profile, Side, UpdateParams, view};
use tenon_rpc::{Event, Payload, Peer};
use tokio::time::Instant;

use super::Note;
use super::state::Shared;
use crate::turns::Arrival;

impl Shared {
    /// An event of the agent.
    pub(super) fn agent_sends(self: &Arc<Shared>, from: &Peer, event: Event) {
        if let Err(error) = self.check(Side::Client, &event.method, event.params.as_ref()) {
            return self.drop_event(Side::Agent, &event.method, &error.to_string());
        }
        match event.params {
            Some(params) if event.method == "session/update" => {
                if let Err(why) = self.update(params) {
                    self.drop_event(Side::Agent, &event.method, why);
                }
            }
            params => {
                self.flush();
                let method = event.method;
                self.to_client.event(from, Event { method, params });
            }
        }
    }

    fn update(self: &Arc<Shared>, params: Payload) -> Result<(), &'static str> {
        let view: view::Update<'_> = params
            .decode_borrowed()
            .map_err(|_| "it does not fit its type")?;
        self.check_size(&params)?;
        let id = view.session_id.into_owned();
        let is_tool_call = view.update.tool_call_id.is_some();
        let has_options = view.update.kind == "config_option_update";
        let mut state = self.state();
        match state.turns.agent_updates(&id) {
            Arrival::Stray => return Err("unknown session"),
            Arrival::Known | Arrival::Early => {}
        }
        let mut completed = None;
        if is_tool_call
            && let Some(session) = state.turns.session_or_early(&id)
            && let Ok(update) = params.decode_private::<UpdateParams>()
        {
            let is_history = session.is_loading();
            completed = session.note(&update.update).filter(|_| !is_history);
        }
        let params = match has_options {
            true => { &state.gates }
                .without_boolean_options(&params, &["update", "configOptions"])
                .unwrap_or(params),
            false => params,
        };
        let now = self.now();
        if !state.paces.contains_key(&id) {
            // The session is being opened.
            state.paces.insert(id.clone(), self.pace());
        }
        let ready = match state.paces.get_mut(&id) {
            None => vec![params],
            Some(pace) => {
                pace.active = Instant::now();
                match &mut pace.merger {
                    None => vec![params],
                    Some(merger) => {
                        let ready = merger.push(params, now);
                        if let Some(at) = merger.next_at()
                            && !std::mem::replace(&mut pace.is_scheduled, true)
                        {
                            self.schedule(id.clone(), at.saturating_sub(now));
                        }
                        ready
                    }
                }
            }
        };
        self.send_updates(&mut state, ready);
        drop(state);
        if let Some(completed) = completed {
            self.completed(&id, completed);
        }
        Ok(())
    }

    /// Large diffs are common, so an update that is too large is only noted, unless the strict reading is wanted.
    fn check_size(&self, params: &Payload) -> Result<(), &'static str> {
        let limit = tenon_protocols::acp::method("session/update").and_then(|entry| entry.size);
        let size = params.bytes().len();
        match limit {
            Some(limit) if self.limits.sizes && size > limit => match self.profile {
                Profile::Seed => Err("it is larger than the limit"),
                Profile::V1 => {
                    let method = "session/update".to_owned();
                    self.note(&Note::Large {
                        method,
                        size,
                        limit,
                    });
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// Sends what waits in a session as soon as it may be sent.
    fn schedule(self: &Arc<Shared>, id: String, wait: Duration) {
        let shared = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut wait = wait;
            loop {
                tokio::time::sleep(wait).await;
                let Some(shared) = shared.upgrade() else {
                    return;
                };
                let now = shared.now();
                let mut state = shared.state();
                let Some(pace) = state.paces.get_mut(&id) else {
                    return;
                };
                let Some(merger) = &mut pace.merger else {
                    return;
                };
                let ready = merger.pull(now);
                let next = merger.next_at();
                pace.is_scheduled = next.is_some();
                shared.send_updates(&mut state, ready);
                drop(state);
                match next {
                    Some(at) => wait = at.saturating_sub(now),
                    None => return,
                }
            }
        });
    }
}
