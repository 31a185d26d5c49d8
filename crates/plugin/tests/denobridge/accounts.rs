//! A script of every kind at once.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenon_plugin::Value;
use tenon_plugin::denobridge::{
    Created, Data, Decision, Diagnostic, Ephemeral, Existing, Failure, Found, Opened, Outcome,
    Plan, Progress, Renewed, Resource, Script, Wanted,
};

#[derive(Serialize, Deserialize)]
struct User {
    name: String,
    age: Option<u8>,
}

#[derive(Serialize, Deserialize)]
struct Account {
    number: u64,
}

#[derive(Serialize, Deserialize)]
struct Login {
    password: String,
}

struct Accounts;

impl Resource for Accounts {
    type Props = User;
    type State = Account;

    async fn create(&self, wanted: Wanted<User>) -> Result<Created<Account>, Failure> {
        let data = Data::new(Account { number: 1 });
        let data = match wanted.write_only.reveal::<Option<Login>>()? {
            Some(login) => data.sensitive(&login),
            None => data.diagnostic(Diagnostic::warning("no password", "anybody may come in")),
        };
        match wanted.props.name.as_str() {
            "panic" => panic!("as asked"),
            "fail" => Err("x".parse::<u8>().unwrap_err().into()),
            name => Ok(Created::new(name, data)),
        }
    }

    async fn read(
        &self,
        id: String,
        props: Option<User>,
    ) -> Result<Option<Found<User, Account>>, Failure> {
        let user = props.unwrap_or(User {
            name: id,
            age: None,
        });
        Ok((user.name != "gone").then(|| Found::new(user, Account { number: 2 })))
    }

    async fn update(
        &self,
        existing: Existing<User, Account>,
        wanted: Wanted<User>,
    ) -> Result<Data<Account>, Failure> {
        if existing
            .props
            .is_some_and(|user| user.name != wanted.props.name)
        {
            return Err(Failure::diagnosed([
                Diagnostic::error("no", "names stay").at(["nextProps", "name"])
            ]));
        }
        let Login { password } = existing.sensitive.reveal()?;
        let number = existing.state.map_or(0, |account| account.number);
        let login = match wanted.write_only.reveal()? {
            Some(login) => login,
            None => Login { password },
        };
        Ok(Data::new(Account { number: number + 1 }).sensitive(&login))
    }

    async fn delete(&self, existing: Existing<User, Account>) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::done();
        if existing.state.is_none() {
            let warning = Diagnostic::warning("never used", "");
            outcome.diagnostics.push(warning);
        }
        Ok(outcome)
    }

    async fn modify_plan(&self, plan: Plan<User, Account>) -> Result<Decision<User>, Failure> {
        Ok(match plan {
            Plan::Create(planned) => match planned.props {
                Some(User { name, age: None }) => Decision::modify(User {
                    name,
                    age: Some(18),
                }),
                _ => Decision::keep(),
            },
            Plan::Update(existing, planned) => match planned.get::<String>(&["name"])? {
                Some(name) if name == existing.id => Decision::keep(),
                _ => Decision::replace(),
            },
            Plan::Delete(existing) => {
                Decision::keep().diagnostic(Diagnostic::warning("it goes", existing.id))
            }
        })
    }
}

struct Tokens;

impl Ephemeral for Tokens {
    type Props = User;
    type Result = User;
    type Private = Account;

    async fn open(&self, user: User) -> Result<Opened<User, Account>, Failure> {
        let token = format!("token of {}", user.name);
        let opened = Opened::new(Data::new(user).sensitive(&token), Account { number: 1 });
        Ok(opened.renew_at(UNIX_EPOCH + Duration::from_millis(60_900)))
    }

    async fn renew(&self, lease: Account) -> Result<Renewed<Account>, Failure> {
        let lease = Account {
            number: lease.number + 1,
        };
        Ok(match lease.number {
            2 => Renewed::new(lease).renew_at(UNIX_EPOCH + Duration::from_secs(120)),
            _ => Renewed::new(lease).diagnostic(Diagnostic::warning("the last time", "")),
        })
    }
}

/// Every kind at once.
pub(crate) fn script() -> Script {
    Script::new()
        .resource(Accounts)
        .data_source(
            |user: User| async move { Ok(Data::new(user.name.len()).sensitive(&user.name)) },
        )
        .ephemeral(Tokens)
        .action(|progress: Progress, user: User| async move {
            progress.say("one").await;
            progress.say("two").await;
            match user.name.as_str() {
                "fail" => Err(Failure::new("it is broken")),
                _ => Ok(Outcome::done()),
            }
        })
        .function("add", |(a, b): (u32, u32)| async move { Ok(a + b) })
        .function("count", |all: Vec<Value>| async move { Ok(all.len()) })
        .function("panic", |(name,): (String,)| {
            // Before there is a future, and so outside of it.
            assert_eq!(name, "nobody");
            async { Ok(()) }
        })
        .function("divide", |(a, b): (f64, f64)| async move { Ok(a / b) })
}
