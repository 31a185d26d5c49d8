//! plugname: a plugin. README.md says how each host runs it.

//: resource
mod note;
//: end
//: storage
mod store;
//: end
//: resource storage

//: end
use std::process::ExitCode;

//: action
use tenon_plugin::Failure;
//: end
use tenon_plugin::Plugin;
//: function action
use tenon_plugin::attributes;
//: end
//: hook
use tenon_plugin::{Action, ResourceHook, Verdict};
//: end

//: function
attributes! {
    struct Greet {
        /// Whom to greet.
        name: String,
        /// The words before the name.
        greeting: String = "hello",
    }
}

fn greet(greet: Greet) -> String {
    format!("{}, {}", greet.greeting, greet.name)
}

//: end
//: action
attributes! {
    struct Append {
        /// The file, which is created if there is none.
        file: String,
        line: String,
    }
    struct Appended {
        /// How many lines the file has now.
        lines: usize,
    }
}

fn append(append: Append) -> Result<Appended, Failure> {
    use std::io::Write;
    let mut options = std::fs::File::options();
    let mut file = options.create(true).append(true).open(&append.file)?;
    writeln!(file, "{}", append.line)?;
    let lines = std::fs::read_to_string(&append.file)?.lines().count();
    Ok(Appended { lines })
}

//: end
fn main() -> ExitCode {
    Plugin::new("plugname", env!("CARGO_PKG_VERSION"))
//: function
        .function("greet", "Greets somebody", |given: Greet| async move {
            Ok(greet(given))
        })
//: end
//: action
        .action(
            "append",
            "Appends a line to a file",
            |_, given: Append| async move { append(given) },
        )
//: end
//: resource
        .resource("note", "A file with some text", |_| note::Note)
//: end
//: storage
        .storage(|_| store::Store::new("states"))
//: end
//: hook
        .resource_hook(ResourceHook::PostPlan, |_, change| async move {
            Ok(match change.action {
                Some(Action::Delete | Action::Replace) => {
                    Verdict::warn(format!("{} will be destroyed", change.address))
                }
                _ => Verdict::pass(),
            })
        })
//: end
        .serve()
}
//: function action

#[cfg(test)]
mod tests {
    use super::*;
//: function

    #[test]
    fn somebody_is_greeted() {
        let given = Greet {
            name: "World".into(),
            greeting: "hello".into(),
        };
        assert_eq!(greet(given), "hello, World");
    }
//: end
//: action

    #[test]
    fn a_line_is_appended() {
        let file = std::env::temp_dir().join(format!("plugname-{}", std::process::id()));
        let line = |line: &str| Append {
            file: file.display().to_string(),
            line: line.into(),
        };
        append(line("one")).unwrap();
        assert_eq!(append(line("two")).unwrap().lines, 2);
        std::fs::remove_file(file).unwrap();
    }
//: end
}
//: end
