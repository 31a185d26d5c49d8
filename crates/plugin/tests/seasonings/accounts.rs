//! A plugin with everything that Terraform can use: accounts in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use tenon_plugin::{
    Context, Created, Data, Decision, Diagnostic, Ephemeral, Existing, Failure, Found, Opened,
    Plan, Plugin, Renewed, Resource, Secret, Typed, Value, Variadic, WriteOnly, attributes,
};

attributes! {
    pub(crate) struct Config {
        /// The number that ids begin with.
        first: u8 = 1,
        /// Refused if it is not empty.
        refuse: Option<String>,
    }

    #[derive(Clone)]
    pub(crate) struct Account {
        #[replaces]
        name: String,
        /// How much it may hold.
        quota: u8 = 10,
        ratio: Option<f64>,
        rules: Vec<Rule> = Vec::new(),
        extra: Option<Value>,
        /// Chosen by the plugin if it is not given.
        color: Option<String>,
        password: WriteOnly<String>,
    }

    #[derive(Clone)]
    pub(crate) struct Rule {
        port: u16,
        is_open: bool = true,
    }

    #[derive(Clone)]
    pub(crate) struct Known {
        color: Option<String>,
        #[stable]
        home: String,
        key: Option<Secret<String>>,
        share: f64,
    }

    struct Old { id: String, called: String }

    struct Look { name: String, loud: bool = false }
    struct Seen { is_there: bool, name: Option<String> }

    struct Lease { seconds: u64 = 60 }
    struct Leased { token: Secret<String> }
    struct Kept { name: String, renewals: u32 }

    struct Slug { text: String, separator: String = "-", limit: Option<u8> }
    struct Sum { start: Option<i64>, numbers: Variadic<i64> }
    struct Kinds { values: Variadic<Value> }
}

/// The accounts by id, and the names of everything that was called.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) accounts: Mutex<BTreeMap<String, (Account, Known)>>,
    pub(crate) calls: Mutex<Vec<String>>,
}

impl Shared {
    fn note(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }
}

struct Accounts {
    first: u8,
    shared: Arc<Shared>,
}

fn known(account: &Account, color: Option<String>) -> Known {
    Known {
        color: account.color.clone().or(color).or(Some("red".into())),
        home: format!("/home/{}", account.name),
        key: Some(Secret::new(format!("key-{}", account.name))),
        share: match account.name.as_str() {
            "nan" => f64::NAN,
            _ => account.ratio.unwrap_or(0.1),
        },
    }
}

impl Resource for Accounts {
    type Props = Account;
    type State = Known;
    const VERSION: u64 = 2;

    async fn create(&self, account: Account) -> Result<Created<Known>, Failure> {
        let password = account.password.reveal().map_or("none", String::as_str);
        self.shared
            .note(format!("create {} with {password}", account.name));
        if account.name == "fail" {
            return Err(Failure::new("it is broken").with_detail("completely"));
        }
        let mut accounts = self.shared.accounts.lock().unwrap();
        let id = format!("{}{:02}", self.first, accounts.len());
        let known = known(&account, None);
        accounts.insert(id.clone(), (account.clone(), known.clone()));
        let mut data = Data::new(known);
        if account.name == "part" {
            data =
                data.diagnostic(Diagnostic::error("made in part", "").at(["rules", "0", "port"]));
        }
        Ok(Created::new(id, data))
    }

    async fn read(
        &self,
        id: String,
        props: Option<Account>,
    ) -> Result<Option<Found<Account, Known>>, Failure> {
        self.shared.note(match props {
            Some(_) => "read",
            None => "read what was imported",
        });
        let found = self.shared.accounts.lock().unwrap().get(&id).cloned();
        Ok(found.map(|(account, known)| {
            let account = Account {
                password: WriteOnly::absent(),
                ..account
            };
            Found::new(account, Known { key: None, ..known })
        }))
    }

    async fn update(
        &self,
        existing: Existing<Account, Known>,
        account: Account,
    ) -> Result<Data<Known>, Failure> {
        let before = existing.state.and_then(|state| state.color);
        self.shared.note(format!("update to {}", account.quota));
        let known = known(&account, before);
        let mut accounts = self.shared.accounts.lock().unwrap();
        accounts.insert(existing.id, (account, known.clone()));
        Ok(known.into())
    }

    async fn delete(&self, existing: Existing<Account, Known>) -> Result<Data<()>, Failure> {
        self.shared.note("delete");
        let key = existing.state.and_then(|state| state.key);
        assert!(key.is_none_or(|key| key.reveal().starts_with("key-")));
        self.shared.accounts.lock().unwrap().remove(&existing.id);
        Ok(Data::done().diagnostic(Diagnostic::warning("gone for good", "")))
    }

