//! Who is measured: one row of the table each.

use std::path::Path;

use crate::child::Program;
use crate::link::Transport;
use crate::wire::Wire;

/// The name of the row that every section has: what the transport itself takes.
pub const LIMIT: &str = "limit (bytes split at newlines)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes back and forth, or the least parsing that could answer: what bounds everyone.
    Floor,
    Peer,
    Ours,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    pub transport: Transport,
    pub kind: Kind,
    pub wire: Wire,
    pub server: Program,
    /// The library's own client, where it takes the raw client's place.
    pub client: Option<Program>,
}

impl Row {
    /// For file names.
    pub fn slug(&self) -> String {
        let letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        letters.chain(self.transport.name().chars()).collect()
    }

    /// How notes call it.
    pub fn title(&self) -> String {
        format!("{} ({})", self.name, self.transport.name())
    }
}

/// What the names of twins end with.
pub const BEFORE: &str = ", before";

/// The rows, with a twin behind each of ours: the same programs, built from an older commit into this
/// folder. Names of rows are made once, so the twins' are never freed.
pub fn with_twins(rows: Vec<Row>, folder: Option<&Path>) -> Vec<Row> {
    let Some(folder) = folder else { return rows };
    let twin = |row: &Row| Row {
        name: Box::leak(format!("{}{BEFORE}", row.name).into_boxed_str()),
        server: row.server.in_folder(folder),
        client: row.client.as_ref().map(|client| client.in_folder(folder)),
        ..row.clone()
    };
    let with_twin = |row: Row| match row.kind {
        Kind::Ours => vec![row.clone(), twin(&row)],
        Kind::Floor | Kind::Peer => vec![row],
    };
    rows.into_iter().flat_map(with_twin).collect()
}

/// The rows whose programs are there, and the names of those that are not.
pub fn present(rows: Vec<Row>) -> (Vec<Row>, Vec<String>) {
    let is_there = |row: &Row| Path::new(&row.server.words[0]).exists();
    let (present, missing): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_there);
    (present, missing.iter().map(Row::title).collect())
}
