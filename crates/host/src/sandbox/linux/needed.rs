//! What a program needs to start: itself, its interpreter, its libraries, and files of the
//! system that hold no secrets.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{elf, shims};
use crate::command::PluginCommand;
use crate::sandbox;

/// Folders and files of the system that every plugin may read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/pki/ca-trust",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/locale.alias",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/group",
    "/etc/mime.types",
    "/proc/cgroups",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/random",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/max_map_count",
    "/proc/sys/net/core/somaxconn",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/hugepages",
    "/sys/kernel/mm/transparent_hugepage",
    "/sys/fs/cgroup",
];

/// Configurations of language runtimes, of all versions: `/etc/java-17-openjdk`.
const RUNTIMES: [&str; 3] = ["java", "python3", "nodejs"];

/// Files that every plugin may read and write.
pub(super) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// What is read of the folder that a program's `bin` is in.
const PARTS_OF_PREFIX: [&str; 10] = [
    "bin",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "conf",
    "jmods",
    "release",
    "pyvenv.cfg",
];

/// What a command needs to start.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// What is readable, folders with everything in them.
    pub(super) read: Vec<PathBuf>,
    /// Programs and their interpreters.
    pub(super) execute: Vec<PathBuf>,
    /// Where programs are looked for, before `PATH`.
    pub(super) first_in_path: Vec<PathBuf>,
}

/// Finds programs as the child will.
pub(super) struct Finder<'a> {
    command: &'a PluginCommand,
    /// The folder that it is started in.
    pub(super) folder: PathBuf,
}

impl<'a> Finder<'a> {
    pub(super) fn new(command: &'a PluginCommand) -> Finder<'a> {
        let folder = command.folder.clone().unwrap_or_default();
        let folder = std::path::absolute(&folder)
            .or_else(|_| std::env::current_dir())
            .unwrap_or_else(|_| "/".into());
        Finder { command, folder }
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let given = { self.command.variables.get(name) }
            .filter(|_| !sandbox::is_denied(self.command, name.as_ref()));
        given
            .map(OsStr::to_owned)
            .or_else(|| std::env::var_os(name))
    }

    /// Where programs are looked for.
    pub(super) fn path(&self) -> OsString {
        self.variable("PATH").unwrap_or_default()
    }

    /// A program by its path or, if that is only a name, in `PATH`.
    pub(super) fn find(&self, name: &OsStr) -> Option<PathBuf> {
        if name.as_encoded_bytes().contains(&b'/') {
            let path = self.folder.join(name);
            return path.is_file().then_some(path);
        }
        let folders = self.path();
        std::env::split_paths(&folders)
            .map(|folder| self.folder.join(folder).join(name))
            .find(|file| file.is_file())
    }
}

impl Needed {
    /// What every program needs.
    pub(super) fn by_anyone() -> Needed {
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        for entry in fs::read_dir("/etc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_runtime = |start: &&str| name.as_encoded_bytes().starts_with(start.as_bytes());
            if RUNTIMES.iter().any(is_runtime) {
                read.push(entry.path());
            }
        }
        Needed {
            read,
            ..Needed::default()
        }
    }

    /// Adds what a program needs. A missing program is not reported here: starting it fails.
    pub(super) fn add_program(&mut self, name: &OsStr, finder: &Finder<'_>) {
        /// An interpreter may be a script itself; the kernel follows four.
        const DEPTH: usize = 4;
        let mut next = Some(name.to_owned());
        for _ in 0..DEPTH {
            let Some(name) = next.take() else { return };
            let Some(mut program) = finder.find(&name) else {
                return;
            };
            let variable = |name: &str| finder.variable(name);
            if let Some(folder) = shims::folder_behind(&program, &finder.folder, variable) {
                program = folder.join(program.file_name().unwrap_or_default());
                self.first_in_path.push(folder);
            }
            self.add_file(&program);
            next = self.add_interpreter(&program);
        }
    }

    /// Adds the packages that a program of Node's belongs to. Those it depends on are beside it.
    fn add_modules(&mut self, file: &Path) {
        let folders = file.ancestors().skip(1);
        let modules = folders.filter(|folder| folder.ends_with("node_modules"));
        self.read.extend(modules.map(Path::to_owned));
    }

    /// Adds the files among the arguments, and the folder of the first: that is the script.
    pub(super) fn add_arguments(&mut self, arguments: &[OsString], folder: &Path) {
        let files = arguments.iter().map(|argument| folder.join(argument));
        let files = files.filter(|file| file.is_file());
        for (number, file) in files.enumerate() {
            let real = file.canonicalize().unwrap_or_else(|_| file.clone());
            if number == 0 {
                self.read.extend(folder_of(&file));
                self.read.extend(folder_of(&real));
                self.add_modules(&real);
            }
            self.read.push(real);
        }
    }

