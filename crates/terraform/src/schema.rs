//! What Terraform may write in the blocks of this provider.
//!
//! The attributes and their texts are those of terraform-provider-denobridge v0.4.1, so that its
//! configurations and states fit. What is new is optional.

use std::sync::LazyLock;

use tenon_schema::{Action, Attribute, AttributeType, Body, Description, Nesting, Offer, Resource};
use tenon_values::Type;

use crate::function;

/// The types of blocks, as they are written in HCL.
pub(crate) const RESOURCE: &str = "denobridge_resource";
pub(crate) const DATA_SOURCE: &str = "denobridge_datasource";
pub(crate) const EPHEMERAL: &str = "denobridge_ephemeral_resource";
pub(crate) const ACTION: &str = "denobridge_action";

/// Everything that the provider has.
pub(crate) fn offer() -> Offer {
    let resource = Resource {
        schema: RESOURCE_SCHEMA.clone().into(),
        identity: Some(IDENTITY.attributes.clone()),
    };
    let action = Action {
        input: ACTION_SCHEMA.clone(),
        ..Action::default()
    };
    Offer {
        config: provider_schema().into(),
        resources: [(RESOURCE.to_owned(), resource)].into(),
        data_sources: [(DATA_SOURCE.to_owned(), DATA_SOURCE_SCHEMA.clone().into())].into(),
        ephemeral_resources: [(EPHEMERAL.to_owned(), EPHEMERAL_SCHEMA.clone().into())].into(),
        actions: [(ACTION.to_owned(), action)].into(),
        functions: [(function::NAME.to_owned(), function::schema())].into(),
        ..Offer::default()
    }
}

/// The provider's own configuration, whose texts are in Markdown.
fn provider_schema() -> Body {
    let attributes = [
        Attribute::new("deno_binary_path", Type::String)
            .about("The Deno to run scripts with. Otherwise `TENON_DENO` is used, or the one in `PATH`."),
        Attribute::new("deno_version", Type::String)
            .about("The version of Deno that the scripts need, such as `v2.1.4`, `2.1`, or `latest` for any. Nothing is downloaded: another version is an error, or a warning beside `deno_binary_path`."),
        reuse("Whether processes of a script are kept and serve one call after another, unless a block says otherwise. `true` by default."),
        timeout("How many seconds one call of a script may take, unless a block says otherwise. Without a limit by default."),
        Attribute::new("stderr_in_errors", Type::Bool)
            .about("Whether errors show what the script wrote to stderr during the call. Otherwise `TENON_STDERR_IN_ERRORS` decides. `true` by default."),
        Attribute::new("env", Type::list(Type::String))
            .about("The environment variables that scripts get, besides `PATH`, `HOME` and others that every program needs: names, patterns such as `AWS_*`, or `NAME=VALUE`. Otherwise `TENON_SCRIPT_ENV` names them, separated by commas. Without either, scripts get Terraform's whole environment."),
    ];
    let attributes = attributes.map(|mut attribute| {
        attribute.description.is_markdown = true;
        attribute
    });
    Body::new(attributes).about(Description::markdown(
        "The Deno Bridge provider enables Terraform to manage resources using Deno scripts.",
    ))
}

/// A managed resource.
pub(crate) static RESOURCE_SCHEMA: LazyLock<Body> = LazyLock::new(|| {
    let own = vec![
        Attribute::new("id", Type::String)
            .computed()
            .about("Unique identifier for the resource."),
        Attribute::new("write_only_props", Type::Dynamic)
            .write_only()
            .about("Input properties that are passed to the script and never stored."),
        Attribute::new("write_only_props_version", Type::Number)
            .computed_unless_given()
            .about("Counts the changes of write_only_props that were sent to the script. Set it to a whole number, and change that number to send write_only_props again."),
        Attribute::new("write_only_props_detect_changes", Type::Bool)
            .about("Whether changed values in write_only_props plan an update. Not for values that differ in each run, as most ephemeral ones do."),
        Attribute::new("state", Type::Dynamic)
            .computed()
            .about("Additional computed state of the resource."),
        Attribute::new("sensitive_state", Type::Dynamic)
            .computed()
            .sensitive()
            .about("Additional computed state of the resource that must not be shown."),
        Attribute::new("modified_props", Type::Dynamic)
            .computed()
            .sensitive()
            .about("The props as modifyPlan of the script changed them; null if it changed nothing."),
    ];
    script_schema("Resource", own)
});

/// A data source.
pub(crate) static DATA_SOURCE_SCHEMA: LazyLock<Body> =
    LazyLock::new(|| script_schema("Datasource", results()));

/// An ephemeral resource.
pub(crate) static EPHEMERAL_SCHEMA: LazyLock<Body> =
    LazyLock::new(|| script_schema("Ephemeral Resource", results()));

/// An action.
pub(crate) static ACTION_SCHEMA: LazyLock<Body> =
    LazyLock::new(|| script_schema("Action", Vec::new()));

