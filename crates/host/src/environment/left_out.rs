//! Environment variables that a plugin did not get, which may be why it fails.

use std::ffi::OsString;
use std::sync::Arc;

use super::usual;

/// The names of our environment variables that a plugin did not get, and how to pass one on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(Arc<Names>);

/// Shared by a process and each of its errors.
#[derive(Debug, Default, PartialEq, Eq)]
struct Names {
    names: Vec<String>,
    advice: &'static str,
}

/// Set by shells for themselves. No plugin needs them.
const OF_SHELLS: [&str; 5] = ["_", "OLDPWD", "PS1", "PS4", "SHLVL"];

/// More names are only counted.
const SHOWN: usize = 5;

impl LeftOut {
    /// `advice` says how to pass on the variable `NAME`.
    pub(crate) fn new(names: impl Iterator<Item = OsString>, advice: &'static str) -> LeftOut {
        let names = names.filter_map(|name| name.into_string().ok());
        let is_missed = |name: &String| {
            !advice.is_empty() && !OF_SHELLS.contains(&name.as_str()) && !name.starts_with("TENON_")
        };
        LeftOut(Arc::new(Names {
            names: names.filter(is_missed).collect(),
            advice,
        }))
    }

    /// What to do if the plugin failed because it lacks one of them, which a text names:
    /// `KeyError: 'AWS_REGION'` names `AWS_REGION`.
    pub fn hint(&self, text: &str) -> Option<String> {
        let name = self.named_in(text)?;
        let advice = self.0.advice.replace("NAME", name);
        Some(format!(
            "{name} is set, but was not passed on to the plugin: {advice}"
        ))
    }

    /// What to do if the plugin may have failed because it lacks any of them.
    pub fn general_hint(&self) -> Option<String> {
        let variables = match self.0.names.len() {
            0 => return None,
            1 => "1 environment variable was".to_owned(),
            count => format!("{count} environment variables were"),
        };
        let advice = self.0.advice;
        Some(format!(
            "{variables} not passed on to the plugin: if it needs one, {advice}"
        ))
    }

    /// What to do if the program says that the user is not logged in: those of them whose names say that they are
    /// credentials.
    pub fn login_hint(&self) -> Option<String> {
        // The socket of the agent for SSH keys logs in nowhere else.
        let is_credential = |name: &&str| {
            let is_plain = name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            is_plain && usual::is_secret(name.as_ref()) && !name.ends_with("_SOCK")
        };
        let names = self.0.names.iter().map(String::as_str);
        let mut names: Vec<&str> = names.filter(is_credential).collect();
        names.sort_unstable();
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let advice = self.0.advice.replace("NAME", names.first()?);
        let others = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let verb = if names.len() == 1 {
            "is set, but was"
        } else {
            "are set, but were"
        };
        let names = names.join(", ");
        Some(format!("{names}{others} {verb} not passed on: {advice}"))
    }

    fn named_in(&self, text: &str) -> Option<&str> {
        text.lines().rev().find_map(|line| {
            let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
            let words = line.split(|c| !is_of_name(c));
            let named = words.filter_map(|word| self.0.names.iter().find(|name| *name == word));
            let mut telling = named.filter(|name| is_telling(line, name));
            telling.next().map(String::as_str)
        })
    }
}

/// Whether a line that has this word in it is about a variable: `DEBUG` and `HOST` may be anything.
fn is_telling(line: &str, name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "env",
        "variable",
        "not set",
        "unset",
        "unbound",
        "undefined",
        "missing",
        "required",
    ];
    let line_in_lower_case = line.to_lowercase();
    let quoted = |quote: char| line.contains(&format!("{quote}{name}{quote}"));
    name.contains('_')
        || ['\'', '"', '`'].into_iter().any(quoted)
        || line.contains(&format!("${name}"))
        || WORDS.iter().any(|word| line_in_lower_case.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_variable_by_a_whole_word() {
        let names = ["AWS_REGION", "DEBUG", "SHLVL", "TENON_VAR_x"].map(OsString::from);
        let left_out = LeftOut::new(names.into_iter(), "add `--env NAME`");
        assert_eq!(left_out.0.names, ["AWS_REGION", "DEBUG"]);
        for (text, expected) in [
            ("KeyError: 'AWS_REGION'", Some("AWS_REGION")),
            ("sh: 1: AWS_REGION: parameter not set", Some("AWS_REGION")),
            ("$AWS_REGION is empty", Some("AWS_REGION")),
            ("AWS_REGIONS", None),
            ("MY_AWS_REGION", None),
            ("starting\n$AWS_REGION?\ngiving up", Some("AWS_REGION")),
            ("DEBUG connecting", None),
            ("KeyError: 'DEBUG'", Some("DEBUG")),
            ("DEBUG: unbound variable", Some("DEBUG")),
            ("$SHLVL is not set", None),
            ("", None),
        ] {
            assert_eq!(left_out.named_in(text), expected, "{text}");
        }
    }

    #[test]
    fn a_missing_login_may_be_a_variable_that_was_left_out() {
        let left_out = |names: &[&str]| {
            let names = names.iter().map(OsString::from);
            LeftOut::new(names, "add `--env NAME`").login_hint()
        };
        assert_eq!(left_out(&["STAGE", "SSH_AUTH_SOCK", "X;_TOKEN"]), None);
        assert_eq!(
            left_out(&["STAGE", "OPENAI_API_KEY"]).as_deref(),
            Some("OPENAI_API_KEY is set, but was not passed on: add `--env OPENAI_API_KEY`")
        );
        let several = ["B_TOKEN", "A_KEY", "C_KEY", "D_KEY", "E_KEY", "F_KEY"];
        assert_eq!(
            left_out(&several).as_deref(),
            Some(
                "A_KEY, B_TOKEN, C_KEY, D_KEY, E_KEY and 1 more are set, but were not passed on: add `--env A_KEY`"
            )
        );
    }

    #[test]
    fn hints_say_how_to_pass_a_variable_on() {
        let names = ["AWS_REGION", "STAGE"].map(OsString::from);
        let left_out = LeftOut::new(names.into_iter(), "add `--env NAME`");
        assert_eq!(
            left_out.hint("KeyError: 'STAGE'").as_deref(),
            Some("STAGE is set, but was not passed on to the plugin: add `--env STAGE`")
        );
        assert_eq!(
            left_out.general_hint().as_deref(),
            Some(
                "2 environment variables were not passed on to the plugin: if it needs one, add \
                 `--env NAME`"
            )
        );
        assert_eq!(LeftOut::default().general_hint(), None);
    }
}
