//! A database file, and the statements that are run on it.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Statement, TransactionBehavior};
use tenon_host::own_file;
use tenon_plugin::{Code, Failure};
use tenon_values::{Kind, Value};

use super::cell;

/// An open database.
pub(crate) struct Database(Connection);

impl Database {
    /// Opens a database file, or one in memory that is called `:memory:`.
    pub(super) fn open(path: &str, create: bool, busy: Duration) -> Result<Database, Failure> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if path == ":memory:" {
            flags |= OpenFlags::SQLITE_OPEN_MEMORY;
        } else {
            prepare_file(path, create)?;
        }
        let cannot = |error: Error| Failure::new(format!("{path} cannot be opened: {error}"));
        let connection = Connection::open_with_flags(path, flags).map_err(cannot)?;
        connection.busy_timeout(busy).map_err(cannot)?;
        Ok(Database(connection))
    }

    /// Runs one statement to its end and gives the first row that it returns.
    pub(super) fn first(&mut self, query: &str, params: &Value) -> Result<Value, Failure> {
        let mut first = None;
        self.run(query, params, |row, _| {
            first.get_or_insert(row);
            Ok(())
        })?;
        Ok(first.unwrap_or_else(|| Value::object::<&str>([])))
    }

    /// Runs one statement and returns all its rows.
    pub(super) fn all(
        &mut self,
        query: &str,
        params: &Value,
        limit: usize,
    ) -> Result<Vec<Value>, Failure> {
        let mut rows = Vec::new();
        self.run(query, params, |row, only_reads| {
            if rows.len() == limit {
                let problem = format!(
                    "there are more than {limit} rows: add a LIMIT to the query, or raise max_rows"
                );
                return Err(match only_reads {
                    true => Failure::new(problem),
                    // What it changed stays changed.
                    false => Failure::outcome_unknown(problem),
                });
            }
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs statements, all or none.
    pub(super) fn script(&mut self, script: &str) -> Result<(), Failure> {
        // At once: one that begins to write later does not wait for others, but fails.
        let behavior = TransactionBehavior::Immediate;
        let transaction = self
            .0
            .transaction_with_behavior(behavior)
            .map_err(failure)?;
        let outcome = transaction.execute_batch(script);
        let has_ended = transaction.is_autocommit();
        match outcome {
            Ok(()) if !has_ended => transaction.commit().map_err(|error| written(error, false)),
            // It is unknown what it committed.
            Ok(()) => Err(Failure::outcome_unknown(
                "the script ended its transaction: leave out BEGIN, COMMIT and ROLLBACK, a script is one transaction by itself",
            )),
            // SQLite rolls back by itself over some errors; else the script has ended it, and may have
            // begun another one.
            Err(error) if may_commit(script) && (has_ended || may_begin(script)) => {
                Err(failure(error).with_code(Code::OutcomeUnknown))
            }
            Err(error) => Err(failure(error)),
        }
    }

    /// Runs one statement and shows each row, with whether the statement only reads. To the end,
    /// since what comes later may fail.
    fn run(
        &mut self,
        query: &str,
        params: &Value,
        mut see: impl FnMut(Value, bool) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut statement = self.0.prepare(query).map_err(failure)?;
        let columns = column_names(&statement)?;
        bind(&mut statement, params)?;
        let only_reads = statement.readonly();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|error| written(error, only_reads))? {
            let mut attributes = Vec::with_capacity(columns.len());
            for (index, name) in columns.iter().enumerate() {
                let stored = row.get_ref(index).map_err(failure)?;
                attributes.push((name, cell::value(stored)));
            }
            see(Value::object(attributes), only_reads)?;
        }
        drop(rows);
        drop(statement);
        self.end_transaction()
    }

    /// A transaction that stays open would hold locks until the provider ends, and then be undone.
    fn end_transaction(&mut self) -> Result<(), Failure> {
        if self.0.is_autocommit() {
            return Ok(());
        }
        self.0.execute_batch("ROLLBACK").map_err(failure)?;
        Err(Failure::new(
            "a transaction cannot continue after its action, so it was rolled back: use sqlite_script, which runs in one transaction",
        ))
    }
}

/// Sees to it that there is a file, which only its owner may read if it is new. SQLite gives the
/// files that it puts beside it the same permissions.
fn prepare_file(path: &str, create: bool) -> Result<(), Failure> {
    if path.is_empty() {
        return Err(Failure::new("path is empty: name a file, or :memory:"));
    }
    if !create {
        return match Path::new(path).exists() {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "the database {path} does not exist, and create is false"
            ))),
        };
    }
    match own_file::create_as_is(Path::new(path)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Failure::new(format!("{path} cannot be created: {error}"))),
    }
}

