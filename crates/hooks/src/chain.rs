//! The plugins of a command, called one after the other at each hook.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tenon_host::Plugin;
use tenon_protocols::seasonings::calls::is_left_out;
use tenon_protocols::seasonings::{Capabilities, Params};
use tenon_rpc::CallError;
use tenon_values::Error;

use crate::finding::{Finding, Severity};
use crate::hook::{Hook, Outcome};
use crate::resource::Resource;

/// A plugin that runs and has answered its first call.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) plugin: Plugin,
    pub(crate) capabilities: Capabilities,
    /// It may see sensitive values.
    pub(crate) sends_sensitive: bool,
    /// Hooks that it said it does not have.
    pub(crate) left_out: HashSet<Hook>,
}

/// The resources of a hook, once without sensitive values and once, if a plugin may see them, with.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) redacted: Vec<Resource>,
    pub(crate) clear: Option<Vec<Resource>>,
}

impl View {
    fn of(&self, member: &Member) -> &[Resource] {
        match &self.clear {
            Some(clear) if member.sends_sensitive => clear,
            _ => &self.redacted,
        }
    }
}

/// What plugins noted about a resource, by the name of the plugin.
pub(crate) type Metadata = BTreeMap<String, Map<String, Json>>;

/// All plugins, in order, and what they have found.
pub(crate) struct Chain {
    pub(crate) members: Vec<Member>,
    pub(crate) findings: Vec<Finding>,
    /// By the address of the resource.
    pub(crate) metadata: BTreeMap<String, Metadata>,
    /// How long a plugin may take for one hook.
    pub(crate) limit: Duration,
    /// The user pressed Ctrl-C during a hook.
    pub(crate) is_interrupted: bool,
}

/// Whether the command goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Flow {
    GoOn,
    Stop,
}

impl Chain {
    /// Whether a plugin wants this hook.
    pub(crate) fn wants(&self, hook: Hook) -> bool {
        self.members.iter().any(|member| member.wants(hook))
    }

    /// Whether a plugin may see sensitive values.
    pub(crate) fn sends_sensitive(&self) -> bool {
        self.members.iter().any(|member| member.sends_sensitive)
    }

    /// Calls a hook for every resource. After a hook that comes before something, the first failure ends it.
    pub(crate) async fn resources(&mut self, hook: Hook, view: &View) -> Flow {
        let mut flow = Flow::GoOn;
        for index in 0..view.redacted.len() {
            for place in 0..self.members.len() {
                if !self.members[place].wants(hook) {
                    continue;
                }
                let resource = &view.of(&self.members[place])[index];
                let address = resource.identity.address.clone();
                let params = self.resource_params(hook, resource, &address);
                let outcome = self.call(place, hook, params).await;
                if self.note(place, hook, Some(&address), outcome) == Flow::Stop {
                    flow = Flow::Stop;
                    if hook.stops_at_once() {
                        return flow;
                    }
                }
            }
        }
        flow
    }

    /// Calls a hook of a stage. `more` adds what the stage is about.
    pub(crate) async fn stage(
        &mut self,
        hook: Hook,
        view: &View,
        more: impl Fn(Params) -> Result<Params, Error>,
    ) -> Flow {
        let mut flow = Flow::GoOn;
        for place in 0..self.members.len() {
            if !self.members[place].wants(hook) {
                continue;
            }
            let resources = view.of(&self.members[place]);
            let params = { resources.iter() }
                .map(|resource| resource.params(hook.action_member()))
                .collect::<Result<Vec<_>, Error>>()
                .and_then(|resources| more(Params::new().maps("resources", resources)));
            let outcome = self.call(place, hook, params).await;
            if self.note(place, hook, None, outcome) == Flow::Stop {
                flow = Flow::Stop;
                if hook.stops_at_once() {
                    return flow;
                }
            }
        }
        flow
    }

    fn resource_params(
        &self,
        hook: Hook,
        resource: &Resource,
        address: &str,
    ) -> Result<Params, Error> {
        let params = resource.params(hook.action_member())?;
        // Plugins written after the example of the RFC read a list.
        let alone = params.clone();
        let empty = Metadata::new();
        let metadata = self.metadata.get(address).unwrap_or(&empty);
        params
            .maps("resources", vec![alone])
            .member("metadata", metadata)
    }

    /// What a plugin makes of a hook; `None` if it has no such hook, or the user wants no more of them.
    async fn call(
        &self,
        place: usize,
        hook: Hook,
        params: Result<Params, Error>,
    ) -> Option<Outcome> {
        if self.is_interrupted {
            return None;
        }
        let member = &self.members[place];
        let params = match params {
            Ok(params) => params.into_payload(),
            Err(error) => {
                let problem = format!("the values of this resource cannot be sent: {error}");
                return Some(Outcome::failed(problem));
            }
        };
        let peer = member.plugin.peer();
        let call = member
            .plugin
            .while_alive(peer.call_raw(hook.method(), Some(params)));
        let answer = tokio::select! {
            answer = tokio::time::timeout(self.limit, call) => answer,
            _ = tokio::signal::ctrl_c() => return Some(Outcome::interrupted()),
        };
        match answer {
            Ok(Ok(answer)) => Some(Outcome::read(&answer)),
            Ok(Err(CallError::Answered(error))) if is_left_out(&error.code) => None,
            Ok(Err(CallError::Answered(error))) => Some(Outcome::failed(error.message.to_string())),
            Ok(Err(error)) => Some(Outcome::failed(error.to_string())),
            Err(_) => {
                let seconds = self.limit.as_secs_f64();
                Some(Outcome::failed(format!(
                    "it has not answered within {seconds} s"
                )))
            }
        }
    }

    fn note(
        &mut self,
        place: usize,
        hook: Hook,
        address: Option<&str>,
        outcome: Option<Outcome>,
    ) -> Flow {
        let member = &mut self.members[place];
        let Some(outcome) = outcome else {
            member.left_out.insert(hook);
            return Flow::GoOn;
        };
        self.is_interrupted |= outcome.is_interrupted;
        let texts = outcome.texts.into_iter().enumerate();
        self.findings.extend(texts.map(|(index, text)| Finding {
            plugin: member.name.clone(),
            hook: hook.name(),
            address: address.map(str::to_owned),
            severity: match outcome.has_failed && index == 0 {
                true => Severity::Failure,
                false => Severity::Warning,
            },
            text,
        }));
        if let (Some(address), Some(metadata)) = (address, outcome.metadata) {
            let known = self.metadata.entry(address.to_owned()).or_default();
            known.insert(member.name.clone(), metadata);
        }
        match outcome.has_failed {
            true => Flow::Stop,
            false => Flow::GoOn,
        }
    }
}

impl Member {
    fn wants(&self, hook: Hook) -> bool {
        self.capabilities.includes(hook.method()) && !self.left_out.contains(&hook)
    }
}
