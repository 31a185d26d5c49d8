//! Secrets that a record does not hold in clear text, given again by the user.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use tenon_hcl::{Context, Diagnostic, Problems, Source, parse, parse_expression};
use tenon_protocols::Secrets;
use tenon_values::{Type, Value, convert, json};

use crate::masked::{Key, Way};
use crate::planning::origins::step_text;
use crate::reading::decode::{Loader, scenarios};
use crate::reading::model::{ProviderSource, Scenario};
use crate::reading::variables::Inputs;
use crate::records::kept::{KeptSecret, Sealer};
use crate::records::node::{NodeRecord, outputs_owner};
use crate::records::record::Record;

/// What is given again, beside the record.
#[derive(Clone, Default)]
pub struct Given {
    /// `--secret NAME=VALUE`, by names such as `action.put.a.token`.
    pub secrets: BTreeMap<String, String>,
    /// Variables from the command line and from files.
    pub variables: BTreeMap<String, Value>,
    /// Variables from the environment, which may be meant for other runs: what the record holds
    /// counts more.
    pub environment: BTreeMap<String, Value>,
    /// Programs of providers that are not where they were, by the names of the providers.
    pub sources: BTreeMap<String, ProviderSource>,
}

impl fmt::Debug for Given {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.secrets.keys().chain(self.variables.keys()).collect();
        formatter.debug_tuple("Given").field(&names).finish()
    }
}

impl Given {
    /// What is given for the variables of a run, whose types only its scenario file knows, and the
    /// names of those that are given something else than the record has in clear.
    ///
    /// # Errors
    /// A file cannot be read, or the run had no such variable.
    pub fn variables(
        &mut self,
        inputs: &Inputs,
        record: &Record,
    ) -> Result<Vec<String>, Vec<Diagnostic>> {
        let scenario = any_variables(record.variables.keys())?;
        let resolve = |inputs: &Inputs| {
            let values = inputs.resolve(&scenario, &BTreeMap::new())?;
            let values = values.into_iter();
            let values = values.map(|(name, value)| (name, value.unmark_deep().0));
            Ok::<_, Vec<Diagnostic>>(values.filter(|(_, value)| !value.is_null()).collect())
        };
        self.variables = resolve(&Inputs {
            environment: Vec::new(),
            ..inputs.clone()
        })?;
        self.environment = resolve(&Inputs {
            environment: inputs.environment.clone(),
            ..Inputs::default()
        })?;
        let differs = |(name, value): (&String, &Value)| {
            let is_masked = record.sensitive_variables.contains_key(name);
            let before = record.variables.get(name).filter(|_| !is_masked)?;
            let before = json::implied(before.get().as_bytes()).ok()?;
            let is_same = before == *value
                || convert::convert(&before, &Type::String).is_ok_and(|text| text == *value)
                || typed(value.as_str().unwrap_or_default(), &before.ty()) == before;
            (!is_same).then(|| name.clone())
        };
        Ok(self.variables.iter().filter_map(differs).collect())
    }

    /// Remembers what is given, so that it is masked wherever it turns up: an attribute may be made
    /// of it and of other text.
    pub(crate) fn learn(&self, record: &Record, secrets: &Secrets) {
        self.secrets
            .values()
            .for_each(|text| secrets.learn_text(text));
        for (name, value) in self.variables.iter().chain(&self.environment) {
            let ways = record.sensitive_variables.get(name).into_iter().flatten();
            let found = ways.filter_map(|way| part(value, way));
            found.for_each(|part| secrets.learn(&part.sensitive()));
        }
    }

