//! The host in memory that plugin authors test with.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tenon_plugin::testing::Host;
use tenon_plugin::{
    Action, Change, Code, Created, Data, Diagnostic, Ephemeral, Existing, Failure, Found, Lock,
    Opened, Plugin, Renewed, Resource, ResourceHook, Secret, Stage, StageHook, Storage, Value,
    Variadic, Verdict, WriteOnly, attributes,
};

attributes! {
    struct Config { prefix: String = "n-", refuse: bool = false }
    struct Join { separator: String = "-", parts: Variadic<String> }
    struct Send { to: String, password: Secret<String>, times: u8 = 1 }
    struct Sent { id: String }
    struct Note {
        #[replaces]
        title: String,
        text: String = "(empty)",
        password: WriteOnly<String>,
        #[block]
        tag: Vec<Tag> = Vec::new(),
    }
    struct Tag { name: String }
    struct Written { words: usize }
    struct Seen { id: String, title: String, text: String, words: usize }
    struct Prefix { prefix: Option<String> }
    struct Count { notes: usize }
    struct Length { length: usize = 4 }
    struct Token { value: Secret<String> }
    struct Kept { renewals: u32 }
}

/// The notes by id: the title and the text.
#[derive(Default)]
struct Notes {
    prefix: String,
    notes: Mutex<BTreeMap<String, (String, String)>>,
}

struct NoteResource(std::sync::Arc<Notes>);

fn written(text: &str) -> Written {
    Written {
        words: text.split_whitespace().count(),
    }
}

impl Resource for NoteResource {
    type Props = Note;
    type State = Written;

    async fn create(&self, note: Note) -> Result<Created<Written>, Failure> {
        assert_eq!(note.password.reveal().map(String::as_str), Some("hunter2"));
        if note.title.is_empty() {
            return Err(Failure::diagnosed([Diagnostic::error(
                "the title is empty",
                "",
            )
            .at(["title"])]));
        }
        let id = format!("{}{}", self.0.prefix, note.title);
        let data = Data::new(written(&note.text));
        let mut notes = self.0.notes.lock().unwrap();
        notes.insert(id.clone(), (note.title, note.text));
        let warning = Diagnostic::warning("a new note", "").at(["title"]);
        Ok(Created::new(id, data.diagnostic(warning)))
    }

    async fn read(
        &self,
        id: String,
        _: Option<Note>,
    ) -> Result<Option<Found<Note, Written>>, Failure> {
        let notes = self.0.notes.lock().unwrap();
        Ok(notes.get(&id).map(|(title, text)| {
            let note = Note {
                title: title.clone(),
                text: text.clone(),
                password: WriteOnly::absent(),
                tag: Vec::new(),
            };
            Found::new(note, written(text))
        }))
    }

    async fn update(
        &self,
        existing: Existing<Note, Written>,
        note: Note,
    ) -> Result<Data<Written>, Failure> {
        let data = written(&note.text);
        let mut notes = self.0.notes.lock().unwrap();
        notes.insert(existing.id, (note.title, note.text));
        Ok(data.into())
    }

    async fn delete(&self, existing: Existing<Note, Written>) -> Result<Data<()>, Failure> {
        self.0.notes.lock().unwrap().remove(&existing.id);
        Ok(Data::done())
    }
}

struct Tokens;

impl Ephemeral for Tokens {
    type Props = Length;
    type Result = Token;
    type Private = Kept;

    async fn open(&self, props: Length) -> Result<Opened<Token, Kept>, Failure> {
        let value = Secret::new("t".repeat(props.length));
        Ok(Opened::new(Token { value }, Kept { renewals: 0 }))
    }

    async fn renew(&self, kept: Kept) -> Result<Renewed<Kept>, Failure> {
        match kept.renewals {
            0 => Ok(Renewed::new(Kept { renewals: 1 })),
            _ => Err(Failure::new("it was renewed already")),
        }
    }
}

#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, Vec<u8>>>);

impl Storage for Memory {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.0.lock().unwrap().get(path).cloned())
    }

    async fn write(&self, path: &str, state: &[u8], _: Option<&str>) -> Result<(), Failure> {
        let mut states = self.0.lock().unwrap();
        states.insert(path.to_owned(), state.to_vec());
        Ok(())
    }

    async fn lock(&self, _: &str, wanted: Lock) -> Result<String, Failure> {
        match wanted.id.as_str() {
            "b" => Err(Failure::locked(None)),
            _ => Ok(wanted.id),
        }
    }
}

