//! What a path means by its text. On Windows many spellings lead to one file: in another case, with dots and blanks at the
//! end of names, with a stream after `:`, and through the device of a drive.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf, Prefix};

/// The rest of a path below a folder, whose names may be written in another case.
pub(crate) fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let small = |part: Component<'_>| part.as_os_str().to_string_lossy().to_lowercase();
    let mut rest = path.components();
    for part in folder.components() {
        if small(rest.next()?) != small(part) {
            return None;
        }
    }
    Some(rest.as_path())
}

/// The rest of a path below the root of its drive.
pub(crate) fn below_root(path: &Path) -> Option<&Path> {
    let mut parts = path.components();
    let has_drive = matches!(parts.next()?, Component::Prefix(_));
    (has_drive && parts.next() == Some(Component::RootDir)).then(|| parts.as_path())
}

/// The text that patterns, which have slashes, are compared with, if it is text.
pub(crate) fn text(path: &Path) -> Option<Cow<'_, str>> {
    path.to_str().map(|path| path.replace('\\', "/").into())
}

/// The same with a mark for what is not text.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy().replace('\\', "/").into()
}

/// The spellings of a path that a pattern of absolute paths is compared with; nothing if the pattern is relative. `/folder`
/// is denied on every drive and every machine, and allowed on none: it needs the drive.
pub(crate) fn absolute(pattern: &str, path: &Path, is_allowing: bool) -> Option<Vec<PathBuf>> {
    let (has_drive, is_rooted) = (pattern.get(1..3) == Some(":/"), pattern.starts_with('/'));
    let on_any_drive = below_root(path).map(|rest| Path::new("/").join(rest));
    let on_any_drive = on_any_drive.filter(|_| is_rooted && !is_allowing);
    (has_drive || is_rooted).then(|| on_any_drive.into_iter().chain([path.to_owned()]).collect())
}

/// Other names of the same file, or of one that a program may take for it.
pub(crate) fn aliases(path: &Path) -> Vec<PathBuf> {
    let mut alias = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Prefix(prefix) => match prefix.kind() {
                Prefix::VerbatimDisk(drive) => alias.push(format!("{}:", char::from(drive))),
                Prefix::DeviceNS(device) => alias.push(device),
                Prefix::VerbatimUNC(host, share) => {
                    let (host, share) = (host.to_string_lossy(), share.to_string_lossy());
                    alias.push(format!(r"\\{host}\{share}"));
                }
                _ => alias.push(part),
            },
            Component::Normal(name) => {
                let name = name.to_string_lossy();
                let name = name.split(':').next().unwrap_or_default();
                match name.trim_end_matches(['.', ' ']) {
                    "" => {}
                    name => alias.push(name),
                }
            }
            part => alias.push(part),
        }
    }
    match alias == path {
        true => Vec::new(),
        false => vec![alias],
    }
}

/// The folder of the user.
pub(crate) fn home() -> Option<String> {
    std::env::var("USERPROFILE").ok()
}

/// The path in a URI, after `file://`: `/C:/folder`, or `host/share`.
pub(crate) fn of_uri(path: &str) -> String {
    let path = path.strip_prefix("localhost").unwrap_or(path);
    match path.strip_prefix('/') {
        Some(drive) if drive.get(1..2) == Some(":") => drive.to_owned(),
        Some(_) => path.to_owned(),
        None => format!("//{path}"),
    }
}

/// Where an existing path leads, on a drive: to ask another machine would tell it who asks.
pub(crate) fn target(path: &Path) -> Option<PathBuf> {
    let is_drive = |path: &Path| match path.components().next() {
        Some(Component::Prefix(prefix)) => {
            matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_))
        }
        _ => false,
    };
    let target = is_drive(path).then(|| path.canonicalize().ok())??;
    // `\\?\C:\folder` is `C:\folder`.
    Some(aliases(&target).pop().unwrap_or(target))
}

/// How many names a regular file has; none if it is not one.
pub(crate) fn names(path: &Path) -> u64 {
    let metadata = std::fs::symlink_metadata(path).ok();
    let is_file = metadata.is_some_and(|metadata| metadata.is_file());
    let file = std::fs::File::open(path).ok().filter(|_| is_file);
    let names = file.and_then(|file| tenon_host::own_file::names(&file).ok());
    names.unwrap_or(0)
}