    /// A secret that was given, or is sealed in the record. `whose` is what it belongs to, `name`
    /// the name that it can be given under itself.
    pub(crate) fn secret(
        &self,
        secret: &KeptSecret,
        (whose, name): (&str, &str),
        ty: &Type,
        sealer: &Sealer<'_>,
    ) -> Option<Value> {
        let rest = secret.at.get(1..).unwrap_or_default();
        let copy = secret.copy_of.as_ref();
        let copy = copy.map(|copy| format!("{copy}{}", way_text(rest)));
        let variable = |from: &BTreeMap<String, Value>| variable(copy.as_deref()?, from, ty);
        let text = { self.secrets.get(name) }.or_else(|| self.secrets.get(copy.as_deref()?));
        let sealed = || sealer.open(whose, &secret.at, secret.sealed.as_deref()?);
        text.map(|text| typed(text, ty))
            .or_else(|| variable(&self.variables))
            .or_else(sealed)
            .or_else(|| variable(&self.environment))
    }
}

/// A scenario with nothing but these variables, which may be anything and are all secrets.
fn any_variables<'n>(names: impl Iterator<Item = &'n String>) -> Result<Scenario, Vec<Diagnostic>> {
    let variable = |name: &String| {
        format!("variable \"{name}\" {{\n  sensitive = true\n  default = null\n}}\n")
    };
    let variables: String = names.map(variable).collect();
    let text = format!("scenario \"record\" {{\n{variables}}}\n");
    let body = parse(&Source::new("the record", text))?;
    let mut problems = Problems::default();
    let mut found = scenarios(
        &body,
        Path::new("the record"),
        &mut Loader::default(),
        &mut problems,
    );
    match found.pop() {
        Some(scenario) if !problems.has_errors() => Ok(scenario),
        _ => Err(problems.0),
    }
}

/// What `var.name.more` is among these.
fn variable(name: &str, from: &BTreeMap<String, Value>, ty: &Type) -> Option<Value> {
    if !name.starts_with("var.") {
        return None;
    }
    let all = BTreeMap::from([("var".to_owned(), Value::object(from.clone()))]);
    let context = Context {
        scope: &all,
        ..Context::constant(false)
    };
    let expression = parse_expression(&Source::new(name, name)).ok()?;
    let value = expression.evaluate(&context).ok()?.unmark_deep().0;
    match value.as_str() {
        Some(text) => Some(typed(text, ty)),
        None => Some(value),
    }
}

/// Text for a string is that string; for anything else it is an expression.
fn typed(text: &str, ty: &Type) -> Value {
    if matches!(ty, Type::String | Type::Dynamic) {
        return Value::string(text);
    }
    let value = parse_expression(&Source::new("a secret", text))
        .ok()
        .and_then(|expression| expression.evaluate(&Context::constant(false)).ok())
        .and_then(|value| convert::convert(&value, ty).ok());
    value.unwrap_or_else(|| Value::string(text))
}

/// What is at the end of a way.
fn part(value: &Value, way: &[Key]) -> Option<Value> {
    let Some((key, rest)) = way.split_first() else {
        return Some(value.clone());
    };
    let found = match key {
        Key::Name(name) => {
            { value.attribute(name) }.or_else(|_| value.index(&name.as_str().into()))
        }
        Key::Index(index) => value.index(&Value::from(i64::try_from(*index).ok()?)),
    };
    part(&found.ok()?, rest)
}

/// The type of what is at the end of a way.
pub(crate) fn type_at(ty: &Type, way: &[Key]) -> Type {
    let Some((key, rest)) = way.split_first() else {
        return ty.clone();
    };
    match (ty, key) {
        (Type::List(element) | Type::Set(element), Key::Index(_))
        | (Type::Map(element), Key::Name(_)) => type_at(element, rest),
        (Type::Tuple(elements), Key::Index(index)) => {
            let element = elements.elements().get(*index);
            element.map_or(Type::Dynamic, |element| type_at(element, rest))
        }
        (Type::Object(object), Key::Name(name)) => {
            let attributes = object.attributes().iter();
            let mut named = attributes.filter(|attribute| attribute.name == name.as_str());
            let found = named.next();
            found.map_or(Type::Dynamic, |attribute| type_at(&attribute.ty, rest))
        }
        _ => Type::Dynamic,
    }
}

/// `.name[2]`
pub(crate) fn way_text(way: &[Key]) -> String {
    let step = |key: &Key| match key {
        Key::Name(name) => step_text(name),
        Key::Index(index) => format!("[{index}]"),
    };
    way.iter().map(step).collect()
}

