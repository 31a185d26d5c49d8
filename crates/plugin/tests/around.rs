//! The storage and the hooks of a plugin, as a host that speaks Seasonings calls them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tenon_plugin::{
    Action, Failure, Host, Lock, Plugin, ResourceHook, Segment, StageHook, Storage, Value, Verdict,
    attributes,
};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::calls::{call, storage};
use tenon_protocols::seasonings::{Greeting, LOCKED, Level, NOT_SUPPORTED, Params, Welcome, begin};
use tenon_rpc::{CallError, Connection, ErrorCode, Format, Io, Payload, Peer, Router};
use tenon_values::Type;

/// A plugin and its host, which has made the first call.
struct Conversation {
    connection: Connection,
    welcome: Welcome,
}

impl Conversation {
    async fn start<S: Send + Sync + 'static>(plugin: Plugin<S>, config: Json) -> Conversation {
        let (here, there) = Io::pair();
        tokio::spawn(plugin.serve_host(Host::Seasonings, there));
        let router = Arc::new(Router::new(()));
        let options = Protocol::Seasonings.host_options();
        let dialect = Protocol::Seasonings.dialect();
        let connection = Connection::start_with(here, dialect, router, options);
        let greeting = Greeting {
            config: config.as_object().cloned().unwrap_or_default(),
            ..Greeting::new(Level::ALL)
        };
        let welcome = begin(&connection.peer(), &greeting).await.unwrap();
        Conversation {
            connection,
            welcome,
        }
    }

    fn peer(&self) -> Peer {
        self.connection.peer()
    }

    async fn hook(&self, method: &str, params: Params) -> Result<Json, CallError> {
        let params = Some(params.into_payload());
        let answer = self.peer().call_raw(method, params).await?;
        Ok(answer.decode().unwrap())
    }
}

#[derive(Default)]
struct Memory {
    states: Mutex<HashMap<String, Vec<u8>>>,
    lock: Mutex<Option<Lock>>,
}

impl Storage for Memory {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.states.lock().unwrap().get(path).cloned())
    }

    async fn write(&self, path: &str, state: &[u8], lock_id: Option<&str>) -> Result<(), Failure> {
        Lock::check(self.lock.lock().unwrap().as_ref(), lock_id)?;
        let mut states = self.states.lock().unwrap();
        states.insert(path.to_owned(), state.to_vec());
        Ok(())
    }

    async fn lock(&self, _: &str, wanted: Lock) -> Result<String, Failure> {
        let mut lock = self.lock.lock().unwrap();
        match &*lock {
            Some(held) if held.id != wanted.id => Err(Failure::locked(Some(held.clone()))),
            _ => Ok(lock.insert(wanted).id.clone()),
        }
    }

    async fn unlock(&self, _: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let mut lock = self.lock.lock().unwrap();
        if lock.is_some() {
            Lock::check(lock.as_ref(), lock_id)?;
        }
        *lock = None;
        Ok(())
    }
}

fn code(error: &CallError) -> &ErrorCode {
    match error {
        CallError::Answered(answer) => &answer.code,
        error => panic!("{error}"),
    }
}

fn lock(info: &str) -> storage::Lock<'_> {
    storage::Lock {
        path: "x",
        operation: "apply",
        info,
    }
}

const A: &str = r#"{"ID":"a","Who":"ann"}"#;
const B: &str = r#"{"ID":"b"}"#;

