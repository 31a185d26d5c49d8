//! What a section prints: tables to read, one JSON document for tools.

use serde_json::{Map, Value};

use crate::goal::Goal;
use crate::results::{Column, Results};
use crate::section::Arguments;
use crate::table;

/// Everything that a section has measured.
#[derive(Default)]
pub struct Report {
    tables: Vec<String>,
    goals: Vec<Goal>,
    document: Map<String, Value>,
}

impl Report {
    /// Adds a part: its table, and its name and value in the JSON document.
    pub fn add(&mut self, name: &str, table: String, json: Value) {
        self.tables.push(table);
        self.document.insert(name.to_owned(), json);
    }

    /// Adds the comparison with an older build, if there is one.
    pub fn compare<C: Column>(&mut self, arguments: &Arguments, results: &Results<C>) {
        if arguments.against.is_some() {
            self.tables.push(results.comparison());
        }
    }

    /// Adds goals.
    pub fn goals(&mut self, goals: impl IntoIterator<Item = Goal>) {
        self.goals.extend(goals);
    }

    /// Prints everything.
    pub fn print(mut self, arguments: &Arguments, notes: Vec<String>) {
        if arguments.json {
            let goals = self.goals.iter().map(Goal::json).collect();
            self.document.insert("goals".to_owned(), goals);
            self.document.insert("notes".to_owned(), notes.into());
            println!("{:#}", Value::from(self.document));
            return;
        }
        for table in self.tables {
            println!("{table}");
        }
        println!("{}", table::goals_table(&self.goals));
        for note in notes {
            println!("- {note}");
        }
    }
}