/// What a resource is found by for an import, in attributes instead of a JSON text.
pub(crate) static IDENTITY: LazyLock<Body> = LazyLock::new(|| {
    Body::new([
        Attribute::new("id", Type::String)
            .required()
            .about("Unique identifier for the resource."),
        Attribute::new("path", Type::String).about("Path to the script."),
        Attribute::new("command", Type::list(Type::String))
            .about("The command that is run instead of a script."),
        Attribute::new("config_file", Type::String).about("Path to the Deno configuration file."),
        Attribute::new("allow_all", Type::Bool).about("Whether the script has all permissions."),
        Attribute::new("allow", Type::list(Type::String)).about("What the script may do."),
        Attribute::new("deny", Type::list(Type::String)).about("What the script may not do."),
        Attribute::new("props", Type::String)
            .about("The props to read the resource with, as JSON."),
    ])
});

/// The names of the attributes that every block that runs a script has.
pub(crate) fn script_attributes() -> impl Iterator<Item = &'static str> {
    names(&ACTION_SCHEMA.attributes)
}

/// The names of the parts of `permissions`.
pub(crate) fn permission_attributes() -> impl Iterator<Item = &'static str> {
    let permissions = ACTION_SCHEMA.attribute("permissions");
    let parts = permissions.map_or(&[][..], |attribute| match &attribute.ty {
        AttributeType::Nested(_, parts) => parts,
        AttributeType::Plain(_) => &[],
    });
    names(parts)
}

fn names(attributes: &'static [Attribute]) -> impl Iterator<Item = &'static str> {
    attributes.iter().map(|attribute| attribute.name.as_str())
}

/// The attributes of every block that runs a script, and those of this one.
fn script_schema(what: &str, own: Vec<Attribute>) -> Body {
    let mut attributes = vec![
        Attribute::new("path", Type::String).about("Path to the Deno script to execute."),
        Attribute::new("command", Type::list(Type::String))
            .about("A command to run instead of the script at path: a program and its arguments."),
        Attribute::new("props", Type::Dynamic)
            .required()
            .about("Input properties to pass to the Deno script."),
        Attribute::new("config_file", Type::String)
            .about("Path to a Deno configuration file; /dev/null for none."),
        permissions(),
        reuse(
            "Whether processes of the script are kept and serve one call after another. Otherwise each call starts a process.",
        ),
        timeout("How many seconds one call of the script may take."),
        Attribute::new("max_in_flight", Type::Number)
            .about("How many calls one process of the script takes at a time. Otherwise as many as the script says in its answer to `health`, or one."),
    ];
    attributes.extend(own);
    Body::new(attributes).about(format!(
        "Bridges the terraform-plugin-framework {what} to a Deno script."
    ))
}

fn results() -> Vec<Attribute> {
    vec![
        Attribute::new("result", Type::Dynamic)
            .computed()
            .about("Output data returned from the Deno script."),
        Attribute::new("sensitive_result", Type::Dynamic)
            .computed()
            .sensitive()
            .about("Output data returned from the Deno script that must not be shown."),
    ]
}

fn permissions() -> Attribute {
    let parts = [
        Attribute::new("all", Type::Bool).about("Grant all permissions."),
        Attribute::new("allow", Type::list(Type::String))
            .about("Permissions to allow, such as `read`, `net=example.com:443`."),
        Attribute::new("deny", Type::list(Type::String)).about("Permissions to deny."),
    ];
    Attribute::nested("permissions", Nesting::Single, parts)
        .about("Deno runtime permissions for the script.")
}

fn reuse(about: &str) -> Attribute {
    Attribute::new("reuse", Type::Bool).about(about)
}

fn timeout(about: &str) -> Attribute {
    Attribute::new("timeout", Type::Number).about(about)
}

#[cfg(test)]
mod tests {
    use tenon_schema::Presence;

    use super::*;

    /// The attributes of v0.4.1 and what Terraform may do with them. `path` was required, and
    /// `write_only_props_version` could not be set; both take everything they took.
    #[test]
    fn configurations_of_upstream_fit() {
        let of = |body: &'static Body, name: &str| {
            let found = body.attribute(name);
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        for (name, ty) in [
            ("id", Type::String),
            ("path", Type::String),
            ("props", Type::Dynamic),
            ("write_only_props", Type::Dynamic),
            ("write_only_props_version", Type::Number),
            ("state", Type::Dynamic),
            ("sensitive_state", Type::Dynamic),
            ("config_file", Type::String),
        ] {
            assert_eq!(of(&RESOURCE_SCHEMA, name).implied_type(), ty, "{name}");
        }
        assert!(of(&RESOURCE_SCHEMA, "write_only_props").is_write_only);
        assert!(of(&RESOURCE_SCHEMA, "sensitive_state").is_sensitive);
        assert_eq!(of(&RESOURCE_SCHEMA, "props").presence, Presence::Required);
        let names: Vec<_> = permission_attributes().collect();
        assert_eq!(names, ["all", "allow", "deny"]);
        for body in [&DATA_SOURCE_SCHEMA, &EPHEMERAL_SCHEMA] {
            assert!(of(body, "sensitive_result").is_sensitive);
            assert_eq!(of(body, "result").presence, Presence::Computed);
        }
    }
}