fn plugin() -> Plugin<Notes> {
    Plugin::new("notes", "1.0.0")
        .configure(|config: Config| async move {
            match config.refuse {
                true => Err(Failure::new("it is refused")),
                false => Ok(Notes {
                    prefix: config.prefix,
                    ..Notes::default()
                }),
            }
        })
        .function("join", "", |join: Join| async move {
            match join.parts.0.is_empty() {
                true => Err(Failure::diagnosed([Diagnostic::error(
                    "there are none",
                    "",
                )
                .at(["parts"])])),
                false => Ok(join.parts.0.join(&join.separator)),
            }
        })
        .action("send", "", |context, send: Send| async move {
            for time in 1..=send.times {
                context.progress.say(format!("time {time}")).await;
            }
            match send.password.reveal().as_str() {
                "hunter2" => Ok(Sent {
                    id: format!("to {}", send.to),
                }),
                _ => Err(Failure::outcome_unknown("no answer").with_detail("for a minute")),
            }
        })
        .action("nap", "", |_, ()| async { Ok(()) })
        .resource("note", "", NoteResource)
        .data_source("count", "", |notes, given: Prefix| async move {
            let prefix = given.prefix.unwrap_or_default();
            let all = notes.notes.lock().unwrap();
            let notes = all.keys().filter(|id| id.starts_with(&prefix)).count();
            Ok(Count { notes })
        })
        .ephemeral("token", "", |_| Tokens)
        .resource_hook(ResourceHook::PostPlan, |_, change| async move {
            Ok(match change.after_at(&["size"]).and_then(Value::as_str) {
                Some("large") => {
                    Verdict::warn(format!("{} is large", change.address)).metadata("cost", 80)
                }
                _ => Verdict::pass(),
            })
        })
        .stage_hook(StageHook::PlanCompleted, |_, plan| async move {
            Ok(match plan.destroy > 0 || plan.resources.len() > 1 {
                true => Verdict::fail(format!("{} of {}", plan.destroy, plan.name)),
                false => Verdict::pass(),
            })
        })
        .storage(|_| Memory::default())
}

fn object(given: &[(&str, &str)]) -> Value {
    Value::object(
        given
            .iter()
            .map(|(name, value)| (*name, Value::from(*value))),
    )
}

#[tokio::test]
async fn functions_are_called_with_defaults() {
    let host = Host::new(plugin()).await;
    let parts = Value::tuple(vec!["a".into(), "b".into()]);
    let given = Value::object([("parts", parts)]);
    let joined: String = host.call_function("join", &given).await.unwrap();
    assert_eq!(joined, "a-b");
    let failed = host.call_function::<String>("join", &object(&[])).await;
    let failed = failed.unwrap_err();
    assert_eq!(failed.to_string(), "parts: there are none");
    assert_eq!(failed.attribute(), "parts");
    let failed = host.call_function::<String>("jion", &object(&[])).await;
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the plugin has no function \"jion\""
    );
    host.end().await;
}

#[tokio::test]
async fn actions_return_outputs_failures_and_progress() {
    let host = Host::new(plugin()).await;
    let send = Send {
        to: "ada".into(),
        password: Secret::new("hunter2".into()),
        times: 2,
    };
    let sent: Sent = host.run_action("send", &send).await.unwrap();
    assert_eq!(sent.id, "to ada");
    assert_eq!(host.progress(), ["time 1", "time 2"]);
    let given = object(&[("to", "ada"), ("password", "x")]);
    let failed = host.run_action::<Sent>("send", &given).await.err().unwrap();
    assert_eq!(failed.code, Some(Code::OutcomeUnknown));
    assert_eq!(failed.to_string(), "no answer\nfor a minute");
    let failed = host
        .run_action::<Sent>("send", &object(&[("to", "ada")]))
        .await;
    let failed = failed.err().unwrap();
    assert_eq!(failed.to_string(), "password: a value is required");
    host.run_action::<()>("nap", &()).await.unwrap();
}

#[tokio::test]
async fn a_resource_is_planned_applied_read_replaced_and_destroyed() {
    let host = Host::new(plugin()).await;
    let mut note = host.resource("note");
    let given = |title: &str, text: &str| {
        object(&[("title", title), ("text", text), ("password", "hunter2")])
    };
    let planned = note.plan(&given("a", "one two")).await.unwrap();
    assert_eq!(planned.action, Action::Create);
    assert!(!planned.after.attribute("words").unwrap().is_known());

    note.apply(&given("a", "one two")).await.unwrap();
    let seen: Seen = note.state().unwrap();
    assert_eq!((&*seen.id, &*seen.title, seen.words), ("n-a", "a", 2));
    assert_eq!(host.warnings(), ["title: a new note"]);
    let again = note.plan(&given("a", "one two")).await.unwrap();
    assert_eq!(again.action, Action::NoOp);

    note.apply(&given("a", "one")).await.unwrap();
    assert_eq!(note.state::<Seen>().unwrap().words, 1);
    let replaced = note.plan(&given("b", "one")).await.unwrap();
    assert_eq!(replaced.action, Action::Replace);
    note.apply(&given("b", "one")).await.unwrap();
    assert_eq!(note.state::<Seen>().unwrap().id, "n-b");
    let count: Count = host.read_data("count", &object(&[])).await.unwrap();
    assert_eq!(count.notes, 1);

    let mut imported = host.import("note", "n-b").await.unwrap();
    assert_eq!(imported.state::<Seen>().unwrap().text, "one");
    imported.destroy().await.unwrap();
    assert!(!imported.exists());
    assert!(!note.read().await.unwrap(), "it is gone");
    let failed = host.import("note", "n-b").await.unwrap_err();
    assert_eq!(failed.to_string(), "\"n-b\" does not exist");
}

