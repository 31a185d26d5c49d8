//! Plans: what the host would plan, and what the author decides.

use tenon_plugin::schema::Body;
use tenon_plugin::{Type, Value};
use tenon_protocols::seasonings::calls::{Configure, PlanChange, Planned};

use crate::accounts::plugin;
use crate::host::{Host, object};

async fn plan(host: &Host, prior: &Value, config: &Value, proposed: &Value) -> Planned {
    let call = PlanChange {
        kind: host.resource("account"),
        prior,
        config,
        proposed,
        private: None,
    };
    host.call(&call).await.unwrap()
}

/// An account that exists, with another quota.
fn state(body: &Body, quota: i64) -> Value {
    object(
        body,
        &[
            ("id", "100".into()),
            ("name", "ada".into()),
            ("quota", quota.into()),
            ("rules", Value::tuple(vec![])),
            ("color", "red".into()),
            ("home", "/home/ada".into()),
            ("key", "key-ada".into()),
            ("share", 1.into()),
        ],
    )
}

fn config(body: &Body, quota: i64) -> Value {
    object(body, &[("name", "ada".into()), ("quota", quota.into())])
}

fn unknown(planned: &Value) -> Vec<String> {
    let attributes = planned.attributes().unwrap();
    let unknown = attributes.iter().filter(|(_, value)| !value.is_known());
    unknown.map(|(name, _)| name.to_owned()).collect()
}

#[tokio::test]
async fn computed_attributes_become_unknown_when_something_changes() {
    let host = Host::of(plugin().0).await;
    let body = host.resource("account").body;
    let none = Value::null(body.implied_type());
    let proposed = object(
        body,
        &[
            ("name", "ada".into()),
            ("quota", 5.into()),
            ("rules", Value::tuple(vec![])),
        ],
    );
    let created = plan(&host, &none, &config(body, 5), &proposed).await;
    let created = created.planned.unwrap();
    assert_eq!(unknown(&created), ["color", "home", "id", "key", "share"]);

    let same = plan(&host, &state(body, 5), &config(body, 5), &state(body, 5)).await;
    assert_eq!(same.planned, Some(state(body, 5)));
    assert!(same.replace.is_empty() && same.diagnostics.is_empty());

    let changed = plan(&host, &state(body, 5), &config(body, 6), &state(body, 6)).await;
    let changed = changed.planned.unwrap();
    assert_eq!(unknown(&changed), ["color", "key", "share"]);
    assert_eq!(changed.attribute("quota").unwrap(), 6.into());
    host.end().await;
}

#[tokio::test]
async fn the_author_decides() {
    let host = Host::of(plugin().0).await;
    let body = host.resource("account").body;
    let prior = state(body, 5);
    let with = async |quota| plan(&host, &prior, &config(body, quota), &state(body, quota)).await;

    let replaced = with(100).await;
    assert_eq!(
        serde_json::to_string(&replaced.replace).unwrap(),
        r#"[["id"]]"#
    );
    assert!(unknown(&replaced.planned.unwrap()).contains(&"id".to_owned()));

    assert_eq!(with(99).await.planned, Some(prior.clone()), "as it was");

    let warned = with(98).await;
    assert_eq!(warned.diagnostics[0].summary, "much");
    assert_eq!(
        serde_json::to_string(&warned.diagnostics[0].path).unwrap(),
        r#"["quota"]"#
    );
    assert!(warned.planned.is_some());

    let refused = with(97).await;
    assert!(refused.diagnostics[0].is_error() && refused.planned.is_none());

    // A new one replaces nothing.
    let none = Value::null(body.implied_type());
    let created = plan(&host, &none, &config(body, 100), &config(body, 100)).await;
    assert!(created.replace.is_empty());
    host.end().await;
}

#[tokio::test]
async fn unknown_values_reach_the_author_as_such() {
    let host = Host::of(plugin().0).await;
    let body = host.resource("account").body;
    let none = Value::null(body.implied_type());
    let later = Value::unknown(Type::String);
    let config = object(body, &[("name", later), ("quota", 98.into())]);
    let planned = plan(&host, &none, &config, &config).await;
    // The quota is known, and was asked for.
    assert_eq!(planned.diagnostics[0].summary, "much");
    let planned = planned.planned.unwrap();
    assert!(!planned.attribute("name").unwrap().is_known());
    host.end().await;
}

#[tokio::test]
async fn without_the_whole_configuration_the_plan_is_the_hosts() {
    let host = Host::of(plugin().0).await;
    let unknown = Value::unknown(Type::Number);
    let body = &host.offer.config.body;
    let given = object(body, &[("first", unknown)]);
    let configure = Configure {
        body,
        config: &given,
    };
    assert_eq!(host.call(&configure).await.unwrap().diagnostics, []);
    let body = host.resource("account").body;
    let planned = plan(&host, &state(body, 5), &config(body, 97), &state(body, 97)).await;
    assert!(planned.planned.is_some() && planned.diagnostics.is_empty());
    let (code, text) = host
        .error(
            "resources/readData",
            serde_json::json!([{"type": "look", "config": {"name": "ada"}}]),
        )
        .await;
    assert_eq!(code, -32000);
    assert!(text.contains("known only after apply"), "{text}");
    host.end().await;
}
