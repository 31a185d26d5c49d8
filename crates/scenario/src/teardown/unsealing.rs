//! Calls that undo something, with their secrets: from the key, from what is given again, or from
//! the scenario file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tenon_protocols::Secrets;
use tenon_protocols::orchard::{AttrSchema, Json, ProviderSchema};
use tenon_values::{Type, Value};

use crate::hint::{Advice, Hint};
use crate::masked::{Key, Masked, Way};
use crate::planning::attributes::{action_attributes, config};
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::graph::{NodeId, NodeKind};
use crate::planning::idempotency::{self, Purpose};
use crate::planning::plan::Plan;
use crate::planning::settings::Settings;
use crate::records::item::Item;
use crate::records::kept::{Kept, KeptSecret, Sealer};
use crate::records::known::{Given, type_at, way_text};
use crate::records::record::Record;
use crate::records::undo::{provider_owner, undo_owner};

/// Finds the secrets of a record.
pub(crate) struct Unsealing<'a> {
    pub(crate) record: &'a Record,
    pub(crate) given: &'a Given,
    pub(crate) sealer: &'a Sealer<'a>,
    pub(crate) plan: Option<&'a PlanSecrets<'a>>,
    /// The scenario file is what it was: it can help as soon as its variables are given.
    pub(crate) has_file: bool,
    /// How hints are worded.
    pub(crate) advice: Advice,
    /// By the places of the providers in the record.
    pub(crate) schemas: &'a BTreeMap<usize, Arc<ProviderSchema>>,
}

/// Secrets that are not to be found.
#[derive(Debug)]
pub(crate) struct Missing {
    /// The action or the provider that needs them.
    pub(crate) whose: String,
    /// The names they can be given under.
    pub(crate) names: BTreeSet<String>,
}

/// What is to be done about an item.
pub(crate) enum Prepared {
    /// There is nothing to do.
    Nothing,
    /// It cannot be undone.
    Problem(String),
    /// This undoes it.
    Call {
        provider: usize,
        action: String,
        attributes: Json,
        settings: Settings,
    },
}

impl Prepared {
    /// Whether a provider is needed.
    pub(crate) fn uses(&self, index: usize) -> bool {
        matches!(self, Prepared::Call { provider, .. } if *provider == index)
    }
}

/// Whose attributes they are.
struct Whose<'w> {
    /// What the secrets are bound to.
    owner: String,
    /// The prefix of the names under which its attributes can be given.
    prefix: String,
    /// What the attributes are according to the provider.
    schema: Option<&'w BTreeMap<String, AttrSchema>>,
    from_plan: &'w dyn Fn(&PlanSecrets<'_>) -> Option<Value>,
}

