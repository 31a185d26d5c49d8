//! The gRPC services.

use tenon_tfplugin::proto::tfplugin6::{DynamicValue, validate_provider_config};
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::client::Client;
use crate::started::Started;

#[tokio::test]
async fn the_plugin_is_healthy() {
    let provider = Started::by_terraform(&[]);
    let client = Client::plain(&provider.address()).await;
    let serving = ServingStatus::Serving as i32;
    assert_eq!(client.health("plugin").await.unwrap(), serving);
    let unknown = client.health("another").await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
}

#[tokio::test]
async fn a_message_may_be_larger_than_four_mebibytes() {
    let provider = Started::by_terraform(&[]);
    let client = Client::plain(&provider.address()).await;
    let request = validate_provider_config::Request {
        config: Some(DynamicValue {
            msgpack: vec![0xc0; 5 * 1024 * 1024],
            ..DynamicValue::default()
        }),
    };
    let answered = client.provider().validate_provider_config(request).await;
    // It is enough that the provider receives it.
    let code = answered.map_or_else(|status| status.code(), |_| Code::Ok);
    assert!(
        !matches!(code, Code::OutOfRange | Code::ResourceExhausted),
        "{code:?}"
    );
}

#[tokio::test]
async fn two_clients_are_served_at_the_same_time() {
    let provider = Started::by_terraform(&[]);
    let address = provider.address();
    let one = Client::plain(&address).await;
    let other = Client::plain(&address).await;
    let (one, other) = tokio::join!(one.health("plugin"), other.health("plugin"));
    assert_eq!(one.unwrap(), other.unwrap());
}
