//! What `conformance/depot` is played against: boxes, leases and states in memory, and a call that never ends by itself.
//! `crates/cli/tests/hosts/` has the same plugin in Python and TypeScript.

use std::collections::BTreeMap;
use std::future::pending;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use tenon_plugin::{
    Context, Created, Data, Diagnostic, Ephemeral, Existing, Failure, Found, Lock, Opened, Plugin,
    Renewed, Resource, ResourceHook, Secret, StageHook, Storage, Typed, Value, Verdict, attributes,
};

attributes! {
    struct Hold {
        /// What is held.
        key: String,
    }

    #[derive(Clone)]
    struct Props {
        /// What is written on it.
        #[replaces]
        label: String,
        /// How many things are in it.
        amount: i64 = 1,
    }

    struct State {
        /// In kilograms.
        weight: i64,
    }

    /// A box as version 0 stored it.
    struct Old { id: String, name: String }

    struct Look {
        /// What is on the label.
        label: String,
    }

    struct Seen { is_there: bool }

    struct Lease {
        /// How long it lasts.
        seconds: u64 = 60,
    }

    struct Leased { token: Secret<String> }

    struct Kept { renewals: i64 }
}

type Boxes = Arc<Mutex<BTreeMap<String, Props>>>;

struct BoxResource(Boxes);

fn state(props: &Props) -> State {
    State {
        weight: props.amount * 2,
    }
}

impl Resource for BoxResource {
    type Props = Props;
    type State = State;
    const VERSION: u64 = 1;

    async fn create(&self, props: Props) -> Result<Created<State>, Failure> {
        let id = format!("box-{}", props.label);
        let state = state(&props);
        self.0.lock().unwrap().insert(id.clone(), props);
        Ok(Created::new(id, state))
    }

    async fn read(
        &self,
        id: String,
        _: Option<Props>,
    ) -> Result<Option<Found<Props, State>>, Failure> {
        let found = self.0.lock().unwrap().get(&id).cloned();
        Ok(found.map(|props| {
            let state = state(&props);
            Found::new(props, state)
        }))
    }

    async fn update(
        &self,
        existing: Existing<Props, State>,
        props: Props,
    ) -> Result<Data<State>, Failure> {
        let state = state(&props);
        self.0.lock().unwrap().insert(existing.id, props);
        Ok(state.into())
    }

    async fn delete(&self, existing: Existing<Props, State>) -> Result<Data<()>, Failure> {
        self.0.lock().unwrap().remove(&existing.id);
        Ok(Data::done())
    }

    async fn upgrade(_: u64, stored: Value) -> Result<Existing<Props, State>, Failure> {
        let old = Old::from_value(&stored)?;
        let props = Props {
            label: old.name,
            amount: 1,
        };
        Ok(Existing {
            id: old.id,
            state: Some(state(&props)),
            props: Some(props),
        })
    }
}

struct Leases;

impl Ephemeral for Leases {
    type Props = Lease;
    type Result = Leased;
    type Private = Kept;

    async fn open(&self, lease: Lease) -> Result<Opened<Leased, Kept>, Failure> {
        let token = Leased {
            token: Secret::new("t0".into()),
        };
        let opened = Opened::new(token, Kept { renewals: 0 });
        Ok(opened.renew_at(UNIX_EPOCH + Duration::from_secs(lease.seconds)))
    }

    async fn renew(&self, kept: Kept) -> Result<Renewed<Kept>, Failure> {
        Ok(Renewed::new(Kept {
            renewals: kept.renewals + 1,
        }))
    }

    async fn close(&self, kept: Kept) -> Result<Data<()>, Failure> {
        let text = format!("renewed {} times", kept.renewals);
        Ok(Data::done().diagnostic(Diagnostic::warning(text, "")))
    }
}

#[derive(Default)]
struct States {
    states: Mutex<BTreeMap<String, Vec<u8>>>,
    locks: Mutex<BTreeMap<String, Lock>>,
}

impl States {
    fn check(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        Lock::check(self.locks.lock().unwrap().get(path), lock_id)
    }
}

impl Storage for States {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.states.lock().unwrap().get(path).cloned())
    }

    async fn write(&self, path: &str, state: &[u8], lock_id: Option<&str>) -> Result<(), Failure> {
        self.check(path, lock_id)?;
        let mut states = self.states.lock().unwrap();
        states.insert(path.to_owned(), state.to_owned());
        Ok(())
    }

    async fn lock(&self, path: &str, wanted: Lock) -> Result<String, Failure> {
        let mut locks = self.locks.lock().unwrap();
        match locks.get(path) {
            Some(held) if held.id != wanted.id => Err(Failure::locked(Some(held.clone()))),
            _ => {
                let id = wanted.id.clone();
                locks.insert(path.to_owned(), wanted);
                Ok(id)
            }
        }
    }

    async fn unlock(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let mut locks = self.locks.lock().unwrap();
        match (locks.get(path), lock_id) {
            (Some(held), Some(id)) if held.id != id => Err(Failure::locked(Some(held.clone()))),
            _ => {
                locks.remove(path);
                Ok(())
            }
        }
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        let states = self.states.lock().unwrap();
        let paths = states.keys().filter(|path| path.starts_with(prefix));
        Ok(paths.cloned().collect())
    }

    async fn delete(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        self.check(path, lock_id)?;
        self.states.lock().unwrap().remove(path);
        Ok(())
    }
}

fn main() -> ExitCode {
    let boxes = Boxes::default();
    let looked_at = boxes.clone();
    Plugin::new("depot", "1.0.0")
        .function_with_context(
            "hold",
            "Holds something, without an end.",
            |context: Context<()>, hold: Hold| async move {
                context.progress.say(format!("holding {}", hold.key)).await;
                pending::<Result<String, Failure>>().await
            },
        )
        .function("token", "A secret.", |(): ()| async {
            Ok(Secret::new("t0".to_owned()))
        })
        .resource("box", "A box.", move |_| BoxResource(boxes.clone()))
        .data_source(
            "look",
            "Whether there is a box.",
            move |context: Context<()>, look: Look| {
                let boxes = looked_at.clone();
                async move {
                    context.progress.step("looking", 1, 2).await;
                    let boxes = boxes.lock().unwrap();
                    let is_there = boxes.values().any(|props| props.label == look.label);
                    Ok(Data::new(Seen { is_there }))
                }
            },
        )
        .ephemeral("lease", "A lease.", |_| Leases)
        .resource_hook(ResourceHook::PreApply, |_, change| async move {
            Ok(match change.resource_type.as_str() {
                "depot_box" => Verdict::warn(format!("{} is heavy", change.address)),
                _ => Verdict::pass(),
            })
        })
        .stage_hook(StageHook::InitStart, |_, _| async { Ok(Verdict::pass()) })
        .stage_hook(StageHook::PlanCompleted, |_, plan| async move {
            Ok(match plan.add > 1 {
                true => Verdict::fail(format!("{} boxes are too many", plan.add)),
                false => Verdict::pass(),
            })
        })
        .stage_hook(StageHook::ApplyFailed, |_, failed| async move {
            Ok(Verdict::warn(failed.errors.join("; ")))
        })
        .storage(|_| States::default())
        .max_in_flight(2)
        .serve()
}
