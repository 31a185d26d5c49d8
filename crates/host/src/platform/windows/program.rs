//! Which file a command means. Without a shell: a name is looked for in `PATH` with the extensions of `PATHEXT`, and not
//! in the current folder.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::environment::Variables;

/// What to start.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// An absolute path. The standard library runs batch files by cmd.exe, with arguments that it quotes or refuses.
    pub(super) path: PathBuf,
    /// Arguments before those of the command: for a script, those that make its interpreter run it.
    pub(super) before: Vec<OsString>,
}

/// The extensions of programs, where `PATHEXT` does not say.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// PowerShell runs the file with the arguments as they are: with `-Command` it would read them as code.
const POWERSHELL: [&str; 4] = ["-NoLogo", "-NoProfile", "-NonInteractive", "-File"];

impl Program {
    /// # Errors
    /// There is no such program.
    pub(super) fn find(
        program: &OsStr,
        folder: Option<&Path>,
        environment: &Variables,
    ) -> io::Result<Program> {
        let extensions = environment.get("PATHEXT").unwrap_or(EXTENSIONS.as_ref());
        let extensions = extensions.to_string_lossy().into_owned();
        let extensions: Vec<&str> = extensions
            .split(';')
            .filter(|one| !one.is_empty())
            .collect();
        let path = match is_path(program) {
            // Relative to the folder that it runs in, as on other systems.
            true => file(&folder.unwrap_or(Path::new("")).join(program), &extensions),
            false => environment.get("PATH").and_then(|path| {
                let mut folders = std::env::split_paths(path).filter(|one| one.is_absolute());
                folders.find_map(|folder| file(&folder.join(program), &extensions))
            }),
        };
        let path = path
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such program"))?;
        let path = std::path::absolute(path)?;
        let is_script = { path.extension() }.is_some_and(|one| one.eq_ignore_ascii_case("ps1"));
        if !is_script {
            let before = Vec::new();
            return Ok(Program { path, before });
        }
        let shells = ["pwsh", "powershell"].map(OsStr::new).into_iter();
        let shell = shells.map(|shell| Program::find(shell, None, environment));
        let shell = shell.flatten().next().ok_or_else(|| {
            let problem = "it is a PowerShell script, and neither pwsh nor powershell is in PATH";
            io::Error::new(io::ErrorKind::NotFound, problem)
        })?;
        Ok(Program {
            path: shell.path,
            before: { POWERSHELL.map(OsString::from).into_iter() }
                .chain([path.into()])
                .collect(),
        })
    }
}

/// Whether a name is that of a program in `PATH`, with the extensions of `PATHEXT`.
pub(crate) fn is_in_path(program: &OsStr, environment: &Variables) -> bool {
    Program::find(program, None, environment).is_ok()
}

/// Whether a program is given with its path, so that it is not looked for.
pub(crate) fn is_path(program: &OsStr) -> bool {
    { program.as_encoded_bytes().iter() }.any(|byte| matches!(byte, b'/' | b'\\' | b':'))
}

/// The file itself if its name has an extension, or else with the first extension of a program that leads to a file.
fn file(path: &Path, extensions: &[&str]) -> Option<PathBuf> {
    path.file_name()?;
    let with = |extension: &&str| {
        let mut name = path.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    let itself = path.extension().map(|_| path.to_owned());
    let mut candidates = itself.into_iter().chain(extensions.iter().map(with));
    candidates.find(|one| one.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn programs_are_found_in_path_with_the_extensions_of_pathext() {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(&folder).unwrap();
        for name in [
            "tool.cmd",
            "tool.exe",
            "script.ps1",
            "powershell.exe",
            "plain",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        let environment = Variables::from_iter([
            ("Path", folder.clone().into_os_string()),
            ("PathExt", ".CMD;.EXE".into()),
        ]);
        let find = |program: &str, folder: Option<&Path>| {
            let found = Program::find(program.as_ref(), folder, &environment)?;
            let name = found.path.file_name().unwrap().to_ascii_lowercase();
            io::Result::Ok((name.into_string().unwrap(), found.before))
        };
        assert_eq!(find("tool", None).unwrap().0, "tool.cmd");
        assert_eq!(find("TOOL.EXE", None).unwrap().0, "tool.exe");
        assert_eq!(find(r".\tool", Some(&folder)).unwrap().0, "tool.cmd");
        for missing in ["tool.bat", "plain", r".\tool", "", ".", ".."] {
            let error = find(missing, None).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{missing}");
        }
        let (shell, before) = find("script.ps1", None).unwrap();
        assert_eq!(shell, "powershell.exe");
        assert_eq!(before[3], "-File");
        assert!(Path::new(&before[4]).ends_with("script.ps1"));
    }
}
