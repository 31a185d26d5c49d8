//! `tenon new`: a plugin to start from.

mod name;
mod question;
mod template;
mod writing;

use std::path::Path;

use serde_json::json;

use crate::args::{Choice, Kind, Language, NewArgs};
use crate::exit::{Code, Failure};
use crate::output;
use template::{Plugin, Sdk};

pub(crate) async fn run(args: &NewArgs) -> Result<(), Failure> {
    let folder = &args.folder;
    let name = name::of(folder)?;
    refuse_existing(folder)?;
    let (language, kind) = match args.json {
        true => (args.lang, args.kind),
        false => question::ask(args.lang, args.kind).await?,
    };
    let language = language.unwrap_or(Language::Python);
    let plugin = Plugin {
        name,
        language,
        kind: kind.unwrap_or(Kind::All),
        is_windows: cfg!(windows),
        sdk: sdk(language, args.sdk.as_deref())?,
    };
    name::check_for(plugin.language, &plugin.name)?;
    refuse_unsuitable(plugin.language, plugin.kind)?;
    let files = plugin.files();
    writing::write(folder, &files)?;
    if args.json {
        let paths = files.iter().map(|file| &file.path);
        return output::json_data(json!({
            "folder": std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
            "name": plugin.name,
            "language": plugin.language.name(),
            "kind": plugin.kind.name(),
            "files": paths.collect::<Vec<_>>(),
        }));
    }
    let shown = tenon_text::path(folder);
    output::talk(format_args!(
        "created {shown}: a plugin in {} ({})\nnext:\n  cd {shown}\n{}  README.md     has the commands for each host",
        plugin.language.title(),
        plugin.kind.name(),
        how_to_test(plugin.is_windows)
    ));
    if plugin.language == Language::Rust && plugin.sdk == Sdk::Registry {
        output::talk(
            "note: cargo has to find tenon-plugin in the registry; if it does not, give `path` in Cargo.toml a checkout of Tenon, or \
             use --sdk PATH",
        );
    }
    Ok(())
}

/// How to test a new plugin. `tenon dev` needs Unix.
fn how_to_test(is_windows: bool) -> &'static str {
    match is_windows {
        false => concat!(
            "  ./test        tests it, with the hosts that it is for\n",
            "  tenon dev     tests it whenever you save, and shows its calls\n"
        ),
        true => "  .\\test        tests it, with the hosts that it is for (requires bash)\n",
    }
}

/// Where the crate of a plugin is. The other languages have their SDK in the folder.
fn sdk(language: Language, checkout: Option<&Path>) -> Result<Sdk, Failure> {
    match (language, checkout) {
        (_, None) => Ok(Sdk::found()),
        (Language::Rust, Some(checkout)) => Sdk::of(checkout),
        (other, Some(_)) => Err(Failure::usage(format!(
            "--sdk is for plugins in Rust: one in {} has its SDK in its own folder\n  hint: leave --sdk out",
            other.title()
        ))),
    }
}

impl Language {
    fn title(self) -> &'static str {
        match self {
            Language::Python => "Python",
            Language::Typescript => "TypeScript",
            Language::Rust => "Rust",
            Language::Bash => "bash",
        }
    }
}

fn refuse_existing(folder: &Path) -> Result<(), Failure> {
    // A link that leads nowhere is something that exists, too.
    match folder.symlink_metadata().is_ok() {
        true => Err(Failure::usage(format!(
            "{} already exists and was not changed\n  hint: choose another name, or remove it first",
            tenon_text::path(folder)
        ))),
        false => Ok(()),
    }
}

/// bash has no NUL bytes, so that it cannot read msgpack.
fn refuse_unsuitable(language: Language, kind: Kind) -> Result<(), Failure> {
    let what = match kind {
        Kind::Storage => "keep states",
        Kind::Hook => "have hooks",
        _ => return Ok(()),
    };
    match language {
        Language::Bash => Err(Failure::new(
            Code::Usage,
            format!(
                "a plugin in bash cannot {what}: this requires msgpack, and bash strings cannot contain NUL bytes\n  \
                 hint: --lang python, or --kind function, action or resource"
            ),
        )),
        _ => Ok(()),
    }
}
