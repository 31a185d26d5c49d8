//! What undoes an action, worked out while all values of its run are known.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tenon_protocols::{Protocol, Secrets};
use tenon_values::Value;

use crate::planning::attributes::action_attributes;
use crate::planning::declarations::{Configured, DeclarationId};
use crate::planning::evaluation::{Evaluation, Here, rendered};
use crate::planning::flow::Spot;
use crate::planning::graph::{ModuleId, NodeId, NodeKind};
use crate::planning::origins::Origins;
use crate::planning::plan::Plan;
use crate::planning::settings::Settings;
use crate::records::kept::{Kept, Origin, Sealer};
use crate::records::record::Record;
use crate::records::undo::{Call, ProviderRecord, Undo, provider_owner, undo_owner};

/// How much is known when it is asked what undoes an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It is about to be handed to its provider.
    Begun,
    /// It is done.
    Ended,
    /// Nothing more will be done in this run.
    Over,
}

/// Works out what undoes the actions of a plan.
pub(crate) struct Undoer<'a> {
    plan: &'a Plan,
    pub(crate) sealer: Sealer<'a>,
    secrets: &'a Secrets,
    /// The index of each provider in the record.
    providers: BTreeMap<DeclarationId, usize>,
    /// The nodes whose values a teardown uses, beside its own action's.
    needs: HashMap<NodeId, BTreeSet<NodeId>>,
    /// Who uses a node's value.
    users: HashMap<NodeId, Vec<NodeId>>,
}

