//! A plugin with functions and actions of every kind.

use std::collections::BTreeMap;

use tenon_plugin::{Code, Failure, Number, Plugin, Secret, Variadic, attributes};

attributes! {
    struct Greet {
        /// Whom to greet.
        name: String,
        greeting: String = "hello",
        suffix: Option<String>,
    }
    struct Join { separator: String, parts: Variadic<String> }
    struct Rules { rules: Vec<Rule> }
    struct Rule { port: u16, is_open: bool = true }
    struct Login { user: String, password: Secret<String> }
    struct Session { user: String, token: Secret<String>, nickname: Option<String> }
    struct Config { limit: u8 = 3 }
}

pub(crate) fn plugin() -> Plugin<u8> {
    Plugin::new("tools", "1.2.3")
        .configure(|config: Config| async move { Ok(config.limit) })
        .function("greet", "Greets somebody.", |greet: Greet| async move {
            let suffix = greet.suffix.unwrap_or_default();
            Ok(format!("{}, {}{suffix}", greet.greeting, greet.name))
        })
        .function("join", "Joins texts.", |join: Join| async move {
            Ok(join.parts.0.join(&join.separator))
        })
        .function("open", "", |given: Rules| async move {
            let open = given.rules.iter().filter(|rule| rule.is_open);
            Ok(open.map(|rule| rule.port).collect::<Vec<u16>>())
        })
        .function("exact", "", |()| async {
            "12345678901234567890.5"
                .parse::<Number>()
                .map_err(Failure::from)
        })
        .function("holes", "", |()| async {
            Ok(BTreeMap::from([("a".to_owned(), None::<String>)]))
        })
        .function("nothing", "", |()| async { Ok(None::<bool>) })
        .function("refuse", "", |login: Login| async move {
            let password = login.password.reveal();
            Err::<bool, _>(
                Failure::new(format!("{} has {password:?}", login.user)).with_detail(password),
            )
        })
        .function("crash", "", |()| async {
            panic!("hunter2") as Result<bool, _>
        })
        .action("login", "Logs in.", |_, login: Login| async move {
            match login.password.reveal().as_str() {
                "open sesame" => Ok(Session {
                    user: login.user,
                    token: Secret::new("t1".to_owned()),
                    nickname: None,
                }),
                _ => Err(Failure::new("the password is wrong")
                    .with_code(Code::Other("denied".into()))
                    .with_detail("ask for another")),
            }
        })
        .idempotent("login")
        .action("count", "", |context, ()| async move {
            for step in 1..=*context.state().as_ref() {
                context.progress.say(format!("step {step}")).await;
            }
            Ok(())
        })
        .action("wait", "", |_, ()| async {
            std::future::pending::<()>().await;
            Ok(())
        })
        .max_in_flight(2)
}
