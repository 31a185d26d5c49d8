//! Functions of files and paths.

use std::path::Path;

use base64::Engine;
use tenon_values::{Type, Value};

use super::encodings::BASE64;
use super::folder::{Folder, normal};
use super::glob::Glob;
use super::hashes::HASHES;
use crate::function::parameter::string;
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all(folder: &Folder) -> Vec<Function> {
    let reading = |name, description| Function::new(name, [string("path")]).describe(description);
    let within = |body: fn(&Folder, Arguments) -> Result<Value, FunctionError>| {
        let folder = folder.clone();
        move |arguments: Arguments| body(&folder, arguments)
    };
    let mut functions = vec![
        reading("abspath", "Converts a path to an absolute path.").gives(
            Type::String,
            within(|folder, arguments| path_text(&folder.absolute(arguments.text(0)?)?)),
        ),
        reading("basename", "Returns the last part of a path.").gives(Type::String, |arguments| {
            Ok(last_part(arguments.text(0)?).into())
        }),
        reading("dirname", "Returns a path without its last part.")
            .gives(Type::String, |arguments| {
                path_text(&first_parts(arguments.text(0)?))
            }),
        reading(
            "file",
            "Returns the contents of a file, which must be UTF-8.",
        )
        .gives(Type::String, within(file)),
        reading(
            "filebase64",
            "Returns the contents of a file, encoded as base64.",
        )
        .gives(
            Type::String,
            within(|folder, arguments| Ok(BASE64.encode(folder.read(arguments.text(0)?)?).into())),
        ),
        reading("fileexists", "Reports whether a file exists.").gives(Type::Bool, within(exists)),
        Function::new("fileset", [string("path"), string("pattern")])
            .describe(
                "Lists the files below a folder whose paths match a pattern such as **/*.json.",
            )
            .gives(Type::set(Type::String), within(matching)),
        reading(
            "pathexpand",
            "Replaces ~ at the start of a path by the home folder.",
        )
        .gives(Type::String, |arguments| expanded(arguments.text(0)?)),
    ];
    for (_, name, hash, description) in HASHES {
        let folder = folder.clone();
        let function = reading(name, description);
        functions.push(function.gives(Type::String, move |arguments| {
            Ok(hash(&folder.read(arguments.text(0)?)?).into())
        }));
    }
    functions
}

fn file(folder: &Folder, arguments: Arguments) -> Result<Value, FunctionError> {
    let path = arguments.text(0)?;
    let text = String::from_utf8(folder.read(path)?).map_err(|_| {
        let message = "the file is not UTF-8, so it cannot be a string; read it with filebase64";
        FunctionError::new(message).at(0).quoting(path)
    })?;
    Ok(text.into())
}

fn exists(folder: &Folder, arguments: Arguments) -> Result<Value, FunctionError> {
    let path = arguments.text(0)?;
    match folder.find(path)? {
        None => Ok(Value::FALSE),
        Some(found) if found.is_file() => Ok(Value::TRUE),
        Some(_) => Err(
            FunctionError::new("this is a folder or a device, not a file")
                .at(0)
                .quoting(path),
        ),
    }
}

fn matching(folder: &Folder, arguments: Arguments) -> Result<Value, FunctionError> {
    let pattern = arguments.text(1)?;
    let glob = Glob::read(pattern).ok_or_else(|| {
        let message = "the pattern is malformed; a bracket or brace must be closed";
        FunctionError::new(message).at(1).quoting(pattern)
    })?;
    let mut files = folder.files(arguments.text(0)?)?;
    files.retain(|path| glob.matches(path));
    Ok(Value::set(
        Type::String,
        files.into_iter().map(Value::from).collect(),
    )?)
}

fn path_text(path: &Path) -> Result<Value, FunctionError> {
    let text = path
        .to_str()
        .ok_or_else(|| FunctionError::new("the path is not UTF-8"))?;
    Ok(if text.is_empty() { "." } else { text }.into())
}

fn last_part(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".",
        (_, "") => "/",
        (_, trimmed) => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// What stands before the last slash, which ends a path that has one at its end.
fn first_parts(path: &str) -> std::path::PathBuf {
    let end = path.rfind('/').map_or(0, |at| at + 1);
    normal(Path::new(&path[..end]))
}

fn expanded(path: &str) -> Result<Value, FunctionError> {
    let rest = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return Ok(path.into()),
    };
    let home = std::env::home_dir();
    let home =
        home.ok_or_else(|| FunctionError::new("there is no home folder; HOME is not set"))?;
    path_text(&if rest.is_empty() {
        home
    } else {
        home.join(rest)
    })
}
