//! What a prompt means.

use std::fmt::Write;

use tenon_protocols::Protocol;
use tenon_protocols::acp::ContentBlock;

use crate::commands::acp::splitting::split;

/// Every command: its name, what follows it, and what it does.
pub(super) const COMMANDS: [(&str, &str, &str); 7] = [
    (
        "scenarios",
        "[FOLDER]",
        "List the scenarios in the folder of the session",
    ),
    (
        "plan",
        "FILE [SCENARIO] [NAME=VALUE...]",
        "Check a scenario and show what it would do",
    ),
    ("run", "FILE [SCENARIO] [NAME=VALUE...]", "Run a scenario"),
    ("teardown", "RECORD", "Undo a run"),
    ("init", "", "Write a scenario to start from"),
    (
        "call",
        "[--protocol NAME] METHOD [PARAMS] -- CMD...",
        "Call a method of a plugin",
    ),
    ("help", "", "Explain the commands"),
];

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    Help,
    Scenarios(Option<String>),
    Plan(Work),
    Run(Work),
    Teardown(String),
    Init,
    Call(PluginCall),
}

/// A scenario with its variables.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) file: String,
    pub(super) scenario: Option<String>,
    pub(super) variables: Vec<(String, String)>,
}

/// A call of a plugin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PluginCall {
    pub(super) protocol: Option<Protocol>,
    pub(super) method: String,
    /// JSON.
    pub(super) params: Option<String>,
    pub(super) program: String,
    pub(super) args: Vec<String>,
}

