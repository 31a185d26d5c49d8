//! The plugins of a command, called one after the other at each hook.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tenon_host::Plugin;
use tenon_protocols::Secrets;
use tenon_protocols::seasonings::calls::is_left_out;
use tenon_protocols::seasonings::{Capabilities, FAILED, Params};
use tenon_rpc::CallError;
use tenon_values::Error;

use crate::finding::Finding;
use crate::hook::{Hook, Outcome};
use crate::interruption::Interruption;
use crate::records::RecordError;
use crate::resource::Resource;
use crate::schemas::Schemas;

/// A plugin that runs and has answered its first call.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) plugin: Plugin,
    pub(crate) capabilities: Capabilities,
    /// It may see sensitive values.
    pub(crate) sends_sensitive: bool,
    /// Hooks that it said it does not have.
    pub(crate) left_out: HashSet<Hook>,
    /// It has ended or does not answer.
    pub(crate) is_lost: bool,
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
    /// How many of them the user has seen with a question.
    pub(crate) seen: usize,
    /// What the user should know besides.
    pub(crate) warnings: Vec<String>,
    /// The file of a plan that passed.
    pub(crate) saved_plan: Option<String>,
    /// What Terraform has said of the types of resources, which starts all providers.
    pub(crate) schemas: Option<Arc<Schemas>>,
    /// By the address of the resource.
    pub(crate) metadata: BTreeMap<String, Metadata>,
    /// How long a plugin may take for one hook.
    pub(crate) limit: Duration,
    /// Ctrl-C.
    pub(crate) interruption: Arc<Interruption>,
    /// What only the plugins may see: sensitive values, and secrets of their variables.
    pub(crate) secrets: Secrets,
}

/// Whether the command continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Flow {
    GoOn,
    Stop,
}

impl Flow {
    fn of(outcome: &Outcome) -> Flow {
        match outcome.has_failed {
            true => Flow::Stop,
            false => Flow::GoOn,
        }
    }

    /// Both have to say that the command continues.
    pub(crate) fn and(self, other: Flow) -> Flow {
        match self {
            Flow::GoOn => other,
            Flow::Stop => Flow::Stop,
        }
    }
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

    /// Notes that a record could not be written. Nothing depends on it: a plan that is not known to have passed is
    /// reviewed again.
    pub(crate) fn warn_of(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written {
            self.warnings.push(error.to_string());
        }
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
                let params = self.resource_params(hook, resource);
                flow = flow.and(self.call(place, hook, Some(&address), params).await);
                if self.interruption.is_asked() || (flow == Flow::Stop && hook.stops_at_once()) {
                    return Flow::Stop;
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
            let params = { view.of(&self.members[place]).iter() }
                .map(|resource| {
                    self.with_metadata(resource, resource.params(hook.action_member())?)
                })
                .collect::<Result<Vec<_>, Error>>()
                .and_then(|resources| more(Params::new().maps("resources", resources)));
            flow = flow.and(self.call(place, hook, None, params).await);
            if self.interruption.is_asked() || (flow == Flow::Stop && hook.stops_at_once()) {
                return Flow::Stop;
            }
        }
        flow
    }

    fn resource_params(&self, hook: Hook, resource: &Resource) -> Result<Params, Error> {
        let params = resource.params(hook.action_member())?;
        let params = self.with_metadata(resource, params)?;
        // Plugins written after the example of the RFC read a list.
        let alone = params.clone();
        Ok(params.maps("resources", vec![alone]))
    }

    fn with_metadata(&self, resource: &Resource, params: Params) -> Result<Params, Error> {
        let empty = Metadata::new();
        let metadata = self.metadata.get(&resource.identity.address);
        params.member("metadata", metadata.unwrap_or(&empty))
    }

    /// Calls a hook of a plugin, and keeps what it says.
    async fn call(
        &mut self,
        place: usize,
        hook: Hook,
        address: Option<&str>,
        params: Result<Params, Error>,
    ) -> Flow {
        let outcome = match params {
            Ok(params) => self.outcome(place, hook, params).await,
            Err(error) => Some(Outcome::failed(format!(
                "the values of this resource cannot be sent: {error}"
            ))),
        };
        let member = &mut self.members[place];
        let Some(outcome) = outcome else {
            member.left_out.insert(hook);
            return Flow::GoOn;
        };
        let flow = Flow::of(&outcome);
        member.is_lost |= outcome.is_lost;
        let outcome = outcome.masked(&self.secrets);
        let mut evidence = outcome.evidence;
        let findings = outcome.texts.into_iter().map(|(severity, text)| Finding {
            plugin: member.name.clone(),
            hook: hook.name(),
            address: address.map(str::to_owned),
            severity,
            text,
            evidence: std::mem::take(&mut evidence),
        });
        self.findings.extend(findings);
        if let (Some(address), Some(metadata)) = (address, outcome.metadata) {
            let known = self.metadata.entry(address.to_owned()).or_default();
            known.insert(member.name.clone(), metadata);
        }
        flow
    }

    /// What a plugin makes of a hook; `None` if it has no such hook.
    async fn outcome(&self, place: usize, hook: Hook, params: Params) -> Option<Outcome> {
        let member = &self.members[place];
        let peer = member.plugin.peer();
        let call = peer.call_raw(hook.method(), Some(params.into_payload()));
        let call = member.plugin.while_alive(call);
        let error = tokio::select! {
            biased;
            () = self.interruption.asked() => return Some(Outcome::failed("interrupted")),
            answer = tokio::time::timeout(self.limit, call) => match answer {
                Ok(Ok(answer)) => return Some(Outcome::read(&answer)),
                Ok(Err(error)) => error,
                Err(_) => CallError::TimedOut(self.limit),
            },
        };
        match &error {
            CallError::Answered(error) if is_left_out(&error.code) => return None,
            // The message is for the user.
            CallError::Answered(error) if error.code == FAILED => {
                return Some(Outcome::failed(error.message.clone()));
            }
            _ => {}
        }
        let hint = match &error {
            CallError::TimedOut(_) => {
                "find out why it does not answer, or raise `hook_timeout_seconds` in tenon.hcl"
            }
            _ => "`tenon terraform --verbose ...` shows everything that it writes to stderr",
        };
        let is_lost = !matches!(error, CallError::Answered(_) | CallError::Unsendable(_));
        let error = member.plugin.explain(error).await;
        Some(Outcome {
            is_lost,
            ..Outcome::broken(&error, Some(hint))
        })
    }
}

impl Member {
    fn wants(&self, hook: Hook) -> bool {
        !self.is_lost && self.capabilities.includes(hook.method()) && !self.left_out.contains(&hook)
    }
}
