//! Running scripts with Deno: which one, with which configuration, and what a script may do.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenon_host::{Capture, Permission, PluginCommand};
use tenon_tfplugin::Diagnostic;

use crate::platform;
use crate::script::{Permissions, Script};
use crate::settings::Settings;

/// What Deno fetches itself: a URL of the web, or a package.
pub(crate) fn remote(path: &str) -> Option<&str> {
    let is_remote = match path.split_once("://") {
        Some((scheme, _)) => scheme != "file",
        None => path.starts_with("jsr:") || path.starts_with("npm:"),
    };
    is_remote.then_some(path)
}

/// Permissions that only Deno has, in this version or in an older one.
const OF_DENO_ALONE: [&str; 2] = ["import", "hrtime"];

/// The command line for a script. `local` is its file, if it has one.
pub(crate) fn words(
    script: &Script,
    settings: &Settings,
    local: Option<&Path>,
    target: OsString,
) -> Result<Vec<OsString>, Diagnostic> {
    let binary = binary(settings).map_err(|error| error.at("path"))?;
    let mut words = vec![binary.into(), "run".into(), "-q".into()];
    match script
        .config_file
        .as_deref()
        .filter(|file| !file.is_empty())
    {
        // Without this Deno would look for a configuration file itself.
        Some("/dev/null") => words.push("--no-config".into()),
        Some(file) => words.extend(["-c".into(), file.into()]),
        None => {
            if let Some(file) = local.and_then(nearest_config) {
                words.extend(["-c".into(), file.into()]);
            }
        }
    }
    let permissions = script.permissions.as_ref();
    for entry in permissions
        .into_iter()
        .flat_map(|all| all.allow.iter().chain(&all.deny))
    {
        let name = entry.split('=').next().unwrap_or_default();
        if let Err(error) = name.parse::<Permission>()
            && !OF_DENO_ALONE.contains(&name)
        {
            let refused = Diagnostic::error("Invalid permission", format!("{error}."));
            return Err(refused.at("permissions"));
        }
    }
    let granted = permissions.map(Permissions::arguments);
    words.extend(granted.into_iter().flatten().map(OsString::from));
    words.push(target);
    Ok(words)
}

/// The configuration file nearest to a script, going up from its folder but not to the root.
fn nearest_config(script: &Path) -> Option<PathBuf> {
    let folders = script.ancestors().skip(1);
    let below_root = folders.take_while(|folder| folder.parent().is_some());
    below_root
        .flat_map(|folder| [folder.join("deno.json"), folder.join("deno.jsonc")])
        .find(|file| file.is_file())
}

/// The Deno to run scripts with.
fn binary(settings: &Settings) -> Result<PathBuf, Diagnostic> {
    let named = { settings.deno.clone().map(PathBuf::from) }.map(|path| ("deno_binary_path", path));
    let named = named.or_else(|| Some(("TENON_DENO", env::var_os("TENON_DENO")?.into())));
    match named {
        Some((who, name)) => find(&name).ok_or_else(|| {
            let what = format!("{who} is {}, which is not a file", name.display());
            missing(&what, settings)
        }),
        None => {
            find(Path::new("deno")).ok_or_else(|| missing("There is no deno in PATH", settings))
        }
    }
}

fn missing(what: &str, settings: &Settings) -> Diagnostic {
    Diagnostic::error(
        "Deno not found",
        format!(
            "{what}, and this provider does not download Deno. Install it ({}) and add it to PATH, or \
             set deno_binary_path in the provider block or the environment variable TENON_DENO to its \
             path.\n\nScripts in other languages do not need Deno.",
            how_to_install(wanted(settings))
        ),
    )
}

/// Where to get Deno: of one version, if that is a whole one.
fn how_to_install(version: Option<&str>) -> String {
    match version.filter(|version| version.split('.').count() >= 3) {
        Some(version) => format!(
            "npm install -g deno@{version}, or see \
             https://github.com/denoland/deno/releases/tag/v{version}"
        ),
        None => "npm install -g deno, pip install deno, or see https://deno.com".to_owned(),
    }
}