impl Unsealing<'_> {
    /// All secrets that are not to be found, by what needs them.
    pub(crate) fn missing(&self, items: &[Item]) -> Vec<Missing> {
        let mut missing = Vec::new();
        let wanted = items.iter().filter(|item| item.is_wanted);
        let mut providers = BTreeSet::new();
        for item in wanted {
            if let Some(index) = item.provider(self.record) {
                providers.insert(index);
                missing.extend(self.attributes(item, index).err());
            }
        }
        let configs = providers.iter().map(|index| self.config(*index));
        missing.extend(configs.filter_map(Result::err));
        missing
    }

    /// What is to be done about each item.
    pub(crate) fn prepare(&self, items: &[Item], secrets: &Secrets) -> Vec<Prepared> {
        let mut broken: BTreeMap<usize, Option<String>> = BTreeMap::new();
        let mut prepared = Vec::new();
        for item in items {
            if !item.is_wanted {
                prepared.push(Prepared::Nothing);
                continue;
            }
            let Some(index) = item.provider(self.record) else {
                let problem = item.undo(self.record).and_then(|undo| undo.problem.clone());
                prepared.push(Prepared::Problem(problem.unwrap_or_default()));
                continue;
            };
            let broken = broken.entry(index).or_insert_with(|| {
                let config = self.config(index);
                config.err().map(|missing| missing.problem(self.advice))
            });
            prepared.push(match broken {
                Some(problem) => Prepared::Problem(problem.clone()),
                None => self.call(item, index, secrets),
            });
        }
        prepared
    }

    fn call(&self, item: &Item, index: usize, secrets: &Secrets) -> Prepared {
        let undo = item.undo(self.record);
        let Some(call) = undo.and_then(|undo| undo.call.as_ref()) else {
            return Prepared::Nothing;
        };
        let offered = self.schemas.get(&index).map(|schema| &schema.actions);
        if offered.is_some_and(|actions| !actions.contains_key(&call.action)) {
            return Prepared::Problem(format!(
                "the provider {:?} no longer offers the action {:?}",
                self.record.providers[index].label(),
                call.action
            ));
        }
        let attributes = match self.attributes(item, index) {
            Ok(attributes) => attributes,
            Err(missing) => return Prepared::Problem(missing.problem(self.advice)),
        };
        secrets.learn(&attributes);
        let mut settings = call.settings.clone();
        let mut sent = attributes;
        if let Some(schema) = offered.and_then(|actions| actions.get(&call.action)) {
            let address = item.address(self.record);
            let key = || idempotency::key(&self.record.id, &address, Purpose::Teardown);
            sent = idempotency::with_key(&sent, schema, key);
            settings.idempotent |= schema.idempotent || idempotency::has_key(&sent, schema);
        }
        match Json::of_attributes(&sent.unmark_deep().0) {
            Ok(attributes) => Prepared::Call {
                provider: index,
                action: call.action.clone(),
                attributes,
                settings,
            },
            Err(error) => Prepared::Problem(error.to_string()),
        }
    }

    fn attributes(&self, item: &Item, index: usize) -> Result<Value, Missing> {
        let node = &self.record.nodes[item.node];
        let undo = item.undo(self.record);
        let Some(call) = undo.and_then(|undo| undo.call.as_ref()) else {
            return Ok(Value::object::<&str>([]));
        };
        let (kept, can_be_remade) = item.attributes(call, self.record);
        let schema = self.schemas.get(&index);
        let schema = schema.and_then(|schema| schema.actions.get(&call.action));
        let whose = Whose {
            owner: undo_owner(&node.address),
            prefix: format!("{}.teardown", item.address(self.record)),
            schema: schema.map(|schema| &schema.attrs),
            from_plan: &|plan| plan.attributes(&node.address).filter(|_| can_be_remade),
        };
        self.value(&kept, &whose).map_err(|names| Missing {
            whose: item.address(self.record),
            names,
        })
    }

    /// What a provider is configured with.
    pub(crate) fn config(&self, index: usize) -> Result<Value, Missing> {
        let provider = &self.record.providers[index];
        let label = provider.label();
        let schema = self.schemas.get(&index);
        let whose = Whose {
            owner: provider_owner(&label),
            prefix: format!("provider.{label}"),
            schema: schema.map(|schema| &schema.config),
            from_plan: &|plan| plan.config(&label),
        };
        self.value(&provider.config, &whose)
            .map_err(|names| Missing {
                whose: format!("the provider {label:?}"),
                names,
            })
    }

    /// What was kept, with its secrets; or how those that are missing can be given.
    fn value(&self, kept: &Kept, whose: &Whose<'_>) -> Result<Value, BTreeSet<String>> {
        let mut found: Vec<(&Way, Value)> = Vec::new();
        let mut missing: Vec<&KeptSecret> = Vec::new();
        for secret in &kept.secrets {
            let ty = match (secret.at.split_first(), whose.schema) {
                (Some((Key::Name(name), rest)), Some(schema)) => { schema.get(name) }
                    .map_or(Type::Dynamic, |attribute| type_at(&attribute.ty, rest)),
                _ => Type::Dynamic,
            };
            let name = format!("{}{}", whose.prefix, way_text(&secret.at));
            let names = (whose.owner.as_str(), name.as_str());
            match self.given.secret(secret, names, &ty, self.sealer) {
                Some(value) => found.push((&secret.at, value)),
                None => missing.push(secret),
            }
        }
        if !missing.is_empty() {
            let computed = self.plan.and_then(|plan| (whose.from_plan)(plan));
            let computed = computed.and_then(|value| same_secrets(&value, kept));
            let Some(computed) = computed else {
                return Err(self.names(&missing, whose));
            };
            for secret in missing {
                let value = computed.iter().find(|(at, _)| *at == secret.at);
                found.extend(value.map(|(_, value)| (&secret.at, value.clone())));
            }
        }
        let find = |way: &Way| {
            let found = found.iter().find(|(at, _)| *at == way);
            found.map(|(_, value)| value.clone())
        };
        kept.masked().filled(find).map_err(|_| BTreeSet::new())
    }

    /// The names of secrets that a user has to give again: those that they are made from, or if
    /// they can no longer be made, their own.
    fn names(&self, missing: &[&KeptSecret], whose: &Whose<'_>) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for secret in missing {
            let rest = secret.at.get(1..).unwrap_or_default();
            match &secret.copy_of {
                Some(copy) => names.extend([format!("{copy}{}", way_text(rest))]),
                None if self.has_file && !secret.from.is_empty() => {
                    names.extend(secret.from.iter().cloned());
                }
                None => names.extend([format!("{}{}", whose.prefix, way_text(&secret.at))]),
            }
        }
        names
    }
}

