//! From a script to the command that runs it.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs::Metadata;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tenon_host::{Environment, Grant, Permission, PluginCommand};
use tenon_tfplugin::Diagnostic;

use crate::deno;
use crate::platform;
use crate::script::{Permissions, Script};
use crate::settings::Settings;

/// What is started, and how it is talked to.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) command: PluginCommand,
    pub(crate) command_line: String,
    /// Blocks with the same key use the same processes: the command line, how many calls a process
    /// takes, and when the files in the command line were last changed, so that an edited script is
    /// run as it is now.
    pub(crate) key: String,
    /// How people call the script.
    pub(crate) name: String,
    /// The attribute that says what to run.
    pub(crate) attribute: &'static str,
    /// The block sets a configuration file.
    pub(crate) has_config_file: bool,
    pub(crate) permissions: Option<Permissions>,
    /// Whether Deno runs it.
    pub(crate) is_deno: bool,
    pub(crate) reuse: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_in_flight: Option<NonZeroUsize>,
    changed: Changed,
}

/// When each file that a script names was changed last; none for what is not a file.
type Changed = Vec<Option<SystemTime>>;

/// What has been launched with the settings there are now. Finding it out looks at a dozen files.
#[derive(Default)]
pub(crate) struct Launches(Mutex<HashMap<Script, Arc<Launch>>>);

impl Launches {
    /// # Errors
    /// There is no such script, or nothing to run it with.
    pub(crate) fn of(
        &self,
        script: &Script,
        settings: &Settings,
    ) -> Result<Arc<Launch>, Diagnostic> {
        let known = self.known().get(script).cloned();
        if let Some(known) = known.filter(|known| known.changed == changed(script)) {
            return Ok(known);
        }
        let launch = Arc::new(Launch::of(script, settings)?);
        self.known().insert(script.clone(), launch.clone());
        Ok(launch)
    }

