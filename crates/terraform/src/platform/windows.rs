//! Windows.

use std::path::{Path, PathBuf};

/// The name of Python: few installations have a `python3`.
pub(crate) const PYTHON: &str = "python";

/// The extensions of programs that `tenon-host` starts.
const EXECUTABLE: [&str; 5] = ["exe", "com", "bat", "cmd", "ps1"];

/// Whether a file is a program, by its extension.
pub(crate) fn is_executable(file: &Path) -> bool {
    let extension = file.extension().map(|one| one.to_string_lossy());
    let is_program = |one: &str| {
        EXECUTABLE
            .iter()
            .any(|known| one.eq_ignore_ascii_case(known))
    };
    extension.is_some_and(|one| is_program(&one)) && file.is_file()
}

/// The files that the path of a program may mean: npm installs a batch file.
pub(crate) fn program_files(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let extensions: &[&str] = match path.extension() {
        Some(_) => &[""],
        None => &[".exe", ".cmd"],
    };
    extensions.iter().map(move |extension| {
        let mut file = path.clone().into_os_string();
        file.push(extension);
        PathBuf::from(file)
    })
}

/// The path in a `file:` URL: in `file:///C:/a.ts` it begins behind the third slash, in `file://server/share/a.ts` it is
/// one of the network.
pub(crate) fn path_of_url(path: String) -> PathBuf {
    match path.strip_prefix('/') {
        Some(local) => PathBuf::from(local),
        None => PathBuf::from(format!(r"\\{}", path.replace('/', r"\"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lead_to_drives_and_servers() {
        let path = |text: &str| path_of_url(text.to_owned());
        assert_eq!(path("/C:/a b.ts"), Path::new(r"C:\a b.ts"));
        assert_eq!(path("server/share/a.ts"), Path::new(r"\\server\share\a.ts"));
    }

    #[test]
    fn the_extension_decides_what_is_a_program() {
        let folder = tempfile::tempdir().unwrap();
        for (name, expected) in [
            ("a.exe", true),
            ("a.CMD", true),
            ("a.ts", false),
            ("a", false),
        ] {
            let file = folder.path().join(name);
            std::fs::write(&file, "").unwrap();
            assert_eq!(is_executable(&file), expected, "{name}");
        }
        assert!(!is_executable(&folder.path().join("missing.exe")));
        let found: Vec<_> = program_files(PathBuf::from("deno")).collect();
        assert_eq!(found, [Path::new("deno.exe"), Path::new("deno.cmd")]);
        let found: Vec<_> = program_files(PathBuf::from("deno.exe")).collect();
        assert_eq!(found, [Path::new("deno.exe")]);
    }
}
