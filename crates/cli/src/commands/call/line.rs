//! The lines of a conversation, taken apart. Nothing happens here.

use crate::exit::Failure;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Empty, or a comment.
    Nothing,
    Call(Typed<'a>),
    Event {
        method: &'a str,
        params: Option<&'a str>,
    },
    /// `NAME = JSON`.
    Keep {
        name: &'a str,
        value: &'a str,
    },
    /// `$NAME.member[0]`.
    Show(&'a str),
    /// `:answer METHOD JSON`.
    Answer {
        method: &'a str,
        answer: &'a str,
    },
    /// `:wait`, for calls, or `:wait EVENT`.
    Wait(Option<&'a str>),
    List,
    Variables,
    Help,
    Quit,
}

/// A call as it was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Typed<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a str>,
    /// The name its result is kept under.
    pub(crate) name: Option<&'a str>,
    /// Whether the next line is read before it is answered.
    pub(crate) at_once: bool,
}

/// The commands, for completion.
pub(crate) const COMMANDS: [&str; 6] = [":answer", ":help", ":list", ":quit", ":vars", ":wait"];

pub(crate) fn parse(line: &str) -> Result<Line<'_>, Failure> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Line::Nothing);
    }
    if let Some(command) = line.strip_prefix(':') {
        return parse_command(command);
    }
    if let Some(event) = line.strip_prefix('!') {
        let (method, params) = split(event.trim_start());
        return match method {
            "" => Err(Failure::usage("an event needs a name: !METHOD [PARAMS]")),
            method => Ok(Line::Event { method, params }),
        };
    }
    let (name, rest) = match assignment(line) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, line),
    };
    match name {
        Some(name) if rest.is_empty() => {
            return Err(Failure::usage(format!(
                "{name} needs a value: NAME = METHOD [PARAMS], or NAME = JSON"
            )));
        }
        Some(name) if is_value(rest) => return Ok(Line::Keep { name, value: rest }),
        None if is_variable(line) => return Ok(Line::Show(line)),
        _ => {}
    }
    let (rest, at_once) = match rest.strip_suffix('&') {
        // A name may end with an ampersand; JSON cannot.
        Some(call) if call.contains(char::is_whitespace) => (call.trim_end(), true),
        _ => (rest, false),
    };
    let (method, params) = split(rest);
    Ok(Line::Call(Typed {
        method,
        params,
        name,
        at_once,
    }))
}

fn parse_command(command: &str) -> Result<Line<'_>, Failure> {
    let (name, rest) = split(command);
    match (name, rest) {
        ("answer", Some(rest)) => match split(rest) {
            (method, Some(answer)) => Ok(Line::Answer { method, answer }),
            _ => Err(Failure::usage("an answer is needed: :answer METHOD JSON")),
        },
        ("answer", None) => Err(Failure::usage(
            "a method and its answer are needed: :answer METHOD JSON",
        )),
        ("wait", event) if event.is_none_or(|event| !event.contains(char::is_whitespace)) => {
            Ok(Line::Wait(event))
        }
        ("list", None) => Ok(Line::List),
        ("vars", None) => Ok(Line::Variables),
        ("help", None) => Ok(Line::Help),
        ("quit", None) => Ok(Line::Quit),
        _ => {
            let known = COMMANDS.join(", ");
            let problem = match COMMANDS.iter().any(|command| command[1..] == *name) {
                true if name == "wait" => ":wait takes one event name or no argument".into(),
                true => format!(":{name} takes no arguments"),
                false => format!("unknown command `:{name}`; there are {known}"),
            };
            Err(Failure::usage(problem))
        }
    }
}

/// A word and what follows it.
fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, Some(rest.trim()).filter(|rest| !rest.is_empty())),
        None => (text, None),
    }
}

/// `NAME = REST`. The blanks distinguish it from a method whose name has an equals sign.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim_start().strip_prefix('=')?;
    let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_name(name) && is_apart).then(|| (name, rest.trim_start()))
}

pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    characters.next().is_some_and(is_start)
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether the text is JSON or a variable rather than the name of a method.
fn is_value(text: &str) -> bool {
    let begins_like_one =
        text.starts_with(['{', '[', '"', '-']) || text.starts_with(|c: char| c.is_ascii_digit());
    begins_like_one || matches!(text, "true" | "false" | "null") || is_variable(text)
}

/// Methods such as `$/setTrace` begin like variables and are none.
fn is_variable(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.strip_prefix('$')
        .is_some_and(|name| name.starts_with(is_start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(method: &'a str, params: Option<&'a str>) -> Typed<'a> {
        Typed {
            method,
            params,
            name: None,
            at_once: false,
        }
    }

    #[test]
    fn calls_are_a_method_and_params() {
        let parsed = |line| parse(line).expect(line);
        assert_eq!(parsed("add [1,2]"), Line::Call(call("add", Some("[1,2]"))));
        assert_eq!(
            parsed("  echo   {\"a\": 1} "),
            Line::Call(call("echo", Some("{\"a\": 1}")))
        );
        assert_eq!(parsed("a=b"), Line::Call(call("a=b", None)));
        assert_eq!(parsed("a&"), Line::Call(call("a&", None)));
        assert_eq!(parsed("$/trace 1"), Line::Call(call("$/trace", Some("1"))));
        for at_once in ["add [1,2] &", "add [1,2]&"] {
            let typed = Typed {
                at_once: true,
                ..call("add", Some("[1,2]"))
            };
            assert_eq!(parsed(at_once), Line::Call(typed));
        }
        let typed = Typed {
            at_once: true,
            ..call("add", None)
        };
        assert_eq!(parsed("add &"), Line::Call(typed));
        assert_eq!(parsed("# add"), Line::Nothing);
    }

    #[test]
    fn results_and_values_are_kept() {
        let parsed = |line| parse(line).expect(line);
        let typed = Typed {
            name: Some("sum"),
            at_once: true,
            ..call("add", Some("[$a,2]"))
        };
        assert_eq!(parsed("sum = add [$a,2] &"), Line::Call(typed));
        let typed = Typed {
            name: Some("x"),
            ..call("$/y", None)
        };
        assert_eq!(parsed("x = $/y"), Line::Call(typed));
        for value in ["{\"a\":1}", "-1", "$y.z[0]", "null", "\"t\""] {
            let line = format!("x = {value}");
            assert_eq!(parse(&line).expect(value), Line::Keep { name: "x", value });
        }
        assert_eq!(parsed("$x.a"), Line::Show("$x.a"));
        assert!(parse("x = ").is_err());
    }

    #[test]
    fn events_and_commands() {
        let parsed = |line| parse(line).expect(line);
        let event = Line::Event {
            method: "initialized",
            params: Some("{}"),
        };
        assert_eq!(parsed("!initialized {}"), event);
        let answer = Line::Answer {
            method: "roots/list",
            answer: "{\"roots\": []}",
        };
        assert_eq!(parsed(":answer roots/list {\"roots\": []}"), answer);
        assert_eq!(parsed(":wait"), Line::Wait(None));
        assert_eq!(parsed(":wait  a/b "), Line::Wait(Some("a/b")));
        for wrong in [
            "!",
            ":",
            ":wait a b",
            ":quit 1",
            ":answer",
            ":answer a",
            ":wiat",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