/// What a prompt asks for, or an answer that helps.
pub(super) fn read(prompt: &[ContentBlock]) -> Result<Order, String> {
    let text = text_of(prompt);
    let text = text.trim();
    let Some(command) = text.strip_prefix('/') else {
        return Err(format!(
            "I run Tenon scenarios and call plugins; there is no model behind me, so I only understand \
             commands.\n\n{}",
            help()
        ));
    };
    let (name, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    let rest = rest.trim();
    if name == "call" {
        return call(rest).map_err(|problem| wrong(name, &problem));
    }
    let words = split(rest).map_err(|problem| wrong(name, &problem))?;
    let work = |words: Vec<String>| work(words).map_err(|problem| wrong(name, &problem));
    match (name, words.as_slice()) {
        ("help", _) => Ok(Order::Help),
        ("init", []) => Ok(Order::Init),
        ("scenarios", []) => Ok(Order::Scenarios(None)),
        ("scenarios", [folder]) => Ok(Order::Scenarios(Some(folder.clone()))),
        ("plan", _) => work(words).map(Order::Plan),
        ("run", _) => work(words).map(Order::Run),
        ("teardown", [record]) => Ok(Order::Teardown(record.clone())),
        ("init" | "scenarios" | "teardown", _) => Err(wrong(name, "wrong arguments")),
        _ => {
            let names = COMMANDS.iter().map(|(name, ..)| *name);
            Err(match tenon_text::nearest(name, names) {
                Some(near) => format!("unknown command `/{name}`; did you mean `/{near}`?"),
                None => format!("unknown command `/{name}`. {}", help()),
            })
        }
    }
}

/// The commands, for people.
pub(super) fn help() -> String {
    let mut text = String::from("These are my commands:\n\n");
    for (name, hint, about) in COMMANDS {
        let space = if hint.is_empty() { "" } else { " " };
        let _infallible = writeln!(text, "- `/{name}{space}{hint}`: {about}");
    }
    text + "\nPaths are relative to the folder of the session. I ask before I start a program or write a file."
}

fn wrong(name: &str, problem: &str) -> String {
    let found = COMMANDS.iter().find(|(known, ..)| *known == name);
    let hint = found.map_or("", |(_, hint, _)| *hint);
    format!("`/{name}`: {problem}. Write it as `/{name} {hint}`.")
}

/// The texts of a prompt. A file that the editor has linked stands for its path.
fn text_of(prompt: &[ContentBlock]) -> String {
    let mut text = String::new();
    for block in prompt {
        match block {
            ContentBlock::Text(content) => text += &content.text,
            ContentBlock::ResourceLink(link) => {
                if let Some(path) = path_of(&link.uri, cfg!(windows)) {
                    let path = path.replace('\'', r"'\''");
                    let _infallible = write!(text, " '{path}' ");
                }
            }
            _ => {}
        }
    }
    text
}

/// The path of a file that an editor has linked.
fn path_of(uri: &str, is_windows: bool) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    // Editors add the lines that are meant: `#L3:5`.
    let path = percent_decoded(path.split(['#', '?']).next().unwrap_or_default());
    let has_drive =
        matches!(path.as_bytes(), [b'/', drive, b':', ..] if drive.is_ascii_alphabetic());
    Some(match is_windows {
        true if has_drive => path[1..].to_owned(),
        true if !path.starts_with('/') => format!("//{path}"),
        _ => path,
    })
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn work(words: Vec<String>) -> Result<Work, String> {
    let mut work = Work {
        file: String::new(),
        scenario: None,
        variables: Vec::new(),
    };
    for word in words {
        match word.split_once('=') {
            _ if work.file.is_empty() => work.file = word,
            Some((name, value)) => work.variables.push((name.to_owned(), value.to_owned())),
            None if work.scenario.is_none() => work.scenario = Some(word),
            None => return Err(format!("{word:?} is not NAME=VALUE")),
        }
    }
    match work.file.is_empty() {
        true => Err("a scenario file is required".to_owned()),
        false => Ok(work),
    }
}

/// The params are JSON, whose quotes are not those of a shell, and which may have `--` in a text.
fn call(text: &str) -> Result<Order, String> {
    let (mut method, mut rest) = first_word(text);
    let mut protocol = None;
    if method == "--protocol" {
        let (name, after) = first_word(rest);
        let known = || Protocol::ALL.map(Protocol::name).join(", ");
        let found = name.parse();
        protocol =
            Some(found.map_err(|_| format!("unknown protocol `{name}`; there are {}", known()))?);
        (method, rest) = first_word(after);
    }
    if method.is_empty() || method == "--" {
        return Err("a method is required".to_owned());
    }
    let params = match rest.is_empty() || first_word(rest).0 == "--" {
        true => None,
        false => {
            let mut values =
                serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
            if let Some(Err(error)) = values.next() {
                return Err(format!("the params are not JSON: {error}"));
            }
            let (params, after) = rest.split_at(values.byte_offset());
            rest = after.trim_start();
            Some(params.to_owned())
        }
    };
    let missing = "the command of the plugin is missing after `--`";
    let (separator, command) = first_word(rest);
    if !["", "--"].contains(&separator) {
        return Err(format!("`--` is missing before `{separator}`"));
    }
    let mut command = split(command)?.into_iter();
    let program = command.next().ok_or(missing)?;
    Ok(Order::Call(PluginCall {
        protocol,
        method: method.to_owned(),
        params,
        program,
        args: command.collect(),
    }))
}

/// The first word, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use tenon_protocols::acp::ResourceLink;

    use super::*;

    fn order(text: &str) -> Result<Order, String> {
        read(&[ContentBlock::text(text)])
    }

    fn work_of(file: &str) -> Work {
        Work {
            file: file.into(),
            scenario: None,
            variables: Vec::new(),
        }
    }

    #[test]
    fn commands_have_arguments() {
        assert_eq!(order("/help"), Ok(Order::Help));
        assert_eq!(order(" /scenarios "), Ok(Order::Scenarios(None)));
        assert_eq!(order("/plan a.hcl"), Ok(Order::Plan(work_of("a.hcl"))));
        let expected = Work {
            scenario: Some("second".into()),
            variables: vec![("name".into(), "a b=c".into()), ("n".into(), String::new())],
            ..work_of("my file.hcl")
        };
        let given = order(r#"/run 'my file.hcl' second name="a b=c" n="#);
        assert_eq!(given, Ok(Order::Run(expected)));
        assert_eq!(
            order(r"/teardown a\ b.json"),
            Ok(Order::Teardown("a b.json".into()))
        );
    }

    #[test]
    fn a_call_has_params_and_a_command() {
        let expected = PluginCall {
            protocol: None,
            method: "greet".into(),
            params: Some(r#"{"name": "it's me"}"#.into()),
            program: "python3".into(),
            args: vec!["my plugin.py".into()],
        };
        let given = order(r#"/call greet {"name": "it's me"} -- python3 'my plugin.py'"#);
        assert_eq!(given, Ok(Order::Call(expected)));
        let expected = PluginCall {
            protocol: Some(Protocol::Mcp),
            method: "tools/list".into(),
            params: None,
            program: "server".into(),
            args: Vec::new(),
        };
        let given = order("/call --protocol mcp tools/list -- server");
        assert_eq!(given, Ok(Order::Call(expected)));
        let expected = PluginCall {
            protocol: None,
            method: "greet".into(),
            params: Some(r#"{"name": "a -- b"}"#.into()),
            program: "./plugin".into(),
            args: ["--at", "--", "file:///x?y#z", "-v"]
                .map(str::to_owned)
                .to_vec(),
        };
        let given =
            order("/call greet {\"name\": \"a -- b\"}\n-- ./plugin --at -- file:///x?y#z -v");
        assert_eq!(given, Ok(Order::Call(expected)));
    }

    /// An editor adds files as links.
    #[test]
    fn a_linked_file_is_a_path() {
        let link = ResourceLink::new("file:///w/my%20file.hcl#L3:5", "my file.hcl");
        let given = read(&[
            ContentBlock::text("/plan "),
            ContentBlock::ResourceLink(link),
        ]);
        assert_eq!(given, Ok(Order::Plan(work_of("/w/my file.hcl"))));
    }

    #[test]
    fn a_link_of_windows_has_a_drive_or_a_server() {
        for (uri, path) in [
            ("file:///C:/my%20x.hcl", "C:/my x.hcl"),
            ("file:///c%3A/x#L3", "c:/x"),
            ("file://server/share/x", "//server/share/x"),
            ("file:///x", "/x"),
        ] {
            assert_eq!(path_of(uri, true).as_deref(), Some(path), "{uri}");
        }
        assert_eq!(path_of("file:///C:/x", false).as_deref(), Some("/C:/x"));
        assert_eq!(path_of("https://x/y", true), None);
    }

    #[test]
    fn whatever_is_not_a_command_gets_help() {
        for (text, part) in [
            ("hello", "/scenarios"),
            ("", "/help"),
            ("/plam x", "`/plan`"),
            ("/zzzzzzzz", "These are my commands"),
            ("/plan", "a scenario file is required"),
            ("/plan a b c", "NAME=VALUE"),
            ("/plan 'a", "not closed"),
            ("/teardown", "RECORD"),
            ("/init x", "/init"),
            ("/call greet", "after `--`"),
            ("/call greet {x} -- y", "not JSON"),
            ("/call greet {} y", "`--` is missing before `y`"),
            ("/call -- y", "a method is required"),
            ("/call --protocol no greet -- y", "unknown protocol `no`"),
        ] {
            let answer = order(text).unwrap_err();
            assert!(answer.contains(part), "{text}: {answer}");
        }
    }
}
