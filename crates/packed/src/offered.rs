//! What the plugin offers, and what Terraform gets of it.

use std::collections::BTreeMap;

use tenon_protocols::seasonings::calls::Kind;
use tenon_schema::{Function, Offer, Parameter, Schema};
use tenon_tfplugin::Diagnostic;
use tenon_values::Type;

/// What a plugin offers under the name of its provider.
pub(crate) struct Offered {
    /// As the plugin has it.
    pub(crate) plugin: Offer,
    /// What the names of types begin with.
    prefix: String,
}

impl Offered {
    pub(crate) fn new(provider: &str, plugin: Offer) -> Offered {
        Offered {
            plugin,
            prefix: format!("{provider}_"),
        }
    }

    /// What Terraform is told: types with the prefix, and functions without optional parameters.
    pub(crate) fn for_terraform(&self) -> Offer {
        let named = |schemas: &BTreeMap<String, Schema>| {
            let named = |(name, one): (&String, &Schema)| (self.full_name(name), one.clone());
            schemas.iter().map(named).collect()
        };
        Offer {
            functions: { self.plugin.functions.iter() }
                .map(|(name, one)| (name.clone(), positional(one)))
                .collect(),
            resources: { self.plugin.resources.iter() }
                .map(|(name, one)| (self.full_name(name), one.clone()))
                .collect(),
            data_sources: named(&self.plugin.data_sources),
            ephemeral_resources: named(&self.plugin.ephemeral_resources),
            ..self.plugin.clone()
        }
    }

    /// A type's name as Terraform knows it.
    pub(crate) fn full_name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A type's name as the plugin knows it.
    pub(crate) fn short_name<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.prefix).unwrap_or(name)
    }

    /// A type of resource.
    pub(crate) fn resource<'a>(&'a self, full_name: &'a str) -> Result<Kind<'a>, Diagnostic> {
        let name = self.short_name(full_name);
        let resource = self.plugin.resources.get(name);
        let body = resource.map(|resource| &resource.schema.body);
        body.map(|body| Kind { name, body })
            .ok_or_else(|| unknown(full_name))
    }

    /// A type of data source.
    pub(crate) fn data_source<'a>(&'a self, full_name: &'a str) -> Result<Kind<'a>, Diagnostic> {
        self.kind(&self.plugin.data_sources, full_name)
    }

    /// A type of ephemeral resource.
    pub(crate) fn ephemeral<'a>(&'a self, full_name: &'a str) -> Result<Kind<'a>, Diagnostic> {
        self.kind(&self.plugin.ephemeral_resources, full_name)
    }

    fn kind<'a>(
        &'a self,
        schemas: &'a BTreeMap<String, Schema>,
        full_name: &'a str,
    ) -> Result<Kind<'a>, Diagnostic> {
        let name = self.short_name(full_name);
        let schema = schemas.get(name).ok_or_else(|| unknown(full_name))?;
        Ok(Kind {
            name,
            body: &schema.body,
        })
    }
}

fn unknown(name: &str) -> Diagnostic {
    Diagnostic::error("Unknown type", format!("The plugin has no type {name:?}."))
}

/// The function as Terraform can have it: parameters that may be left out become the variadic one,
/// which may be null. They are checked and filled in when the function is called.
fn positional(function: &Function) -> Function {
    let is_optional = |parameter: &&Parameter| parameter.may_be_left_out();
    let optional: Vec<&Parameter> = function.parameters.iter().filter(is_optional).collect();
    let Some(first) = optional.first() else {
        return function.clone();
    };
    let is_one_type = optional.iter().all(|one| one.ty == first.ty);
    let names: Vec<&str> = optional.iter().map(|one| one.name.as_str()).collect();
    let about = optional
        .iter()
        .map(|one| match one.description.text.as_str() {
            "" => format!("{} ({})", one.name, one.ty),
            about => format!("{} ({}): {about}", one.name, one.ty),
        });
    let about = about.collect::<Vec<_>>().join("; ");
    let variadic = Parameter {
        allows_null: true,
        allows_unknown: optional.iter().any(|one| one.allows_unknown),
        description: format!("May be left out, and null skips one: {about}").into(),
        ..Parameter::new(
            names.join("_or_"),
            match is_one_type {
                true => first.ty.clone(),
                false => Type::Dynamic,
            },
        )
    };
    let required = function
        .parameters
        .iter()
        .filter(|one| !one.may_be_left_out());
    Function {
        parameters: required.cloned().collect(),
        variadic: Some(variadic),
        ..function.clone()
    }
}

#[cfg(test)]
mod tests {
    use tenon_schema::{Attribute, Body, Resource};

    use super::*;

    #[test]
    fn types_have_the_prefix_of_the_provider() {
        let body = Body::new([Attribute::new("a", Type::String)]);
        let resource = Resource {
            schema: body.into(),
            identity: None,
        };
        let offer = Offer {
            resources: [("note".to_owned(), resource)].into(),
            ..Offer::default()
        };
        let offered = Offered::new("mytool", offer);
        assert!(
            offered
                .for_terraform()
                .resources
                .contains_key("mytool_note")
        );
        assert_eq!(offered.resource("mytool_note").unwrap().name, "note");
        assert_eq!(
            offered.resource("mytool_x").unwrap_err().summary,
            "Unknown type"
        );
    }

    #[test]
    fn optional_parameters_become_variadic() {
        let optional = |name: &str, ty: Type| Parameter {
            is_optional: true,
            ..Parameter::new(name, ty)
        };
        let function = Function::new(
            [
                Parameter::new("text", Type::String),
                optional("a", Type::Number),
                optional("b", Type::Number),
            ],
            Type::String,
        );
        let told = positional(&function);
        assert_eq!(told.parameters.len(), 1);
        let variadic = told.variadic.unwrap();
        assert_eq!(
            (variadic.name.as_str(), &variadic.ty),
            ("a_or_b", &Type::Number)
        );
        assert!(variadic.allows_null);
        let mixed = Function::new(
            [optional("a", Type::Number), optional("b", Type::String)],
            Type::String,
        );
        assert_eq!(positional(&mixed).variadic.unwrap().ty, Type::Dynamic);
        let plain = Function::new([Parameter::new("text", Type::String)], Type::String);
        assert_eq!(positional(&plain), plain);
    }
}
