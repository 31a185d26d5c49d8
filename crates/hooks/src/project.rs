//! `tenon.hcl`: which plugins run around Terraform in a folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tenon_hcl::{
    Block, Diagnostic, Expression, Name, Problems, Shape, Source, did_you_mean, parse,
};
use tenon_host::{Limits, Variable};
use tenon_protocols::seasonings::value::encode;
use tenon_rpc::{Format, Payload};
use tenon_settings::PermissionWords;
use tenon_values::Type;

/// The name of the file.
pub const FILE: &str = "tenon.hcl";

/// How long a plugin may take for one hook, unless the file says otherwise.
const HOOK_LIMIT: Duration = Duration::from_secs(60);

const PROJECT: Shape<0> = Shape::new("tenon.hcl", [])
    .optional(&[
        "hooks",
        "storage",
        "state",
        "program",
        "pinned",
        "hook_timeout_seconds",
        "storage_timeout_seconds",
    ])
    .blocks(&["plugin"]);
const PLUGIN: Shape<1> = Shape::new("a plugin", ["name"])
    .required(&["command"])
    .optional(&[
        "env",
        "config",
        "send_sensitive",
        "sha256",
        "permissions",
        "limits",
    ]);

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The plugins, by name.
    pub plugins: BTreeMap<String, PluginSettings>,
    /// The names of the plugins whose hooks are called, in order.
    pub hooks: Vec<String>,
    /// The name of the plugin that keeps the state.
    pub storage: Option<String>,
    /// What the state is called there, if it is not `default`.
    pub state: Option<String>,
    /// The program to run, such as `tofu`, or a path from the folder of the file.
    pub program: Option<PathBuf>,
    /// Every plugin must have checksums.
    pub pinned: bool,
    /// How long a plugin may take for one hook.
    pub hook_limit: Duration,
    /// How long the plugin that keeps the state may take for one call, if the file says so.
    pub storage_limit: Option<Duration>,
}

/// One plugin.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The environment variables that it may see, besides the usual ones.
    pub environment: Vec<Variable>,
    /// What it gets in its first call.
    pub config: Map<String, Json>,
    /// It may see sensitive values.
    pub sends_sensitive: bool,
    /// The checksums of files, by their path from the folder.
    pub sha256: BTreeMap<PathBuf, String>,
    /// What it may do, if that is limited.
    pub permissions: Option<PermissionWords>,
    /// How much it may use up.
    pub limits: Limits,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// It cannot be read.
    #[error("{}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What it says is wrong.
    #[error("{} is not valid", FILE)]
    Invalid(Vec<Diagnostic>),
}

impl Project {
    /// Reads the file of a folder; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is not valid.
    pub fn load(folder: &Path) -> Result<Option<Project>, ProjectError> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ProjectError::Read { path, error }),
        };
        let shown = path.display().to_string();
        Project::parse(&Source::new(shown, text))
            .map(Some)
            .map_err(ProjectError::Invalid)
    }

    /// Reads what a file says.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(source: &Arc<Source>) -> Result<Project, Vec<Diagnostic>> {
        let body = parse(source)?;
        let mut problems = Problems::default();
        problems.file(&body, &PROJECT);
        let mut project = Project {
            pinned: problems.definite_flag(&body, "pinned"),
            hook_limit: HOOK_LIMIT,
            ..Project::default()
        };
        // A plugin with a mistake in its block is there all the same.
        let labels = body
            .blocks_of("plugin")
            .filter_map(|block| block.labels.first());
        let declared: Vec<&str> = labels.map(Name::text).collect();
        let mut names = Vec::new();
        for block in body.blocks_of("plugin") {
            if let Some((name, plugin)) = plugin(block, &mut problems) {
                names.push([name]);
                project.plugins.insert(name.text().to_owned(), plugin);
            }
        }
        problems.refuse_same("the plugin", names);
        if let Some(hooks) = body.attribute("hooks") {
            let form = "write `hooks = [\"NAME\", ...]`";
            let elements = problems.list(&hooks.value, "`hooks` is a list of names", form);
            for element in elements.unwrap_or_default() {
                project
                    .hooks
                    .extend(named(&element, &declared, &mut problems));
            }
        }
        if let Some(storage) = body.attribute("storage") {
            project.storage = named(&storage.value, &declared, &mut problems);
        }
        if let Some(state) = body.attribute("state") {
            project.state = problems.text(&state.value, "the name of a state");
        }
        if let Some(program) = body.attribute("program") {
            project.program = program_of(&program.value, &mut problems);
        }
        if let Some(limit) = body.attribute("hook_timeout_seconds") {
            project.hook_limit = seconds(&limit.value, &mut problems).unwrap_or(HOOK_LIMIT);
        }
        if let Some(limit) = body.attribute("storage_timeout_seconds") {
            project.storage_limit = seconds(&limit.value, &mut problems);
        }
        match problems.has_errors() {
            true => Err(problems.0),
            false => Ok(project),
        }
    }
}

