//! Reading a policy.

use std::sync::Arc;

use tenon_hcl::{
    Block, Diagnostic, Expression, Name, Place, Problems, Shape, Source, did_you_mean, parse,
};
use tenon_protocols::acp::ToolKind;

use super::{Action, Policy, Rule};
use crate::glob::{Glob, Kind};

const FILE: Shape<0> = Shape::new("a policy", [])
    .optional(&["default"])
    .blocks(&["rule"]);
const RULE: Shape<1> = Shape::new("a rule", ["NAME"])
    .free_labels()
    .required(&["action"])
    .optional(&["kind", "path", "command"]);

/// For text that is not valid HCL.
const FORM: &str =
    "a policy is `default = \"ask\"` and blocks `rule \"NAME\" { action = \"deny\" ... }`";

pub(super) fn policy(source: &Arc<Source>) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    let body = parse(source).map_err(|problems| {
        let helped = |problem: Diagnostic| match &problem.help {
            Some(_) => problem,
            None => problem.help(FORM),
        };
        problems.into_iter().map(helped).collect::<Vec<_>>()
    })?;
    let mut problems = Problems::default();
    problems.file(&body, &FILE);
    let default = body.attribute("default");
    let default = default.and_then(|default| action(&default.value, &mut problems));
    let (mut rules, mut names) = (Vec::new(), Vec::new());
    let mut catch_all: Option<&Block> = None;
    for block in body.blocks_of("rule") {
        if let Some(first) = catch_all.take() {
            let warning = Diagnostic::warning("no rule after this one is ever reached")
                .at(first.header())
                .related(block.header(), "the first of them")
                .help("it has no conditions, so it matches every call; move it to the end");
            problems.note(warning);
        }
        if let Some((name, rule)) = rule(block, &mut problems) {
            let is_open = |name| block.body.attribute(name).is_none();
            catch_all =
                Some(block).filter(|_| ["kind", "path", "command"].into_iter().all(is_open));
            names.push([name]);
            rules.push(rule);
        }
    }
    problems.refuse_same("the rule", names);
    match problems.has_errors() {
        true => Err(problems.0),
        false => {
            let default = default.unwrap_or_default();
            let default_at = body
                .attribute("default")
                .map(|given| line(&given.name.place()));
            let policy = Policy {
                default,
                default_at,
                rules,
            };
            Ok((policy, problems.0))
        }
    }
}

fn rule<'a>(block: &'a Block, problems: &mut Problems) -> Option<(&'a Name, Rule)> {
    let labels = problems.block(block, &RULE);
    let value = |name| block.body.attribute(name).map(|attribute| &attribute.value);
    let action = value("action").and_then(|value| action(value, problems));
    let kinds = texts(value("kind"), "kind", problems);
    let kinds = { kinds.into_iter() }
        .filter_map(|(text, place)| kind(&text, &place, problems))
        .collect();
    let paths = patterns(value("path"), "path", Kind::Path, problems);
    let commands = patterns(value("command"), "command", Kind::Command, problems);
    match action {
        Some(Action::Deny) => warn_of_exact(value("command"), &commands, problems),
        Some(Action::Allow) => warn_of_open_names(value("command"), &commands, problems),
        _ => {}
    }
    let [name] = labels?;
    let rule = Rule {
        name: name.text().to_owned(),
        at: line(&block.header()),
        action: action?,
        kinds,
        paths,
        commands,
    };
    Some((name, rule))
}

/// `guard.hcl:3`.
fn line(place: &Place) -> String {
    format!("{}:{}", place.source().name(), place.line())
}

fn action(value: &Expression, problems: &mut Problems) -> Option<Action> {
    let text = problems.text(value, "an action")?;
    let known = { Action::WORDS.iter() }.find(|(word, _)| *word == text);
    if known.is_none() {
        let diagnostic = Diagnostic::error(format!("unknown action `{text}`")).at(value.place());
        let words = Action::WORDS.map(|(word, _)| word);
        problems.note(with_choices(diagnostic, &text, &words));
    }
    known.map(|(_, action)| *action)
}

fn kind(text: &str, value: &Expression, problems: &mut Problems) -> Option<ToolKind> {
    let kind = ToolKind::from(text);
    if let ToolKind::Other(_) = kind {
        let diagnostic = Diagnostic::error(format!("unknown kind of tool `{text}`"));
        problems.note(with_choices(
            diagnostic.at(value.place()),
            text,
            ToolKind::WORDS,
        ));
        return None;
    }
    Some(kind)
}

