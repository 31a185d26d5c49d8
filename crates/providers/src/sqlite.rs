//! The provider `sqlite`: databases that are a file.
//!
//! Integers come with all 64 bits, reals as the shortest number that means the same, NULL as
//! null, blobs as base64.

mod cell;
mod database;

use std::sync::{Mutex, PoisonError};

use tenon_plugin::{Context, Failure, Plugin, attributes};
use tenon_values::Value;

use crate::attribute::seconds;
use crate::blocking::blocking;
use database::Database;

attributes! {
    /// The database.
    struct Config {
        /// The database file, relative to the provider's working directory; or `:memory:`.
        path: String,
        /// Whether a file that is missing is created, readable for its owner alone.
        create: bool = true,
        /// How many seconds to wait for another process's transaction to end.
        busy_timeout_seconds: f64 = 5.0,
    }

    /// One statement.
    struct Query {
        /// The statement, with `?` or `:name` where the parameters go.
        query: String,
        /// The parameters: a list in their order, or a map by their names.
        params: Option<Value>,
    }

    /// One statement, for all its rows.
    struct RowsQuery {
        /// The statement, with `?` or `:name` where the parameters go.
        query: String,
        /// The parameters: a list in their order, or a map by their names.
        params: Option<Value>,
        /// More rows than this are a failure. What the statement changed stays changed then.
        max_rows: u32 = 10_000,
    }

    /// All rows that were returned.
    struct Rows {
        /// The rows, each an object keyed by column.
        rows: Value,
        /// How many there are.
        count: u64,
    }

    /// Several statements.
    struct Script {
        /// The statements, which have no parameters. They are one transaction: all or none.
        script: String,
    }
}

/// The provider.
pub(crate) fn provider() -> Plugin<Mutex<Database>> {
    Plugin::new("sqlite", env!("CARGO_PKG_VERSION"))
        .configure(|config: Config| {
            blocking(move || {
                let busy = seconds("busy_timeout_seconds", config.busy_timeout_seconds)?;
                Database::open(&config.path, config.create, busy).map(Mutex::new)
            })
        })
        .action(
            "sqlite_query",
            "Runs a statement. The outputs are the first row that it returns, keyed by column",
            |database, attrs: Query| {
                using(database, move |database| {
                    database.first(&attrs.query, &attrs.params.unwrap_or(Value::NULL))
                })
            },
        )
        .action(
            "sqlite_rows",
            "Runs a statement and returns all its rows",
            |database, attrs: RowsQuery| {
                using(database, move |database| {
                    let params = attrs.params.unwrap_or(Value::NULL);
                    let rows = database.all(&attrs.query, &params, attrs.max_rows as usize)?;
                    Ok(Rows {
                        count: rows.len() as u64,
                        rows: Value::tuple(rows),
                    })
                })
            },
        )
        .action(
            "sqlite_script",
            "Runs several statements in one transaction",
            |database, attrs: Script| {
                using(database, move |database| database.script(&attrs.script))
            },
        )
}

/// One connection, which one action at a time uses.
async fn using<T: Send + 'static>(
    database: Context<Mutex<Database>>,
    work: impl FnOnce(&mut Database) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    blocking(move || {
        // After a panic the database is as good as after any other failure: SQLite keeps it whole.
        let mut database = database.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut database)
    })
    .await
}
