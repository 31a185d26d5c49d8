//! `--allow`, `--deny` and `--policy`.

use std::path::Path;

use tenon_acp::policy::Policy;
use tenon_hcl::Source;
use tenon_protocols::acp::ToolKind;

use crate::args::ChatArgs;
use crate::exit::{Code, Failure};
use crate::output;

/// Kinds that are about files alone. An allowed pattern of files must not allow a command.
const FILES: [&str; 5] = ["read", "edit", "delete", "move", "search"];

/// What the names of rules of the command line begin with.
const OPTION: &str = "option_";

/// The rules of the command line, then those of the file.
pub(super) fn policies(args: &ChatArgs) -> Result<Vec<Policy>, Failure> {
    let mut text = String::new();
    for (action, rules) in [("deny", &args.deny), ("allow", &args.allow)] {
        for (number, rule) in rules.iter().enumerate() {
            let problem = |problem: String| Failure::usage(format!("--{action} {rule}: {problem}"));
            let name = format!("{OPTION}{action}_{number}");
            text += &block(&name, action, rule).map_err(problem)?;
        }
    }
    let source = Source::new("the command line", &text);
    let options = Policy::parse(&source).map_err(|diagnostics| {
        let first = diagnostics.first().map(|one| one.summary.clone());
        Failure::usage(format!("--allow and --deny: {}", first.unwrap_or_default()))
    })?;
    let mut policies = vec![options];
    if let Some(path) = &args.policy {
        policies.push(file(path, args.json)?);
    }
    Ok(policies)
}

fn file(path: &Path, is_json: bool) -> Result<Policy, Failure> {
    let name = tenon_text::path(path);
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("--policy {name}: {error}")))?;
    let (policy, warnings) =
        Policy::parse_with_warnings(&Source::new(&name, &text)).map_err(|diagnostics| {
            output::diagnostics(&diagnostics, is_json);
            Failure::printed(Code::Usage)
        })?;
    output::diagnostics(&warnings, is_json);
    Ok(policy)
}

/// The option that a rule was made of, if it is not one of the file.
pub(super) fn option(rule: &str, args: &ChatArgs) -> Option<String> {
    let (action, number) = rule.strip_prefix(OPTION)?.split_once('_')?;
    let rules = if action == "deny" {
        &args.deny
    } else {
        &args.allow
    };
    let rule = rules.get(number.parse::<usize>().ok()?)?;
    Some(format!("--{action} {rule}"))
}

/// One rule as HCL.
fn block(name: &str, action: &str, rule: &str) -> Result<String, String> {
    let (kind, pattern) = match rule.split_once(':') {
        Some((kind, pattern)) if is_kind(kind) => (Some(kind), Some(pattern)),
        _ if is_kind(rule) => (Some(rule), None),
        _ => (None, Some(rule)),
    };
    if pattern.is_some_and(str::is_empty) {
        return Err("the pattern is empty".to_owned());
    }
    if let (None, Some(pattern)) = (kind, pattern) {
        let (word, has_colon) = match pattern.split_once(':') {
            Some((word, _)) => (word, true),
            None => (pattern, false),
        };
        let kinds = ToolKind::WORDS.iter().copied().chain(["all"]);
        // What is before a colon is a kind, unless it cannot be one: `C:/x`, `src/a:b`.
        if has_colon && is_word(word) {
            let hint = tenon_text::did_you_mean(word, kinds)
                .unwrap_or_else(|| format!("there are {} and all", ToolKind::WORDS.join(", ")));
            return Err(format!("unknown kind `{word}`; {hint}"));
        }
        if !pattern.contains(['/', '*', '.'])
            && let Some(hint) = tenon_text::did_you_mean(word, kinds)
        {
            return Err(format!("unknown kind `{word}`; {hint}"));
        }
        if pattern.contains(' ') {
            return Err(format!(
                "a pattern of commands is written as 'execute:{pattern}'"
            ));
        }
    }
    let kinds: Vec<&str> = match kind {
        Some("all") => Vec::new(),
        Some(kind) => vec![kind],
        // What is denied is denied to every call: the agent chooses the kind, and may state none.
        None if action == "deny" => Vec::new(),
        None => FILES.to_vec(),
    };
    // What is typed is quoted; `${` would be an expression otherwise.
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json.replace("${", "$${").replace("%{", "%%{")
    };
    let mut text = format!("rule \"{name}\" {{\n  action = \"{action}\"\n");
    if !kinds.is_empty() {
        text += &format!("  kind = {}\n", serde_json::json!(kinds));
    }
    if let Some(pattern) = pattern {
        let what = match kind {
            Some("execute") => "command",
            _ => "path",
        };
        text += &format!("  {what} = [{}]\n", quoted(pattern));
    }
    Ok(text + "}\n")
}

