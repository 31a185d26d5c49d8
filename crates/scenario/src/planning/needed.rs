//! Which secrets a teardown will need, told before anything is there to be torn down.

use std::collections::{BTreeMap, BTreeSet};

use tenon_hcl::{Attribute, Diagnostic, Place};
use tenon_values::Value;

use crate::hint::{Advice, Hint};
use crate::planning::declarations::{Declaration, DeclarationId};
use crate::planning::flow::Spot;
use crate::planning::graph::{ModuleId, NodeId};
use crate::planning::origins::Origins;

/// The secrets that the teardowns of a plan need.
#[derive(Debug, Default)]
pub(crate) struct NeededSecrets {
    actions: Vec<Need>,
    foreseen: BTreeSet<String>,
    providers: BTreeMap<DeclarationId, Need>,
    /// Providers that undo something.
    undoing: BTreeSet<DeclarationId>,
}

#[derive(Debug)]
struct Need {
    /// The action whose teardown it is, or the provider's name.
    whose: String,
    place: Place,
    names: BTreeSet<String>,
}

impl NeededSecrets {
    /// Adds what an action's teardown is given.
    pub(crate) fn add_action(
        &mut self,
        origins: &Origins<'_, '_>,
        id: NodeId,
        declaration: DeclarationId,
        (given, values): (&[Attribute], &Value),
    ) {
        let graph = origins.graph;
        self.undoing.insert(declaration);
        let address = graph.address(id);
        let whose = format!("{address}.teardown");
        if let Some((place, names)) = secrets(origins, graph.spot(id), given, values, &whose) {
            self.foreseen.insert(address.to_owned());
            self.actions.push(Need {
                whose: address.to_owned(),
                place,
                names,
            });
        }
    }

    /// Adds what a provider is configured with.
    pub(crate) fn add_provider(
        &mut self,
        origins: &Origins<'_, '_>,
        id: DeclarationId,
        declaration: &Declaration,
        config: &Value,
    ) {
        let whose = format!("provider.{}", declaration.label());
        let spot = Spot::module(ModuleId::ROOT);
        let found = secrets(origins, spot, &declaration.config, config, &whose);
        if let Some((place, names)) = found {
            let need = Need {
                whose: declaration.label(),
                place,
                names,
            };
            self.providers.insert(id, need);
        }
    }

    /// Whether a warning before the run said that the teardown of an action needs secrets.
    pub(crate) fn is_foreseen(&self, address: &str) -> bool {
        self.foreseen.contains(address)
    }

    /// Whether a provider has something to undo.
    pub(crate) fn is_undoing(&self, id: DeclarationId) -> bool {
        self.undoing.contains(&id)
    }

    /// What a teardown will have to be given again, if the record is kept without a key.
    pub(crate) fn warnings(&self, advice: Advice) -> Vec<Diagnostic> {
        let key = advice.on(&Hint::KeepSecrets);
        let providers = self.providers.iter();
        let providers = providers.filter(|(id, _)| self.is_undoing(**id));
        let providers = providers.map(|(_, need)| (true, need));
        let actions = self.actions.iter().map(|need| (false, need));
        let mut variables = BTreeSet::new();
        let mut warnings: Vec<Diagnostic> = Vec::new();
        for (is_provider, need) in providers.chain(actions) {
            let (given, others): (Vec<&String>, Vec<&String>) =
                need.names.iter().partition(|name| name.starts_with("var."));
            variables.extend(given.iter().map(|name| variable(name)));
            if others.is_empty() {
                continue;
            }
            // Instances of one block differ in nothing but their addresses.
            let is_told = |warning: &Diagnostic| warning.place.as_ref() == Some(&need.place);
            if warnings.iter().any(is_told) {
                continue;
            }
            let whose = match is_provider {
                true => format!("every teardown with the provider {:?}", need.whose),
                false => format!("the teardown of {}", need.whose),
            };
            let names: Vec<String> = others.into_iter().cloned().collect();
            let warning = Diagnostic::warning(format!(
                "{whose} needs secrets that the record does not keep: {}",
                names.join(", ")
            ));
            let again = advice.on(&Hint::GiveSecrets(names));
            let help = format!("{key}; otherwise {again} to the teardown");
            warnings.push(warning.at(need.place.clone()).help(help));
        }
        if !variables.is_empty() {
            let names: Vec<&str> = variables.into_iter().collect();
            let warning = Diagnostic::warning(format!(
                "a teardown will need these variables again, which are secrets and not kept in the \
                 record: {}",
                names.join(", ")
            ));
            warnings.push(warning.help(format!("{key}; otherwise give them as for the run")));
        }
        warnings
    }
}

/// The names of the secrets in some attributes, and the first attribute that has any. One that is
/// written out has the attribute's name.
fn secrets(
    origins: &Origins<'_, '_>,
    spot: Spot<'_>,
    given: &[Attribute],
    values: &Value,
    whose: &str,
) -> Option<(Place, BTreeSet<String>)> {
    let mut first = None;
    let mut names = BTreeSet::new();
    for attribute in given {
        let name = attribute.name.text();
        let value = values.attributes().and_then(|values| values.get(name));
        if !value.is_some_and(Value::contains_marked) {
            continue;
        }
        first.get_or_insert_with(|| attribute.name.place());
        let found = origins.of(spot, &attribute.value);
        match found.is_empty() {
            true => names.extend([format!("{whose}.{name}")]),
            false => names.extend(found),
        }
    }
    first.map(|place| (place, names))
}

/// The variable in `var.name.more`.
fn variable(name: &str) -> &str {
    let name = name.strip_prefix("var.").unwrap_or(name);
    let end = name.find(['.', '[']).unwrap_or(name.len());
    &name[..end]
}