/// A program by its path or, if that is only a name, in `PATH`.
fn find(name: &Path) -> Option<PathBuf> {
    let file = |path: PathBuf| platform::program_files(path).find(|file| file.is_file());
    if name.components().count() > 1 {
        return file(name.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).find_map(|folder| file(folder.join(name)))
}

/// The version that the configuration asks for, if it does not take any.
fn wanted(settings: &Settings) -> Option<&str> {
    let wanted = settings.deno_version.as_deref()?.trim();
    let wanted = wanted.strip_prefix('v').unwrap_or(wanted);
    (wanted != "latest").then_some(wanted)
}

/// What is wrong if Deno is not of the version that the configuration asks for: an error, or a
/// warning if the configuration names that Deno itself or its version cannot be read.
pub(crate) async fn check_version(settings: &Settings) -> Option<Diagnostic> {
    let wanted = wanted(settings)?;
    // Without a script in Deno, Deno is not needed. With one, starting it reports that Deno is missing.
    let binary = binary(settings).ok()?;
    let command = PluginCommand::new(&binary).arg("--version");
    let command = match settings.with_environment(command) {
        Ok(command) => command,
        Err(problem) => return Some(problem),
    };
    let capture = Capture {
        time_limit: Some(Duration::from_secs(10)),
        ..Capture::default()
    };
    let said = capture.run(&command).await.ok();
    let said = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let found = said.as_deref().and_then(version_in);
    let problem = match found {
        Some(found) if fits(found, wanted) => return None,
        // The program that the configuration names is used, as in terraform-provider-denobridge.
        Some(found) if settings.deno.is_some() => Diagnostic::warning(
            "Wrong version of Deno",
            format!(
                "deno_version requires Deno {wanted}. deno_binary_path is {}, which is Deno {found}. It \
                 is used anyway.",
                binary.display()
            ),
        ),
        Some(found) => Diagnostic::error(
            "Wrong version of Deno",
            format!(
                "deno_version requires Deno {wanted}. {} is Deno {found}, and this provider does not \
                 download Deno. Do one of these:\n\
                 - install it ({}) and set deno_binary_path or TENON_DENO to it, if it is not the \
                 first in PATH;\n\
                 - set deno_version to {found:?}, or remove it, if the scripts run with that.",
                binary.display(),
                how_to_install(Some(wanted))
            ),
        ),
        None => Diagnostic::warning(
            "Unknown version of Deno",
            format!(
                "deno_version requires Deno {wanted}, and `{} --version` did not print a version. It is \
                 used anyway.",
                binary.display()
            ),
        ),
    };
    Some(problem.at("deno_version"))
}

/// The version in the text that `deno --version` prints: `deno 2.1.4 (stable, ...)`.
fn version_in(text: &str) -> Option<&str> {
    let word = text.strip_prefix("deno ")?.split_whitespace().next()?;
    word.starts_with(|first: char| first.is_ascii_digit())
        .then_some(word)
}

/// Whether a version matches the required one, whose last parts may be left out: 2.1 takes
/// 2.1.4, and not 2.10.0.
fn fits(found: &str, wanted: &str) -> bool {
    let rest = found.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+']))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            deno: Some("/bin/sh".into()),
            ..Settings::default()
        }
    }

    #[test]
    fn packages_and_urls_are_left_to_deno() {
        for path in ["https://example.com/a.ts", "jsr:@scope/name", "npm:name@1"] {
            assert_eq!(remote(path), Some(path));
        }
        for path in ["./a.ts", "file:///a.ts", "a:b.ts"] {
            assert_eq!(remote(path), None);
        }
    }

    #[test]
    fn the_nearest_configuration_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let script = inner.join("x.ts");
        assert_eq!(nearest_config(&script), None);
        let file = folder.path().join("a/deno.jsonc");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(nearest_config(&script), Some(file));
        let file = folder.path().join("a/deno.json");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(nearest_config(&script), Some(file));
    }

    #[test]
    fn dev_null_means_no_configuration() {
        let script = Script {
            config_file: Some("/dev/null".into()),
            permissions: Some(Permissions {
                allow: vec!["env".into()],
                ..Permissions::default()
            }),
            ..Script::default()
        };
        let words = words(&script, &settings(), None, "x.ts".into()).unwrap();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let expected = ["/bin/sh", "run", "-q", "--no-config", "--allow-env", "x.ts"];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_missing_deno_is_reported_with_what_to_do() {
        let settings = Settings {
            deno: Some("/no/such/deno".into()),
            ..Settings::default()
        };
        let detail = binary(&settings).unwrap_err().detail;
        assert!(detail.starts_with("deno_binary_path is /no/such/deno, which is not a file"));
        assert!(detail.contains("npm install -g deno, pip"), "{detail}");
        let settings = Settings {
            deno_version: Some("v2.1.4".into()),
            ..settings
        };
        let detail = binary(&settings).unwrap_err().detail;
        assert!(detail.contains("npm install -g deno@2.1.4"), "{detail}");
    }

    #[test]
    fn versions_may_leave_out_their_last_parts() {
        for (found, wanted, expected) in [
            ("2.1.4", "2.1.4", true),
            ("2.1.4", "2.1", true),
            ("2.1.4", "2", true),
            ("2.10.0", "2.1", false),
            ("2.1.40", "2.1.4", false),
            ("2.1.4", "2.1.5", false),
            ("2.1.4+abc", "2.1.4", true),
            ("2.1.4-rc.1", "2.1.4", false),
        ] {
            assert_eq!(fits(found, wanted), expected, "{found} for {wanted}");
        }
        assert_eq!(
            version_in("deno 2.9.6 (stable, release)\nv8 1"),
            Some("2.9.6")
        );
        assert_eq!(version_in("usage: deno"), None);
        assert_eq!(version_in(""), None);
    }
}
