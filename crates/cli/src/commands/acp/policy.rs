//! `tenon acp policy`: check a policy, and explain its decisions.

mod subject;

use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_acp::facts::Facts;
use tenon_acp::paths::FolderNames;
use tenon_acp::policy::Decision;

use self::subject::Subject;
use super::policy_file;
use crate::args::{PolicyCheckArgs, PolicyCommand, PolicyExplainArgs};
use crate::exit::Failure;
use crate::output;

pub(crate) fn run(command: &PolicyCommand) -> Result<(), Failure> {
    match command {
        PolicyCommand::Check(args) => check(args),
        PolicyCommand::Explain(args) => explain(args),
    }
}

fn check(args: &PolicyCheckArgs) -> Result<(), Failure> {
    let (policy, warnings) = policy_file::read(&args.policy, args.json)?;
    let rules: Vec<_> = policy.rules().collect();
    if args.json {
        let rules =
            { rules.iter() }.map(|(name, action)| json!({ "rule": name, "action": action }));
        return output::json_data(json!({
            "event": "policy",
            "default": policy.default,
            "rules": rules.collect::<Vec<_>>(),
            "warnings": warnings.len(),
        }));
    }
    let count = match rules.len() {
        1 => "1 rule".to_owned(),
        count => format!("{count} rules"),
    };
    let path = tenon_text::path(&args.policy);
    output::data(format_args!(
        "{path}: {count}, the default is {}",
        policy.default
    ))
}

fn explain(args: &PolicyExplainArgs) -> Result<(), Failure> {
    let (policy, _) = policy_file::read(&args.policy, false)?;
    let (folder, names) = folder(args.cwd.as_deref())?;
    let subject = Subject::read(&args.call, &folder)?;
    let mut facts = subject.facts;
    facts.follow_links();
    let decision = policy.decide(&facts, &names);
    let answer = { subject.options.as_deref() }.map(|options| decision.answer(options));
    if args.json {
        return output::json_data(json!({
            "action": decision.action,
            "rule": decision.rule,
            "at": decision.at,
            "why": decision.why,
            "passed": decision.passed,
            "kind": facts.kind.as_ref().map(ToString::to_string),
            "paths": facts.paths,
            "commands": facts.commands,
            "incomplete": facts.is_incomplete,
            "answer": answer,
        }));
    }
    output::data(explained(&decision, &facts, &folder))?;
    match answer {
        None => Ok(()),
        Some(None) => output::data("answer    the editor is asked"),
        Some(Some(answer)) => {
            let answer = serde_json::to_string(&answer).unwrap_or_default();
            output::data(format_args!("answer    {answer}"))
        }
    }
}

/// The decision, the rules before it, and what was understood of the call.
fn explained(decision: &Decision, facts: &Facts, folder: &Path) -> String {
    let by = match &decision.rule {
        Some(rule) => format!("by rule {rule:?}"),
        None => "by default".to_owned(),
    };
    let at = { decision.at.as_deref() }.map(|at| format!(" at {}", output::on_one_line(at)));
    let at = at.unwrap_or_default();
    let mut text = format!("{} {by}{at}: {}\n", decision.action, decision.why);
    for passed in &decision.passed {
        let (rule, at) = (&passed.rule, output::on_one_line(&passed.at));
        text += &format!("  rule {rule:?} at {at} does not match: {}\n", passed.why);
    }
    let kind = facts.kind.as_ref().map(ToString::to_string);
    text += &format!("\nkind      {}\n", kind.as_deref().unwrap_or("not stated"));
    let shown = |path: &PathBuf| match path.strip_prefix(folder) {
        Ok(inside) if !inside.as_os_str().is_empty() => tenon_text::path(inside).to_string(),
        _ => tenon_text::path(path).to_string(),
    };
    let files: Vec<String> = facts.paths.iter().map(shown).collect();
    let commands: Vec<String> = { facts.commands.iter() }
        .map(|command| output::on_one_line(command).into_owned())
        .collect();
    for (name, list) in [("files", files), ("commands", commands)] {
        let list = match list.is_empty() {
            true => "none".to_owned(),
            false => list.join("\n          "),
        };
        text += &format!("{name:<10}{list}\n");
    }
    if facts.is_incomplete {
        text += "          and others that could not be read\n";
    }
    text += &format!("folder    {}", tenon_text::path(folder));
    text
}

/// The folder that paths are relative to, as it is shown and by all its names.
fn folder(given: Option<&Path>) -> Result<(PathBuf, FolderNames), Failure> {
    let current = std::env::current_dir().map_err(Failure::usage)?;
    let folder = given.map_or(current.clone(), |given| current.join(given));
    let names = FolderNames::find(&folder);
    match folder.canonicalize() {
        Ok(folder) => Ok((folder, names)),
        // The call may be from another machine.
        Err(_) => Ok((folder, names)),
    }
}
