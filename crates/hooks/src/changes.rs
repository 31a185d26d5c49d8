//! What Terraform plans and keeps, read from `terraform show -json`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// A plan, as far as hooks need it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct PlanJson {
    #[serde(default)]
    pub(crate) resource_changes: Vec<ResourceChange>,
    #[serde(default)]
    pub(crate) resource_drift: Vec<ResourceChange>,
    #[serde(default)]
    pub(crate) prior_state: StateJson,
    #[serde(default)]
    pub(crate) configuration: Configuration,
    #[serde(default)]
    terraform_version: String,
    /// Terraform says whether there is anything to apply; OpenTofu does not.
    applyable: Option<bool>,
    #[serde(default)]
    output_changes: BTreeMap<String, OutputChange>,
}

#[derive(Debug, Deserialize)]
struct OutputChange {
    #[serde(default)]
    actions: Vec<String>,
}

impl PlanJson {
    /// Whether the variables of a saved plan may be set again when it is applied. Those that are ephemeral have to
    /// be, because a plan does not have them. Versions that know no ephemeral variables refuse it.
    pub(crate) fn takes_variables(&self) -> bool {
        let mut parts = self.terraform_version.split('.').map(str::parse::<u32>);
        matches!((parts.next(), parts.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (1, 10))
    }

    /// What is planned for the resources that hooks see. The remains of a replacement that failed half-way have the same
    /// address as the resource that is in use, and are deleted by the plan: they would look like a deletion of that one.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &ResourceChange> {
        { self.resource_changes.iter() }.filter(|change| change.deposed.is_none())
    }

    /// The data sources that were read for the plan, with the address of their module. They are not among the changes;
    /// those that wait for the apply are. One that only the state still has was not read.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (Option<&str>, &StateResource)> {
        let later: BTreeSet<&str> = { self.resource_changes.iter() }
            .map(|change| change.resource.address.as_str())
            .collect();
        self.prior_state.in_use().filter(move |(module, one)| {
            one.resource.mode == "data"
                && !later.contains(one.resource.address.as_str())
                && self
                    .configuration
                    .resource(*module, &one.resource)
                    .is_some()
        })
    }

    /// Whether the plan changes anything.
    pub(crate) fn has_changes(&self) -> bool {
        let changes_resource = |change: &ResourceChange| change.change.action() != Action::NoOp;
        let changes_output = |change: &OutputChange| change.actions != ["no-op"];
        self.applyable.unwrap_or_else(|| {
            self.resource_changes.iter().any(changes_resource)
                || self.output_changes.values().any(changes_output)
        })
    }
}

/// A change of one resource.
#[derive(Debug, Deserialize)]
pub(crate) struct ResourceChange {
    #[serde(flatten)]
    pub(crate) resource: Identity,
    pub(crate) module_address: Option<String>,
    /// Where it was, if it was moved.
    pub(crate) previous_address: Option<String>,
    pub(crate) deposed: Option<String>,
    pub(crate) change: Change,
}

/// Which resource it is.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Identity {
    pub(crate) address: String,
    pub(crate) mode: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) index: Option<Json>,
    pub(crate) provider_name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) actions: Vec<String>,
    pub(crate) before: Option<Box<RawValue>>,
    pub(crate) after: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) after_unknown: Json,
    #[serde(default)]
    pub(crate) before_sensitive: Json,
    #[serde(default)]
    pub(crate) after_sensitive: Json,
    pub(crate) importing: Option<Json>,
}

/// A state.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct StateJson {
    #[serde(default)]
    values: Option<StateValues>,
}

#[derive(Debug, Default, Deserialize)]
struct StateValues {
    #[serde(default)]
    root_module: Module,
}

#[derive(Debug, Default, Deserialize)]
struct Module {
    address: Option<String>,
    #[serde(default)]
    resources: Vec<StateResource>,
    #[serde(default)]
    child_modules: Vec<Module>,
}

/// A resource in a state.
#[derive(Debug, Deserialize)]
pub(crate) struct StateResource {
    #[serde(flatten)]
    pub(crate) resource: Identity,
    pub(crate) values: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) sensitive_values: Json,
    #[serde(default)]
    pub(crate) tainted: bool,
    pub(crate) deposed_key: Option<String>,
}

impl StateResource {
    /// Its values, as Terraform writes them.
    pub(crate) fn text(&self) -> Option<&str> {
        self.values.as_deref().map(RawValue::get)
    }
}

/// The configuration, as written.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Configuration {
    #[serde(default)]
    root_module: ConfigModule,
}

#[derive(Debug, Default, Deserialize)]
struct ConfigModule {
    #[serde(default)]
    resources: Vec<ConfigResource>,
    #[serde(default)]
    module_calls: BTreeMap<String, ModuleCall>,
}

#[derive(Debug, Deserialize)]
struct ModuleCall {
    #[serde(default)]
    module: ConfigModule,
}

