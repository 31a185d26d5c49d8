//! States as rows of a SQLite database.
//!
//! A change is one transaction, which is there as a whole or not at all, whenever the process is killed.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tenon_plugin::{Failure, Lock, Storage};

use crate::Located;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS states (path TEXT PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS locks (path TEXT PRIMARY KEY, id TEXT NOT NULL, info TEXT NOT NULL);
";

/// How long a transaction of another process may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct SqliteStore {
    file: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteStore {
    pub(crate) fn open(file: &str) -> Result<SqliteStore, Failure> {
        let file = std::path::absolute(file)?;
        // States have secrets in them; SQLite would make a file that everybody can read.
        let mut options = OpenOptions::new();
        let _created = options.append(true).create(true).mode(0o600).open(&file)?;
        let connection = Connection::open(&file)?;
        connection.busy_timeout(PATIENCE)?;
        // What is committed is on disk, even if the power fails.
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        connection.execute_batch(TABLES)?;
        Ok(SqliteStore {
            file,
            connection: Mutex::new(connection),
        })
    }

    /// Makes a change in one transaction, which other processes wait for.
    fn change<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // A transaction that panics is rolled back.
        work(
            &mut self
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

fn held(connection: &Connection, path: &str) -> Result<Option<Lock>, Failure> {
    let query = "SELECT id, info FROM locks WHERE path = ?";
    let held = connection.query_row(query, [path], |row| {
        Ok(Lock {
            id: row.get(0)?,
            info: row.get(1)?,
        })
    });
    Ok(held.optional()?)
}

impl Located for SqliteStore {
    fn location(&self, path: &str) -> String {
        format!("file://{}#{path}", self.file.display())
    }
}

impl Storage for SqliteStore {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.with(|connection| {
            let query = "SELECT state FROM states WHERE path = ?";
            let state = connection.query_row(query, [path], |row| row.get(0));
            Ok(state.optional()?)
        })
    }

    async fn write(&self, path: &str, state: &[u8], lock_id: Option<&str>) -> Result<(), Failure> {
        self.change(|change| {
            Lock::check(held(change, path)?.as_ref(), lock_id)?;
            let statement = "INSERT OR REPLACE INTO states VALUES (?, ?)";
            change.execute(statement, params![path, state])?;
            Ok(())
        })
    }

    async fn lock(&self, path: &str, wanted: Lock) -> Result<String, Failure> {
        self.change(|change| match held(change, path)? {
            Some(held) if held.id != wanted.id => Err(Failure::locked(Some(held))),
            Some(held) => Ok(held.id),
            None => {
                let statement = "INSERT INTO locks VALUES (?, ?, ?)";
                change.execute(statement, [path, &wanted.id, &wanted.info])?;
                Ok(wanted.id)
            }
        })
    }

    async fn unlock(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        self.change(|change| {
            if let Some(held) = held(change, path)? {
                Lock::check(Some(&held), lock_id)?;
                change.execute("DELETE FROM locks WHERE path = ?", [path])?;
            }
            Ok(())
        })
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        self.with(|connection| {
            let mut query = connection.prepare(
                "SELECT path FROM states WHERE substr(path, 1, length(?1)) = ?1 ORDER BY path",
            )?;
            let paths = query.query_map([prefix], |row| row.get(0))?;
            Ok(paths.collect::<Result<_, _>>()?)
        })
    }

    async fn delete(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        self.change(|change| {
            Lock::check(held(change, path)?.as_ref(), lock_id)?;
            change.execute("DELETE FROM states WHERE path = ?", [path])?;
            Ok(())
        })
    }
}