fn column_names(statement: &Statement<'_>) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for name in statement.column_names() {
        if names.iter().any(|other| other == name) {
            return Err(Failure::new(format!(
                "two columns are called {name}: rename one with AS"
            )));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Binds parameters: in their order if there is a list of them, by name if there is a map.
fn bind(statement: &mut Statement<'_>, params: &Value) -> Result<(), Failure> {
    let wanted = statement.parameter_count();
    let mut given: Vec<(String, &Value)> = Vec::new();
    match params.kind() {
        Kind::Null => {}
        Kind::List(values) | Kind::Tuple(values) | Kind::Set(values) => {
            given.extend((1..).map(|number: usize| number.to_string()).zip(values));
        }
        Kind::Map(entries) => {
            given.extend(
                entries
                    .iter()
                    .map(|(name, value)| (name.to_string_lossy().into(), value)),
            );
        }
        Kind::Object(attributes) => {
            given.extend(
                attributes
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
        }
        _ => return Err(Failure::new("params is neither a list nor a map")),
    }
    if given.len() != wanted {
        return Err(Failure::new(format!(
            "the statement has {wanted} parameters, but params has {}",
            given.len()
        )));
    }
    let is_named = params.elements().is_none();
    for (position, (name, value)) in (1..).zip(&given) {
        let index = match is_named {
            true => named_index(statement, name)?,
            false => position,
        };
        let stored = cell::stored(value)
            .map_err(|problem| Failure::new(format!("the parameter {name}: {problem}")))?;
        statement
            .raw_bind_parameter(index, stored)
            .map_err(failure)?;
    }
    Ok(())
}

fn named_index(statement: &Statement<'_>, name: &str) -> Result<usize, Failure> {
    for prefix in [":", "@", "$"] {
        let index = statement.parameter_index(&format!("{prefix}{name}"));
        if let Some(index) = index.map_err(failure)? {
            return Ok(index);
        }
    }
    Err(Failure::new(format!(
        "the statement has no parameter :{name}"
    )))
}

/// What SQLite says about a statement that may have been committed. An input or output error can
/// come after the point from which the transaction survives, for instance when the journal is gone
/// and its folder cannot be synced.
fn written(error: Error, only_reads: bool) -> Failure {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) if !only_reads => {
            failure(error).with_code(Code::OutcomeUnknown)
        }
        _ => failure(error),
    }
}

/// Whether a script may have committed: only COMMIT and END do that. Both may also be part of
/// another word, or of a CASE, which matters only if the transaction is over.
fn may_commit(script: &str) -> bool {
    let script = script.to_ascii_lowercase();
    script.contains("commit") || script.contains("end")
}

/// Whether a script that has ended its transaction may have begun another one.
fn may_begin(script: &str) -> bool {
    let script = script.to_ascii_lowercase();
    script.contains("begin") || script.contains("savepoint")
}

/// What SQLite says, and what to do about what happens to many.
fn failure(error: Error) -> Failure {
    let hint = match &error {
        Error::MultipleStatement => Some("use sqlite_script for several statements"),
        Error::SqliteFailure(code, _) => match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(
                "another process is writing to it: end its transaction, or raise busy_timeout_seconds",
            ),
            ErrorCode::NotADatabase => Some("is the path right, and is the file not encrypted?"),
            _ => None,
        },
        _ => None,
    };
    let said = match &error {
        Error::SqlInputError { msg, offset, .. } => match usize::try_from(*offset) {
            Ok(offset) => format!("{msg} (at byte {offset})"),
            Err(_) => msg.clone(),
        },
        error => error.to_string(),
    };
    Failure::new(match hint {
        Some(hint) => format!("{said}\n  hint: {hint}"),
        None => said,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_or_output_error_leaves_the_outcome_of_a_change_unknown() {
        let error = |code| Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let said = |code, only_reads| format!("{:?}", written(error(code), only_reads));
        let sync_failed = rusqlite::ffi::SQLITE_IOERR_FSYNC;
        assert!(said(sync_failed, false).contains("(outcome_unknown)"));
        assert!(!said(sync_failed, true).contains("outcome_unknown"));
        assert!(!said(rusqlite::ffi::SQLITE_FULL, false).contains("outcome_unknown"));
    }
}