    async fn modify_plan(&self, plan: Plan<Account, Known>) -> Result<Decision<Account>, Failure> {
        let (Plan::Create(planned) | Plan::Update(_, planned)) = &plan else {
            return Ok(Decision::keep());
        };
        match planned.get::<Option<u8>>(&["quota"])?.flatten() {
            // An update cannot do that.
            Some(100) => Ok(Decision::replace()),
            // It is as good as what is there.
            Some(99) => match plan {
                Plan::Update(
                    Existing {
                        props: Some(props), ..
                    },
                    _,
                ) => Ok(Decision::modify(props)),
                _ => Ok(Decision::keep()),
            },
            Some(98) => {
                Ok(Decision::keep().diagnostic(Diagnostic::warning("much", "").at(["quota"])))
            }
            Some(97) => Err(Failure::diagnosed([
                Diagnostic::error("too much", "").at(["quota"])
            ])),
            _ => Ok(Decision::keep()),
        }
    }

    async fn upgrade(version: u64, stored: Value) -> Result<Existing<Account, Known>, Failure> {
        if version != 1 {
            return Err(Failure::new(format!("version {version} is too old")));
        }
        let old = Old::from_value(&stored)?;
        let account = Account {
            name: old.called,
            quota: 10,
            ratio: None,
            rules: Vec::new(),
            extra: None,
            color: None,
            password: WriteOnly::absent(),
        };
        let state = known(&account, None);
        Ok(Existing {
            id: old.id,
            props: Some(account),
            state: Some(state),
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
        let kept = Kept {
            name: "t".into(),
            renewals: 0,
        };
        let renew_at = UNIX_EPOCH + Duration::from_secs(lease.seconds);
        Ok(Opened::new(token, kept).renew_at(renew_at))
    }

    async fn renew(&self, kept: Kept) -> Result<Renewed<Kept>, Failure> {
        let renewals = kept.renewals + 1;
        Ok(Renewed::new(Kept { renewals, ..kept }))
    }

    async fn close(&self, kept: Kept) -> Result<Data<()>, Failure> {
        let text = format!("{} was renewed {} times", kept.name, kept.renewals);
        Ok(Data::done().diagnostic(Diagnostic::warning(text, "")))
    }
}

pub(crate) struct State {
    first: u8,
    shared: Arc<Shared>,
}

pub(crate) fn plugin() -> (Plugin<State>, Arc<Shared>) {
    let shared = Arc::new(Shared::default());
    let kept = shared.clone();
    let plugin = Plugin::new("accounts", "1.2.3")
        .function("slug", "A short name", |slug: Slug| async move {
            match slug.text.as_str() {
                "" => Err(Failure::diagnosed([Diagnostic::error(
                    "the text is empty",
                    "",
                )
                .at(["text"])])),
                "panic" => panic!("as asked"),
                text => {
                    let text = text.replace(' ', &slug.separator);
                    let limit = slug.limit.map_or(usize::MAX, usize::from);
                    Ok(text.chars().take(limit).collect::<String>())
                }
            }
        })
        .function("sum", "", |sum: Sum| async move {
            Ok(sum.start.unwrap_or(0) + sum.numbers.0.iter().sum::<i64>())
        })
        .function("kinds", "", |kinds: Kinds| async move {
            let kinds = kinds.values.0.iter().map(|value| value.ty().to_string());
            Ok(kinds.collect::<Vec<String>>())
        })
        .configure(move |config: Config| {
            let shared = kept.clone();
            async move {
                match config.refuse {
                    Some(why) => Err(Failure::diagnosed([
                        Diagnostic::error("refused", why).at(["refuse"])
                    ])),
                    None => Ok(State {
                        first: config.first,
                        shared,
                    }),
                }
            }
        })
        .resource("account", "An account", |state: Arc<State>| Accounts {
            first: state.first,
            shared: state.shared.clone(),
        })
        .data_source(
            "look",
            "Whether there is one",
            |state: Context<State>, look: Look| async move {
                if look.loud {
                    state.progress.say("looking").await;
                }
                let accounts = state.shared.accounts.lock().unwrap();
                let is_there = accounts
                    .values()
                    .any(|(account, _)| account.name == look.name);
                Ok(Data::new(Seen {
                    is_there,
                    name: None,
                }))
            },
        )
        .ephemeral("lease", "A lease", |_| Leases)
        .shutdown(|state| async move { state.shared.note("shutdown") })
        .max_in_flight(4);
    (plugin, shared)
}
