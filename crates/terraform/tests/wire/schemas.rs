//! What the provider says of itself.

use std::fmt::Write;

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::schema::Attribute;
use tenon_tfplugin::proto::tfplugin6::{
    Schema, ServerCapabilities, get_functions, get_metadata, get_provider_schema,
    get_resource_identity_schemas,
};

use crate::blocks::{ACTION, DATA_SOURCE, EPHEMERAL, RESOURCE};
use crate::stage::Stage;

/// An attribute in a line: its name, type and flags.
fn write_attribute(text: &mut String, attribute: &Attribute, indent: &str) {
    let flags = [
        ("required", attribute.required),
        ("optional", attribute.optional),
        ("computed", attribute.computed),
        ("sensitive", attribute.sensitive),
        ("write-only", attribute.write_only),
        ("deprecated", attribute.deprecated),
    ];
    let flags: Vec<_> = { flags.iter() }
        .filter(|(_, is_set)| *is_set)
        .map(|(name, _)| *name)
        .collect();
    let ty = match &attribute.nested_type {
        Some(nested) => format!("nested {}", nested.nesting().as_str_name()),
        None => String::from_utf8(attribute.r#type.clone()).unwrap(),
    };
    assert!(!attribute.description.is_empty(), "{}", attribute.name);
    let _ = writeln!(text, "{indent}{} {ty} {}", attribute.name, flags.join(" "));
    for nested in attribute.nested_type.iter().flat_map(|one| &one.attributes) {
        write_attribute(text, nested, "    ");
    }
}

fn described(schema: &Schema) -> String {
    let block = schema.block.as_ref().unwrap();
    assert_eq!((schema.version, block.version), (0, 0));
    assert!(block.block_types.is_empty() && !block.deprecated);
    let mut text = String::new();
    for attribute in &block.attributes {
        assert_eq!(attribute.description_kind, block.description_kind);
        write_attribute(&mut text, attribute, "  ");
    }
    text
}

#[tokio::test]
async fn every_attribute_is_as_configurations_expect_it() {
    let stage = Stage::new(json!({})).await;
    let request = get_provider_schema::Request::default();
    let all = stage.client().get_provider_schema(request).await.unwrap();
    let all = all.into_inner();
    assert!(all.diagnostics.is_empty() && all.provider_meta.is_none());
    assert!(all.list_resource_schemas.is_empty() && all.state_store_schemas.is_empty());
    let action = all.action_schemas[ACTION].schema.as_ref().unwrap();
    let mut text = String::new();
    for (name, schema) in [
        ("provider", all.provider.as_ref().unwrap()),
        (RESOURCE, &all.resource_schemas[RESOURCE]),
        (DATA_SOURCE, &all.data_source_schemas[DATA_SOURCE]),
        (EPHEMERAL, &all.ephemeral_resource_schemas[EPHEMERAL]),
        (ACTION, action),
    ] {
        let _ = write!(text, "{name}\n{}", described(schema));
    }
    let permissions = "  permissions nested SINGLE optional
    all \"bool\" optional
    allow [\"list\",\"string\"] optional
    deny [\"list\",\"string\"] optional
";
    let result = "  result \"dynamic\" computed
";
    let sensitive = "  sensitive_result \"dynamic\" computed sensitive
";
    let begin = "  command [\"list\",\"string\"] optional
  config_file \"string\" optional
";
    let path_and_props = format!(
        "  path \"string\" optional
{permissions}  props \"dynamic\" required
"
    );
    let reuse = "  reuse \"bool\" optional
";
    let timeout = "  timeout \"number\" optional
";
    let in_flight = "  max_in_flight \"number\" optional
";
    let expected = format!(
        "provider
  deno_binary_path \"string\" optional
  deno_version \"string\" optional
  env [\"list\",\"string\"] optional
{reuse}  stderr_in_errors \"bool\" optional
{timeout}{RESOURCE}
{begin}  id \"string\" computed
{in_flight}  modified_props \"dynamic\" computed sensitive
{path_and_props}{reuse}  sensitive_state \"dynamic\" computed sensitive
  state \"dynamic\" computed
{timeout}  write_only_props \"dynamic\" optional write-only
  write_only_props_detect_changes \"bool\" optional
  write_only_props_version \"number\" optional computed
{DATA_SOURCE}
{begin}{in_flight}{path_and_props}{result}{reuse}{sensitive}{timeout}{EPHEMERAL}
{begin}{in_flight}{path_and_props}{result}{reuse}{sensitive}{timeout}{ACTION}
{begin}{in_flight}{path_and_props}{reuse}{timeout}"
    );
    assert_eq!(text, expected);
    assert_eq!(all.resource_schemas.len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn the_metadata_lists_what_the_schemas_hold() {
    let stage = Stage::new(json!({})).await;
    let mut client = stage.client();
    let metadata = client.get_metadata(get_metadata::Request::default()).await;
    let metadata = metadata.unwrap().into_inner();
    let capabilities = ServerCapabilities {
        plan_destroy: true,
        get_provider_schema_optional: true,
        move_resource_state: true,
        generate_resource_config: true,
    };
    assert_eq!(metadata.server_capabilities, Some(capabilities));
    let request = get_provider_schema::Request::default();
    let schemas = client.get_provider_schema(request).await.unwrap();
    assert_eq!(schemas.into_inner().server_capabilities, Some(capabilities));
    assert_eq!(metadata.resources[0].type_name, RESOURCE);
    assert_eq!(metadata.data_sources[0].type_name, DATA_SOURCE);
    assert_eq!(metadata.ephemeral_resources[0].type_name, EPHEMERAL);
    assert_eq!(metadata.actions[0].type_name, ACTION);
    assert_eq!(metadata.functions[0].name, "call");
    assert!(metadata.list_resources.is_empty() && metadata.state_stores.is_empty());
    assert!(metadata.diagnostics.is_empty());
    stage.end().await;
}

#[tokio::test]
async fn a_resource_has_an_identity() {
    let stage = Stage::new(json!({})).await;
    let request = get_resource_identity_schemas::Request::default();
    let all = stage.client().get_resource_identity_schemas(request).await;
    let all = all.unwrap().into_inner();
    assert_eq!(all.identity_schemas.len(), 1);
    let identity = &all.identity_schemas[RESOURCE];
    assert_eq!(identity.version, 0);
    let lines: Vec<_> = { identity.identity_attributes.iter() }
        .map(|one| {
            // Terraform takes exactly one of the two.
            assert_ne!(one.required_for_import, one.optional_for_import);
            let ty = String::from_utf8(one.r#type.clone()).unwrap();
            format!("{} {ty} {}", one.name, one.required_for_import)
        })
        .collect();
    let expected = [
        r#"id "string" true"#,
        r#"path "string" false"#,
        r#"command ["list","string"] false"#,
        r#"config_file "string" false"#,
        r#"allow_all "bool" false"#,
        r#"allow ["list","string"] false"#,
        r#"deny ["list","string"] false"#,
        r#"props "string" false"#,
    ];
    assert_eq!(lines, expected);
    stage.end().await;
}

#[tokio::test]
async fn there_is_one_function() {
    let stage = Stage::new(json!({})).await;
    let mut client = stage.client();
    let functions = client
        .get_functions(get_functions::Request::default())
        .await;
    let functions = functions.unwrap().into_inner().functions;
    let request = get_provider_schema::Request::default();
    let schemas = client.get_provider_schema(request).await.unwrap();
    assert_eq!(schemas.into_inner().functions, functions);
    let call = &functions["call"];
    let names: Vec<_> = call
        .parameters
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!((functions.len(), names), (1, vec!["path", "name"]));
    let more = call.variadic_parameter.as_ref().unwrap();
    assert_eq!(more.r#type, b"\"dynamic\"");
    assert!(more.allow_null_value && !more.allow_unknown_values);
    assert_eq!(call.r#return.as_ref().unwrap().r#type, b"\"dynamic\"");
    stage.end().await;
}