fn plugin<'a>(block: &'a Block, problems: &mut Problems) -> Option<(&'a Name, PluginSettings)> {
    let [name] = problems.block(block, &PLUGIN)?;
    let body = &block.body;
    let command = body.attribute("command")?;
    let form = "write `command = [\"PROGRAM\", \"ARGUMENT\", ...]`";
    let words = problems.list(&command.value, "`command` is a list of texts", form)?;
    if words.is_empty() {
        let diagnostic = Diagnostic::error("`command` is empty").at(command.value.place());
        problems.note(diagnostic.help(form));
    }
    let words = words
        .iter()
        .filter_map(|word| problems.text(word, "a part of a command"));
    let command = words.collect();
    let value = |name| body.attribute(name).map(|attribute| &attribute.value);
    Some((
        name,
        PluginSettings {
            command,
            environment: value("env")
                .map(|value| tenon_settings::environment(value, problems))
                .unwrap_or_default(),
            config: value("config")
                .and_then(|value| config(value, problems))
                .unwrap_or_default(),
            sends_sensitive: problems.definite_flag(body, "send_sensitive"),
            sha256: value("sha256")
                .map(|value| checksums(value, problems))
                .unwrap_or_default(),
            permissions: value("permissions")
                .map(|value| tenon_settings::permissions(value, problems)),
            limits: value("limits")
                .map(|value| tenon_settings::limits(value, problems))
                .unwrap_or_default(),
        },
    ))
}

/// The program: a name, or a path.
fn program_of(value: &Expression, problems: &mut Problems) -> Option<PathBuf> {
    let program = problems.text(value, "the program")?;
    if program.is_empty() {
        let diagnostic = Diagnostic::error("`program` is empty").at(value.place());
        problems.note(diagnostic.help("write `program = \"terraform\"`, `\"tofu\"` or a path"));
        return None;
    }
    Some(PathBuf::from(program))
}

/// The name of a plugin that the file has.
fn named(value: &Expression, declared: &[&str], problems: &mut Problems) -> Option<String> {
    let name = problems.text(value, "the name of a plugin")?;
    if declared.contains(&name.as_str()) {
        return Some(name);
    }
    let mut diagnostic = Diagnostic::error(format!("unknown plugin `{name}`")).at(value.place());
    diagnostic.help = did_you_mean(&name, declared.iter().copied())
        .or_else(|| Some(format!("add `plugin {name:?} {{ command = [...] }}`")));
    problems.note(diagnostic);
    None
}

/// `config`: any constant object.
fn config(value: &Expression, problems: &mut Problems) -> Option<Map<String, Json>> {
    let constant = problems.constant(value, &Type::Dynamic)?;
    if constant.contains_marked() {
        let diagnostic = Diagnostic::error("`config` cannot have secrets").at(value.place());
        problems.note(diagnostic.help("pass a secret in a variable of `env`"));
        return None;
    }
    // Numbers by the rule of the protocol: those that a float would round are texts.
    let sent = encode(&constant, &constant.ty()).ok();
    let config = sent.and_then(|sent| {
        let sent = Payload::new(Format::Msgpack, sent).to_format(Format::Json);
        sent.ok()?.decode().ok()
    });
    if config.is_none() {
        let diagnostic = Diagnostic::error("`config` is an object").at(value.place());
        problems.note(diagnostic.help("write `config = { NAME = VALUE }`"));
    }
    config
}

/// `sha256 = { "cost.py" = "..." }`.
fn checksums(value: &Expression, problems: &mut Problems) -> BTreeMap<PathBuf, String> {
    let form = "write `sha256 = { \"FILE\" = \"64 hexadecimal digits\" }`";
    let wrong = "`sha256` is an object of files and checksums";
    let mut checksums = BTreeMap::new();
    for (file, sum) in problems.object(value, wrong, form).unwrap_or_default() {
        let Some(text) = problems.text(&sum, "a checksum") else {
            continue;
        };
        let text = text.to_ascii_lowercase();
        if text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            checksums.insert(PathBuf::from(file.text()), text);
        } else {
            let diagnostic = Diagnostic::error("a SHA-256 checksum has 64 hexadecimal digits");
            problems.note(diagnostic.at(sum.place()).help(form));
        }
    }
    checksums
}