/// A block of a resource.
#[derive(Debug, Deserialize)]
pub(crate) struct ConfigResource {
    mode: String,
    #[serde(rename = "type")]
    kind: String,
    name: String,
    expressions: Option<Box<RawValue>>,
}

/// What happens to a resource, in the words of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Create,
    Read,
    Update,
    Replace,
    Delete,
    NoOp,
    Forget,
}

impl Action {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Action::Create => "Create",
            Action::Read => "Read",
            Action::Update => "Update",
            Action::Replace => "Replace",
            Action::Delete => "Delete",
            Action::NoOp => "NoOp",
            Action::Forget => "Forget",
        }
    }
}

impl Change {
    /// Terraform names the steps; a replacement has two, in either order, and may leave the old one alone.
    pub(crate) fn action(&self) -> Action {
        let steps: Vec<&str> = self.actions.iter().map(String::as_str).collect();
        match steps.as_slice() {
            ["create"] => Action::Create,
            ["read"] => Action::Read,
            ["update"] => Action::Update,
            ["delete"] => Action::Delete,
            ["forget"] => Action::Forget,
            [_, _, ..] => Action::Replace,
            _ => Action::NoOp,
        }
    }
}

impl StateJson {
    /// The resources of all modules, with the address of their module.
    pub(crate) fn resources(&self) -> Vec<(Option<&str>, &StateResource)> {
        let mut all = Vec::new();
        let mut modules: Vec<&Module> = self
            .values
            .iter()
            .map(|values| &values.root_module)
            .collect();
        while let Some(module) = modules.pop() {
            all.extend(
                module
                    .resources
                    .iter()
                    .map(|one| (module.address.as_deref(), one)),
            );
            modules.extend(module.child_modules.iter().rev());
        }
        all
    }

    /// The resources of all modules that are in use, with the address of their module: without the remains of
    /// replacements that failed half-way.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (Option<&str>, &StateResource)> {
        let all = self.resources().into_iter();
        all.filter(|(_, one)| one.deposed_key.is_none())
    }

    /// The resources that are in use, by their address.
    pub(crate) fn by_address(&self) -> BTreeMap<&str, &StateResource> {
        let all = self.in_use().map(|(_, one)| one);
        all.map(|one| (one.resource.address.as_str(), one))
            .collect()
    }
}

impl Configuration {
    /// The block of a resource.
    pub(crate) fn resource(
        &self,
        module: Option<&str>,
        resource: &Identity,
    ) -> Option<&ConfigResource> {
        let mut place = &self.root_module;
        for name in module_names(module.unwrap_or_default()) {
            place = &place.module_calls.get(name)?.module;
        }
        let is_it = |one: &&ConfigResource| {
            (&one.mode, &one.kind, &one.name) == (&resource.mode, &resource.kind, &resource.name)
        };
        place.resources.iter().find(is_it)
    }
}

impl ConfigResource {
    /// `{"constant_value": ...}` or `{"references": [...]}` by attribute. Terraform leaves them out where nothing is set.
    pub(crate) fn expressions(&self) -> &RawValue {
        self.expressions.as_deref().unwrap_or(RawValue::NULL)
    }
}

/// The names of the modules in an address: `module.a["x.y"].module.b[0]` has `a` and `b`.
fn module_names(address: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = address;
    while let Some(behind) = rest.strip_prefix("module.") {
        let end = behind.find(['.', '[']).unwrap_or(behind.len());
        names.push(&behind[..end]);
        rest = after_key(&behind[end..]);
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    names
}

/// What follows `["key"]` or `[0]`. Keys are texts as HCL writes them.
fn after_key(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('[') else {
        return text;
    };
    let Some(key) = inside.strip_prefix('"') else {
        return inside.split_once(']').map_or("", |(_, rest)| rest);
    };
    let mut is_escaped = false;
    for (index, letter) in key.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return key[index + 1..].strip_prefix(']').unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_an_address_are_found() {
        assert_eq!(module_names(""), Vec::<&str>::new());
        assert_eq!(module_names("module.a"), ["a"]);
        assert_eq!(
            module_names(r#"module.a["x.module.y\"]"].module.b-c[0].module.d"#),
            ["a", "b-c", "d"]
        );
    }

    #[test]
    fn actions_have_the_words_of_the_protocol() {
        for (actions, name) in [
            (&["no-op"][..], "NoOp"),
            (&["create"], "Create"),
            (&["read"], "Read"),
            (&["update"], "Update"),
            (&["delete", "create"], "Replace"),
            (&["create", "delete"], "Replace"),
            (&["create", "forget"], "Replace"),
            (&["delete"], "Delete"),
            (&["forget"], "Forget"),
        ] {
            let json = serde_json::json!({ "actions": actions, "before": null, "after": null });
            let change: Change = serde_json::from_value(json).unwrap();
            assert_eq!(change.action().name(), name);
        }
    }
}
