//! Which provider declarations a scenario has, and which of them runs an action.

use std::collections::BTreeMap;
use std::sync::Arc;

use tenon_hcl::{Attribute, Diagnostic, Place, did_you_mean};
use tenon_protocols::orchard::{ActionSchema, ProviderSchema};
use tenon_values::Value;

use crate::environment::ProviderEnvironment;
use crate::reading::model::{Action, ProviderChoice, ProviderSource, Scenario};

/// What the providers of a scenario offer.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    /// By where their programs are.
    pub known: BTreeMap<ProviderSource, Arc<ProviderSchema>>,
    /// The names of all built-in providers, whether the scenario uses them or not: for hints.
    pub builtins: Vec<String>,
}

/// Which declaration of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub(crate) usize);

/// A provider with a configuration: what there is a process for.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name that the scenario has for the provider.
    pub name: String,
    /// What distinguishes it from other declarations of the same provider.
    pub alias: Option<String>,
    /// Where its program is.
    pub source: ProviderSource,
    /// Which environment variables it gets, besides those that every program needs.
    pub environment: ProviderEnvironment,
    /// What it offers.
    pub schema: Arc<ProviderSchema>,
    pub(crate) config: Vec<Attribute>,
    /// Where it is declared or, without a block of its own, required.
    pub(crate) place: Place,
}

impl Declaration {
    /// `name`, or `name.alias`.
    pub fn label(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{}.{alias}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A declaration with the value of its configuration.
pub(crate) type Configured = (DeclarationId, Declaration, Value);

/// All declarations of a scenario.
#[derive(Clone, Debug)]
pub struct Declarations {
    all: Vec<Declaration>,
    /// Who offers an action, by its type.
    offers: BTreeMap<String, Vec<DeclarationId>>,
    builtins: Vec<String>,
}

impl Declarations {
    /// Those of a scenario, of which all schemas are known. A provider without a block is declared
    /// without a configuration.
    pub(crate) fn of(scenario: &Scenario, schemas: &Schemas) -> Declarations {
        let mut all = Vec::new();
        for (name, required) in &scenario.required_providers {
            let Some(schema) = schemas.known.get(&required.source) else {
                continue;
            };
            let declaration =
                |alias: Option<String>, config: &[Attribute], place: Place| Declaration {
                    name: name.clone(),
                    alias,
                    source: required.source.clone(),
                    environment: required.environment.clone(),
                    schema: schema.clone(),
                    config: config.to_vec(),
                    place,
                };
            let blocks = scenario.providers.iter();
            let blocks: Vec<_> = blocks.filter(|block| block.name.text() == name).collect();
            if blocks.is_empty() {
                all.push(declaration(None, &[], required.name.place()));
            }
            for block in blocks {
                let place = block.place.clone();
                all.push(declaration(block.alias.clone(), &block.config, place));
            }
        }
        let mut offers: BTreeMap<String, Vec<DeclarationId>> = BTreeMap::new();
        for (index, declaration) in all.iter().enumerate() {
            for action in declaration.schema.actions.keys() {
                let offering = offers.entry(action.clone()).or_default();
                offering.push(DeclarationId(index));
            }
        }
        Declarations {
            all,
            offers,
            builtins: schemas.builtins.clone(),
        }
    }

    /// Every declaration.
    pub fn iter(&self) -> impl Iterator<Item = (DeclarationId, &Declaration)> {
        let numbered = self.all.iter().enumerate();
        numbered.map(|(index, declaration)| (DeclarationId(index), declaration))
    }

    pub(crate) fn get(&self, id: DeclarationId) -> &Declaration {
        &self.all[id.0]
    }

    /// The schema of an action's type.
    pub(crate) fn schema(&self, id: DeclarationId, action: &Action) -> Option<&ActionSchema> {
        self.get(id).schema.actions.get(action.kind.text())
    }

    /// Who runs an action.
    pub(crate) fn find(&self, action: &Action) -> Result<DeclarationId, Diagnostic> {
        let kind = action.kind.text();
        let Some(offering) = self.offers.get(kind) else {
            return Err(self.not_offered(action));
        };
        if let Some(choice) = &action.provider {
            let is_chosen = |id: &&DeclarationId| {
                let declaration = self.get(**id);
                declaration.name == choice.name && declaration.alias == choice.alias
            };
            let found = offering.iter().find(is_chosen).copied();
            return found.ok_or_else(|| self.cannot_choose(choice, kind, offering));
        }
        match offering.as_slice() {
            [only] => Ok(*only),
            several => self.without_alias(several).ok_or_else(|| {
                let labels = self.labels(several);
                Diagnostic::error(format!("several providers offer {kind:?}"))
                    .at(action.kind.place())
                    .help(format!(
                        "choose one with `provider = {}`",
                        labels.join("` or `provider = ")
                    ))
            }),
        }
    }

    fn cannot_choose(
        &self,
        choice: &ProviderChoice,
        kind: &str,
        offering: &[DeclarationId],
    ) -> Diagnostic {
        let label = match &choice.alias {
            Some(alias) => format!("{}.{alias}", choice.name),
            None => choice.name.clone(),
        };
        let is_there = self.all.iter().any(|one| one.label() == label);
        let summary = match is_there {
            true => format!("the provider {label:?} does not offer {kind:?}"),
            false => format!("unknown provider `{label}`"),
        };
        let labels = self.labels(offering);
        let mut diagnostic = Diagnostic::error(summary).at(choice.place.clone());
        diagnostic.help = did_you_mean(&label, labels.iter().map(String::as_str));
        diagnostic
    }

    /// The one without an alias, if all are declarations of one provider.
    fn without_alias(&self, several: &[DeclarationId]) -> Option<DeclarationId> {
        let first = &self.get(*several.first()?).name;
        let is_one_provider = several.iter().all(|id| self.get(*id).name == *first);
        let plain = several.iter().find(|id| self.get(**id).alias.is_none());
        plain.copied().filter(|_| is_one_provider)
    }

    fn labels(&self, ids: &[DeclarationId]) -> Vec<String> {
        ids.iter().map(|id| self.get(*id).label()).collect()
    }

    fn not_offered(&self, action: &Action) -> Diagnostic {
        let kind = action.kind.text();
        let offered = self.offers.keys().map(String::as_str);
        // The names of built-in actions begin with the names of their providers.
        let is_of = |name: &&String| {
            let rest = kind.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.starts_with('_'))
        };
        let builtin = self.builtins.iter().find(is_of);
        let is_required = |name: &&String| self.all.iter().any(|one| one.name == **name);
        let mut diagnostic = Diagnostic::error(format!("no provider offers the action {kind:?}"))
            .at(action.kind.place());
        diagnostic.help = match builtin.filter(|name| !is_required(name)) {
            Some(name) if tenon_text::nearest(kind, offered.clone()).is_none() => Some(format!(
                "add `{name} = {{ source = \"builtin/{name}\" }}` to `required_providers`"
            )),
            _ => did_you_mean(kind, offered)
                .or(Some("name its provider in `required_providers`".into())),
        };
        diagnostic
    }
}