fn is_word(text: &str) -> bool {
    text.len() > 1
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphabetic() || letter == '_' || letter == '-')
}

fn is_kind(word: &str) -> bool {
    word == "all" || ToolKind::WORDS.contains(&word)
}

// `/w` has no drive; crates/acp/tests/windows.rs has the rules for Windows.
#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;

    use tenon_acp::facts::Facts;
    use tenon_acp::paths::FolderNames;
    use tenon_acp::policy::Action;

    use super::*;

    fn action(rules: &[(&str, &str)], facts: &Facts) -> Action {
        let text: Result<String, String> = { rules.iter().enumerate() }
            .map(|(number, (action, rule))| block(&format!("r{number}"), action, rule))
            .collect();
        let source = Source::new("rules", text.unwrap());
        let policy = Policy::parse(&source).unwrap();
        policy.decide(facts, &FolderNames::only("/w")).action
    }

    fn running(command: &str) -> Facts {
        Facts {
            kind: Some(ToolKind::Execute),
            commands: [command.to_owned()].into(),
            paths: [PathBuf::from("/w/src/a")].into(),
            ..Facts::default()
        }
    }

    #[test]
    fn rules_are_kinds_and_patterns() {
        let edit = Facts::writing("src/a", Path::new("/w"));
        assert_eq!(action(&[("allow", "edit")], &edit), Action::Allow);
        assert_eq!(action(&[("allow", "all")], &edit), Action::Allow);
        assert_eq!(action(&[("allow", "read")], &edit), Action::Ask);
        assert_eq!(action(&[("allow", "edit:src/**")], &edit), Action::Allow);
        assert_eq!(action(&[("allow", "src/**")], &edit), Action::Allow);
        assert_eq!(action(&[("allow", "edit:tests/**")], &edit), Action::Ask);
        assert_eq!(
            action(&[("deny", "src/**"), ("allow", "edit")], &edit),
            Action::Deny
        );
        let without_kind = Facts { kind: None, ..edit };
        assert_eq!(
            action(&[("deny", "src/**"), ("allow", "all")], &without_kind),
            Action::Deny
        );
        let git = running("git status --short");
        assert_eq!(
            action(&[("allow", "execute:git status*")], &git),
            Action::Allow
        );
        assert_eq!(action(&[("allow", "execute:git log*")], &git), Action::Ask);
        // A pattern of files does not allow a command that states such files.
        assert_eq!(action(&[("allow", "src/**")], &git), Action::Ask);
        assert_eq!(
            action(&[("allow", "execute:echo ${x}*")], &running("echo a")),
            Action::Ask
        );
    }

    #[test]
    fn mistakes_are_explained() {
        let problem = |rule: &str| block("r", "allow", rule).unwrap_err();
        assert!(problem("edti").contains("did you mean `edit`?"));
        assert!(problem("git status").contains("'execute:git status'"));
        assert!(problem("edit:").contains("empty"));
        for rule in ["exceute:git push*", "exceute:rm -rf /", "exceute:*.sh"] {
            assert!(problem(rule).contains("did you mean `execute`?"), "{rule}");
        }
        assert!(problem("shell:rm *").contains("there are read, edit"));
        assert!(block("r", "allow", "src/a:b").is_ok());
        assert!(block("r", "allow", "edit:a:b").is_ok());
    }
}