/// The secrets of outputs that are known again.
pub(crate) struct KnownOutputs<'a> {
    pub(crate) sealer: &'a Sealer<'a>,
    pub(crate) secrets: &'a BTreeMap<String, String>,
}

impl KnownOutputs<'_> {
    /// A secret in what an action returned.
    pub(crate) fn find(&self, node: &NodeRecord, way: &Way, ty: &Type) -> Option<Value> {
        let name = format!("{}{}", node.address, way_text(way));
        if let Some(value) = self.given(&name, &type_at(ty, way)) {
            return Some(value);
        }
        let sealed = node.sealed.iter().find(|sealed| sealed.at == *way)?;
        let owner = outputs_owner(&node.address);
        self.sealer.open(&owner, way, &sealed.sealed)
    }

    /// What was given under a name, or in parts under longer ones; other parts are unknown.
    fn given(&self, name: &str, ty: &Type) -> Option<Value> {
        if let Some(text) = self.secrets.get(name) {
            return Some(typed(text, ty));
        }
        let steps = self.secrets.keys().filter_map(|longer| {
            let rest = longer.strip_prefix(name)?.strip_prefix('.')?;
            rest.split(['.', '[']).next()
        });
        let named: BTreeSet<&str> = steps.collect();
        if named.is_empty() {
            return None;
        }
        let part = |step: &str| {
            let ty = type_at(ty, &[Key::Name(step.to_owned())]);
            let given = self.given(&format!("{name}.{step}"), &ty);
            given.unwrap_or_else(|| Value::unknown(ty))
        };
        let attributes = match ty {
            Type::Object(object) => object.attributes(),
            _ => &[],
        };
        let declared = attributes.iter().map(|attribute| attribute.name.as_str());
        let steps: BTreeSet<&str> = declared.chain(named).collect();
        Some(Value::object(steps.iter().map(|step| (*step, part(step)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_what_the_type_says() {
        assert_eq!(typed("7", &Type::Number), Value::from(7));
        assert_eq!(typed("7", &Type::String), Value::from("7"));
        assert_eq!(typed("{\"a\":1}", &Type::String), Value::from("{\"a\":1}"));
        let list = Type::list(Type::String);
        let expected = Value::list(Type::String, vec!["a".into()]).unwrap();
        assert_eq!(typed("[\"a\"]", &list), expected);
        // What it does not fit is for the provider to refuse.
        assert_eq!(typed("seven", &Type::Number), Value::from("seven"));
    }

    #[test]
    fn a_variable_is_found_with_its_parts() {
        let inner = Value::object([("pass", Value::from("hunter2"))]);
        let all = BTreeMap::from([("conf".to_owned(), inner)]);
        let found = variable("var.conf.pass", &all, &Type::String);
        assert_eq!(found, Some(Value::from("hunter2")));
        assert_eq!(variable("var.other", &all, &Type::String), None);
        assert_eq!(variable("action.put.a.pass", &all, &Type::String), None);
    }

    #[test]
    fn outputs_may_be_given_in_parts() {
        let key = crate::records::seal::RecordKey::new(&[b'k'; 32]).unwrap();
        let sealer = Sealer::new("i", None, Some(&key)).unwrap();
        let secrets = BTreeMap::from([
            ("action.put.a.token".to_owned(), "hunter2".to_owned()),
            ("action.put.a.port".to_owned(), "80".to_owned()),
        ]);
        let known = KnownOutputs {
            sealer: &sealer,
            secrets: &secrets,
        };
        let ty = Type::object([
            ("port", Type::Number),
            ("token", Type::String),
            ("user", Type::String),
        ]);
        let node = NodeRecord::new("action.put.a", String::new());
        let found = known.find(&node, &Vec::new(), &ty).unwrap();
        assert_eq!(found.attribute("token").unwrap(), Value::from("hunter2"));
        assert_eq!(found.attribute("port").unwrap(), Value::from(80));
        assert!(!found.attribute("user").unwrap().is_known());
    }
}
