//! Everything that a plugin offers.

use std::collections::BTreeMap;

use tenon_values::{Type, Value};

use crate::{Attribute, Body, Description, Presence, Schema};

/// What a plugin offers, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// The name of the plugin.
    pub name: String,
    /// The version of the plugin.
    pub version: String,
    /// What the plugin is configured with.
    pub config: Schema,
    /// What can be run.
    pub actions: BTreeMap<String, Action>,
    /// What can be computed, without effects.
    pub functions: BTreeMap<String, Function>,
    /// What can be created, changed and deleted.
    pub resources: BTreeMap<String, Resource>,
    /// What can be looked up.
    pub data_sources: BTreeMap<String, Schema>,
    /// What exists only while it is used, and is never stored.
    pub ephemeral_resources: BTreeMap<String, Schema>,
    /// How many calls the plugin handles at a time; 1 if absent.
    pub max_in_flight: Option<usize>,
}

/// Something that is run and has an effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Action {
    /// What it takes.
    pub input: Body,
    /// What it returns, as one value; the name of the attribute is ignored.
    pub output: Option<Attribute>,
    /// Running it again with the same input changes nothing more.
    pub is_idempotent: bool,
    /// What it does.
    pub description: Description,
}

/// A resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// The schema of its configuration and state.
    pub schema: Schema,
    /// The attributes that identify it for an import, if that is not a single id.
    pub identity: Option<Vec<Attribute>>,
}

/// A function: the same arguments give the same result, and nothing is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The parameters in their order. Those that may be left out come last.
    pub parameters: Vec<Parameter>,
    /// The parameter for all further arguments.
    pub variadic: Option<Parameter>,
    /// The type of the result.
    pub returns: Type,
    /// The result contains a secret: tools do not show it. Terraform knows no such functions.
    pub is_sensitive: bool,
    /// What it does, in a few words.
    pub summary: String,
    /// What it does.
    pub description: Description,
    /// Why it should no longer be used, and what to use instead.
    pub deprecation: Option<String>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// Calls may leave it out.
    pub is_optional: bool,
    /// Its value if it is left out.
    pub default: Option<Value>,
    /// Null may be passed.
    pub allows_null: bool,
    /// The function is called even if the value is not known yet.
    pub allows_unknown: bool,
    /// It is masked in errors. Hosts are not told: neither Terraform nor JSON Schema knows secret parameters.
    pub is_sensitive: bool,
    /// What it means.
    pub description: Description,
}

impl Function {
    /// A function of these parameters.
    pub fn new(parameters: impl IntoIterator<Item = Parameter>, returns: Type) -> Function {
        Function {
            parameters: parameters.into_iter().collect(),
            variadic: None,
            returns,
            is_sensitive: false,
            summary: String::new(),
            description: Description::default(),
            deprecation: None,
        }
    }
}

impl Function {
    /// The parameters as attributes, for hosts that pass arguments by name. A parameter for which null
    /// may be passed need not be given; the variadic one is a list.
    pub fn body(&self) -> Body {
        let fixed = self.parameters.iter().map(|one| Attribute {
            presence: match one.allows_null || one.may_be_left_out() {
                true => Presence::Optional,
                false => Presence::Required,
            },
            default: one.default.clone(),
            is_sensitive: one.is_sensitive,
            ..Attribute::new(&one.name, one.ty.clone()).about(one.description.clone())
        });
        let variadic = self.variadic.iter().map(|one| {
            // Elements of a list have one type; those of a value without a type may differ.
            let ty = match one.ty.has_dynamic() {
                true => Type::Dynamic,
                false => Type::list(one.ty.clone()),
            };
            Attribute::new(&one.name, ty).about(one.description.clone())
        });
        Body::new(fixed.chain(variadic))
    }
}

impl Parameter {
    /// A required parameter that takes neither null nor unknown values.
    pub fn new(name: impl Into<String>, ty: Type) -> Parameter {
        Parameter {
            name: name.into(),
            ty,
            is_optional: false,
            default: None,
            allows_null: false,
            allows_unknown: false,
            is_sensitive: false,
            description: Description::default(),
        }
    }
}
