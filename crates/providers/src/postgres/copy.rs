//! Rows in bulk, by COPY.

use std::io::Cursor;
use std::pin::pin;

use futures_util::SinkExt;
use tenon_plugin::Failure;
use tokio::io::AsyncReadExt;
use tokio_postgres::{Client, CopyInSink};

use super::error::{failure, unanswered};
use super::{Copy, name};
use crate::attribute::wrong;

/// How much of a file is in memory at a time.
const PIECE: usize = 256 * 1024;

/// Copies rows into a table and says how many there were.
pub(super) async fn copy(client: &mut Client, attrs: Copy) -> Result<u64, Failure> {
    let statement = statement(&attrs)?;
    // Opened before the copy begins: a file that is not there should not look like one that is
    // broken off.
    let file = match (&attrs.data, &attrs.file) {
        (Some(_), None) => None,
        (None, Some(path)) => {
            let cannot = |error| Failure::new(format!("{path} cannot be read: {error}"));
            Some((path, tokio::fs::File::open(path).await.map_err(cannot)?))
        }
        _ => return Err(wrong("data", "give either data or file")),
    };
    // The library says that a copy is done before the server has committed it. A commit of its own
    // is waited for, so that what is wrong with it is heard of.
    let transaction = client.transaction().await.map_err(|e| failure(&e))?;
    let sink: CopyInSink<Cursor<Vec<u8>>> = transaction
        .copy_in(&statement)
        .await
        .map_err(|error| failure(&error))?;
    // Dropped before it is finished, it has the server forget all rows.
    let mut sink = pin!(sink);
    if let Some(data) = attrs.data {
        let piece = Cursor::new(data.into_bytes());
        sink.send(piece).await.map_err(|error| failure(&error))?;
    }
    if let Some((path, mut file)) = file {
        loop {
            let mut piece = Vec::with_capacity(PIECE);
            let read = file.read_buf(&mut piece).await;
            match read.map_err(|error| Failure::new(format!("{path} cannot be read: {error}")))? {
                0 => break,
                _ => sink
                    .send(Cursor::new(piece))
                    .await
                    .map_err(|e| failure(&e))?,
            }
        }
    }
    let rows = sink.finish().await.map_err(|error| failure(&error))?;
    let committed = transaction.commit().await;
    committed.map_err(|error| unanswered(&error))?;
    Ok(rows)
}

fn statement(attrs: &Copy) -> Result<String, Failure> {
    let table = name::table(&attrs.table).map_err(|problem| wrong("table", problem))?;
    let mut statement = format!("COPY {table}");
    if let Some(columns) = &attrs.columns {
        let columns = columns.iter().map(|column| name::identifier(column));
        let columns: Result<Vec<_>, _> = columns.collect();
        let columns = columns.map_err(|problem| wrong("columns", problem))?;
        statement.push_str(&format!(" ({})", columns.join(", ")));
    }
    let (format, usual_delimiter) = match attrs.format.as_str() {
        "csv" => ("csv", ","),
        "tsv" => ("csv", "\t"),
        "text" => ("text", "\t"),
        other => {
            return Err(wrong(
                "format",
                format!("{other:?} is not one of csv, tsv, text"),
            ));
        }
    };
    let delimiter = attrs.delimiter.as_deref().unwrap_or(usual_delimiter);
    if delimiter.len() != 1 {
        return Err(wrong(
            "delimiter",
            format!("{delimiter:?} is not a single ASCII character"),
        ));
    }
    let delimiter = name::literal(delimiter);
    statement.push_str(&format!(
        " FROM STDIN WITH (FORMAT {format}, DELIMITER {delimiter}"
    ));
    if attrs.header {
        statement.push_str(", HEADER true");
    }
    statement.push(')');
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attrs() -> Copy {
        Copy {
            table: "shop.merchant".into(),
            columns: None,
            format: "csv".into(),
            header: false,
            delimiter: None,
            data: None,
            file: None,
        }
    }

    #[test]
    fn a_statement_says_what_was_asked_for() {
        assert_eq!(
            statement(&attrs()).unwrap(),
            r#"COPY "shop"."merchant" FROM STDIN WITH (FORMAT csv, DELIMITER ',')"#
        );
        let all = Copy {
            columns: Some(vec!["id".into(), r#"na"me"#.into()]),
            format: "tsv".into(),
            header: true,
            delimiter: Some("'".into()),
            ..attrs()
        };
        assert_eq!(
            statement(&all).unwrap(),
            r#"COPY "shop"."merchant" ("id", "na""me") FROM STDIN WITH (FORMAT csv, DELIMITER '''', HEADER true)"#
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = [
            (
                Copy {
                    table: "a.b.c".into(),
                    ..attrs()
                },
                "table",
            ),
            (
                Copy {
                    columns: Some(vec![String::new()]),
                    ..attrs()
                },
                "columns",
            ),
            (
                Copy {
                    format: "xml".into(),
                    ..attrs()
                },
                "xml",
            ),
            (
                Copy {
                    delimiter: Some("ü".into()),
                    ..attrs()
                },
                "delimiter",
            ),
        ];
        for (attrs, named) in wrong {
            let error = format!("{:?}", statement(&attrs).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
