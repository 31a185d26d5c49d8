//! The functions that expressions can call, by name.
//!
//! The standard ones are Terraform's, down to what they make of null, unknown and marked values;
//! `tests/data/functions.json` has what Terraform says to more than a thousand calls. They differ
//! where it pays:
//!
//! - Errors have our words, and nothing of what is in a marked argument.
//! - Files are read inside one folder only, up to 4 MiB each. `fileset` follows no links to
//!   folders.
//! - Results are limited: a text to 16 MiB, a collection to 1,048,576 elements, `setproduct` to
//!   100,000, `range` to 1,024 as in Terraform. Whatever is made, every value has at most 4,194,304
//!   elements and 64 MiB of text, counted with those in it.
//! - `jsonencode` writes numbers with an exponent where Terraform writes more than 128 zeros.
//! - Regular expressions are RE2's, run by the `regex` crate: octal escapes and `\C` are refused,
//!   the flag `x` is known, and a pattern's size is limited instead of its repetitions.
//! - `textencodebase64` and `textdecodebase64` know UTF-8, UTF-16LE and UTF-16BE.
//! - `cidrsubnet` refuses negative numbers, of which Terraform makes networks elsewhere.
//! - `type` gives text and can be used everywhere.
//!
//! Not there: `bcrypt`, `base64gzip`, `rsadecrypt`, `yamldecode`, `yamlencode`, `plantimestamp`,
//! `ephemeralasnull` and `templatestring`.

mod addresses;
mod csv;
mod dates;
mod encodings;
mod files;
mod folder;
mod formats;
mod glob;
mod hashes;
mod limits;
mod lists;
mod maps;
mod numbers;
mod numerals;
mod patterns;
mod searches;
mod sets;
mod strings;
mod syntax;
mod timestamps;
mod types;
mod verbs;

use std::collections::BTreeMap;
use std::path::Path;

use crate::function::Function;
use folder::Folder;

/// Functions by name.
#[derive(Debug, Default)]
pub struct Functions(BTreeMap<String, Function>);

impl Functions {
    /// No function at all.
    pub fn none() -> Functions {
        Functions::default()
    }

    /// Terraform's functions. Those that read files read them in this folder, and refuse what is
    /// outside of it; without a folder they refuse everything.
    ///
    /// `try`, `can` and `templatefile` are not among them, since they need the expression and not
    /// its value.
    pub fn standard(folder: Option<&Path>) -> Functions {
        let folder = Folder::new(folder);
        let families = [
            numbers::all(),
            strings::all(),
            patterns::all(),
            formats::all(),
            lists::all(),
            searches::all(),
            maps::all(),
            sets::all(),
            encodings::all(),
            hashes::all(),
            dates::all(),
            types::all(),
            addresses::all(),
            files::all(&folder),
        ];
        families
            .into_iter()
            .flatten()
            .fold(Functions::none(), Functions::with)
    }

    /// These functions and one more, in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, function: Function) -> Functions {
        self.0.insert(function.name().to_owned(), function);
        self
    }

    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.0.get(name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
