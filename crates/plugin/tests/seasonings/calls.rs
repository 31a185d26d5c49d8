//! What a plugin answers to the host's calls.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tenon_plugin::schema::{Body, Presence};
use tenon_plugin::{Type, Value};
use tenon_protocols::seasonings::calls::{
    ApplyChange, Argument, CallFunction, Close, Configure, Import, Kind, Open, ReadData,
    ReadResource, Renew, Upgrade,
};
use tenon_rpc::Router;

use crate::accounts::plugin;
use crate::host::{Host, object};

#[tokio::test]
async fn the_schema_follows_from_the_definition() {
    let (plugin, _) = plugin();
    let offered = plugin.offer().clone();
    let host = Host::of(plugin).await;
    assert_eq!(host.welcome.name, "accounts");
    assert_eq!(host.welcome.version, "1.2.3");
    assert_eq!(host.welcome.max_in_flight.map(Into::into), Some(4_usize));
    assert_eq!(host.offer.functions, offered.functions);
    assert_eq!(host.offer.config, offered.config);
    assert_eq!(host.offer.data_sources, offered.data_sources);
    let account = &host.offer.resources["account"].schema;
    assert_eq!(account.version, 2);
    let of = |name: &str| account.body.attribute(name).unwrap();
    assert!(of("name").replaces && of("home").is_stable && of("id").is_stable);
    assert_eq!(of("color").presence, Presence::OptionalComputed);
    assert!(of("password").is_write_only && of("key").is_sensitive);
    assert_eq!(of("quota").default, Some(10.into()));
    host.end().await;
}

async fn call(host: &Host, name: &str, given: &[(&str, Argument)]) -> Value {
    let function = &host.offer.functions[name];
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .chain(&function.variadic)
        .collect();
    let arguments: Vec<_> = given
        .iter()
        .map(|(name, argument)| {
            let parameter = parameters.iter().find(|one| one.name == *name).unwrap();
            (*parameter, argument.clone())
        })
        .collect();
    let call = CallFunction {
        name,
        arguments: &arguments,
        returns: &function.returns,
    };
    host.call(&call).await.unwrap().result.unwrap()
}

