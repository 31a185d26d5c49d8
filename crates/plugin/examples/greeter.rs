//! The smallest useful provider: one action that greets somebody.
//!
//! Try it:
//!
//! ```text
//! cargo run -p tenon-plugin --example greeter -- schema
//! ```

use tenon_plugin::orchard::{Provider, attributes};

attributes! {
    /// What the action takes.
    struct Greet {
        /// Whom to greet.
        name: String,
        /// The words before the name.
        greeting: String = "hello",
        /// Whether to shout.
        loud: Option<bool>,
    }

    /// What it brings.
    struct Greeting {
        text: String,
    }
}

fn main() -> std::process::ExitCode {
    Provider::new("greeter", "1.0.0")
        .action("greet", "Greets somebody", |_, greet: Greet| async move {
            let text = format!("{}, {}", greet.greeting, greet.name);
            Ok(match greet.loud {
                Some(true) => Greeting {
                    text: text.to_uppercase(),
                },
                _ => Greeting { text },
            })
        })
        .serve()
}
