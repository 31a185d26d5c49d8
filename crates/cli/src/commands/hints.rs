//! Hints of the library in the words of the command line.

use tenon_scenario::{Advice, ChoiceError, Hint, Inputs, MissingSecrets, RecordKey, RunError};

/// How the command words hints.
pub(crate) const ADVICE: Advice = Advice(hint);

/// How to pass an environment variable on that a provider lacks.
pub(crate) const ENVIRONMENT: &str = "add `env = [\"NAME\"]` to the provider in \
     `required_providers`, or `--env NAME` to the command";

/// What to do about a problem, by flags.
pub(crate) fn hint(hint: &Hint) -> String {
    let key = RecordKey::VARIABLE;
    match hint {
        Hint::GiveVariable(name) => format!(
            "give it with --var {name}=..., a --var-file, or {}{name}",
            Inputs::PREFIX
        ),
        Hint::GiveVariableAgain => {
            format!("give it again, or give the record's key with --record-key or {key}")
        }
        Hint::GiveSecrets(names) => format!("give {}", flags(names)),
        Hint::RecoverSecrets(names) => {
            let flags = match names.is_empty() {
                true => "--secret ACTION.OUTPUT=...".to_owned(),
                false => flags(names),
            };
            format!(
                "give the key of that run with --record-key or {key}, give the secret with {flags}, \
                 or run the action that returns it again with --redo ADDRESS"
            )
        }
        Hint::GiveRecordKey => {
            format!("give the key of that run with --record-key FILE or {key}")
        }
        Hint::KeepSecrets => format!(
            "give a key with --record-key FILE or {key} to keep secrets encrypted in the record"
        ),
        Hint::MissingRecordFolder => "create it, or choose another with --record-dir".to_owned(),
        Hint::ChooseRecordFolder => "choose another folder with --record-dir".to_owned(),
        Hint::CheckOutcomes => "check whether they were done; then run them again with \
             --redo-maybe, or one with --redo ADDRESS, or undo the run with `tenon teardown`"
            .to_owned(),
        Hint::CheckOutcome => "check whether it was done; then run it again with --redo-maybe or \
             --redo ADDRESS, or undo the run with `tenon teardown`"
            .to_owned(),
        Hint::UndoRun => "to undo this action, undo the run with `tenon teardown`".to_owned(),
        Hint::Salvage => {
            "--salvage continues without the journal; the outcome of every action that \
             may have started is then unknown"
                .to_owned()
        }
        Hint::MarkUndone(address) => {
            let address = match address.contains('"') {
                true => format!("'{address}'"),
                false => address.clone(),
            };
            format!("if it no longer exists, confirm with --undone {address}")
        }
        other => other.to_string(),
    }
}

/// An error with what to do about it.
pub(crate) fn with_hint(error: impl ToString, about: Option<Hint>) -> String {
    let error = error.to_string();
    match about {
        Some(about) => format!("{error}\n  {}", hint(&about)),
        None => error,
    }
}

/// Why there was no run, and what to do about it.
pub(crate) fn of_run(error: &RunError) -> String {
    match error {
        RunError::Secrets(missing) => missing_secrets(missing),
        error => with_hint(error, error.hint()),
    }
}

/// Why no scenario was chosen, and what to do about it.
pub(crate) fn of_choice(error: &ChoiceError) -> String {
    match error {
        ChoiceError::Several { names, .. } => format!(
            "{error}\n  choose one with --scenario: {}",
            names.join(", ")
        ),
        error => error.to_string(),
    }
}

/// Which secrets a teardown needs, as flags.
fn missing_secrets(missing: &MissingSecrets) -> String {
    let mut report = String::from(
        "secrets are missing that are needed to undo this run, so nothing was undone:",
    );
    for (whose, names) in &missing.needed {
        report += &format!("\n  {whose}: {}", flags(names));
    }
    if let Some(reason) = &missing.reason {
        report += &format!("\n  the scenario file cannot be used to find them: {reason}");
    }
    report += &match missing.has_key {
        true => format!(
            "\n  the record holds secrets encrypted: give its key with --record-key FILE or {}, or \
             give these secrets",
            RecordKey::VARIABLE
        ),
        false => {
            "\n  give them again; a later run keeps them encrypted with --record-key FILE".into()
        }
    };
    report + "; --partial undoes the rest without them"
}

/// How secrets are given: each flag once.
fn flags<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let mut flags: Vec<String> = names.into_iter().map(|name| flag(name)).collect();
    flags.dedup();
    flags.join(" ")
}

/// How a secret is given on the command line.
fn flag(name: &str) -> String {
    match name.strip_prefix("var.") {
        Some(path) => {
            let end = path.find(['.', '[']).unwrap_or(path.len());
            format!("--var {}=...", &path[..end])
        }
        None if name.contains('"') => format!("--secret '{name}=...'"),
        None => format!("--secret {name}=..."),
    }
}