    /// The program with what is installed beside it, along its symbolic links.
    fn add_file(&mut self, program: &Path) {
        const LINKS: usize = 40;
        let mut path = program.to_owned();
        for _ in 0..LINKS {
            self.add_surroundings(&path);
            let Ok(target) = fs::read_link(&path) else {
                break;
            };
            path = match path.parent() {
                Some(folder) => folder.join(target),
                None => target,
            };
        }
        if let Ok(real) = program.canonicalize() {
            self.add_surroundings(&real);
            self.add_modules(&real);
            self.execute.push(real);
        }
    }

    fn add_surroundings(&mut self, program: &Path) {
        self.read.push(program.to_owned());
        let folder = program.parent().unwrap_or(Path::new("/"));
        let is_installed = ["bin", "sbin", "libexec"]
            .iter()
            .any(|name| folder.ends_with(name));
        match folder.parent().filter(|_| is_installed) {
            Some(prefix) => {
                let parts = PARTS_OF_PREFIX.iter().map(|part| prefix.join(part));
                self.read.extend(parts.filter(|part| part.exists()));
            }
            None => self.read.extend(folder_of(program)),
        }
    }

    /// Adds what the kernel starts a program with, and returns the program that `env` starts.
    fn add_interpreter(&mut self, program: &Path) -> Option<OsString> {
        const LONGEST_LINE: u64 = 256;
        let mut file = fs::File::open(program).ok()?;
        let mut start = Vec::new();
        file.by_ref()
            .take(LONGEST_LINE)
            .read_to_end(&mut start)
            .ok()?;
        let Some(line) = start.strip_prefix(b"#!") else {
            let loader = elf::interpreter(&file, &start)?;
            self.read.push(loader.clone());
            self.execute.extend(loader.canonicalize());
            return None;
        };
        let line = line.split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line).into_owned();
        let mut words = line.split_whitespace();
        let interpreter = words.next()?;
        if !interpreter.ends_with("/env") {
            return Some(interpreter.into());
        }
        self.execute.extend(Path::new(interpreter).canonicalize());
        let loader = fs::File::open(interpreter).ok().and_then(|mut env| {
            let mut start = Vec::new();
            env.by_ref()
                .take(LONGEST_LINE)
                .read_to_end(&mut start)
                .ok()?;
            elf::interpreter(&env, &start)
        });
        self.execute
            .extend(loader.and_then(|path| path.canonicalize().ok()));
        let is_option = |word: &&str| word.starts_with('-') || word.contains('=');
        words.find(|word| !is_option(word)).map(OsString::from)
    }
}

/// The folder of a file, unless it holds too much that has nothing to do with the file.
fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let real = folder.canonicalize().ok()?;
    let is_shallow = real.components().count() <= 2;
    let is_above = |other: PathBuf| {
        let other = other.canonicalize().unwrap_or(other);
        other.starts_with(&real)
    };
    let is_broad = is_shallow
        || std::env::home_dir().is_some_and(is_above)
        || is_above(std::env::temp_dir())
        || is_above("/var/tmp".into());
    (!is_broad).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_and_temporary_folders_are_not_script_folders() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(folder_of(&home.join("plugin.py")), None);
        assert_eq!(folder_of(&std::env::temp_dir().join("plugin.py")), None);
        assert_eq!(folder_of(Path::new("/plugin.py")), None);
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("plugin.py");
        assert_eq!(folder_of(&script).as_deref(), Some(folder.path()));
    }

    #[test]
    fn a_program_needs_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("plugin");
        fs::write(&script, "#!/usr/bin/env -S sh -e\n").unwrap();
        let command = PluginCommand::new(&script);
        let mut needed = Needed::default();
        needed.add_program(script.as_os_str(), &Finder::new(&command));
        let shell = Finder::new(&command).find(OsStr::new("sh")).unwrap();
        let real = |path: &Path| path.canonicalize().unwrap();
        for program in [&script, &shell, Path::new("/usr/bin/env")] {
            let program = real(program);
            assert!(needed.execute.contains(&program), "{program:?}: {needed:?}");
        }
        let loaders =
            { needed.execute.iter() }.filter(|path| path.to_string_lossy().contains("ld-"));
        assert!(loaders.count() > 0, "{needed:?}");
    }
}