#[tokio::test]
async fn a_storage_is_called_with_states_and_locks() {
    let plugin = Plugin::new("store", "1.0.0").storage(|_| Memory::default());
    let conversation = Conversation::start(plugin, json!({})).await;
    assert!(conversation.welcome.capabilities.has(Level::Storage));
    assert!(!conversation.welcome.capabilities.has(Level::Functions));
    let peer = &conversation.peer();

    let read = storage::Read { path: "team/x" };
    assert_eq!(call(peer, &read).await.unwrap(), None);
    assert_eq!(call(peer, &lock(A)).await.unwrap(), "a");
    assert_eq!(call(peer, &lock(A)).await.unwrap(), "a");
    let error = call(peer, &lock(B)).await.unwrap_err();
    let CallError::Answered(answer) = &error else {
        panic!("{error}");
    };
    let held = storage::Held::of(answer).unwrap();
    assert_eq!(held.lock_id.as_deref(), Some("a"));
    assert_eq!(held.info.as_deref(), Some(A));

    let write = |lock_id| storage::Write {
        path: "team/x",
        state: b"\x00state",
        lock_id,
    };
    call(peer, &write(Some("a"))).await.unwrap();
    call(peer, &write(None)).await.unwrap();
    let error = call(peer, &write(Some("b"))).await.unwrap_err();
    assert_eq!(code(&error), &LOCKED);
    let state = call(peer, &read).await.unwrap().unwrap();
    assert_eq!(&state[..], b"\x00state");

    let unlock = |lock_id| storage::Unlock { path: "x", lock_id };
    let error = call(peer, &unlock(Some("b"))).await.unwrap_err();
    assert_eq!(code(&error), &LOCKED);
    call(peer, &unlock(Some("a"))).await.unwrap();
    call(peer, &unlock(Some("a"))).await.unwrap();
    call(peer, &lock(B)).await.unwrap();
    call(peer, &unlock(None)).await.unwrap();
    call(peer, &lock(A)).await.unwrap();

    // What the storage leaves out.
    let error = call(peer, &storage::List::default()).await.unwrap_err();
    assert_eq!(code(&error), &NOT_SUPPORTED);
}

#[tokio::test]
async fn bad_params_do_not_reach_a_storage() {
    let plugin = Plugin::new("store", "1.0.0").storage(|_| Memory::default());
    let conversation = Conversation::start(plugin, json!({})).await;
    let calls = [
        ("storage/read", json!([{}])),
        ("storage/read", json!([{"path": "../x"}])),
        ("storage/read", json!([{"path": 7}])),
        ("storage/write", json!([{"path": "x"}])),
        ("storage/lock", json!([{"path": "x", "info": "none"}])),
        ("storage/lock", json!([{"path": "x", "info": "{}"}])),
        ("storage/unlock", json!([{"path": "x"}])),
    ];
    for (method, params) in calls {
        let sent = Payload::encode(Format::Msgpack, &params).unwrap();
        let error = conversation.peer().call_raw(method, Some(sent)).await;
        let error = error.unwrap_err();
        assert_eq!(
            code(&error),
            &ErrorCode::INVALID_PARAMS,
            "{method} {params}"
        );
    }
}

#[tokio::test]
async fn a_plugin_without_a_storage_does_not_know_it() {
    let conversation = Conversation::start(Plugin::new("none", "1"), json!({})).await;
    let read = storage::Read { path: "x" };
    let error = call(&conversation.peer(), &read).await.unwrap_err();
    assert_eq!(code(&error), &ErrorCode::METHOD_NOT_FOUND);
    let error = conversation.hook("middleware/postPlan", Params::new());
    let error = error.await.unwrap_err();
    assert_eq!(code(&error), &ErrorCode::METHOD_NOT_FOUND);
}

attributes! {
    struct Config {
        word: String = "none",
    }
}

