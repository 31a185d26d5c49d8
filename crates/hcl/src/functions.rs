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
//! - `yamldecode` reads YAML 1.2 where Terraform reads 1.1: `%YAML 1.2` and the escape `\/` are
//!   allowed, and only CR and LF end a line. An empty block of text is empty text, not null.
//!
//! Functions of Terraform that are left out are listed in `functions/left_out.rs`, with what to use
//! instead. Functions of plugins are added with [`Functions::with_provider`].

mod addresses;
mod csv;
mod dates;
mod encodings;
mod files;
mod folder;
mod formats;
mod glob;
mod hashes;
mod left_out;
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
use std::sync::LazyLock;

use crate::function::Function;
use crate::scope::did_you_mean;
pub(crate) use encodings::BASE64;
use folder::Folder;
pub(crate) use timestamps::Moment;
pub use timestamps::parse_duration;

/// What is looked up in expressions instead of here, because it needs the expression and not its
/// value.
pub(crate) const SPECIAL: [&str; 5] = ["can", "convert", "templatefile", "templatestring", "try"];

/// The namespace of the functions that belong to the language.
const CORE: &str = "core::";

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
    /// `try`, `can`, `convert`, `templatefile` and `templatestring` are not among them, since they
    /// need the expression and not its value.
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

    /// The standard functions without a folder, made once.
    pub fn without_files() -> &'static Functions {
        static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| Functions::standard(None));
        &FUNCTIONS
    }

    /// These functions and one more, in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, function: Function) -> Functions {
        self.0.insert(function.name().to_owned(), function);
        self
    }

    /// These functions and those of a provider, which are called as `provider::NAME::FUNCTION`. A
    /// name that is not an identifier cannot be called.
    #[must_use]
    pub fn with_provider(
        self,
        provider: &str,
        functions: impl IntoIterator<Item = Function>,
    ) -> Functions {
        functions.into_iter().fold(self, |all, function| {
            let name = format!("provider::{provider}::{}", function.name());
            all.with(function.named(name))
        })
    }

    /// The function of this name. `core::NAME` is the same as `NAME`.
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.0.get(without_core(name))
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// What to do about a name that no function has.
    pub(crate) fn help(&self, name: &str) -> Option<String> {
        let name = without_core(name);
        if let Some(reason) = left_out::reason(name) {
            return Some(reason.to_owned());
        }
        let mut names: Vec<&str> = self.names().collect();
        if name.contains("::") && !names.iter().any(|known| known.contains("::")) {
            return Some("no functions of providers are available here".to_owned());
        }
        names.extend(SPECIAL);
        // A function of a provider that is called without its provider.
        let elsewhere = |known: &&&str| known.rsplit("::").next() == Some(name);
        match names.iter().find(elsewhere) {
            Some(meant) => Some(format!("did you mean `{meant}`?")),
            None => did_you_mean(name, names),
        }
    }
}

/// The name under which a function of the language is known.
pub(crate) fn without_core(name: &str) -> &str {
    let bare = name.strip_prefix(CORE);
    bare.filter(|bare| !bare.contains("::")).unwrap_or(name)
}
