//! A plugin with a thing of every kind.

use std::time::{Duration, UNIX_EPOCH};

use tenon_plugin::{
    Context, Created, Data, Decision, Diagnostic, Ephemeral, Existing, Failure, Found, Opened,
    Plan, Plugin, Renewed, Resource, Secret, Value, Variadic, WriteOnly, attributes,
};

attributes! {
    struct User {
        name: String,
        age: Option<u8>,
    }

    struct NewUser {
        name: String,
        age: Option<u8>,
        password: WriteOnly<String>,
    }

    struct Account {
        number: u64,
        login: Option<Secret<String>>,
    }

    struct Length {
        length: usize,
        name: Secret<String>,
    }

    struct Token {
        name: String,
        age: Option<u8>,
        token: Secret<String>,
    }

    struct Lease {
        number: u64,
    }

    struct Sum {
        a: u32,
        b: u32,
    }

    struct All {
        all: Variadic<Value>,
    }

    struct Name {
        name: String,
    }

    struct Fraction {
        a: f64,
        b: f64,
    }
}

struct Accounts;

impl Resource for Accounts {
    type Props = NewUser;
    type State = Account;

    async fn create(&self, user: NewUser) -> Result<Created<Account>, Failure> {
        let account = Account {
            number: 1,
            login: user.password.reveal().cloned().map(Secret::new),
        };
        let is_open = account.login.is_none();
        let mut data = Data::new(account);
        if is_open {
            data = data.diagnostic(Diagnostic::warning("no password", "anybody may come in"));
        }
        match user.name.as_str() {
            "panic" => panic!("as asked"),
            "fail" => Err("x".parse::<u8>().unwrap_err().into()),
            name => Ok(Created::new(name, data)),
        }
    }

    async fn read(
        &self,
        id: String,
        props: Option<NewUser>,
    ) -> Result<Option<Found<NewUser, Account>>, Failure> {
        let user = props.unwrap_or(NewUser {
            name: id,
            age: None,
            password: WriteOnly::absent(),
        });
        let account = Account {
            number: 2,
            login: None,
        };
        Ok((user.name != "gone").then(|| Found::new(user, account)))
    }

    async fn update(
        &self,
        existing: Existing<NewUser, Account>,
        user: NewUser,
    ) -> Result<Data<Account>, Failure> {
        if existing
            .props
            .is_some_and(|before| before.name != user.name)
        {
            return Err(Failure::diagnosed([
                Diagnostic::error("no", "names stay").at(["name"])
            ]));
        }
        let Some(Account {
            number,
            login: Some(before),
        }) = existing.state
        else {
            let problem = Diagnostic::error("no password", "").at(["login"]);
            return Err(Failure::diagnosed([problem]));
        };
        let login = user.password.reveal().cloned().map_or(before, Secret::new);
        Ok(Data::new(Account {
            number: number + 1,
            login: Some(login),
        }))
    }

    async fn delete(&self, existing: Existing<NewUser, Account>) -> Result<Data<()>, Failure> {
        Ok(match existing.state {
            Some(_) => Data::done(),
            None => Data::done().diagnostic(Diagnostic::warning("never used", "")),
        })
    }

    async fn modify_plan(
        &self,
        plan: Plan<NewUser, Account>,
    ) -> Result<Decision<NewUser>, Failure> {
        Ok(match plan {
            Plan::Create(planned) => match planned.props {
                Some(NewUser {
                    name,
                    age: None,
                    password,
                }) => Decision::modify(NewUser {
                    name,
                    age: Some(18),
                    password,
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
    type Result = Token;
    type Private = Lease;

    async fn open(&self, user: User) -> Result<Opened<Token, Lease>, Failure> {
        let token = Token {
            token: Secret::new(format!("token of {}", user.name)),
            name: user.name,
            age: user.age,
        };
        let opened = Opened::new(token, Lease { number: 1 });
        Ok(opened.renew_at(UNIX_EPOCH + Duration::from_millis(60_900)))
    }

    async fn renew(&self, lease: Lease) -> Result<Renewed<Lease>, Failure> {
        let lease = Lease {
            number: lease.number + 1,
        };
        Ok(match lease.number {
            2 => Renewed::new(lease).renew_at(UNIX_EPOCH + Duration::from_secs(120)),
            _ => Renewed::new(lease).diagnostic(Diagnostic::warning("the last time", "")),
        })
    }
}

/// A thing of every kind.
pub(crate) fn plugin() -> Plugin {
    Plugin::new("accounts", "1.0.0")
        .resource("account", "An account", |_| Accounts)
        .data_source("length", "How long a name is", |_, user: User| async move {
            Ok(Length {
                length: user.name.len(),
                name: Secret::new(user.name),
            })
        })
        .ephemeral("token", "A token", |_| Tokens)
        .action(
            "greet",
            "Greets",
            |context: Context<()>, user: User| async move {
                context.progress.say("one").await;
                context.progress.say("two").await;
                match user.name.as_str() {
                    "fail" => Err(Failure::new("it is broken")),
                    "warn" => {
                        Ok(Data::done().diagnostic(Diagnostic::warning("old", "").at(["name"])))
                    }
                    _ => Ok(Data::done()),
                }
            },
        )
        .function("add", "", |sum: Sum| async move { Ok(sum.a + sum.b) })
        .function("count", "", |all: All| async move { Ok(all.all.0.len()) })
        .function("panic", "", |name: Name| {
            // Before there is a future, and so outside of it.
            assert_eq!(name.name, "nobody");
            async { Ok(()) }
        })
        .function("divide", "", |of: Fraction| async move { Ok(of.a / of.b) })
}