impl<'a> Undoer<'a> {
    pub(crate) fn new(plan: &'a Plan, sealer: Sealer<'a>, secrets: &'a Secrets) -> Undoer<'a> {
        let mut undoer = Undoer {
            plan,
            sealer,
            secrets,
            providers: BTreeMap::new(),
            needs: HashMap::new(),
            users: HashMap::new(),
        };
        let graph = &plan.graph;
        for (id, _) in graph.actions() {
            let teardown = graph.action(id).and_then(|action| action.teardown.as_ref());
            let expressions = teardown.into_iter().flatten();
            let expressions = expressions.map(|attribute| &attribute.value);
            let flow = graph.flow(graph.spot(id), expressions, false);
            for node in &flow.nodes {
                undoer.users.entry(*node).or_default().push(id);
            }
            undoer.needs.insert(id, flow.nodes);
        }
        undoer
    }

    /// Puts the providers that undo something into the record. One that is there with the same
    /// configuration is not there twice, but its secrets may be newer.
    pub(crate) fn keep_providers(
        &mut self,
        record: &mut Record,
        configs: &[Configured],
        evaluation: &Evaluation<'_>,
    ) {
        let origins = Origins::new(&self.plan.graph, evaluation);
        for (id, declaration, config) in configs {
            if !self.plan.needed.is_undoing(*id) {
                continue;
            }
            let owner = provider_owner(&declaration.label());
            let kept = Kept::of(config, &owner, &self.sealer, |name| {
                let given = &declaration.config;
                let attribute = given.iter().find(|attribute| attribute.name.text() == name);
                attribute.map_or_else(Origin::default, |attribute| Origin {
                    from: origins.of(Spot::module(ModuleId::ROOT), &attribute.value),
                    copy_of: origins.same(Spot::module(ModuleId::ROOT), &attribute.value),
                })
            });
            // What is not known yet cannot be in a configuration.
            let Ok(config) = kept else { continue };
            let new = ProviderRecord {
                name: declaration.name.clone(),
                alias: declaration.alias.clone(),
                source: declaration.source.clone(),
                env: declaration.environment.clone(),
                version: declaration.schema.version.clone(),
                config,
            };
            let place = self.place(&mut record.providers, new);
            self.providers.insert(*id, place);
        }
    }

    fn place(&self, providers: &mut Vec<ProviderRecord>, new: ProviderRecord) -> usize {
        let is_same = |old: &ProviderRecord| {
            old.label() == new.label()
                && old.source == new.source
                && old.env == new.env
                && old.config.values.get() == new.config.values.get()
        };
        match providers.iter().position(is_same) {
            Some(place) => {
                // Without a key the new one would keep less.
                let has_sealed = |kept: &Kept| kept.secrets.iter().any(|one| one.sealed.is_some());
                if has_sealed(&new.config) || !has_sealed(&providers[place].config) {
                    providers[place] = new;
                }
                place
            }
            None => {
                providers.push(new);
                providers.len() - 1
            }
        }
    }

    /// The actions whose teardowns use the value of a node.
    pub(crate) fn users(&self, id: NodeId) -> &[NodeId] {
        self.users.get(&id).map_or(&[], Vec::as_slice)
    }

    /// What undoes an action, if it has a teardown.
    pub(crate) fn undo(
        &self,
        id: NodeId,
        evaluation: &Evaluation<'_>,
        stage: Stage,
    ) -> Option<Undo> {
        let graph = &self.plan.graph;
        let node = graph.node(id);
        let NodeKind::Action {
            instance,
            declaration: Some(declaration),
            ..
        } = &node.kind
        else {
            return None;
        };
        let (action, schema) = (graph.action(id)?, self.plan.action_schema(id)?);
        let teardown = action.teardown.as_ref()?;
        let needs = self.needs.get(&id).into_iter().flatten();
        let mut missing = needs.filter(|needed| evaluation.get(**needed).is_none());
        // Locals are evaluated once: what is asked too early would stay unknown.
        if let (Some(missing), true) = (missing.next(), stage != Stage::Over) {
            return Some(Undo::problem(format!(
                "its teardown uses {}, which was not done when the run was cut off",
                graph.address(*missing)
            )));
        }
        let unknown = match self.plan.output_type(id) {
            Some(ty) => Value::unknown(ty.without_optional()),
            None => Value::object::<&str>([]),
        };
        let itself = evaluation.get(id).filter(|_| stage != Stage::Begun);
        let here = Here {
            module: node.module,
            instance,
            itself: Some(itself.unwrap_or(&unknown)),
        };
        let attributes = action_attributes(action, teardown, schema, evaluation, here);
        let settings = Settings::of(action, evaluation, here);
        let (attributes, settings) = match (attributes, settings) {
            (Ok(attributes), Ok(settings)) => (attributes, settings),
            (Err(problems), _) | (_, Err(problems)) => {
                return Some(Undo::problem(self.secrets.hide(&rendered(&problems))));
            }
        };
        if let Some(problem) = unknown_attributes(&attributes, stage) {
            return Some(Undo::problem(problem));
        }
        self.secrets.learn(&attributes);
        let origins = Origins::new(graph, evaluation);
        let kept = Kept::of(
            &attributes,
            &undo_owner(&node.address),
            &self.sealer,
            |name| {
                let given = teardown.iter();
                let attribute = given.into_iter().find(|one| one.name.text() == name);
                attribute.map_or_else(Origin::default, |attribute| Origin {
                    from: origins.of(graph.spot(id), &attribute.value),
                    copy_of: origins.same(graph.spot(id), &attribute.value),
                })
            },
        );
        let Some(provider) = self.providers.get(declaration).copied() else {
            return Some(Undo::problem(
                "the configuration of its provider is not known",
            ));
        };
        Some(match kept {
            Ok(attributes) if attributes.size() > message_limit() => Undo::problem(format!(
                "its teardown has attributes of {} bytes; a provider takes {} in a message",
                attributes.size(),
                message_limit()
            )),
            Ok(attributes) => Undo {
                call: Some(Call {
                    provider,
                    action: action.kind.text().to_owned(),
                    attributes,
                    settings,
                }),
                ..Undo::default()
            },
            Err(error) => Undo::problem(self.secrets.hide(&error.to_string())),
        })
    }
}

/// How large attributes can be that a provider is given.
fn message_limit() -> usize {
    Protocol::Orchard.host_options().limits.frame
}

/// Why attributes that are not known cannot be given to a provider.
fn unknown_attributes(attributes: &Value, stage: Stage) -> Option<String> {
    let attributes = attributes.attributes()?;
    let unknown = attributes.iter().filter(|(_, value)| {
        let (value, _) = value.unmark_deep();
        !value.is_wholly_known()
    });
    let names: Vec<String> = unknown.map(|(name, _)| format!("{name:?}")).collect();
    let names = match names.is_empty() {
        true => return None,
        false => names.join(", "),
    };
    Some(match stage {
        Stage::Begun => format!(
            "its outcome is unknown, and its teardown uses what it returns (in {names})\n  \
             check whether it was done, and undo it by hand"
        ),
        _ => format!("its teardown uses unknown values (in {names})"),
    })
}
