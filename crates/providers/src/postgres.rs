//! The provider `postgres`: one connection to a PostgreSQL server, on which one action at a time
//! runs.
//!
//! If the connection is lost after a statement was sent, the server may have committed it: the
//! outcome is unknown, unless the statement only reads. So it is if the server says that a text failed
//! part of which may be committed: one with `commit` in it, or a procedure.
//!
//! A transaction ends with the action that began it. If the action leaves it open, it is rolled back.

mod bytes;
mod column;
mod copy;
mod database;
mod decimal;
mod error;
mod moment;
mod name;
mod parameter;
mod reading;
mod tls;

use std::pin::pin;

use futures_util::TryStreamExt;
use tenon_plugin::{Failure, Plugin, Secret, attributes};
use tenon_values::Value;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement};

use crate::attribute::wrong;
use database::{Database, Session};
use error::{failure, in_part, unanswered};
use parameter::Parameter;
use reading::{may_begin, may_commit, may_commit_too, only_reads};

attributes! {
    /// The server.
    struct Config {
        /// Where it is and who we are: postgres://user:password@host:port/database, or
        /// `host=... user=...`. With sslmode=require the connection is encrypted and the server's
        /// certificate is checked against those that the system trusts, or those in the file that
        /// the variable SSL_CERT_FILE names; otherwise it is not encrypted.
        dsn: Secret<String>,
    }

    /// One statement, or a script.
    struct Query {
        /// The statement, with $1, $2 where the parameters go. Several statements are a script:
        /// they have no parameters and no outputs, and are one transaction, unless they begin or end
        /// transactions themselves.
        query: String,
        /// The parameters: a list in their order. The server reads each as the type that the
        /// statement asks for; bytea is given in base64.
        params: Option<Value>,
    }

    /// Rows in bulk.
    struct Copy {
        /// The table, or schema.table, in upper and lower case as it was created.
        table: String,
        /// The columns that the data has; all of them in their order if not set.
        columns: Option<Vec<String>>,
        /// What the data is: csv, tsv (csv with tabs) or text (PostgreSQL's own).
        format: String = "csv",
        /// Whether the first line holds names, and is left out.
        header: bool = false,
        /// What separates columns: a comma in csv, a tab otherwise, if not set.
        delimiter: Option<String>,
        /// The rows. Either this or file.
        data: Option<String>,
        /// The file with the rows. Either this or data.
        file: Option<String>,
    }

    /// What became of the rows.
    struct Copied {
        /// How many there were.
        rows_copied: u64,
    }
}

/// The provider.
pub(crate) fn provider() -> Plugin<Database> {
    Plugin::new("postgres", env!("CARGO_PKG_VERSION"))
        .configure(|config: Config| async move { Database::open(config.dsn.reveal()).await })
        .action(
            "postgres_query",
            "Runs a statement. The outputs are the first row that it returns, keyed by column",
            |database, attrs: Query| async move {
                let mut session = database.session().await?;
                let params = attrs.params.unwrap_or_else(|| Value::tuple(Vec::new()));
                let params = params
                    .elements()
                    .ok_or_else(|| wrong("params", "it is not a list"))?;
                query_alone(&mut session, &attrs.query, params).await
            },
        )
        .action(
            "postgres_copy",
            "Copies rows into a table with COPY, all or none",
            |database, attrs| async move {
                let mut session = database.session().await?;
                let rows_copied = copy::copy(&mut session.client, attrs).await?;
                Ok(Copied { rows_copied })
            },
        )
}

/// Runs a text whose transaction, if it begins one, does not outlast it: the next action would become
/// a part of it, or fail because of it.
async fn query_alone(
    session: &mut Session,
    text: &str,
    params: &[Value],
) -> Result<Value, Failure> {
    if !may_begin(text) {
        return query(&session.client, text, params).await;
    }
    // Until it is known better, also if this is no longer waited for.
    session.is_in_doubt = true;
    let outcome = query(&session.client, text, params).await;
    match (outcome, session.roll_back().await) {
        (Ok(_), Ok(true)) => {
            let message = "the query left a transaction open, so it was rolled back\n  \
                           hint: end it with COMMIT in the same query";
            // What an earlier COMMIT in it has done is not undone by that.
            Err(match may_commit_too(text) {
                true => Failure::outcome_unknown(message),
                false => Failure::new(message),
            })
        }
        (Ok(_), Err(error)) => Err(in_part(&error)),
        (Err(failure), Ok(true)) => {
            Err(failure.with_detail("the transaction that the query had begun was rolled back"))
        }
        (outcome, _) => outcome,
    }
}

async fn query(client: &Client, query: &str, params: &[Value]) -> Result<Value, Failure> {
    let statement = match client.prepare(query).await {
        Ok(statement) => statement,
        // Several statements cannot be prepared, which the server calls a syntax error. If it is
        // another one, it comes again: a script is read to its end before any of it is run.
        Err(error) if error.code() == Some(&SqlState::SYNTAX_ERROR) && params.is_empty() => {
            // Only what the server could not read has a place where it is wrong.
            let is_read = { error.as_db_error() }.is_some_and(|said| said.position().is_none());
            let done = client.batch_execute(query).await;
            done.map_err(|error| match is_read && may_commit(query, true) {
                true => in_part(&error),
                false => unanswered(&error),
            })?;
            return Ok(Value::object::<&str>([]));
        }
        Err(error) => return Err(failure(&error)),
    };
    column::check(statement.columns()).map_err(|problem| wrong("query", problem))?;
    let params = parameters(&statement, params)?;
    // From here on the server has been told what to do.
    let failure = match only_reads(query) {
        true => failure,
        false if may_commit(query, false) => in_part,
        false => unanswered,
    };
    let rows = client.query_raw(&statement, &params).await;
    let mut rows = pin!(rows.map_err(|error| failure(&error))?);
    let mut first = None;
    // To the end, since what comes later may fail, and with it the whole statement.
    while let Some(row) = rows.try_next().await.map_err(|error| failure(&error))? {
        if first.is_none() {
            first = Some(column::object(&row).map_err(|error| failure(&error))?);
        }
    }
    Ok(first.unwrap_or_else(|| Value::object::<&str>([])))
}

fn parameters(statement: &Statement, params: &[Value]) -> Result<Vec<Parameter>, Failure> {
    let types: &[Type] = statement.params();
    if types.len() != params.len() {
        return Err(wrong(
            "params",
            format!(
                "the statement has {} parameters, but {} are given",
                types.len(),
                params.len()
            ),
        ));
    }
    let mut parameters = Vec::with_capacity(params.len());
    for (number, (value, ty)) in (1..).zip(params.iter().zip(types)) {
        let parameter = Parameter::new(value, ty)
            .map_err(|problem| wrong("params", format!("${number}: {problem}")))?;
        parameters.push(parameter);
    }
    Ok(parameters)
}
