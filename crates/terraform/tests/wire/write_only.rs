//! Props that no state holds: what is passed on, when their changes are found, and that nobody
//! sees them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use tenon_values::{Type, Value};

use crate::blocks::{assert_none, part, shown, value, with};
use crate::core::{Action, Core, Held};

fn config(core: &Core, secret: &str) -> Value {
    let props = ("props", value("{}"));
    match secret {
        "" => core.config(&[props]),
        _ => core.config(&[props, ("write_only_props", value(secret))]),
    }
}

/// The same, with other values as a reason for an update.
fn compared(core: &Core, secret: &str) -> Value {
    let compared = ("write_only_props_detect_changes", Value::TRUE);
    with(&config(core, secret), &[compared])
}

/// What the private data say of them.
fn hash(held: &Held) -> Option<String> {
    let private: Json = serde_json::from_slice(&held.private).ok()?;
    let kept = STANDARD
        .decode(private["write_only_props_hash"].as_str()?)
        .ok()?;
    let kept: Json = serde_json::from_slice(&kept).ok()?;
    Some(kept["hash"].as_str()?.to_owned())
}

fn version(state: &Value) -> Value {
    part(state, "write_only_props_version")
}

#[tokio::test]
async fn every_change_is_an_update_and_is_counted_if_they_are_compared() {
    let core = Core::new(json!({})).await;
    let first = compared(&core, r#"{"password": "hunter2"}"#);
    let made = core.change(&core.nothing(), &first).await;
    assert_eq!(version(&made.state), Value::from(1));
    // Computed by `printf '{"password":"hunter2"}' | sha256sum`.
    let expected = "7881d759c44f0e45f22a9ec1075a2b26a80da5dea5e08eb791d84468c4388222";
    assert_eq!(hash(&made).as_deref(), Some(expected));
    assert_eq!(core.plan(&made, &first).await.action, Action::Nothing);
    let read = core.read(&made).await;
    assert_eq!(core.plan(&read, &first).await.action, Action::Nothing);

    let second = compared(&core, r#"{"password": "swordfish"}"#);
    let changed = core.change(&read, &second).await;
    assert_eq!(version(&changed.state), Value::from(2));
    assert_eq!(core.plan(&changed, &second).await.action, Action::Nothing);

    let none = compared(&core, "");
    let removed = core.change(&changed, &none).await;
    assert_eq!(
        (version(&removed.state), hash(&removed)),
        (Value::from(3), None)
    );
    assert_eq!(core.plan(&removed, &none).await.action, Action::Nothing);

    let again = core.change(&removed, &first).await;
    assert_eq!(version(&again.state), Value::from(4));

    let create = json!({"props": {}, "writeOnlyProps": {"password": "hunter2"}});
    assert_eq!(core.stage.heard_of("create"), [create]);
    let updates = core.stage.heard_of("update");
    let passed: Vec<_> = updates
        .iter()
        .map(|one| one.get("nextWriteOnlyProps").cloned())
        .collect();
    let swordfish = json!({"password": "swordfish"});
    let hunter = json!({"password": "hunter2"});
    assert_eq!(passed, [Some(swordfish), None, Some(hunter)]);
    core.stage.end().await;
}

/// A value from an ephemeral resource is another one each time, and no reason for an update. That
/// there is one, or none any more, is.
#[tokio::test]
async fn other_values_alone_plan_nothing() {
    let core = Core::new(json!({})).await;
    let made = core
        .change(&core.nothing(), &config(&core, r#"{"id": "one"}"#))
        .await;
    let unknown = Value::object([("id", Value::unknown(Type::String))]);
    let unknown = core.config(&[("props", value("{}")), ("write_only_props", unknown)]);
    let secret = |id: &str| config(&core, &format!("{{\"id\": \"{id}\"}}"));
    for other in [secret("one"), secret("two"), unknown] {
        let planned = core.plan(&made, &other).await;
        assert_none(&planned.diagnostics);
        assert_eq!(planned.action, Action::Nothing);
    }

    // An update for another reason passes them on. Only then is it known whether they are others.
    let more = |id: &str| with(&secret(id), &[("props", value(r#"{"a": 1}"#))]);
    let planned = core.plan(&made, &more("two")).await;
    assert_eq!(planned.action, Action::Update);
    assert!(!version(&planned.state).is_known());
    let changed = core.apply(&planned).await;
    assert_eq!(version(&changed.state), Value::from(2));
    assert_ne!(hash(&changed), hash(&made));
    assert_eq!(
        core.plan(&changed, &more("three")).await.action,
        Action::Nothing
    );
    let same = core.apply(&core.plan(&made, &more("one")).await).await;
    assert_eq!(version(&same.state), Value::from(1));
    let passed = core.stage.heard_of("update");
    assert_eq!(passed[0]["nextWriteOnlyProps"], json!({"id": "two"}));

    let none = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let removed = core.change(&changed, &none).await;
    assert_eq!(
        (version(&removed.state), hash(&removed)),
        (Value::from(3), None)
    );
    assert_eq!(core.plan(&removed, &none).await.action, Action::Nothing);
    let added = core.change(&removed, &more("four")).await;
    assert_eq!(version(&added.state), Value::from(4));
    assert_eq!(
        core.plan(&added, &more("five")).await.action,
        Action::Nothing
    );
    core.stage.end().await;
}

#[tokio::test]
async fn a_version_that_is_set_decides_about_updates() {
    let core = Core::new(json!({})).await;
    let set = |secret: &str, version: i64| {
        let version = ("write_only_props_version", Value::from(version));
        with(&config(&core, secret), &[version])
    };
    let made = core.change(&core.nothing(), &set(r#""first""#, 7)).await;
    assert_eq!(version(&made.state), Value::from(7));
    assert_eq!(
        core.plan(&made, &set(r#""first""#, 7)).await.action,
        Action::Nothing
    );
    // Another secret alone is no change.
    assert_eq!(
        core.plan(&made, &set(r#""second""#, 7)).await.action,
        Action::Nothing
    );
    assert_eq!(core.plan(&made, &set("", 7)).await.action, Action::Nothing);
    let changed = core.change(&made, &set(r#""second""#, 8)).await;
    assert_eq!(version(&changed.state), Value::from(8));
    // Left to the provider again, it goes on from there.
    let left = config(&core, r#""second""#);
    assert_eq!(core.plan(&changed, &left).await.action, Action::Nothing);
    let counted = core.change(&changed, &compared(&core, r#""third""#)).await;
    assert_eq!(version(&counted.state), Value::from(9));
    core.stage.end().await;
}

/// The provider counts from 1 even without props, and 1 is what most people begin with.
#[tokio::test]
async fn props_that_come_with_the_version_of_before_are_passed_on() {
    let core = Core::new(json!({})).await;
    let made = core.change(&core.nothing(), &config(&core, "")).await;
    assert_eq!(version(&made.state), Value::from(1));
    let set = ("write_only_props_version", Value::from(1));
    let added = with(&config(&core, r#""secret""#), &[set]);
    assert_eq!(core.plan(&made, &added).await.action, Action::Update);
    let changed = core.change(&made, &added).await;
    assert!(hash(&changed).is_some());
    assert_eq!(core.plan(&changed, &added).await.action, Action::Nothing);
    core.stage.end().await;
}

#[tokio::test]
async fn what_is_not_known_yet_may_be_a_change() {
    let core = Core::new(json!({})).await;
    let known = compared(&core, r#"{"a": "secret"}"#);
    let made = core.change(&core.nothing(), &known).await;
    let unknown = Value::object([("a", Value::unknown(Type::String))]);
    let unknown = with(&known, &[("write_only_props", unknown)]);
    let planned = core.plan(&made, &unknown).await;
    assert_none(&planned.diagnostics);
    assert_eq!(planned.action, Action::Update);
    assert!(!version(&planned.state).is_known());
    // When it is applied everything is known; Terraform plans once more.
    assert_eq!(core.plan(&made, &known).await.action, Action::Nothing);
    core.stage.end().await;
}

#[tokio::test]
async fn a_resource_without_a_fingerprint_gets_one() {
    let core = Core::new(json!({})).await;
    let made = core.change(&core.nothing(), &config(&core, "")).await;
    let bare = Held {
        private: Vec::new(),
        state: with(
            &made.state,
            &[("write_only_props_version", Value::null(Type::Number))],
        ),
        ..made
    };
    let changed = core.change(&bare, &config(&core, r#""secret""#)).await;
    assert_eq!(version(&changed.state), Value::from(1));
    assert!(hash(&changed).is_some());
    core.stage.end().await;
}

/// A failed update has not passed them on.
#[tokio::test]
async fn a_failed_update_remembers_nothing() {
    let core = Core::new(json!({"update": {"error": {"code": 1, "message": "no"}}})).await;
    let made = core
        .change(&core.nothing(), &compared(&core, r#""first""#))
        .await;
    let second = compared(&core, r#""second""#);
    let planned = core.plan(&made, &second).await;
    let failed = core.apply(&planned).await;
    assert_eq!(failed.diagnostics.len(), 1);
    assert_eq!((hash(&failed), failed.state), (hash(&made), made.state));
    core.stage.end().await;
}

#[tokio::test]
async fn write_only_values_are_stored_nowhere() {
    let secret = "correct-horse-battery";
    let said = json!([{"severity": "warning", "summary": secret, "detail": format!("<{secret}>"),
        "propPath": ["writeOnlyProps"]}]);
    let core = Core::new(json!({
        "create": {"with": {"diagnostics": said}},
        "update": {"error": {"code": 1, "message": format!("cannot use {secret}")}, "stderr": [secret]},
    }))
    .await;
    let config = |number: i64| {
        let secrets = Value::object([("a", Value::from(secret)), ("n", Value::from(number))]);
        core.config(&[
            ("props", value("{}")),
            ("write_only_props", secrets),
            ("write_only_props_detect_changes", Value::TRUE),
        ])
    };
    let planned = core.plan(&core.nothing(), &config(1)).await;
    let made = core.apply(&planned).await;
    let lines = shown(&made.diagnostics);
    assert_eq!(
        lines,
        ["warning at .write_only_props: (sensitive): <(sensitive)>"]
    );
    let failed = core.apply(&core.plan(&made, &config(2)).await).await;
    let line = &shown(&failed.diagnostics)[0];
    assert!(
        line.contains("cannot use (sensitive)") && !line.contains(secret),
        "{line}"
    );
    core.stage.end().await;
}
