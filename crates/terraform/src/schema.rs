//! What Terraform may write in the blocks of this provider.
//!
//! The attributes and their texts are those of terraform-provider-denobridge v0.4.1, so that its
//! configurations and states fit. What is new is optional.

mod shape;

use std::sync::LazyLock;

use tenon_values::Type;

use crate::diagnostic;
use crate::proto::tfplugin6::Diagnostic;

pub(crate) use shape::{Attribute, Shape, object_type};

/// The types of blocks, as they are written in HCL.
pub(crate) const RESOURCE: &str = "denobridge_resource";
pub(crate) const DATA_SOURCE: &str = "denobridge_datasource";
pub(crate) const EPHEMERAL: &str = "denobridge_ephemeral_resource";
pub(crate) const ACTION: &str = "denobridge_action";

/// The provider's own configuration.
pub(crate) static PROVIDER_SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    Shape::new(
        "The Deno Bridge provider enables Terraform to manage resources using Deno scripts.",
        vec![
            Attribute::new("deno_binary_path", Type::String)
                .optional()
                .about("The Deno to run scripts with. Otherwise `TENON_DENO` is used, or the one in `PATH`."),
            Attribute::new("deno_version", Type::String)
                .optional()
                .about("The version of Deno that the scripts need, such as `v2.1.4`, `2.1`, or `latest` for any. Nothing is downloaded: another version is an error, or a warning beside `deno_binary_path`."),
            reuse("Whether processes of a script are kept and serve one call after the other, unless a block says otherwise. `true` by default."),
            timeout("How many seconds one call of a script may take, unless a block says otherwise. Without a limit by default."),
            Attribute::new("stderr_in_errors", Type::Bool)
                .optional()
                .about("Whether errors show what the script wrote to stderr during the call. Otherwise `TENON_STDERR_IN_ERRORS` decides. `true` by default."),
            Attribute::new("env", Type::list(Type::String))
                .optional()
                .about("The environment variables that scripts get, besides `PATH`, `HOME` and others that every program needs: names, patterns such as `AWS_*`, or `NAME=VALUE`. Otherwise `TENON_SCRIPT_ENV` names them, separated by commas. Without either, scripts get Terraform's whole environment."),
        ],
    )
    .in_markdown()
});

/// A managed resource.
pub(crate) static RESOURCE_SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    let own = vec![
        Attribute::new("id", Type::String)
            .computed()
            .about("Unique identifier for the resource."),
        Attribute::new("write_only_props", Type::Dynamic)
            .optional()
            .write_only()
            .about("Input properties that are passed to the script and never stored."),
        Attribute::new("write_only_props_version", Type::Number)
            .optional()
            .computed()
            .about("Counts the changes of write_only_props that were passed on. Set it to a whole number, and change that to have write_only_props passed on."),
        Attribute::new("write_only_props_detect_changes", Type::Bool)
            .optional()
            .about("Whether other values in write_only_props plan an update. Not for values that are new each time, as most ephemeral ones are."),
        Attribute::new("state", Type::Dynamic)
            .computed()
            .about("Additional computed state of the resource."),
        Attribute::new("sensitive_state", Type::Dynamic)
            .computed()
            .sensitive()
            .about("Additional computed state of the resource that is not to be shown."),
        Attribute::new("modified_props", Type::Dynamic)
            .computed()
            .sensitive()
            .about("What the script made of props while it was planned; null if it changed nothing."),
    ];
    script_shape("Resource", own)
});

/// A data source.
pub(crate) static DATA_SOURCE_SHAPE: LazyLock<Shape> =
    LazyLock::new(|| script_shape("Datasource", results()));

/// An ephemeral resource.
pub(crate) static EPHEMERAL_SHAPE: LazyLock<Shape> =
    LazyLock::new(|| script_shape("Ephemeral Resource", results()));

/// An action.
pub(crate) static ACTION_SHAPE: LazyLock<Shape> =
    LazyLock::new(|| script_shape("Action", Vec::new()));

/// By what a resource is found for an import, in attributes instead of a JSON text.
pub(crate) static IDENTITY: LazyLock<Vec<Attribute>> = LazyLock::new(|| {
    vec![
        Attribute::new("id", Type::String)
            .required()
            .about("Unique identifier for the resource."),
        Attribute::new("path", Type::String)
            .optional()
            .about("Path to the script."),
        Attribute::new("command", Type::list(Type::String))
            .optional()
            .about("The command that is run instead of a script."),
        Attribute::new("config_file", Type::String)
            .optional()
            .about("Path to the Deno configuration file."),
        Attribute::new("allow_all", Type::Bool)
            .optional()
            .about("Whether the script has all permissions."),
        Attribute::new("allow", Type::list(Type::String))
            .optional()
            .about("What the script may do."),
        Attribute::new("deny", Type::list(Type::String))
            .optional()
            .about("What the script may not do."),
        Attribute::new("props", Type::String)
            .optional()
            .about("The props to read the resource with, as JSON."),
    ]
});

