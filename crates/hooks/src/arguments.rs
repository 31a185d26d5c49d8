//! The arguments of a command of Terraform, as far as they matter to what is put around it.

mod shell_words;

/// A command line of `terraform` or `tofu`, without the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// What stands before the command, such as `-chdir=DIR`.
    pub global: Vec<String>,
    /// The command; empty if there is none.
    pub command: String,
    /// What stands behind it.
    pub rest: Vec<String>,
}

/// Options whose value may be the next argument. All others are switches, or are written with `=`.
const WITH_VALUE: [&str; 24] = [
    "backend-config",
    "backup",
    "config",
    "deprecation",
    "exclude",
    "exclude-file",
    "from-module",
    "generate-config-out",
    "invoke",
    "json-into",
    "lock-timeout",
    "lockfile",
    "out",
    "parallelism",
    "plugin-dir",
    "provider",
    "replace",
    "state",
    "state-out",
    "target",
    "target-file",
    "var",
    "var-file",
    "chdir",
];

/// Options of `apply` that `plan` does not have.
const OF_APPLY_ALONE: [&str; 3] = ["auto-approve", "backup", "state-out"];

/// Options of `apply` that may stand beside a saved plan.
const BESIDE_A_PLAN: [&str; 14] = [
    "auto-approve",
    "backup",
    "compact-warnings",
    "concise",
    "consolidate-errors",
    "consolidate-warnings",
    "json",
    "lock",
    "lock-timeout",
    "no-color",
    "parallelism",
    "show-sensitive",
    "state",
    "state-out",
];

/// One argument, or two that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Option {
        name: &'a str,
        /// The value, and whether it is an argument of its own.
        value: Option<&'a str>,
        words: &'a [String],
    },
    Positional(&'a String),
}

impl Arguments {
    /// Splits a command line.
    pub fn parse(words: &[String]) -> Arguments {
        let command = words.iter().position(|word| !word.starts_with('-'));
        let (global, rest) = words.split_at(command.unwrap_or(words.len()));
        let (command, rest) = match rest.split_first() {
            Some((command, rest)) => (command.clone(), rest),
            None => (String::new(), rest),
        };
        Arguments {
            global: global.to_vec(),
            command,
            rest: rest.to_vec(),
        }
    }

    /// With the options that `TF_CLI_ARGS` and `TF_CLI_ARGS_plan` (or another command) put behind the command, as
    /// Terraform has them. `None` if Terraform cannot read them either.
    pub fn with_defaults(mut self, variable: impl Fn(&str) -> Option<String>) -> Option<Arguments> {
        let own = format!("TF_CLI_ARGS_{}", self.command.replace('-', "_"));
        for name in ["TF_CLI_ARGS", &own] {
            let words = shell_words::split(&variable(name).unwrap_or_default())?;
            self.rest.splice(0..0, words);
        }
        Some(self)
    }

    /// The folder that Terraform works in, if it is not the current one.
    pub fn folder(&self) -> Option<&str> {
        self.global.iter().rev().find_map(|word| {
            let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
            option?.strip_prefix("chdir=")
        })
    }

    /// Whether a switch is on: `-auto-approve`, `-json=true`.
    pub fn has(&self, switch: &str) -> bool {
        self.value(switch)
            .is_some_and(|value| value.is_none_or(is_true))
    }

    /// Whether a switch is off: `-input=false`.
    pub fn is_off(&self, switch: &str) -> bool {
        self.value(switch)
            .flatten()
            .is_some_and(|value| !is_true(value))
    }

    /// The value of an option: the last one counts. `Some(None)` for one without a value.
    pub fn value(&self, option: &str) -> Option<Option<&str>> {
        self.parts()
            .filter_map(|part| match part {
                Part::Option { name, value, .. } if name == option => Some(value),
                _ => None,
            })
            .last()
    }

    /// All values of an option that may be repeated.
    pub fn values(&self, option: &str) -> Vec<&str> {
        let values = self.parts().filter_map(|part| match part {
            Part::Option { name, value, .. } if name == option => value,
            _ => None,
        });
        values.collect()
    }

    /// Whether the user only asks for help. Behind `--`, it would be the name of a plan.
    pub fn asks_for_help(&self) -> bool {
        let is_help = |word: &&String| matches!(word.as_str(), "-help" | "--help" | "-h");
        let words = self.global.iter().chain(&self.rest);
        words
            .take_while(|word| *word != "--")
            .any(|word| is_help(&word))
    }

    /// The first argument that is not an option: a saved plan, for `apply`.
    pub fn positional(&self) -> Option<&str> {
        self.parts().find_map(|part| match part {
            Part::Positional(word) => Some(word.as_str()),
            Part::Option { .. } => None,
        })
    }

    /// `plan` with the options of this `apply` or `destroy`.
    pub fn as_plan(&self) -> Arguments {
        let mut rest = self.keep(|name| !OF_APPLY_ALONE.contains(&name) && name != "out");
        if self.command == "destroy" {
            rest.insert(0, "-destroy".to_owned());
        }
        Arguments {
            global: self.global.clone(),
            command: "plan".to_owned(),
            rest,
        }
    }

    /// `apply` of a saved plan with the options of this `apply` or `destroy`, variables among them if it takes any.
    pub fn as_apply_of(&self, plan: &str, takes_variables: bool) -> Arguments {
        let is_variable = |name: &str| matches!(name, "var" | "var-file");
        let mut rest = self
            .keep(|name| BESIDE_A_PLAN.contains(&name) || (takes_variables && is_variable(name)));
        rest.push(plan.to_owned());
        Arguments {
            global: self.global.clone(),
            command: "apply".to_owned(),
            rest,
        }
    }