fn seconds(value: &Expression, problems: &mut Problems) -> Option<Duration> {
    let number = problems.constant(value, &Type::Number)?;
    let seconds = number.as_number().map(tenon_values::Number::to_f64);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limit = limit.filter(|limit| !limit.is_zero());
    if limit.is_none() {
        let diagnostic = Diagnostic::error("a time is a number of seconds greater than zero");
        problems.note(diagnostic.at(value.place()));
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Project, Vec<String>> {
        Project::parse(&Source::new(FILE, text)).map_err(|errors| {
            errors
                .iter()
                .map(|error| error.summary.to_string())
                .collect()
        })
    }

    #[test]
    fn a_file_names_plugins_hooks_and_storage() {
        let project = parsed(
            r#"
            plugin "cost" {
              command        = ["python3", "cost.py"]
              env            = ["PRICE_*"]
              config         = { budget = 100, regions = ["a"], rate = 0.1, exact = 12345678901234567890123 }
              send_sensitive = true
              sha256         = { "cost.py" = "AB00000000000000000000000000000000000000000000000000000000000000" }
              permissions    = { allow = ["read=."] }
            }
            plugin "store" {
              command = ["./store"]
            }
            hooks   = ["cost"]
            storage = "store"
            state   = "team/app"
            pinned  = true
            program = "tofu"
            hook_timeout_seconds = 2.5
            storage_timeout_seconds = 30
            "#,
        )
        .unwrap();
        assert_eq!(project.hooks, ["cost"]);
        assert_eq!(project.storage.as_deref(), Some("store"));
        assert_eq!(project.state.as_deref(), Some("team/app"));
        assert!(project.pinned);
        assert_eq!(project.program.as_deref(), Some(Path::new("tofu")));
        assert_eq!(project.hook_limit, Duration::from_millis(2500));
        assert_eq!(project.storage_limit, Some(Duration::from_secs(30)));
        let cost = &project.plugins["cost"];
        assert_eq!(cost.command, ["python3", "cost.py"]);
        assert_eq!(
            Json::Object(cost.config.clone()).to_string(),
            r#"{"budget":100,"exact":"12345678901234567890123","rate":0.1,"regions":["a"]}"#
        );
        assert!(cost.sends_sensitive && !project.plugins["store"].sends_sensitive);
        assert!(cost.sha256[Path::new("cost.py")].starts_with("ab00"));
        assert_eq!(cost.permissions.as_ref().unwrap().allow, ["read=."]);
    }

    #[test]
    fn everything_that_is_wrong_is_reported() {
        let wrong = parsed(
            r#"
            plugin "a" {
              command = "x"
            }
            plugin "b" {
              command = ["x"]
              sha256  = { "x" = "12" }
              config  = [1]
            }
            plugin "d" {
              comand = ["x"]
            }
            hooks   = ["bb", "a", "d"]
            storage = "c"
            stray   = 1
            hook_timeout_seconds = 0
            "#,
        )
        .unwrap_err();
        assert_eq!(
            wrong,
            [
                "tenon.hcl has no attribute \"stray\"",
                "`command` is a list of texts",
                "`config` is an object",
                "a SHA-256 checksum has 64 hexadecimal digits",
                "a plugin has no attribute \"comand\"",
                "unknown plugin `bb`",
                "unknown plugin `c`",
                "a time is a number of seconds greater than zero",
            ]
        );
    }

    #[test]
    fn null_and_secrets_are_not_taken_for_nothing() {
        let text = r#"
            plugin "a" {
              command        = ["x"]
              config         = { token = sensitive("hunter2") }
              send_sensitive = null
            }
            plugin "b" {
              command        = ["x"]
              config         = null
              send_sensitive = sensitive(true)
            }
            hooks   = ["a"]
            storage = null
            state   = sensitive("team/app")
            program = null
            pinned  = sensitive(true)
            hook_timeout_seconds = null
            storage_timeout_seconds = sensitive(1)
            "#;
        let errors = Project::parse(&Source::new(FILE, text)).unwrap_err();
        let shown = { errors.iter() }.map(|error| error.render(tenon_hcl::Style::Plain));
        let shown: Vec<String> = shown.collect();
        let first = |text: &String| {
            let lines: Vec<&str> = text.lines().take(2).map(str::trim).collect();
            lines.join(" ")
        };
        let found: Vec<String> = shown.iter().map(first).collect();
        let expected = [
            "error: `pinned` cannot be null or a secret --> tenon.hcl:16:23",
            "error: `config` cannot have secrets --> tenon.hcl:4:32",
            "error: `send_sensitive` cannot be null or a secret --> tenon.hcl:5:32",
            "error: `config` is an object --> tenon.hcl:9:32",
            "error: `send_sensitive` cannot be null or a secret --> tenon.hcl:10:32",
            "error: the name of a plugin cannot be null or a secret --> tenon.hcl:13:23",
            "error: the name of a state cannot be null or a secret --> tenon.hcl:14:23",
            "error: the program cannot be null or a secret --> tenon.hcl:15:23",
            "error: a time is a number of seconds greater than zero --> tenon.hcl:17:36",
            "error: a time is a number of seconds greater than zero --> tenon.hcl:18:39",
        ];
        assert_eq!(found, expected);
    }
}