fn with_choices(diagnostic: Diagnostic, text: &str, words: &[&str]) -> Diagnostic {
    let help = did_you_mean(text, words.iter().copied())
        .unwrap_or_else(|| format!("there are `{}`", words.join("`, `")));
    diagnostic.help(help)
}

/// The texts of a list, which must not be empty: a rule without a condition is written without the attribute.
fn texts(
    value: Option<&Expression>,
    name: &str,
    problems: &mut Problems,
) -> Vec<(String, Expression)> {
    let Some(value) = value else {
        return Vec::new();
    };
    let form = format!("write `{name} = [\"...\"]`");
    let elements = problems.list(value, &format!("`{name}` is a list of texts"), &form);
    let Some(elements) = elements else {
        return Vec::new();
    };
    if elements.is_empty() {
        let diagnostic = Diagnostic::error(format!("`{name}` is empty, so the rule never matches"));
        let help = format!("remove `{name}` if the rule is about every {name}");
        problems.note(diagnostic.at(value.place()).help(help));
    }
    let texts = elements.into_iter().filter_map(|element| {
        let text = problems.text(&element, &format!("an element of `{name}`"))?;
        Some((text, element))
    });
    texts.collect()
}

fn patterns(
    value: Option<&Expression>,
    name: &str,
    kind: Kind,
    problems: &mut Problems,
) -> Vec<Glob> {
    let mut patterns = Vec::new();
    for (text, element) in texts(value, name, problems) {
        let refused = match kind {
            Kind::Path => path_problem(&text),
            Kind::Command => None,
        };
        let pattern = match refused {
            Some(problem) => Err(problem),
            None => Glob::read(&text, kind).map_err(|problem| (problem, PATTERN_HELP)),
        };
        match pattern {
            Ok(pattern) => patterns.push(pattern),
            Err((problem, help)) => {
                let diagnostic = Diagnostic::error(format!("the pattern {text:?} is not valid"));
                problems.note(diagnostic.at(element.place()).label(problem).help(help));
            }
        }
    }
    patterns
}

/// A rule that denies `git push` and not `git push origin` looks right, and is not.
fn warn_of_exact(value: Option<&Expression>, commands: &[Glob], problems: &mut Problems) {
    for pattern in commands.iter().filter(|pattern| pattern.is_exact()) {
        let text = pattern.text();
        let warning = Diagnostic::warning(format!(
            "the pattern {text:?} does not match the command with arguments"
        ));
        let help = format!("write `{text}*` to deny it with any arguments");
        let warning = warning.help(help);
        problems.note(match value {
            Some(value) => warning.at(value.place()),
            None => warning,
        });
    }
}

/// A rule that allows `ls*` allows `lsof` too, and `git diff*` allows `git difftool`, which runs any program.
fn warn_of_open_names(value: Option<&Expression>, commands: &[Glob], problems: &mut Problems) {
    for text in commands.iter().map(Glob::text) {
        let Some(name) = text.strip_suffix('*') else {
            continue;
        };
        let last = name.rsplit(' ').next().unwrap_or(name);
        let is_open = last.ends_with(|letter: char| letter.is_alphanumeric() || letter == '}');
        // The end of an option, a file or a value is not the name of a command.
        if !is_open || last.starts_with('-') || last.contains(['/', '=', ':', '.']) {
            continue;
        }
        let warning = Diagnostic::warning(format!(
            "the pattern {text:?} also allows commands whose names only begin with this text"
        ));
        let help = format!("write `{name}` and `{name} *`: without and with arguments");
        let warning = warning.help(help);
        problems.note(match value {
            Some(value) => warning.at(value.place()),
            None => warning,
        });
    }
}

const PATTERN_HELP: &str = "`*` is any text, `?` one character, `[a-z]` one of some, `{a,b}` one of several, and `**` any folders";

/// Patterns that would never match, because paths are compared without these.
fn path_problem(text: &str) -> Option<(&'static str, &'static str)> {
    if text.starts_with('~') {
        return Some(("`~` is not expanded", "write the absolute path"));
    }
    let is_part = |wanted: &str| text.split('/').any(|part| part == wanted);
    if is_part("..") || is_part(".") {
        let help = "write it relative to the folder of the session, or as an absolute path";
        return Some(("`.` and `..` never match", help));
    }
    if text.ends_with('/') {
        let help = "write `/**` at its end for everything in the folder";
        return Some(("a path never ends with `/`", help));
    }
    None
}
