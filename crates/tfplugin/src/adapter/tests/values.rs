//! What reaches the provider, and what Terraform gets back.

use provider_server::Provider as _;
use tenon_values::{Type, Value};

use super::super::*;
use super::shop::{
    ITEM, adapter, answer, ask, identity, item, no_item, packed, packed_item, unpacked,
};
use crate::proto::tfplugin6::*;

#[tokio::test]
async fn terraform_gets_what_the_provider_offers() {
    let shop = adapter();
    let told = answer(shop.get_provider_schema(ask(Default::default())).await);
    let schema = &told.resource_schemas[ITEM];
    assert_eq!(schema.version, 2);
    let names: Vec<_> = { told.data_source_schemas.keys() }.collect();
    assert_eq!(names.len(), 2);
    let capabilities = told.server_capabilities.unwrap();
    assert!(capabilities.plan_destroy && capabilities.get_provider_schema_optional);
    assert!(!capabilities.move_resource_state && !capabilities.generate_resource_config);
    let listed = answer(shop.get_metadata(ask(Default::default())).await);
    assert_eq!(listed.resources[0].type_name, ITEM);
    assert_eq!(listed.data_sources[1].type_name, "shop_b");
    assert_eq!(listed.functions[0].name, "sum");
    assert_eq!(listed.actions[0].type_name, "shop_ring");
    let functions = answer(shop.get_functions(ask(Default::default())).await);
    assert_eq!(functions.functions, told.functions);
    let identities = answer(
        shop.get_resource_identity_schemas(ask(Default::default()))
            .await,
    );
    let identity = &identities.identity_schemas[ITEM].identity_attributes[0];
    assert!(identity.name == "name" && identity.required_for_import);
}

#[tokio::test]
async fn a_configuration_is_decoded_and_capabilities_are_passed_on() {
    let request = validate_resource_config::Request {
        type_name: ITEM.to_owned(),
        config: packed(
            &item("a", Value::unknown(Type::Number)),
            &super::shop::item_type(),
        ),
        client_capabilities: Some(proto::ClientCapabilities {
            write_only_attributes_allowed: true,
            ..Default::default()
        }),
    };
    let checked = answer(adapter().validate_resource_config(ask(request)).await);
    let said = &checked.diagnostics[0].detail;
    assert!(said.starts_with("{ name = \"a\", price = "), "{said}");
    assert!(said.contains("allows_write_only: true"), "{said}");
}

#[tokio::test]
async fn a_plan_keeps_what_the_provider_does_not_change() {
    let request = plan_resource_change::Request {
        type_name: ITEM.to_owned(),
        prior_state: packed_item("before"),
        proposed_new_state: packed_item("after"),
        config: packed_item("after"),
        prior_private: b"private".to_vec(),
        prior_identity: identity("before"),
        ..Default::default()
    };
    let planned = answer(adapter().plan_resource_change(ask(request)).await);
    assert!(planned.diagnostics.is_empty());
    assert_eq!(planned.planned_state, packed_item("after"));
    assert_eq!(planned.planned_private, b"private");
    assert_eq!(planned.planned_identity, identity("before"));
    assert_eq!(planned.requires_replace.len(), 1);
    let reason = proto::deferred::Reason::AbsentPrereq as i32;
    assert_eq!(planned.deferred.unwrap().reason, reason);
    assert!(!planned.legacy_type_system);
}

#[tokio::test]
async fn a_deleted_resource_has_no_identity() {
    let request = apply_resource_change::Request {
        type_name: ITEM.to_owned(),
        prior_state: packed_item("before"),
        planned_state: no_item(),
        config: no_item(),
        planned_identity: identity("before"),
        ..Default::default()
    };
    let gone = answer(adapter().apply_resource_change(ask(request)).await);
    assert!(unpacked(gone.new_state.as_ref()).is_null());
    assert_eq!(gone.new_identity, None);
}

#[tokio::test]
async fn an_identity_is_added_where_there_is_none() {
    let shop = adapter();
    for (given, expected) in [(None, identity("a")), (identity("x"), identity("x"))] {
        let request = read_resource::Request {
            type_name: ITEM.to_owned(),
            current_state: packed_item("a"),
            current_identity: given,
            private: b"private".to_vec(),
            ..Default::default()
        };
        let read = answer(shop.read_resource(ask(request)).await);
        assert_eq!(read.new_identity, expected);
        assert_eq!(read.private, b"private");
    }
}

#[tokio::test]
async fn only_states_of_older_versions_are_upgraded_by_the_provider() {
    let shop = adapter();
    let upgrade = async |version: i64, json: &str| {
        let request = upgrade_resource_state::Request {
            type_name: ITEM.to_owned(),
            version,
            raw_state: Some(RawState {
                json: json.as_bytes().to_vec(),
                ..Default::default()
            }),
        };
        answer(shop.upgrade_resource_state(ask(request)).await)
    };
    let current = upgrade(2, r#"{"name": "a", "other": 1}"#).await;
    let state = unpacked(current.upgraded_state.as_ref());
    assert_eq!(state.to_string(), "{ name = \"a\", price = null }");
    let older = upgrade(1, "{}").await;
    let state = unpacked(older.upgraded_state.as_ref());
    assert_eq!(state.to_string(), "{ name = \"{} of 1\", price = 0 }");
    let newer = upgrade(3, "{}").await;
    assert_eq!(newer.diagnostics[0].summary, "State of a newer provider");
    assert_eq!(newer.upgraded_state, None);
}

#[tokio::test]
async fn arguments_are_decoded_by_their_parameters() {
    let shop = adapter();
    let call = async |name: &str, arguments: Vec<(Value, Type)>| {
        let arguments = { arguments.iter() }.filter_map(|(value, ty)| packed(value, ty));
        let request = call_function::Request {
            name: name.to_owned(),
            arguments: arguments.collect(),
        };
        answer(shop.call_function(ask(request)).await)
    };
    let text = |text: &str| (Value::from(text), Type::String);
    let number = |number: i64| (Value::from(number), Type::Number);
    let called = call("sum", vec![text("g"), number(1), number(2)]).await;
    let result = tenon_values::msgpack::decode(&called.result.unwrap().msgpack, &Type::String);
    assert_eq!(result.unwrap(), Value::from("3 g"));
    let error = call("sum", Vec::new()).await.error.unwrap();
    assert_eq!(error.text, r"a unit is needed.\u{1b}");
    assert_eq!(error.function_argument, Some(0));
    let list = (Value::tuple(vec![Value::TRUE]), Type::tuple([Type::Bool]));
    let error = call("sum", vec![text("g"), list]).await.error.unwrap();
    assert_eq!(error.function_argument, Some(1));
    let error = call("other", Vec::new()).await.error.unwrap();
    assert_eq!(error.text, "unknown function `other`; there are \"sum\"");
}
