//! A Terraform provider: notes in a folder. It has two functions (slug, total), a resource (note),
//! a data source (count) and an ephemeral resource (token).
//!
//! `examples/seasonings/rust/` uses it; the same in plain Python is beside it.
//!
//! ```text
//! cargo build -p tenon-plugin --example notes
//! tenon provider pack notes --write-config -- target/debug/examples/notes
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tenon_plugin::{
    Created, Data, Diagnostic, Ephemeral, Existing, Failure, Found, Opened, Plugin, Resource,
    Secret, Typed, Value, Variadic, WriteOnly, attributes, json,
};

attributes! {
    struct Config {
        /// Where the notes are.
        folder: String,
    }

    struct Slug {
        text: String,
        separator: String = "-",
        limit: Option<usize>,
    }

    struct Total { numbers: Variadic<f64> }

    /// What the configuration says.
    struct Note {
        #[replaces]
        title: String,
        text: String = "(empty)",
        tags: Option<BTreeMap<String, Option<String>>>,
        author: Option<Author>,
        /// Any value.
        extra: Option<Value>,
        /// Needed to write the note, and stored nowhere.
        password: WriteOnly<String>,
        #[block]
        link: Vec<Link> = Vec::new(),
    }

    struct Author {
        name: String,
        is_shown: bool = true,
    }

    struct Link {
        url: String,
        weight: f64 = 0.1,
    }

    /// What is known once the note exists.
    struct Written { words: usize }

    /// What version 0 of the plugin stored.
    struct Stored0 { id: String, title: String, body: String }

    struct Prefix { prefix: Option<String> }
    struct Count { notes: usize }

    struct Length { length: usize = 8 }
    struct Token { value: Secret<String> }
}

/// The folder of the notes. A note is a file of JSON, whose name is its id.
struct Folder(PathBuf);

impl Folder {
    fn open(config: Config) -> Result<Folder, Failure> {
        let folder = PathBuf::from(&config.folder);
        match folder.is_dir() {
            true => Ok(Folder(folder)),
            false => Err(Failure::diagnosed([Diagnostic::error(
                "No such folder",
                config.folder,
            )
            .at(["folder"])])),
        }
    }

    fn file(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }

    fn load(&self, id: &str) -> Result<Option<Note>, Failure> {
        match fs::read(self.file(id)) {
            Ok(text) => Ok(Some(Note::from_value(&json::implied(&text)?)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a note: the old one or the new one is there, never half of one.
    fn save(&self, id: &str, note: Note) -> Result<Written, Failure> {
        let words = note.text.split_whitespace().count();
        let stored = Note {
            password: WriteOnly::absent(),
            ..note
        };
        let stored = stored.to_value()?;
        let text = json::encode(&stored, &stored.ty())?;
        let part = self.0.join(format!("{id}.part"));
        let mut file = fs::File::create(&part)?;
        file.write_all(text.as_ref())?;
        // By the handle that wrote it: Windows does not flush what is open for reading.
        file.sync_all()?;
        fs::rename(part, self.file(id))?;
        Ok(Written { words })
    }

    fn titles(&self) -> Result<Vec<String>, Failure> {
        let mut titles = Vec::new();
        for file in fs::read_dir(&self.0)? {
            let name = file?.file_name();
            if let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".json")) {
                titles.extend(self.load(id)?.map(|note| note.title));
            }
        }
        Ok(titles)
    }
}

struct Notes(Arc<Folder>);

impl Resource for Notes {
    type Props = Note;
    type State = Written;
    const VERSION: u64 = 1;

    async fn create(&self, note: Note) -> Result<Created<Written>, Failure> {
        let id = random();
        let written = self.0.save(&id, note)?;
        Ok(Created::new(id, written))
    }

    async fn read(
        &self,
        id: String,
        props: Option<Note>,
    ) -> Result<Option<Found<Note, Written>>, Failure> {
        let Some(note) = self.0.load(&id)? else {
            // Without props it is an import.
            return match props {
                Some(_) => Ok(None),
                None => Err(Failure::new(format!("there is no note {id}"))),
            };
        };
        let words = note.text.split_whitespace().count();
        Ok(Some(Found::new(note, Written { words })))
    }

    async fn update(
        &self,
        existing: Existing<Note, Written>,
        note: Note,
    ) -> Result<Data<Written>, Failure> {
        Ok(self.0.save(&existing.id, note)?.into())
    }

    async fn delete(&self, existing: Existing<Note, Written>) -> Result<Data<()>, Failure> {
        match fs::remove_file(self.0.file(&existing.id)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(Data::done()),
        }
    }

    async fn upgrade(_: u64, stored: Value) -> Result<Existing<Note, Written>, Failure> {
        let stored = Stored0::from_value(&stored)?;
        let words = stored.body.split_whitespace().count();
        let note = Note {
            title: stored.title,
            text: stored.body,
            tags: None,
            author: None,
            extra: None,
            password: WriteOnly::absent(),
            link: Vec::new(),
        };
        Ok(Existing {
            id: stored.id,
            props: Some(note),
            state: Some(Written { words }),
        })
    }
}

struct Tokens;

impl Ephemeral for Tokens {
    type Props = Length;
    type Result = Token;
    type Private = ();

    async fn open(&self, props: Length) -> Result<Opened<Token, ()>, Failure> {
        let mut value = String::new();
        while value.len() < props.length {
            value += &random();
        }
        value.truncate(props.length);
        Ok(Opened::new(
            Token {
                value: Secret::new(value),
            },
            (),
        ))
    }
}

/// Sixteen hexadecimal digits.
fn random() -> String {
    format!("{:016x}", RandomState::new().hash_one(()))
}

fn slug(slug: Slug) -> Result<String, Failure> {
    if slug.text.is_empty() {
        let problem = Diagnostic::error("the text is empty", "").at(["text"]);
        return Err(Failure::diagnosed([problem]));
    }
    let text = slug.text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let limit = slug.limit.unwrap_or(usize::MAX);
    Ok(words.join(&slug.separator).chars().take(limit).collect())
}

fn main() -> std::process::ExitCode {
    Plugin::new("notes", "1.2.0")
        .configure(|config: Config| async { Folder::open(config) })
        .function(
            "slug",
            "Makes a short name of a text.",
            |given: Slug| async { slug(given) },
        )
        .function("total", "Adds numbers.", |total: Total| async move {
            Ok(total.numbers.0.iter().sum::<f64>())
        })
        .resource("note", "A note, in a file.", Notes)
        .data_source(
            "count",
            "How many notes there are.",
            |folder, given: Prefix| async move {
                let prefix = given.prefix.unwrap_or_default();
                let titles = folder.titles()?;
                let notes = titles
                    .iter()
                    .filter(|title| title.starts_with(&prefix))
                    .count();
                Ok(Count { notes })
            },
        )
        .ephemeral("token", "A random text.", |_| Tokens)
        .serve()
}