    /// Forgets everything, because the settings have changed.
    pub(crate) fn forget(&self) {
        self.known().clear();
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Script, Arc<Launch>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Extensions of files that Deno runs.
const DENO_ENDINGS: [&str; 8] = ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx"];

impl Launch {
    fn of(script: &Script, settings: &Settings) -> Result<Launch, Diagnostic> {
        let changed = changed(script);
        let (words, is_deno) = words(script, settings)?;
        let (program, arguments) = words.split_first().ok_or_else(|| {
            let refused = Diagnostic::error("Invalid script", "The command is empty.");
            refused.at("command")
        })?;
        let command = PluginCommand::new(program).args(arguments);
        let mut command = settings.with_environment(command)?;
        // Deno enforces the permissions of its scripts itself.
        let permissions = script.permissions.as_ref().filter(|_| !is_deno);
        if let Some(permissions) = permissions.filter(|permissions| !permissions.all) {
            command = confined(command, permissions, settings)?;
        }
        if env::var_os("NO_COLOR").is_none() {
            // Deno colours its errors even if stderr is not a terminal.
            command = command.variable("NO_COLOR", "1");
        }
        let command_line = command.to_string();
        Ok(Launch {
            key: format!(
                "{command_line} {:?} {permissions:?} {changed:?}",
                script.max_in_flight
            ),
            command_line,
            command,
            name: script.name(),
            attribute: script.attribute(),
            has_config_file: script.config_file.is_some(),
            permissions: script.permissions.clone(),
            is_deno,
            reuse: script.reuse.or(settings.reuse).unwrap_or(true),
            timeout: script.timeout.or(settings.timeout),
            max_in_flight: script.max_in_flight,
            changed,
        })
    }
}

/// A program and its arguments, and whether the program is Deno.
fn words(script: &Script, settings: &Settings) -> Result<(Vec<OsString>, bool), Diagnostic> {
    let Some(path) = &script.path else {
        let command = script.command.iter().flatten();
        return Ok((command.map(OsString::from).collect(), false));
    };
    let local = match deno::remote(path) {
        Some(remote) => return Ok((deno::words(script, settings, None, remote.into())?, true)),
        None => existing(path)?,
    };
    let ending = local.extension().map(|ending| ending.to_string_lossy());
    match ending.as_deref() {
        Some(ending) if DENO_ENDINGS.contains(&ending) => {}
        Some("py") => {
            let python = env::var_os("TENON_PYTHON").unwrap_or_else(|| platform::PYTHON.into());
            // Without -u an answer would stay in Python's buffer unless the script flushes it.
            return Ok((vec![python, "-u".into(), local.into()], false));
        }
        _ if platform::is_executable(&local) => return Ok((vec![local.into()], false)),
        _ => {}
    }
    let words = deno::words(script, settings, Some(&local), local.clone().into())?;
    Ok((words, true))
}

/// When the files of a script were changed last: those at its path and at `config_file`, and those
/// that its command names, as in `["node", "greet.mjs"]`.
fn changed(script: &Script) -> Changed {
    let path = { script.path.as_deref() }.filter(|path| deno::remote(path).is_none());
    let files = path.map(local).into_iter();
    let named = { script.command.iter().flatten() }.chain(&script.config_file);
    let files = files.chain(named.map(PathBuf::from));
    let changed = |file: PathBuf| {
        let found = file.metadata().ok().filter(Metadata::is_file);
        found.and_then(|found| found.modified().ok())
    };
    files.map(changed).collect()
}

/// The file at a path or `file:` URL.
fn local(path: &str) -> PathBuf {
    match path.strip_prefix("file://") {
        Some(rest) => platform::path_of_url(percent_decoded(rest)),
        None => PathBuf::from(path),
    }
}

/// The same, if it exists.
fn existing(path: &str) -> Result<PathBuf, Diagnostic> {
    let file = local(path);
    let at_path = |detail: String| Diagnostic::error("Script not found", detail).at("path");
    let file = std::path::absolute(&file).map_err(|error| at_path(format!("{path}: {error}")))?;
    match file.metadata() {
        Ok(found) if found.is_dir() => Err(at_path(format!(
            "{path} is a folder. Set path to the script in it."
        ))),
        Ok(_) => Ok(file),
        Err(error) => Err(at_path(format!(
            "There is no script at {path}: {error}.\n\nLooked for it at {}. A relative path starts in \
             the folder where Terraform runs; \"${{path.module}}/...\" starts in the folder of the \
             module.",
            file.display()
        ))),
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A command that the kernel confines to the permissions of a script. From our environment it gets the
/// variables that every program needs and those that the permissions allow, but none that Terraform set
/// for us. If the settings list variables, it gets those, except for what its permissions deny.
fn confined(
    command: PluginCommand,
    permissions: &Permissions,
    settings: &Settings,
) -> Result<PluginCommand, Diagnostic> {
    let allow = permissions.allow.iter().map(String::as_str);
    let deny = permissions.deny.iter().map(String::as_str);
    let permissions = tenon_host::Permissions::of_words(allow, deny).map_err(|error| {
        let refused = Diagnostic::error("Invalid permission", format!("{error}."));
        refused.at("permissions")
    })?;
    let ours = Grant::only(["TF_PLUGIN_MAGIC_COOKIE", "PLUGIN_*"]);
    let permissions = permissions.deny(Permission::Env, ours);
    if settings.passed_on()?.is_some() {
        return Ok(command.permissions(permissions.without(Permission::Env)));
    }
    let command = command
        .inherit(Environment::default())
        .environment_advice("add \"env=NAME\" to `allow` in its permissions");
    Ok(command.permissions(permissions))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    fn launch(script: Script) -> Result<String, String> {
        let settings = Settings {
            deno: Some("/bin/sh".into()),
            ..Settings::default()
        };
        let launch = Launch::of(&script, &settings).map_err(|refused| refused.detail);
        launch.map(|launch| launch.command_line)
    }

    fn at(path: &Path) -> Script {
        Script {
            path: Some(path.to_str().unwrap().to_owned()),
            ..Script::default()
        }
    }

    #[test]
    fn the_file_extension_decides_what_runs_a_script() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let shown = folder.path().display().to_string();
        for (name, mode, expected) in [
            ("a.ts", 0o644, "/bin/sh run -q FOLDER/a.ts"),
            ("a.js", 0o755, "/bin/sh run -q FOLDER/a.js"),
            ("a.py", 0o644, "python3 -u FOLDER/a.py"),
            ("program", 0o755, "FOLDER/program"),
            ("plain", 0o644, "/bin/sh run -q FOLDER/plain"),
        ] {
            let line = launch(at(&file(name, mode))).unwrap();
            assert_eq!(line, expected.replace("FOLDER", &shown));
        }
    }

    #[test]
    fn a_missing_script_is_reported_with_a_next_step() {
        let missing = launch(at(Path::new("./no/such/script.ts"))).unwrap_err();
        assert!(missing.contains("There is no script at ./no/such/script.ts"));
        assert!(missing.contains("path.module"), "{missing}");
        assert!(
            launch(at(Path::new("/")))
                .unwrap_err()
                .contains("is a folder")
        );
    }

    #[test]
    fn permissions_are_part_of_what_is_started() {
        let script = |permissions: Option<Permissions>| Script {
            command: Some(vec!["node".into(), "a.js".into()]),
            permissions,
            ..Script::default()
        };
        let allow = |words: &[&str]| Permissions {
            allow: words.iter().map(|word| (*word).to_owned()).collect(),
            ..Permissions::default()
        };
        let settings = Settings::default();
        let key = |permissions| Launch::of(&script(permissions), &settings).unwrap().key;
        // Processes with other permissions are not shared.
        assert_ne!(key(Some(allow(&["read=."]))), key(Some(allow(&["read=/"]))));
        assert_ne!(key(Some(allow(&[]))), key(None));
        let unknown = launch(script(Some(allow(&["reed"])))).unwrap_err();
        assert!(
            unknown.contains("\"reed\" is not a permission"),
            "{unknown}"
        );
        // Deno would refuse it as well, but name an argument that is not in the configuration.
        let mut of_deno = at(Path::new("https://example.com/a.ts"));
        of_deno.permissions = Some(allow(&["reed=."]));
        assert!(
            launch(of_deno.clone())
                .unwrap_err()
                .contains("\"reed\" is not a permission")
        );
        of_deno.permissions = Some(allow(&["import", "net=example.com:443", "sys"]));
        assert!(launch(of_deno).is_ok());
        let all = Permissions {
            all: true,
            ..Permissions::default()
        };
        assert_eq!(launch(script(Some(all))).unwrap(), "node a.js");
    }

    #[test]
    fn a_script_is_looked_at_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.py");
        let write = |seconds| {
            let file = std::fs::File::create(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
                .unwrap();
        };
        let (launches, settings) = (Launches::default(), Settings::default());
        let launch = || launches.of(&at(&path), &settings).unwrap();
        write(1);
        let first = launch();
        assert!(Arc::ptr_eq(&first, &launch()));
        write(2);
        assert_ne!(first.key, launch().key);
        let command = Script {
            command: Some(vec!["python3".into(), path.to_str().unwrap().into()]),
            ..Script::default()
        };
        let by_command = || launches.of(&command, &settings).unwrap();
        let first = by_command();
        assert!(Arc::ptr_eq(&first, &by_command()));
        write(3);
        assert_ne!(first.key, by_command().key);
        std::fs::remove_file(&path).unwrap();
        assert!(launches.of(&at(&path), &settings).is_err());
    }

    #[test]
    fn file_urls_are_paths() {
        assert_eq!(percent_decoded("/a%20b/%C3%A4.ts"), "/a b/ä.ts");
        assert_eq!(percent_decoded("/100%/%zz"), "/100%/%zz");
    }
}