/// Whether Terraform asks for what this provider has.
pub(crate) fn check_name(asked: &str, known: &str) -> Result<(), Diagnostic> {
    match asked == known {
        true => Ok(()),
        false => Err(diagnostic::error(
            "Unknown type",
            format!("This provider has no {asked:?} here, only {known}."),
        )),
    }
}

/// What every block that runs a script has, with what it has of its own.
fn script_shape(what: &str, own: Vec<Attribute>) -> Shape {
    let mut attributes = vec![
        Attribute::new("path", Type::String)
            .optional()
            .about("Path to the Deno script to execute."),
        Attribute::new("command", Type::list(Type::String))
            .optional()
            .about("A command to run instead of the script at path: a program and its arguments."),
        Attribute::new("props", Type::Dynamic)
            .required()
            .about("Input properties to pass to the Deno script."),
        Attribute::new("config_file", Type::String)
            .optional()
            .about("Path to a Deno configuration file; /dev/null for none."),
        permissions(),
        reuse(
            "Whether processes of the script are kept and serve one call after the other. Otherwise each call starts its own.",
        ),
        timeout("How many seconds one call of the script may take."),
        Attribute::new("max_in_flight", Type::Number)
            .optional()
            .about("How many calls one process of the script takes at a time. Otherwise as many as the script says in its answer to `health`, or one."),
    ];
    attributes.extend(own);
    Shape::new(
        &format!("Bridges the terraform-plugin-framework {what} to a Deno script."),
        attributes,
    )
}

fn results() -> Vec<Attribute> {
    vec![
        Attribute::new("result", Type::Dynamic)
            .computed()
            .about("Output data returned from the Deno script."),
        Attribute::new("sensitive_result", Type::Dynamic)
            .computed()
            .sensitive()
            .about("Output data returned from the Deno script that is not to be shown."),
    ]
}

fn permissions() -> Attribute {
    Attribute::nested(
        "permissions",
        vec![
            Attribute::new("all", Type::Bool)
                .optional()
                .about("Grant all permissions."),
            Attribute::new("allow", Type::list(Type::String))
                .optional()
                .about("Permissions to allow, such as `read`, `net=example.com:443`."),
            Attribute::new("deny", Type::list(Type::String))
                .optional()
                .about("Permissions to deny."),
        ],
    )
    .optional()
    .about("Deno runtime permissions for the script.")
}

fn reuse(about: &str) -> Attribute {
    Attribute::new("reuse", Type::Bool).optional().about(about)
}

fn timeout(about: &str) -> Attribute {
    Attribute::new("timeout", Type::Number)
        .optional()
        .about(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes of v0.4.1 and what Terraform may do with them. `path` was required, and
    /// `write_only_props_version` could not be set; both take everything they took.
    #[test]
    fn configurations_of_upstream_fit() {
        let of = |shape: &Shape, name: &str| {
            let found = shape.attributes.iter().find(|found| found.name == name);
            found.unwrap_or_else(|| panic!("no {name}")).to_proto()
        };
        for (name, ty) in [
            ("id", "\"string\""),
            ("path", "\"string\""),
            ("props", "\"dynamic\""),
            ("write_only_props", "\"dynamic\""),
            ("write_only_props_version", "\"number\""),
            ("state", "\"dynamic\""),
            ("sensitive_state", "\"dynamic\""),
            ("config_file", "\"string\""),
        ] {
            assert_eq!(of(&RESOURCE_SHAPE, name).r#type, ty.as_bytes(), "{name}");
        }
        assert!(of(&RESOURCE_SHAPE, "write_only_props").write_only);
        assert!(of(&RESOURCE_SHAPE, "sensitive_state").sensitive);
        assert!(of(&RESOURCE_SHAPE, "props").required);
        let nested = of(&ACTION_SHAPE, "permissions").nested_type.unwrap();
        let names: Vec<_> = nested.attributes.iter().map(|one| &one.name).collect();
        assert_eq!(names, ["all", "allow", "deny"]);
        for shape in [&DATA_SOURCE_SHAPE, &EPHEMERAL_SHAPE] {
            assert!(of(shape, "sensitive_result").sensitive);
            assert!(of(shape, "result").computed);
        }
    }
}