    /// With an option in front of the others.
    pub fn with(mut self, option: String) -> Arguments {
        self.rest.insert(0, option);
        self
    }

    /// Another command with the same options before it.
    pub fn sibling<const N: usize>(&self, command: &str, rest: [&str; N]) -> Arguments {
        Arguments {
            global: self.global.clone(),
            command: command.to_owned(),
            rest: rest.map(str::to_owned).to_vec(),
        }
    }

    /// All words, for the program.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let command = (!self.command.is_empty()).then_some(&self.command);
        { self.global.iter() }
            .chain(command)
            .chain(&self.rest)
            .map(String::as_str)
    }

    /// The options whose names pass, without positional arguments.
    fn keep(&self, passes: impl Fn(&str) -> bool) -> Vec<String> {
        let mut kept = Vec::new();
        for part in self.parts() {
            if let Part::Option { name, words, .. } = part
                && passes(name)
            {
                kept.extend_from_slice(words);
            }
        }
        kept
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let mut rest = self.rest.as_slice();
        // Behind `--` there are no options.
        let mut options_ended = false;
        std::iter::from_fn(move || {
            loop {
                let (word, tail) = rest.split_first()?;
                if word == "--" && !options_ended {
                    options_ended = true;
                    rest = tail;
                    continue;
                }
                let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
                let Some(option) = option.filter(|name| !name.is_empty() && !options_ended) else {
                    rest = tail;
                    return Some(Part::Positional(word));
                };
                let (part, length) = match option.split_once('=') {
                    Some((name, value)) => ((name, Some(value)), 1),
                    None if WITH_VALUE.contains(&option) && !tail.is_empty() => {
                        ((option, Some(tail[0].as_str())), 2)
                    }
                    None => ((option, None), 1),
                };
                let (words, tail) = rest.split_at(length);
                rest = tail;
                return Some(Part::Option {
                    name: part.0,
                    value: part.1,
                    words,
                });
            }
        })
    }
}

/// As Go reads a boolean.
fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True")
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn parse(line: &str) -> Arguments {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    fn line(arguments: &Arguments) -> String {
        arguments.words().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_command_line_stays_as_it_is() {
        for text in [
            "",
            "-version",
            "-chdir=a plan -out=x -var a=b",
            "state list -state=x",
            "apply -- -odd",
        ] {
            assert_eq!(line(&parse(text)), text);
        }
        let parsed = parse("-chdir=a -chdir=b/c apply p");
        assert_eq!(
            (parsed.folder(), parsed.command.as_str()),
            (Some("b/c"), "apply")
        );
        assert_eq!(parsed.positional(), Some("p"));
    }

    #[test]
    fn values_may_be_the_next_argument() {
        let parsed =
            parse("apply -var x=1 --parallelism 3 -lock=false -auto-approve -state s plan");
        assert_eq!(parsed.positional(), Some("plan"));
        assert_eq!(parsed.value("parallelism"), Some(Some("3")));
        assert!(parsed.has("auto-approve") && parsed.is_off("lock"));
        assert!(!parsed.has("lock") && !parsed.has("json") && !parsed.is_off("input"));
        assert_eq!(parse("apply -auto-approve plan").positional(), Some("plan"));
        assert_eq!(parse("apply -- -plan").positional(), Some("-plan"));
        assert_eq!(parse("apply -target").positional(), None);
        assert!(parse("apply -auto-approve -help").asks_for_help());
        assert!(!parse("apply -auto-approve -- -help").asks_for_help());
    }

    #[test]
    fn an_apply_becomes_a_plan_and_an_apply_of_it() {
        let apply = parse(
            "-chdir=d apply -auto-approve -var a=b -target=x -lock-timeout 5s -no-color -backup=-",
        );
        assert_eq!(
            line(&apply.as_plan().with("-out=p".into())),
            "-chdir=d plan -out=p -var a=b -target=x -lock-timeout 5s -no-color"
        );
        assert_eq!(
            line(&apply.as_apply_of("p", false)),
            "-chdir=d apply -auto-approve -lock-timeout 5s -no-color -backup=- p"
        );
        assert_eq!(
            line(&apply.as_apply_of("p", true)),
            "-chdir=d apply -auto-approve -var a=b -lock-timeout 5s -no-color -backup=- p"
        );
        assert_eq!(
            line(&parse("destroy -var a=b").as_plan()),
            "plan -destroy -var a=b"
        );
        // Of OpenTofu: what both commands print is shown as the user wants it.
        let shown = parse("apply -show-sensitive");
        assert_eq!(line(&shown.as_plan()), "plan -show-sensitive");
        assert_eq!(
            line(&shown.as_apply_of("p", false)),
            "apply -show-sensitive p"
        );
        assert_eq!(
            line(&apply.sibling("show", ["-json", "p"])),
            "-chdir=d show -json p"
        );
    }

    #[test]
    fn options_of_the_environment_come_before_those_of_the_command_line() {
        let variable = |name: &str| match name {
            "TF_CLI_ARGS" => Some("-no-color".to_owned()),
            "TF_CLI_ARGS_apply" => Some("-var 'a=b c' -auto-approve".to_owned()),
            "TF_CLI_ARGS_plan" => Some("'".to_owned()),
            _ => None,
        };
        let apply = parse("-chdir=d apply -lock=false").with_defaults(variable);
        let expected = "-chdir=d apply -var a=b c -auto-approve -no-color -lock=false";
        assert_eq!(line(&apply.unwrap()), expected);
        assert_eq!(parse("plan").with_defaults(variable), None);
        assert_eq!(parse("plan").with_defaults(|_| None), Some(parse("plan")));
    }
}
