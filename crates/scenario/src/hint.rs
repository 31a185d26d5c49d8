//! What users can do about a problem.

use std::fmt;

/// What a user can do about a problem. The program that uses the library words it, because it has the
/// names of flags and fields: see [`Advice`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// Give a value for the variable of this name.
    GiveVariable(String),
    /// Give a secret of an earlier run again, or the key that its record is encrypted with.
    GiveVariableAgain,
    /// Give secrets by these names: `var.password`, `action.put.a.token`.
    GiveSecrets(Vec<String>),
    /// Give the key of the earlier run, secrets by these names if there are any, or run the action
    /// that returns them again.
    RecoverSecrets(Vec<String>),
    /// Give the key that the secrets of the record were encrypted with.
    GiveRecordKey,
    /// Give a key, so that the record keeps secrets encrypted.
    KeepSecrets,
    /// Create the folder for the record, or choose another.
    MissingRecordFolder,
    /// Choose another folder for the record.
    ChooseRecordFolder,
    /// Check whether actions were done; then run them again, or undo the run.
    CheckOutcomes,
    /// The same for a single action.
    CheckOutcome,
    /// Undo the run to undo an action that the scenario no longer has.
    UndoRun,
    /// Go on without a journal that is damaged or missing.
    Salvage,
    /// Say that the action of this address was undone by hand.
    MarkUndone(String),
}

impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Hint::GiveVariable(_) => "give it a value",
            Hint::GiveVariableAgain => "give it again, or give the record's key",
            Hint::GiveSecrets(names) => return write!(formatter, "give {}", names.join(", ")),
            Hint::RecoverSecrets(_) => {
                "give the key of that run, give the secret, or run the action that returns it again"
            }
            Hint::GiveRecordKey => "give the key of that run",
            Hint::KeepSecrets => "give a key to keep secrets encrypted in the record",
            Hint::MissingRecordFolder => "create it, or choose another",
            Hint::ChooseRecordFolder => "choose another folder",
            Hint::CheckOutcomes => {
                "check whether they were done; then run them again, or undo the run"
            }
            Hint::CheckOutcome => "check whether it was done; then run it again, or undo the run",
            Hint::UndoRun => "undo the whole run: this action is no longer in the scenario",
            Hint::Salvage => {
                "salvaging continues without the journal; the outcome of every action that may have \
                 started is then unknown"
            }
            Hint::MarkUndone(_) => "if it no longer exists, mark it as undone",
        };
        formatter.write_str(text)
    }
}

/// How hints are worded. The default names no flags.
#[derive(Clone, Copy, Debug)]
pub struct Advice(pub fn(&Hint) -> String);

impl Default for Advice {
    fn default() -> Advice {
        Advice(ToString::to_string)
    }
}

impl Advice {
    pub(crate) fn on(self, hint: &Hint) -> String {
        (self.0)(hint)
    }
}
