//! A small useful plugin: an action that greets somebody, for scenarios and for Terraform, and the
//! same as a function of Terraform.
//!
//! Try it:
//!
//! ```text
//! cargo run -p tenon-plugin --example greeter -- schema
//! ```

use tenon_plugin::{Plugin, attributes};

attributes! {
    /// What is taken.
    struct Greet {
        /// Whom to greet.
        name: String,
        /// The words before the name.
        greeting: String = "hello",
        /// Whether to shout.
        loud: Option<bool>,
    }

    /// What the action returns.
    struct Greeting {
        text: String,
    }
}

fn greeting(greet: Greet) -> String {
    let text = format!("{}, {}", greet.greeting, greet.name);
    match greet.loud {
        Some(true) => text.to_uppercase(),
        _ => text,
    }
}

fn main() -> std::process::ExitCode {
    Plugin::new("greeter", "1.0.0")
        .action("greet", "Greets somebody", |_, greet: Greet| async move {
            let text = greeting(greet);
            Ok(Greeting { text })
        })
        .function("greeting", "A greeting", |greet: Greet| async move {
            Ok(greeting(greet))
        })
        .serve()
}
