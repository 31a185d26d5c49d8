//! Every field of every request that can hold a value.

use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::{Type, Value};
use tonic::Status;

use crate::blocks::{ACTION, DATA_SOURCE, EPHEMERAL, RESOURCE, packed, value, with};
use crate::client::Client;
use crate::core::Core;

/// The number of fields for a value.
pub(crate) const PLACES: usize = 32;

/// Sends a value in one of the fields; the others have valid values.
#[expect(
    clippy::needless_update,
    reason = "some requests have no fields but those that are given"
)]
pub(crate) async fn send(core: &Core, place: usize, sent: DynamicValue) -> Result<(), Status> {
    let mut client: provider_client::ProviderClient<Client> = core.stage.client();
    let config = core.config(&[("props", value("{}"))]);
    let right = core
        .shapes
        .resource
        .encode(&with(&config, &[("id", "x".into())]));
    let nothing = core.shapes.resource.encode(&core.nothing().state);
    let name = RESOURCE.to_owned();
    let raw = RawState {
        json: match sent.json.is_empty() {
            true => sent.msgpack.clone(),
            false => sent.json.clone(),
        },
        ..RawState::default()
    };
    let bytes = raw.json.clone();
    let identity = ResourceIdentityData {
        identity_data: Some(sent.clone()),
    };
    let argument = sent.clone();
    let sent = Some(sent);
    macro_rules! call {
        ($call:ident, $module:ident { $($field:ident: $value:expr),* }) => {{
            let request = $module::Request { $($field: $value,)* ..Default::default() };
            client.$call(request).await.map(drop)
        }};
    }
    match place {
        0 => call!(
            validate_provider_config,
            validate_provider_config { config: sent }
        ),
        1 => call!(configure_provider, configure_provider { config: sent }),
        2 => call!(
            validate_resource_config,
            validate_resource_config {
                type_name: name,
                config: sent
            }
        ),
        3 => call!(
            read_resource,
            read_resource {
                type_name: name,
                current_state: sent
            }
        ),
        4 => call!(
            read_resource,
            read_resource {
                type_name: name,
                current_state: right,
                current_identity: Some(identity)
            }
        ),
        5 => call!(
            read_resource,
            read_resource {
                type_name: name,
                current_state: right,
                private: bytes
            }
        ),
        6 => call!(
            plan_resource_change,
            plan_resource_change {
                type_name: name,
                prior_state: sent,
                proposed_new_state: right.clone(),
                config: right
            }
        ),
        7 => call!(
            plan_resource_change,
            plan_resource_change {
                type_name: name,
                prior_state: right.clone(),
                proposed_new_state: sent,
                config: right
            }
        ),
        8 => call!(
            plan_resource_change,
            plan_resource_change {
                type_name: name,
                prior_state: right.clone(),
                proposed_new_state: right,
                config: sent
            }
        ),
        9 => call!(
            plan_resource_change,
            plan_resource_change {
                type_name: name,
                prior_state: right.clone(),
                proposed_new_state: right.clone(),
                config: right,
                prior_private: bytes
            }
        ),
        10 => call!(
            apply_resource_change,
            apply_resource_change {
                type_name: name,
                prior_state: sent,
                planned_state: right.clone(),
                config: right
            }
        ),
        11 => call!(
            apply_resource_change,
            apply_resource_change {
                type_name: name,
                prior_state: nothing,
                planned_state: sent,
                config: right
            }
        ),
        12 => call!(
            apply_resource_change,
            apply_resource_change {
                type_name: name,
                prior_state: nothing,
                planned_state: right,
                config: sent
            }
        ),
        13 => call!(
            import_resource_state,
            import_resource_state {
                type_name: name,
                identity: Some(identity)
            }
        ),
        14 => call!(
            import_resource_state,
            import_resource_state {
                type_name: name,
                id: String::from_utf8_lossy(&bytes).into_owned()
            }
        ),
        15 => call!(
            upgrade_resource_state,
            upgrade_resource_state {
                type_name: name,
                raw_state: Some(raw)
            }
        ),
        16 => call!(
            upgrade_resource_identity,
            upgrade_resource_identity {
                type_name: name,
                raw_identity: Some(raw)
            }
        ),
        17 => call!(
            generate_resource_config,
            generate_resource_config {
                type_name: name,
                state: sent
            }
        ),
        18 => call!(
            read_data_source,
            read_data_source {
                type_name: DATA_SOURCE.to_owned(),
                config: sent
            }
        ),
        19 => call!(
            open_ephemeral_resource,
            open_ephemeral_resource {
                type_name: EPHEMERAL.to_owned(),
                config: sent
            }
        ),
        20 => call!(
            close_ephemeral_resource,
            close_ephemeral_resource {
                type_name: EPHEMERAL.to_owned(),
                private: Some(bytes)
            }
        ),
        21 => call!(
            renew_ephemeral_resource,
            renew_ephemeral_resource {
                type_name: EPHEMERAL.to_owned(),
                private: Some(bytes)
            }
        ),
        22 => call!(
            validate_data_resource_config,
            validate_data_resource_config {
                type_name: DATA_SOURCE.to_owned(),
                config: sent
            }
        ),
        23 => call!(
            validate_ephemeral_resource_config,
            validate_ephemeral_resource_config {
                type_name: EPHEMERAL.to_owned(),
                config: sent
            }
        ),
        24 => call!(
            validate_action_config,
            validate_action_config {
                type_name: ACTION.to_owned(),
                config: sent
            }
        ),
        25 => call!(
            plan_action,
            plan_action {
                action_type: ACTION.to_owned(),
                config: sent
            }
        ),
        26 => {
            let request = invoke_action::Request {
                action_type: ACTION.to_owned(),
                config: sent,
                ..Default::default()
            };
            let mut events = client.invoke_action(request).await?.into_inner();
            while events.message().await?.is_some() {}
            Ok(())
        }
        27 => call!(
            move_resource_state,
            move_resource_state {
                target_type_name: name.clone(),
                source_type_name: name,
                source_state: Some(raw),
                source_private: bytes
            }
        ),
        28 => call!(
            plan_resource_change,
            plan_resource_change {
                type_name: name,
                prior_state: right.clone(),
                proposed_new_state: right.clone(),
                config: right,
                prior_identity: Some(identity)
            }
        ),
        29 => call!(
            apply_resource_change,
            apply_resource_change {
                type_name: name,
                prior_state: right.clone(),
                planned_state: right.clone(),
                config: right,
                planned_private: bytes
            }
        ),
        30 => call!(
            apply_resource_change,
            apply_resource_change {
                type_name: name,
                prior_state: nothing,
                planned_state: right.clone(),
                config: right,
                planned_identity: Some(identity)
            }
        ),
        _ => {
            let path = packed(&Value::from(core.stage.puppet().as_str()), &Type::String);
            let values = vec![path, argument.clone(), argument];
            call!(
                call_function,
                call_function {
                    name: "call".to_owned(),
                    arguments: values
                }
            )
        }
    }
}
