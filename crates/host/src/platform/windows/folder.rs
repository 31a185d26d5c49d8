//! Names in open folders. The system's own call is used, because that of Windows knows paths alone.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::{Path, PathBuf};

use super::files;
use super::kernel::{self, names};
use crate::folder::{Access, Kind};

pub(crate) type Handle = OwnedHandle;

pub(crate) fn open(path: &Path) -> io::Result<Handle> {
    let folder = files::open_folder(path)?;
    match folder.metadata()?.is_dir() {
        true => Ok(folder.into()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

pub(crate) fn enter(folder: &Handle, name: &OsStr) -> io::Result<Option<Handle>> {
    let access = names::FILE_LIST_DIRECTORY | names::FILE_TRAVERSE;
    let found = open_in(folder, name, access, names::FILE_OPEN, 0)?;
    // A link to a folder is not one for the standard library.
    Ok(found.metadata()?.is_dir().then(|| found.into()))
}

pub(crate) fn kind(folder: &Handle, name: &OsStr) -> io::Result<Kind> {
    let found = open_in(folder, name, 0, names::FILE_OPEN, 0)?;
    let kind = found.metadata()?.file_type();
    Ok(match kind {
        _ if kind.is_symlink() => Kind::Link,
        _ if kind.is_dir() => Kind::Folder,
        _ if kind.is_file() => Kind::File,
        _ => Kind::Device,
    })
}

pub(crate) fn link(folder: &Handle, name: &OsStr) -> io::Result<Option<PathBuf>> {
    let found = open_in(folder, name, 0, names::FILE_OPEN, 0)?;
    if !found.metadata()?.file_type().is_symlink() {
        return Ok(None);
    }
    let data = names::link_data(found.as_handle())?;
    let target = target(&data).ok_or(io::ErrorKind::Unsupported)?;
    Ok(Some(target))
}

pub(crate) fn open_file(folder: &Handle, name: &OsStr, access: Access) -> io::Result<Option<File>> {
    let access = match access {
        Access::Read => names::FILE_GENERIC_READ,
        Access::Write => names::FILE_GENERIC_WRITE,
    };
    let options = names::FILE_NON_DIRECTORY_FILE;
    match open_in(folder, name, access, names::FILE_OPEN, options) {
        Ok(file) => Ok((!file.metadata()?.file_type().is_symlink()).then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn create_file(folder: &Handle, name: &OsStr) -> io::Result<Option<File>> {
    let options = names::FILE_NON_DIRECTORY_FILE;
    let access = names::FILE_GENERIC_WRITE;
    match open_in(folder, name, access, names::FILE_CREATE, options) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn create_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
    let options = names::FILE_DIRECTORY_FILE;
    match open_in(folder, name, 0, names::FILE_CREATE, options) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub(crate) fn identity(file: &File) -> io::Result<(u64, u64)> {
    let [volume, high, low] = kernel::identity(file)?.map(u64::from);
    Ok((volume, high << 32 | low))
}

fn open_in(
    folder: &Handle,
    name: &OsStr,
    access: u32,
    disposition: u32,
    options: u32,
) -> io::Result<File> {
    if !is_name(name) {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    let name: Vec<u16> = name.encode_wide().collect();
    let opened = names::open_in(
        folder.as_handle(),
        &name,
        access,
        disposition,
        options,
        None,
    )?;
    Ok(opened.into())
}

/// Whether it is one name, and the same for all programs: other calls of the system cut off dots and blanks at the end, take
/// what follows `:` for a stream of the file, and know devices by their names in every folder.
pub(crate) fn is_name(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        // Half of a pair. Such names exist, but no text can name them.
        return false;
    };
    let is_special = |letter: char| letter < ' ' || r#"\/:*?"<>|"#.contains(letter);
    !name.is_empty()
        && !name.contains(is_special)
        && !name.ends_with(['.', ' '])
        && !is_device(name)
}

/// `CON`, and also `con.txt` and `COM¹ .x`.
fn is_device(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_number = |rest: &str| {
        let mut letters = rest.chars();
        let digit = letters.next();
        letters.next().is_none() && digit.is_some_and(|one| "0123456789¹²³".contains(one))
    };
    matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
    ) || numbered.is_some_and(is_number)
}

/// Where a symbolic link or a junction leads, by what the system has stored about it. An absolute target is a path that no
/// call changes: `\\?\C:\folder`.
fn target(data: &[u8]) -> Option<PathBuf> {
    const SYMBOLIC_LINK: u32 = 0xa000_000c;
    const JUNCTION: u32 = 0xa000_0003;
    const HEADER: usize = 8;
    let word = |at: usize| {
        Some(usize::from(u16::from_le_bytes(
            *data.get(at..)?.first_chunk()?,
        )))
    };
    let names = match u32::from_le_bytes(*data.first_chunk()?) {
        // Two names by their places and lengths, and for a symbolic link a flag.
        SYMBOLIC_LINK => HEADER + 12,
        JUNCTION => HEADER + 8,
        _ => return None,
    };
    let (place, length) = (word(HEADER)?, word(HEADER + 2)?);
    let name = data.get(names + place..)?.get(..length)?;
    let name: Vec<u16> = { name.chunks_exact(2) }
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    let absolute: Vec<u16> = r"\??\".encode_utf16().collect();
    let verbatim: Vec<u16> = r"\\?\".encode_utf16().collect();
    let name = match name.strip_prefix(&absolute[..]) {
        Some(rest) => [&verbatim, rest].concat(),
        None => name,
    };
    (!name.is_empty()).then(|| OsString::from_wide(&name).into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};

    use super::*;
    use crate::folder::Folder;

    #[test]
    fn names_are_the_same_for_all_programs() {
        for name in [
            "a", "a.b", ".env", "a b", "ä", "console", "com", "com10", "nul-x", "comx.1",
        ] {
            assert!(is_name(name.as_ref()), "{name}");
        }
        for name in [
            "", ".", "..", "a/b", r"a\b", "a:b", "a::$DATA", "C:", "a.", "a ", ". .", "a*", "a?",
            "a|b", "a<b", "a\"", "a\n", "a\0", "con", "CON", "nul.txt", "Com1", "COM1.txt",
            "lpt9.a.b", "aux .c", "COM¹", "conin$", "prn.",
        ] {
            assert!(!is_name(name.as_ref()), "{name:?}");
        }
        assert!(!is_name(&OsString::from_wide(&[0xd800, 0x61])));
    }

    #[test]
    fn files_are_created_read_and_written_by_their_names() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        folder.create_folder("Ördner".as_ref()).unwrap();
        folder.create_folder("Ördner".as_ref()).unwrap();
        let inner = folder.enter("öRDNER".as_ref()).unwrap().unwrap();
        let mut file = inner.create_file("a.txt".as_ref()).unwrap().unwrap();
        file.write_all(b"text").unwrap();
        assert!(inner.create_file("A.TXT".as_ref()).unwrap().is_none());
        let mut text = String::new();
        let mut read = inner.open_to_read("a.TXT".as_ref()).unwrap().unwrap();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        let written = inner.open_to_write("a.txt".as_ref()).unwrap().unwrap();
        written.set_len(0).unwrap();
        assert_eq!(fs::read(place.path().join("Ördner/a.txt")).unwrap(), b"");
        assert_eq!(identity(&read).unwrap(), identity(&file).unwrap());
        assert_eq!(inner.kind("a.txt".as_ref()).unwrap(), Kind::File);
        assert_eq!(folder.kind("Ördner".as_ref()).unwrap(), Kind::Folder);
        assert_eq!(inner.link("a.txt".as_ref()).unwrap(), None);
        assert!(inner.enter("a.txt".as_ref()).unwrap().is_none());
        assert!(inner.open_to_read("none".as_ref()).unwrap().is_none());
        let missing = inner.kind("none".as_ref()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        for name in ["..", r"..\Ördner", "a.txt:x", "NUL"] {
            let refused = inner.open_to_read(name.as_ref()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidFilename, "{name}");
            let refused = inner.create_file(name.as_ref()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidFilename, "{name}");
        }
        let file = Folder::open(&place.path().join("Ördner/a.txt")).unwrap_err();
        assert_eq!(file.kind(), io::ErrorKind::NotADirectory);
    }

    /// As the system stores it: the target, and then the target for people.
    fn stored(tag: u32, flags: &[u8], name: &str) -> Vec<u8> {
        let units = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        let (name, shown) = (units(name), units("shown"));
        let word = |length: usize| u16::try_from(length).unwrap().to_le_bytes();
        let places = [
            word(shown.len()),
            word(name.len()),
            word(0),
            word(shown.len()),
        ]
        .concat();
        let rest = [&places[..], flags, &shown, &name].concat();
        [&tag.to_le_bytes()[..], &word(rest.len()), &[0, 0], &rest].concat()
    }

    #[test]
    fn links_and_junctions_tell_where_they_lead() {
        let link = |name| target(&stored(0xa000_000c, &[0; 4], name));
        let junction = |name| target(&stored(0xa000_0003, &[], name));
        assert_eq!(link(r"..\outside"), Some(r"..\outside".into()));
        assert_eq!(link(r"\??\C:\Ö"), Some(r"\\?\C:\Ö".into()));
        assert_eq!(
            link(r"\??\UNC\host\share"),
            Some(r"\\?\UNC\host\share".into())
        );
        assert_eq!(junction(r"\??\C:\x"), Some(r"\\?\C:\x".into()));
        assert_eq!(link(""), None);
        assert_eq!(target(&stored(0xa000_001d, &[], "x")), None);
        let whole = stored(0xa000_000c, &[0; 4], r"\??\C:\x");
        for length in 0..whole.len() {
            assert_eq!(target(&whole[..length]), None, "{length}");
        }
    }
}