/// The secrets of a value, if it is what was kept in everything else.
fn same_secrets(value: &Value, kept: &Kept) -> Option<Vec<(Way, Value)>> {
    let (masked, secrets) = Masked::split(value).ok()?;
    let is_same = masked.value.get() == kept.values.get()
        && masked.sensitive == kept.masked().sensitive
        && secrets.iter().all(Value::is_wholly_known);
    is_same.then(|| masked.sensitive.into_iter().zip(secrets).collect())
}

impl Missing {
    fn problem(self, advice: Advice) -> String {
        let hint = Hint::GiveSecrets(self.names.into_iter().collect());
        let hint = advice.on(&hint);
        format!("it needs secrets that the record does not hold: {hint}")
    }
}

/// A scenario file that knows about the run.
pub(crate) struct PlanSecrets<'a> {
    plan: &'a Plan,
    evaluation: Evaluation<'a>,
    actions: BTreeMap<&'a str, NodeId>,
}

impl<'a> PlanSecrets<'a> {
    pub(crate) fn new(plan: &'a Plan, evaluation: Evaluation<'a>) -> PlanSecrets<'a> {
        let actions = plan.graph.actions();
        PlanSecrets {
            plan,
            evaluation,
            actions: actions.map(|(id, node)| (&*node.address, id)).collect(),
        }
    }

    /// What the teardown of an action is given.
    fn attributes(&self, address: &str) -> Option<Value> {
        let id = *self.actions.get(address)?;
        let graph = &self.plan.graph;
        let NodeKind::Action { instance, .. } = &graph.node(id).kind else {
            return None;
        };
        let (action, schema) = (graph.action(id)?, self.plan.action_schema(id)?);
        let unknown = Value::unknown(Type::Dynamic);
        let here = Here {
            module: graph.node(id).module,
            instance,
            itself: Some(self.evaluation.get(id).unwrap_or(&unknown)),
        };
        let teardown = action.teardown.as_deref()?;
        action_attributes(action, teardown, schema, &self.evaluation, here).ok()
    }

    /// What a provider is configured with.
    fn config(&self, label: &str) -> Option<Value> {
        let mut declarations = self.plan.declarations.iter();
        let (_, declaration) = declarations.find(|(_, one)| one.label() == label)?;
        config(declaration, &self.evaluation).ok()
    }
}
