//! From a scenario to a graph: components are put in their places, and what is repeated is there
//! as often as it says.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_hcl::{Diagnostic, Expression, Functions, Place};
use tenon_values::{Kind, Number, Type, Value, convert};

use crate::planning::declarations::Declarations;
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::graph::{
    Caller, Graph, Instance, ModuleId, ModuleInstance, ModuleSource, Node, NodeId, NodeKind,
};
use crate::reading::model::{Repeat, Scenario};

/// More than anybody means; a slip in a `count` would fill the memory.
const MOST_NODES: usize = 100_000;

/// Expands a scenario, and returns what is wrong with it. Nodes have no dependencies yet.
///
/// # Errors
/// It is too large to continue with.
pub(crate) fn expand(
    scenario: &Arc<Scenario>,
    declarations: &Declarations,
    variables: &BTreeMap<String, Value>,
) -> Result<(Graph, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut expansion = Expansion {
        graph: Graph {
            modules: Vec::new(),
            nodes: Vec::new(),
            order: Vec::new(),
        },
        declarations,
        variables,
        functions: HashMap::new(),
        problems: Vec::new(),
    };
    expansion.module(
        ModuleSource::Scenario(scenario.clone()),
        String::new(),
        None,
    );
    match expansion.graph.nodes.len() > MOST_NODES {
        // It was not unfolded to the end.
        true => Err(expansion.problems),
        false => Ok((expansion.graph, expansion.problems)),
    }
}

struct Expansion<'a> {
    graph: Graph,
    declarations: &'a Declarations,
    variables: &'a BTreeMap<String, Value>,
    /// By the folder that they may read files of.
    functions: HashMap<PathBuf, Arc<Functions>>,
    problems: Vec<Diagnostic>,
}

impl Expansion<'_> {
    fn module(&mut self, module: ModuleSource, prefix: String, caller: Option<Caller>) -> ModuleId {
        let id = ModuleId(self.graph.modules.len());
        // Components that use others twice double with every level.
        if self.graph.nodes.len() > MOST_NODES || id.0 > MOST_NODES {
            return ModuleId::ROOT;
        }
        let functions = self.functions(&module.folder);
        self.graph.modules.push(ModuleInstance {
            prefix: prefix.clone(),
            module: module.clone(),
            caller,
            actions: HashMap::new(),
            components: HashMap::new(),
            functions,
        });
        for (index, action) in module.actions.iter().enumerate() {
            let declaration = self.declarations.find(action);
            let declaration = declaration.map_err(|problem| self.note(problem));
            let declaration = declaration.ok();
            let address = format!("{prefix}action.{}.{}", action.kind, action.name);
            let node = self.repeated(
                id,
                address,
                &action.place,
                action.repeat.as_ref(),
                |_, instance, _| NodeKind::Action {
                    action: index,
                    instance: instance.clone(),
                    declaration,
                },
            );
            let actions = &mut self.graph.modules[id.0].actions;
            let names = actions.entry(action.kind.text().to_owned()).or_default();
            names.insert(action.name.text().to_owned(), node);
        }
        for (index, component) in module.components.iter().enumerate() {
            let address = format!("{prefix}component.{}.{}", component.kind, component.name);
            let repeat = component.repeat.as_ref();
            let node = self.repeated(
                id,
                address,
                &component.place,
                repeat,
                |this, instance, address| {
                    let caller = Caller {
                        module: id,
                        component: index,
                        instance: instance.clone(),
                    };
                    let source = ModuleSource::Component(component.component.clone());
                    NodeKind::Component {
                        inside: this.module(source, format!("{address}."), Some(caller)),
                    }
                },
            );
            let components = &mut self.graph.modules[id.0].components;
            let names = components
                .entry(component.kind.text().to_owned())
                .or_default();
            names.insert(component.name.text().to_owned(), node);
        }
        id
    }

    /// What is wrong in a component is so in all its places.
    fn note(&mut self, problem: Diagnostic) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn functions(&mut self, folder: &Path) -> Arc<Functions> {
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        self.functions
            .entry(folder.to_owned())
            .or_insert_with(|| Arc::new(Functions::standard(Some(folder))))
            .clone()
    }

    /// One node, or one for each instance and one for all of them.
    fn repeated(
        &mut self,
        module: ModuleId,
        address: String,
        place: &Place,
        repeat: Option<&Repeat>,
        mut kind: impl FnMut(&mut Self, &Instance, &str) -> NodeKind,
    ) -> NodeId {
        let Some(repeat) = repeat else {
            let kind = kind(self, &Instance::Only, &address);
            return self.node(module, address, place, kind);
        };
        let instances = self.instances(module, repeat);
        let is_known = instances.is_some();
        let mut members = Vec::new();
        for instance in instances.unwrap_or_default() {
            let address = format!("{address}{instance}");
            let kind = kind(self, &instance, &address);
            members.push((instance, self.node(module, address, place, kind)));
        }
        let all = NodeKind::All {
            members,
            is_counted: matches!(repeat, Repeat::Count(_)),
            is_known,
        };
        self.node(module, address, place, all)
    }

    fn node(&mut self, module: ModuleId, address: String, place: &Place, kind: NodeKind) -> NodeId {
        let id = NodeId(self.graph.nodes.len());
        if id.0 == MOST_NODES {
            let summary = format!("this expands to more than {MOST_NODES} actions");
            self.note(Diagnostic::error(summary).at(place.clone()));
        }
        self.graph.nodes.push(Node {
            address: address.into(),
            place: place.clone(),
            module,
            kind,
            dependencies: Vec::new(),
        });
        id
    }

    fn instances(&mut self, module: ModuleId, repeat: &Repeat) -> Option<Vec<Instance>> {
        let expression = match repeat {
            Repeat::ForEach(expression) | Repeat::Count(expression) => expression,
        };
        let evaluation = Evaluation::of_names(&self.graph, self.variables);
        let value = evaluation.value(expression, Here::module(module));
        let instances = value.and_then(|value| match repeat {
            Repeat::ForEach(_) => for_each(&value, expression),
            Repeat::Count(_) => count(&value, expression),
        });
        match instances {
            Ok(instances) if self.graph.nodes.len() + instances.len() > MOST_NODES => {
                let summary = format!("this expands to more than {MOST_NODES} actions");
                self.note(Diagnostic::error(summary).at(expression.place()));
                None
            }
            Ok(instances) => Some(instances),
            Err(problems) => {
                problems.into_iter().for_each(|problem| self.note(problem));
                None
            }
        }
    }
}