#[tokio::test]
async fn functions_take_positional_optional_and_variadic_arguments() {
    let host = Host::of(plugin().0).await;
    let one = |value: &str| Argument::One(value.into());
    let slug = async |given: &[(&str, Argument)]| call(&host, "slug", given).await;
    assert_eq!(slug(&[("text", one("a b"))]).await, "a-b".into());
    let given = [("text", one("a b")), ("separator", one("_"))];
    assert_eq!(slug(&given).await, "a_b".into());
    let given = [("text", one("a b")), ("limit", Argument::One(2.into()))];
    assert_eq!(slug(&given).await, "a-".into());
    let null = Argument::One(Value::null(Type::Number));
    let given = [("text", one("a b")), ("limit", null.clone())];
    assert_eq!(slug(&given).await, "a-b".into());

    let numbers = Argument::Several(vec![1.into(), 2.into()]);
    let given = [("start", Argument::One(10.into())), ("numbers", numbers)];
    assert_eq!(call(&host, "sum", &given).await, 13.into());
    let given = [("start", null), ("numbers", Argument::Several(vec![]))];
    assert_eq!(call(&host, "sum", &given).await, 0.into());

    // Each value of the type `any` has its own type.
    let list = Value::list(Type::Bool, vec![true.into()]).unwrap();
    let values = Argument::Several(vec![1.into(), "a".into(), list]);
    let kinds = call(&host, "kinds", &[("values", values)]).await;
    assert_eq!(kinds.to_string(), r#"["number", "string", "list(bool)"]"#);
    host.end().await;
}

fn null(body: &Body) -> Value {
    Value::null(body.implied_type())
}

/// Plans by nothing, as tests of single calls need it: what is configured, and the rest unknown.
fn planned(body: &Body, config: &Value) -> Value {
    let attributes = body.attributes.iter().map(|one| {
        let value = config.attribute(&one.name).unwrap();
        let value = match (&one.default, value.is_null()) {
            _ if one.is_write_only => Value::null(one.implied_type()),
            (Some(default), true) => {
                tenon_values::convert::convert(default, &one.implied_type()).unwrap()
            }
            (None, true) if one.presence.is_computed() => Value::unknown(one.implied_type()),
            _ => value,
        };
        (one.name.as_str(), value)
    });
    Value::object(attributes)
}

#[tokio::test]
async fn a_resource_is_created_read_updated_and_deleted() {
    let (plugin, shared) = plugin();
    let host = Host::of(plugin).await;
    let kind = host.resource("account");
    let body = kind.body;
    let none = null(body);
    let rule = Value::object([("port", 80.into()), ("is_open", Value::null(Type::Bool))]);
    let extra = Value::list(Type::String, vec!["x".into()]).unwrap();
    let given = |quota: i64| {
        [
            ("name", "ada".into()),
            ("quota", quota.into()),
            (
                "ratio",
                Value::number("0.1".parse::<tenon_plugin::Number>().unwrap()),
            ),
            ("rules", Value::tuple(vec![rule.clone()])),
            ("extra", extra.clone()),
            ("password", "hunter2".into()),
        ]
    };
    let config = object(body, &given(5));
    let apply = async |prior: &Value, planned: &Value, config: &Value| {
        let call = ApplyChange {
            kind,
            prior,
            planned,
            config,
            private: None,
        };
        host.call(&call).await.unwrap()
    };
    let created = apply(&none, &planned(body, &config), &config).await;
    assert_eq!(created.diagnostics, []);
    let state = created.state.unwrap().unwrap();
    let of = |state: &Value, name: &str| state.attribute(name).unwrap();
    assert_eq!(of(&state, "id"), "100".into());
    assert_eq!(of(&state, "home"), "/home/ada".into());
    assert_eq!(of(&state, "color"), "red".into());
    assert_eq!(of(&state, "key"), "key-ada".into());
    assert!(of(&state, "password").is_null());
    // As it was configured: without the default of the author's type, and of its own type.
    assert_eq!(of(&state, "rules"), of(&config, "rules"));
    assert_eq!(of(&state, "extra"), extra);
    assert_eq!(
        shared.calls.lock().unwrap().last().unwrap(),
        "create ada with hunter2"
    );

    // What is read is the same, also what the author's type writes differently, and secrets that the
    // plugin does not know any more.
    let read = async |state: &Value| {
        let call = ReadResource {
            kind,
            state,
            private: None,
        };
        host.call(&call).await.unwrap()
    };
    assert_eq!(read(&state).await.state, Some(state.clone()));

    let config = object(body, &given(6));
    let mut next = planned(body, &config);
    for name in ["id", "home"] {
        let kept = next.attributes().unwrap();
        let kept = kept.iter().map(|(one, value)| match one == name {
            true => (one, of(&state, name)),
            false => (one, value.clone()),
        });
        next = Value::object(kept.collect::<Vec<_>>());
    }
    let updated = apply(&state, &next, &config).await;
    let state = updated.state.unwrap().unwrap();
    assert_eq!(of(&state, "id"), "100".into());
    assert_eq!(of(&state, "quota"), 6.into());
    assert_eq!(read(&state).await.state, Some(state.clone()));

    let deleted = apply(&state, &none, &none).await;
    assert_eq!(deleted.state, Ok(None));
    assert_eq!(deleted.diagnostics[0].summary, "gone for good");
    let gone = read(&state).await.state.unwrap();
    assert!(gone.is_null());
    let names = shared.calls.lock().unwrap().clone();
    let expected = [
        "create ada with hunter2",
        "read",
        "update to 6",
        "read",
        "delete",
        "read",
    ];
    assert_eq!(names, expected);
    host.end().await;
    assert_eq!(shared.calls.lock().unwrap().last().unwrap(), "shutdown");
}

#[tokio::test]
async fn what_was_created_is_never_forgotten() {
    let (plugin, _) = plugin();
    let host = Host::of(plugin).await;
    let kind = host.resource("account");
    let none = null(kind.body);
    for (name, summary, path) in [
        ("part", "made in part", json!(["rules", 0, "port"])),
        ("nan", "the resource was created in part", json!(null)),
    ] {
        let config = object(kind.body, &[("name", name.into())]);
        let call = ApplyChange {
            kind,
            prior: &none,
            planned: &planned(kind.body, &config),
            config: &config,
            private: None,
        };
        let applied = host.call(&call).await.unwrap();
        let state = applied.state.unwrap().unwrap();
        assert!(!state.attribute("id").unwrap().is_null(), "{name}");
        assert_eq!(state.attribute("name").unwrap(), name.into());
        // It can be deleted, whatever is known of it.
        let delete = ApplyChange {
            kind,
            prior: &state,
            planned: &none,
            config: &none,
            private: None,
        };
        assert_eq!(host.call(&delete).await.unwrap().state, Ok(None));
        let [problem] = &applied.diagnostics[..] else {
            panic!("{:?}", applied.diagnostics);
        };
        assert_eq!(problem.summary, summary);
        if !path.is_null() {
            assert_eq!(serde_json::to_value(&problem.path).unwrap(), path);
        }
    }
    host.end().await;
}

#[tokio::test]
async fn a_resource_is_imported_by_its_id_and_then_read() {
    let (plugin, shared) = plugin();
    let host = Host::of(plugin).await;
    let kind = host.resource("account");
    let config = object(kind.body, &[("name", "ada".into()), ("quota", 7.into())]);
    let create = ApplyChange {
        kind,
        prior: &null(kind.body),
        planned: &planned(kind.body, &config),
        config: &config,
        private: None,
    };
    host.call(&create).await.unwrap();
    let import = Import {
        kind,
        id: "100",
        resources: &host.offer.resources,
    };
    let imported = host.call(&import).await.unwrap().resources.remove(0);
    let read = ReadResource {
        kind,
        state: &imported.state,
        private: imported.private.as_deref(),
    };
    let found = host.call(&read).await.unwrap();
    let state = found.state.unwrap();
    assert_eq!(state.attribute("quota").unwrap(), 7.into());
    assert_eq!(found.private.as_deref(), Some(&b""[..]));
    let last = shared.calls.lock().unwrap().last().cloned();
    assert_eq!(last.as_deref(), Some("read what was imported"));
    host.end().await;
}

/// It may come before `configure`, also if the plugin cannot be configured.
#[tokio::test]
async fn an_older_state_is_upgraded() {
    let host = Host::of(plugin().0).await;
    let kind = host.resource("account");
    let old = Value::object([("id", "7".into()), ("called", Value::from("ada"))]);
    let upgrade = |version| Upgrade {
        kind,
        version,
        state: &old,
    };
    let state = host.call(&upgrade(1)).await.unwrap().state.unwrap();
    assert_eq!(state.attribute("id").unwrap(), "7".into());
    assert_eq!(state.attribute("name").unwrap(), "ada".into());
    assert_eq!(state.attribute("home").unwrap(), "/home/ada".into());
    let refused = host.call(&upgrade(0)).await.unwrap_err();
    assert!(
        refused.to_string().contains("version 0 is too old"),
        "{refused}"
    );
    host.end().await;
}

#[tokio::test]
async fn a_data_source_is_read_with_progress() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let router = Router::new(()).event_fallback(move |_, event| {
        let text = event
            .params
            .unwrap()
            .to_format(tenon_rpc::Format::Json)
            .unwrap();
        let text = String::from_utf8(text.bytes().to_vec()).unwrap();
        heard
            .lock()
            .unwrap()
            .push(format!("{} {text}", event.method));
    });
    let host = Host::with(plugin().0, router).await;
    let body = &host.offer.data_sources["look"].body;
    let config = object(body, &[("name", "ada".into()), ("loud", true.into())]);
    let call = ReadData {
        kind: Kind { name: "look", body },
        config: &config,
    };
    let data = host.call(&call).await.unwrap().state.unwrap();
    assert_eq!(data.attribute("is_there").unwrap(), false.into());
    assert_eq!(data.attribute("name").unwrap(), "ada".into());
    assert_eq!(
        *said.lock().unwrap(),
        [r#"progress [{"message":"looking"}]"#]
    );
    host.end().await;
}

#[tokio::test]
async fn an_ephemeral_resource_is_opened_renewed_and_closed() {
    let host = Host::of(plugin().0).await;
    let body = &host.offer.ephemeral_resources["lease"].body;
    let kind = Kind {
        name: "lease",
        body,
    };
    let config = object(body, &[("seconds", 90.into())]);
    let opened = host
        .call(&Open {
            kind,
            config: &config,
        })
        .await
        .unwrap();
    let renew_at = opened.renew_at.unwrap();
    assert_eq!(renew_at.as_deref(), Some("1970-01-01T00:01:30Z"));
    let result = opened.result.unwrap().unwrap();
    let private = opened.private.unwrap();
    assert_eq!(result.attribute("token").unwrap(), "t0".into());
    assert_eq!(result.attribute("seconds").unwrap(), 90.into());
    let renew = Renew {
        name: "lease",
        private: private.as_deref(),
    };
    let renewed = host.call(&renew).await.unwrap();
    assert_eq!(renewed.renew_at, None);
    let close = Close {
        name: "lease",
        private: renewed.private.as_deref(),
    };
    let closed = host.call(&close).await.unwrap();
    assert_eq!(closed.diagnostics[0].summary, "t was renewed 1 times");
    host.end().await;
}

#[tokio::test]
async fn the_configuration_makes_the_state() {
    let host = Host::of(plugin().0).await;
    let body = &host.offer.config.body;
    let configure = async |given: &[(&str, Value)]| {
        let config = object(body, given);
        let call = Configure {
            body,
            config: &config,
        };
        host.call(&call).await
    };
    let refused = configure(&[("first", 3.into()), ("refuse", "no".into())]).await;
    let refused = refused.unwrap().diagnostics;
    assert_eq!(
        (&*refused[0].summary, &*refused[0].detail),
        ("refused", "no")
    );
    assert_eq!(
        serde_json::to_string(&refused[0].path).unwrap(),
        r#"["refuse"]"#
    );
    let unfit = configure(&[("first", 300.into())])
        .await
        .unwrap()
        .diagnostics;
    assert!(unfit[0].is_error(), "{unfit:?}");
    assert_eq!(
        serde_json::to_string(&unfit[0].path).unwrap(),
        r#"["first"]"#
    );
    assert_eq!(
        configure(&[("first", 3.into())]).await.unwrap().diagnostics,
        []
    );
    configure(&[("first", 3.into())]).await.unwrap_err();

    let kind = host.resource("account");
    let config = object(kind.body, &[("name", "ada".into())]);
    let create = ApplyChange {
        kind,
        prior: &null(kind.body),
        planned: &planned(kind.body, &config),
        config: &config,
        private: None,
    };
    let state = host.call(&create).await.unwrap().state.unwrap().unwrap();
    assert_eq!(state.attribute("id").unwrap(), "300".into());
    host.end().await;
}