fn hooks() -> Plugin<Config> {
    Plugin::new("hooks", "1.0.0")
        .configure(|config: Config| async move { Ok(config) })
        .resource_hook(ResourceHook::PostPlan, |config, change| async move {
            assert_eq!(change.action, Some(Action::Create));
            assert_eq!(change.index, Some(Value::from("key")));
            assert_eq!(change.before, Value::NULL);
            assert!(change.after_at(&["id"]).is_none(), "it is unknown");
            assert!(change.after_at(&["input", "none", "deeper"]).is_none());
            let size = change.after_at(&["input", "size"]).unwrap();
            let secret = vec![Segment::Name("secrets".into()), Segment::Index(0)];
            assert_eq!(change.sensitive_paths, [secret]);
            let cost = change.metadata.attributes().unwrap().get("cost").unwrap();
            assert_eq!(cost.attributes().unwrap().get("monthly"), Some(&5.into()));
            let text = format!("{} {}", change.address, size.as_str().unwrap());
            Ok(Verdict::warn(text)
                .warning("more")
                .metadata("word", config.word.as_str())
                .metadata("count", 3))
        })
        .resource_hook(ResourceHook::PreApply, |_, _| async {
            Err(Failure::new("no access"))
        })
        .stage_hook(StageHook::PlanCompleted, |_, stage| async move {
            let addresses: Vec<_> = stage.resources.iter().map(|one| &one.address).collect();
            Ok(Verdict::fail(format!(
                "{} {addresses:?} {} {:?} {:?}",
                stage.name, stage.add, stage.plan_sha256, stage.errors
            )))
        })
}

fn change() -> Params {
    let after = Value::object([
        ("id", Value::unknown(Type::String)),
        ("input", Value::object([("size", Value::from("large"))])),
        ("secrets", Value::tuple(vec![Value::NULL])),
    ]);
    Params::new()
        .text("address", "terraform_data.a[\"key\"]")
        .text("resource_type", "terraform_data")
        .text("planned_action", "Create")
        .member("index", "key")
        .and_then(|params| params.member("before", &()))
        .and_then(|params| params.value("after", &after, &after.ty()))
        .and_then(|params| params.member("sensitive_paths", &json!([["secrets", 0]])))
        .and_then(|params| params.member("metadata", &json!({"cost": {"monthly": 5}})))
        .unwrap()
}

#[tokio::test]
async fn hooks_get_changes_and_return_verdicts() {
    let conversation = Conversation::start(hooks(), json!({"word": "hello"})).await;
    let capabilities = &conversation.welcome.capabilities;
    assert!(capabilities.includes("middleware/postPlan"));
    assert!(capabilities.includes("middleware/planStageCompleted"));
    assert!(!capabilities.includes("middleware/postApply"));
    let expected = json!({
        "status": "warning",
        "message": "terraform_data.a[\"key\"] large",
        "warnings": ["more"],
        "metadata": {"word": "hello", "count": 3},
    });
    // By all of its names.
    for name in ["middleware/postPlan", "hooks.postPlan", "post-plan"] {
        let verdict = conversation.hook(name, change()).await.unwrap();
        assert_eq!(verdict, expected, "{name}");
    }
    let failed = conversation.hook("middleware/preApply", change()).await;
    let failed = failed.unwrap_err().to_string();
    assert!(failed.contains("no access"), "{failed}");
}

#[tokio::test]
async fn a_stage_has_all_changes() {
    let conversation = Conversation::start(hooks(), json!({})).await;
    let stage = Params::new()
        .text("stage", "plan")
        .maps("resources", vec![change(), change().text("module", "m")])
        .member("summary", &json!({"add": 2, "change": 0}))
        .and_then(|params| params.member("plan_sha256", "abc"))
        .unwrap();
    let name = "middleware/planStageCompleted";
    let verdict = conversation.hook(name, stage).await.unwrap();
    assert_eq!(verdict["status"], "fail");
    let message =
        r#"plan ["terraform_data.a[\"key\"]", "terraform_data.a[\"key\"]"] 2 Some("abc") []"#;
    assert_eq!(verdict["message"], message);
    let verdict = conversation.hook(name, Params::new()).await.unwrap();
    assert_eq!(verdict["message"], " [] 0 None []");
}

#[test]
#[should_panic(expected = "there are two hooks called hooks.postPlan")]
fn a_hook_is_defined_once() {
    let pass = |_, _| async { Ok(Verdict::pass()) };
    let _never = Plugin::new("hooks", "1")
        .resource_hook(ResourceHook::PostPlan, pass)
        .resource_hook(ResourceHook::PostPlan, pass);
}
