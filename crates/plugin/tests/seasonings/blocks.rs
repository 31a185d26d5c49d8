//! Fields that users write as blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tenon_plugin::schema::Nesting;
use tenon_plugin::{
    Created, Data, Existing, Failure, Found, Plugin, Resource, WriteOnly, attributes,
};

use crate::host::Host;

attributes! {
    #[derive(Clone)]
    struct Firewall {
        name: String,
        /// What may pass.
        #[block]
        rule: Vec<Rule>,
        #[block]
        tag: BTreeSet<Tag>,
        #[block]
        zone: BTreeMap<String, Tag>,
        #[block]
        log: Option<Log>,
        #[block]
        owner: Tag,
    }

    #[derive(Clone)]
    struct Rule {
        port: u16,
        is_open: bool = true,
        #[block]
        log: Option<Log>,
    }

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Tag { text: String = "none" }

    #[derive(Clone)]
    struct Log { #[replaces] path: String, key: WriteOnly<String> }
}

/// The firewall that was created last.
#[derive(Default)]
struct Firewalls(Arc<Mutex<Option<Firewall>>>);

impl Resource for Firewalls {
    type Props = Firewall;
    type State = ();

    async fn create(&self, firewall: Firewall) -> Result<Created<()>, Failure> {
        let log = firewall.log.as_ref();
        let key = log.and_then(|log| log.key.reveal()).cloned();
        assert_eq!(key.as_deref(), Some("hunter2"));
        assert!(firewall.rule.iter().all(|rule| rule.is_open));
        *self.0.lock().unwrap() = Some(firewall);
        Ok(Created::new("f", ()))
    }

    async fn read(
        &self,
        _: String,
        _: Option<Firewall>,
    ) -> Result<Option<Found<Firewall, ()>>, Failure> {
        let found = self.0.lock().unwrap().clone();
        Ok(found.map(|firewall| Found::new(firewall, ())))
    }

    async fn update(&self, _: Existing<Firewall, ()>, _: Firewall) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }

    async fn delete(&self, _: Existing<Firewall, ()>) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }
}

fn plugin() -> Plugin {
    Plugin::new("firewalls", "1").resource("firewall", "A firewall", |_| Firewalls::default())
}

#[tokio::test]
async fn blocks_are_in_the_schema_with_everything_inside_them() {
    let host = Host::of(plugin()).await;
    let body = host.resource("firewall").body;
    let nestings: Vec<(&str, Nesting, u64)> = { body.blocks.iter() }
        .map(|one| (one.name.as_str(), one.nesting, one.min))
        .collect();
    assert_eq!(
        nestings,
        [
            ("rule", Nesting::List, 0),
            ("tag", Nesting::Set, 0),
            ("zone", Nesting::Map, 0),
            ("log", Nesting::Single, 0),
            ("owner", Nesting::Single, 1),
        ]
    );
    assert_eq!(body.blocks[0].body.description.text, "What may pass.");
    let rule = &body.blocks[0].body;
    assert_eq!(
        rule.attribute("is_open").unwrap().default,
        Some(true.into())
    );
    let log = &rule.block("log").unwrap().body;
    assert!(log.attribute("path").unwrap().replaces);
    assert!(log.attribute("key").unwrap().is_write_only);
    host.end().await;
}

fn firewall(key: Json) -> Json {
    json!({
        "name": "a",
        "rule": [{"port": 80, "is_open": true, "log": null}],
        "tag": [{"text": "x"}],
        "zone": {"k": {"text": "none"}},
        "log": {"path": "/log", "key": key},
        "owner": {"text": "ada"},
    })
}

#[tokio::test]
async fn blocks_are_planned_created_and_read() {
    let host = Host::of(plugin()).await;
    let config = firewall(json!("hunter2"));
    let params = json!([{"type": "firewall", "prior": null, "config": config,
        "proposed": firewall(json!(null))}]);
    let planned = host.raw("resources/planChange", params).await.unwrap()["planned"].clone();
    assert_eq!(planned["id"], json!({"$unknown": true}));
    assert_eq!(planned["rule"], config["rule"]);

    let params = json!([{"type": "firewall", "prior": null, "config": config, "planned": planned}]);
    let state = host.raw("resources/applyChange", params).await.unwrap()["state"].clone();
    let mut expected = firewall(json!(null));
    expected["id"] = json!("f");
    assert_eq!(state, expected);

    let params = json!([{"type": "firewall", "state": state}]);
    let mut read = host.raw("resources/read", params).await.unwrap()["state"].clone();
    // The host takes out what is write-only.
    read["log"]["key"] = Json::Null;
    assert_eq!(read, expected);

    let params = json!([{"type": "firewall", "prior": state, "config": config, "proposed": state}]);
    let planned = host.raw("resources/planChange", params).await.unwrap();
    assert_eq!(planned, json!({"planned": state}));
    host.end().await;
}

#[tokio::test]
async fn errors_in_blocks_have_their_place() {
    let host = Host::of(plugin()).await;
    let mut config = firewall(json!(null));
    config["rule"] = json!([{"port": 1}, {"port": 70000}]);
    let params = json!([{"kind": "resource", "type": "firewall", "config": config}]);
    let answer = host.raw("resources/validate", params).await.unwrap();
    assert_eq!(answer["diagnostics"][0]["path"], json!(["rule", 1, "port"]));
    host.end().await;
}
