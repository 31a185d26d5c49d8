//! All failures are reported in diagnostics, and nothing is lost.

use std::sync::atomic::Ordering;

use provider_server::Provider as _;
use tokio_stream::StreamExt;

use super::super::*;
use super::shop::{ITEM, Shop, adapter, answer, ask, identity, no_item, packed_item, unpacked};
use crate::proto::tfplugin6::*;

fn texts(diagnostics: &[proto::Diagnostic]) -> Vec<String> {
    let texts = diagnostics.iter();
    texts
        .map(|one| format!("{}: {}", one.summary, one.detail))
        .collect()
}

fn apply(name: &str) -> apply_resource_change::Request {
    apply_resource_change::Request {
        type_name: ITEM.to_owned(),
        prior_state: packed_item("before"),
        planned_state: packed_item(name),
        config: packed_item(name),
        planned_private: b"planned".to_vec(),
        planned_identity: identity("before"),
        ..Default::default()
    }
}

#[tokio::test]
async fn an_unknown_type_is_named_with_those_there_are() {
    let shop = adapter();
    let request = read_data_source::Request {
        type_name: "shop_c".to_owned(),
        ..Default::default()
    };
    let refused = answer(shop.read_data_source(ask(request)).await);
    let expected =
        "Unknown type: This provider has no \"shop_c\" of this kind; it has shop_a, shop_b.";
    assert_eq!(texts(&refused.diagnostics), [expected]);
    let request = open_ephemeral_resource::Request {
        type_name: "shop_c".to_owned(),
        ..Default::default()
    };
    let refused = answer(shop.open_ephemeral_resource(ask(request)).await);
    let expected = "Unknown type: This provider has no \"shop_c\" of this kind.";
    assert_eq!(texts(&refused.diagnostics), [expected]);
}

#[tokio::test]
async fn what_is_not_implemented_is_not_supported() {
    let shop = adapter();
    let request = import_resource_state::Request {
        type_name: ITEM.to_owned(),
        id: "a".to_owned(),
        ..Default::default()
    };
    let refused = answer(shop.import_resource_state(ask(request)).await);
    assert_eq!(
        texts(&refused.diagnostics),
        ["Not supported: This provider cannot import resources."]
    );
    let request = generate_resource_config::Request {
        type_name: ITEM.to_owned(),
        state: packed_item("a"),
    };
    let refused = answer(shop.generate_resource_config(ask(request)).await);
    assert!(refused.config.is_none());
    assert!(texts(&refused.diagnostics)[0].starts_with("Not supported"));
    let refused = answer(shop.get_states(ask(Default::default())).await);
    assert!(texts(&refused.diagnostics)[0].contains("does not store states"));
}

#[tokio::test]
async fn after_an_error_everything_is_as_it_was() {
    let shop = adapter();
    for (name, text) in [
        ("refuse", "No: Not this one."),
        (
            "panic",
            "The provider failed: The provider panicked: the shop burns.",
        ),
        ("odd", "Unwritable value: "),
    ] {
        let failed = answer(shop.apply_resource_change(ask(apply(name))).await);
        let said = texts(&failed.diagnostics);
        assert!(said.len() == 1 && said[0].starts_with(text), "{said:?}");
        assert_eq!(failed.new_state, packed_item("before"), "{name}");
        assert_eq!(failed.private, b"planned", "{name}");
        assert_eq!(failed.new_identity, identity("before"), "{name}");
    }
    let made = answer(shop.apply_resource_change(ask(apply("after"))).await);
    assert_eq!(made.new_state, packed_item("after"));
    assert!(made.diagnostics.is_empty());
}

#[tokio::test]
async fn a_state_can_be_saved_beside_an_error() {
    let failed = answer(adapter().apply_resource_change(ask(apply("half"))).await);
    assert_eq!(texts(&failed.diagnostics), ["Half done: "]);
    assert_eq!(failed.new_state, packed_item("half"));
    assert_eq!(failed.private, b"half");
}

#[tokio::test]
async fn values_that_do_not_fit_do_not_reach_the_provider() {
    let shop = adapter();
    let junk = Some(DynamicValue {
        msgpack: vec![0xc1],
        ..Default::default()
    });
    let request = plan_resource_change::Request {
        type_name: ITEM.to_owned(),
        prior_state: no_item(),
        proposed_new_state: packed_item("a"),
        config: junk.clone(),
        ..Default::default()
    };
    let refused = answer(shop.plan_resource_change(ask(request)).await);
    assert!(texts(&refused.diagnostics)[0].starts_with("Unreadable value"));
    assert_eq!(refused.planned_state, packed_item("a"));
    let request = read_resource::Request {
        type_name: ITEM.to_owned(),
        current_state: packed_item("a"),
        current_identity: Some(ResourceIdentityData {
            identity_data: junk,
        }),
        ..Default::default()
    };
    let refused = answer(shop.read_resource(ask(request)).await);
    assert!(texts(&refused.diagnostics)[0].starts_with("Unreadable value"));
    assert_eq!(
        unpacked(refused.new_state.as_ref()).to_string(),
        "{ name = \"a\", price = 1 }"
    );
}

#[tokio::test]
async fn a_data_source_with_errors_has_no_state() {
    let shop = adapter();
    for (name, has_state) in [("refuse", false), ("a", true)] {
        let request = read_data_source::Request {
            type_name: "shop_a".to_owned(),
            config: packed_item(name),
            ..Default::default()
        };
        let read = answer(shop.read_data_source(ask(request)).await);
        assert_eq!(read.state.is_some(), has_state, "{name}");
        assert_eq!(read.diagnostics.is_empty(), has_state, "{name}");
    }
}

#[tokio::test]
async fn an_offer_that_failed_is_asked_for_again_and_then_kept() {
    let shop = Arc::new(Shop {
        forgets: 2,
        ..Shop::default()
    });
    let adapter = Adapter::new(shop.clone());
    let failed = answer(adapter.get_provider_schema(ask(Default::default())).await);
    assert_eq!(texts(&failed.diagnostics), ["Closed: Come back later."]);
    let request = proto::call_function::Request {
        name: "sum".to_owned(),
        ..Default::default()
    };
    let failed = answer(adapter.call_function(ask(request)).await);
    assert_eq!(failed.error.unwrap().text, "Come back later");
    for _ in 0..3 {
        let told = answer(adapter.get_provider_schema(ask(Default::default())).await);
        assert!(told.diagnostics.is_empty() && told.resource_schemas.contains_key(ITEM));
    }
    assert_eq!(shop.asked.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn an_action_completes_once_even_after_a_panic() {
    let shop = adapter();
    for (name, end) in [("a", "Loud: "), ("panic", "The provider failed: ")] {
        let config = tenon_values::Value::object([("name", name.into())]);
        let request = invoke_action::Request {
            action_type: "shop_ring".to_owned(),
            config: super::shop::packed(&config, &config.ty()),
            ..Default::default()
        };
        let events = answer(shop.invoke_action(ask(request)).await);
        let events: Vec<_> = events.collect().await;
        let heard: Vec<String> = { events.into_iter() }
            .map(|event| match event.unwrap().r#type.unwrap() {
                invoke_action::event::Type::Progress(progress) => progress.message,
                invoke_action::event::Type::Completed(done) => texts(&done.diagnostics).join(" "),
            })
            .collect();
        assert_eq!(heard[..2], ["one", r"two\u{1b}"]);
        assert!(heard.len() == 3 && heard[2].starts_with(end), "{heard:?}");
    }
}