#[tokio::test]
async fn what_is_refused_names_its_attribute() {
    let host = Host::new(plugin()).await;
    let mut note = host.resource("note");
    let given = object(&[("title", ""), ("password", "hunter2")]);
    let failed = note.apply(&given).await.unwrap_err();
    assert_eq!(failed.to_string(), "title: the title is empty");
    assert!(!note.exists());
    let failed = note.plan(&object(&[("titel", "a")])).await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "titel: it is not supported; did you mean `title`?"
    );
}

#[tokio::test]
async fn a_configuration_is_passed_on() {
    let config = object(&[("prefix", "x-")]);
    let host = Host::configured(plugin(), &config).await.unwrap();
    let mut note = host.resource("note");
    let given = object(&[("title", "a"), ("password", "hunter2")]);
    note.apply(&given).await.unwrap();
    assert_eq!(note.state::<Seen>().unwrap().id, "x-a");
    let config = Value::object([("refuse", Value::from(true))]);
    let failed = Host::configured(plugin(), &config).await.unwrap_err();
    assert_eq!(failed.to_string(), "it is refused");
}

#[tokio::test]
async fn an_ephemeral_resource_is_opened_renewed_and_closed() {
    let host = Host::new(plugin()).await;
    let mut lease = host.open("token", &object(&[])).await.unwrap();
    assert_eq!(lease.result::<Token>().unwrap().value.reveal(), "tttt");
    assert_eq!(lease.renew_at(), None);
    lease.renew().await.unwrap();
    let failed = lease.renew().await.unwrap_err();
    assert_eq!(failed.to_string(), "it was renewed already");
    lease.close().await.unwrap();
}

#[tokio::test]
async fn hooks_give_their_verdict() {
    let host = Host::new(plugin()).await;
    let mut change = Change::new("module.a.disk.root[\"x.y\"]", Some(Action::Create));
    assert_eq!(
        (&*change.resource_type, &*change.resource_name),
        ("disk", "root")
    );
    let verdict = host.resource_hook(ResourceHook::PostPlan, &change).await;
    assert_eq!(verdict.unwrap(), Verdict::pass());
    change.after = object(&[("size", "large")]);
    let verdict = host.resource_hook(ResourceHook::PostPlan, &change).await;
    let expected = Verdict::warn("module.a.disk.root[\"x.y\"] is large").metadata("cost", 80);
    assert_eq!(verdict.unwrap(), expected);

    let mut stage = Stage::default();
    stage.resources = vec![change.clone()];
    let verdict = host.stage_hook(StageHook::PlanCompleted, &stage).await;
    assert_eq!(verdict.unwrap(), Verdict::pass());
    stage.destroy = 2;
    let verdict = host.stage_hook(StageHook::PlanCompleted, &stage).await;
    assert_eq!(verdict.unwrap(), Verdict::fail("2 of plan"));
    let failed = host.stage_hook(StageHook::InitStart, &stage).await;
    assert!(failed.is_err());
}

#[tokio::test]
async fn states_are_stored() {
    let host = Host::new(plugin()).await;
    let storage = host.storage();
    assert_eq!(storage.read("a").await.unwrap(), None);
    storage.write("a", b"\x00state", None).await.unwrap();
    let state = storage.read("a").await.unwrap();
    assert_eq!(state.as_deref(), Some(&b"\x00state"[..]));
    let lock = |id: &str| Lock {
        id: id.into(),
        info: format!("{{\"ID\":\"{id}\"}}"),
    };
    assert_eq!(storage.lock("a", &lock("a")).await.unwrap(), "a");
    let failed = storage.lock("a", &lock("b")).await.unwrap_err();
    assert_eq!(failed.to_string(), "the lock is no longer held");
    let failed = storage.list("").await.unwrap_err();
    assert_eq!(failed.to_string(), "the plugin does not support this");
}