fn count(value: &Value, expression: &Expression) -> Result<Vec<Instance>, Vec<Diagnostic>> {
    let wrong = |label: String| {
        let diagnostic = Diagnostic::error("`count` must be a whole number")
            .at(expression.place())
            .label(label);
        vec![diagnostic]
    };
    let value = decided(value, "count", expression)?;
    let number =
        convert::convert(&value, &Type::Number).map_err(|error| wrong(error.to_string()))?;
    let number = number.as_number().and_then(Number::to_u64);
    let number = number.ok_or_else(|| wrong(format!("this is {value}")))?;
    // The limit itself is checked where they are added up.
    let number = number.min(MOST_NODES as u64 + 1);
    Ok((0..number).map(Instance::Index).collect())
}

fn for_each(value: &Value, expression: &Expression) -> Result<Vec<Instance>, Vec<Diagnostic>> {
    let value = decided(value, "for_each", expression)?;
    let wrong = |help: &str| {
        let diagnostic = Diagnostic::error("`for_each` must be a map or a set of strings")
            .at(expression.place())
            .label(format!("this is a {}", value.ty().friendly()))
            .help(help);
        vec![diagnostic]
    };
    match value.kind() {
        Kind::Map(entries) => Ok(entries
            .iter()
            .map(|(key, value)| Instance::Each(key.to_string_lossy().into(), value.clone()))
            .collect()),
        Kind::Object(attributes) => Ok(attributes
            .iter()
            .map(|(key, value)| Instance::Each(key.to_owned(), value.clone()))
            .collect()),
        Kind::Set(values) => values
            .iter()
            .map(|value| match value.as_text() {
                Some(text) => Ok(Instance::Each(text.to_string_lossy().into(), value.clone())),
                None => Err(wrong("keys are strings")),
            })
            .collect(),
        Kind::List(_) | Kind::Tuple(_) => Err(wrong("write `toset(...)` around a list")),
        _ => Err(wrong("a map is written as { key = value }")),
    }
}

/// How many there are must be known before anything runs, and it is shown.
fn decided(value: &Value, name: &str, expression: &Expression) -> Result<Value, Vec<Diagnostic>> {
    let fail = |summary: String, help: &str| {
        let diagnostic = Diagnostic::error(summary).at(expression.place()).help(help);
        Err(vec![diagnostic])
    };
    if value.is_marked() {
        let summary = format!("`{name}` cannot be a secret: it becomes part of names");
        return fail(summary, "use nonsensitive(...) if it is not a secret");
    }
    if !value.is_wholly_known() {
        let summary = format!("`{name}` is not known before the run");
        let help = "it can use variables and local values, but no outputs";
        return fail(summary, help);
    }
    if value.is_null() {
        return fail(
            format!("`{name}` is null"),
            "leave it out if it is not needed",
        );
    }
    Ok(value.clone())
}
