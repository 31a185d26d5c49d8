//! What is checked after each change.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use tenon_host::{Capture, Captured, Environment, PluginCommand};
use tenon_protocols::orchard::{AttrSchema, ProviderSchema};
use tenon_protocols::seasonings::Level;

use super::Project;
use crate::args::DevArgs;
use crate::commands::provider::dev::{Asked, describe, repack};
use crate::exit::Failure;
use crate::output::dev::{Outcome, Reporter, Step};
use crate::platform;

/// How many of the last lines of a failed program are shown.
const LAST_LINES: usize = 30;

/// What came of the checks.
pub(super) struct Checked {
    pub(super) is_good: bool,
    /// The functions and actions whose results are declared sensitive.
    pub(super) secret: BTreeSet<String>,
}

/// Checks everything. What depends on a step that failed is left out.
pub(super) async fn run(args: &DevArgs, project: &Project, reporter: Reporter) -> Checked {
    let began = Instant::now();
    let mut asked = None;
    let mut secret = BTreeSet::new();
    let schema = async {
        let schema = schema(project).await?;
        asked = describe(&project.packing)
            .await
            .map_err(|failure| failure.message)?;
        secret = secrets(&schema, asked.as_ref());
        Ok(Outcome::Ok(offered(&schema, asked.as_ref())))
    };
    let is_valid = step("schema", schema, reporter).await;
    let is_tested = is_valid && step("test", test(project), reporter).await;
    let is_packed =
        is_valid && step("terraform", async { pack(args, project, asked) }, reporter).await;
    let is_good = is_valid && is_tested && is_packed;
    reporter.done(is_good, began.elapsed());
    Checked { is_good, secret }
}

/// The functions and actions whose results are not shown.
fn secrets(schema: &ProviderSchema, asked: Option<&Asked>) -> BTreeSet<String> {
    let is_secret =
        |outputs: &Option<AttrSchema>| outputs.as_ref().is_some_and(|one| one.sensitive);
    let actions = { schema.actions.iter() }.filter(|(_, action)| is_secret(&action.outputs));
    let mut names: BTreeSet<String> = actions.map(|(name, _)| name.clone()).collect();
    if let Some(asked) = asked {
        let functions = { asked.offer().functions.iter() }.filter(|(_, one)| one.is_sensitive);
        names.extend(functions.map(|(name, _)| name.clone()));
    }
    names
}

/// Runs a step, and prints what came of it.
async fn step<W>(name: &'static str, work: W, reporter: Reporter) -> bool
where
    W: Future<Output = Result<Outcome, String>>,
{
    let began = Instant::now();
    let outcome = work.await.unwrap_or_else(Outcome::Failed);
    let is_good = !matches!(outcome, Outcome::Failed(_));
    reporter.step(&Step {
        name,
        outcome,
        elapsed: began.elapsed(),
    });
    is_good
}

/// What the plugin prints about its actions. The first start may build the plugin.
async fn schema(project: &Project) -> Result<ProviderSchema, String> {
    let command = &project.packing.command;
    let shown = tenon_text::line(&command.join(" ")).into_owned();
    let ended = capture(plugin(project).arg("schema"), project).await?;
    if !ended.status.success() {
        let said = last_lines(&[ended.stderr, ended.stdout].concat());
        return Err(format!("{shown} schema: {}{said}", ended.status));
    }
    let schema: ProviderSchema = serde_json::from_slice(&ended.stdout).map_err(|error| {
        format!("{shown} schema does not print the schema of a provider: {error}")
    })?;
    let checked = schema
        .check()
        .map_err(|error| format!("the schema is invalid: {error}"));
    checked.map(|()| schema)
}

/// What the plugin offers, in words.
fn offered(schema: &ProviderSchema, asked: Option<&Asked>) -> String {
    let mut offered: Vec<String> = Vec::new();
    let mut add = |kind: &str, names: Vec<&String>| {
        let names: Vec<_> = names
            .into_iter()
            .map(|name| tenon_text::line(name))
            .collect();
        if !names.is_empty() {
            offered.push(format!("{kind} {}", names.join(", ")));
        }
    };
    if let Some(asked) = asked {
        let offer = asked.offer();
        add("function", offer.functions.keys().collect());
        add("resource", offer.resources.keys().collect());
        add("data source", offer.data_sources.keys().collect());
        add(
            "ephemeral resource",
            offer.ephemeral_resources.keys().collect(),
        );
    }
    add("action", schema.actions.keys().collect());
    if let Some(asked) = asked {
        let capabilities = &asked.welcome().capabilities;
        for (level, title) in [(Level::Storage, "storage"), (Level::Hooks, "hooks")] {
            if capabilities.has(level) {
                offered.push(title.to_owned());
            }
        }
    }
    match offered.is_empty() {
        // A plugin that speaks JSON alone does not say what functions it has.
        true => "valid".to_owned(),
        false => offered.join("; "),
    }
}

/// Runs `./test`.
async fn test(project: &Project) -> Result<Outcome, String> {
    if !platform::is_program(Path::new("test")) {
        return Ok(Outcome::Skipped("there is no executable ./test".to_owned()));
    }
    // It is the user's own program, and it calls this `tenon`.
    let mut command = PluginCommand::new("./test")
        .inherit(Environment::All)
        .merge_output();
    if let Some(path) = path_with_own_folder() {
        command = command.variable("PATH", path);
    }
    let ended = capture(command, project).await?;
    match ended.status.success() {
        true => Ok(Outcome::Ok("./test".to_owned())),
        false => Err(format!(
            "./test: {}{}",
            ended.status,
            last_lines(&ended.stdout)
        )),
    }
}

/// Packs the plugin for Terraform.
fn pack(args: &DevArgs, project: &Project, asked: Option<Asked>) -> Result<Outcome, String> {
    let skipped = |why: &str| Ok(Outcome::Skipped(why.to_owned()));
    if args.no_pack {
        return skipped("--no-pack");
    }
    let Some(asked) = asked else {
        return skipped(
            "the plugin does not speak msgpack; Terraform runs it as a script of denobridge",
        );
    };
    if !asked.has_provider() {
        return skipped("the plugin has no functions and no resources");
    }
    if args.binary.is_none() && !platform::is_program(&beside("terraform-provider-tenon")) {
        return skipped(
            "there is no terraform-provider-tenon next to tenon; name one with --binary FILE",
        );
    }
    let (source, version) =
        repack(&project.packing, asked).map_err(|failure: Failure| failure.message)?;
    Ok(Outcome::Ok(format!("packed as {source} {version}")))
}

/// The command of the plugin, with the variables that it may see.
pub(super) fn plugin(project: &Project) -> PluginCommand {
    let packing = &project.packing;
    let mut words = packing.command.iter();
    let more: Vec<OsString> = packing.environment.iter().map(OsString::from).collect();
    PluginCommand::new(words.next().map_or("", String::as_str))
        .args(words)
        .inherit(Environment::Few { more })
        .environment_advice("pass it on with --env NAME")
}

async fn capture(command: PluginCommand, project: &Project) -> Result<Captured, String> {
    let capture = Capture {
        time_limit: project.limit,
        ..Capture::default()
    };
    capture
        .run(&command)
        .await
        .map_err(|error| error.to_string())
}

/// The end of what a program printed, below the line that says what happened.
fn last_lines(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let text = tenon_text::without_colours(&text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(LAST_LINES);
    let mut shown = String::new();
    if left_out > 0 {
        shown += &format!("\n... {left_out} lines before ...");
    }
    for line in &lines[left_out..] {
        shown += &format!("\n{line}");
    }
    shown
}

/// A program next to this one.
fn beside(name: &str) -> std::path::PathBuf {
    env::current_exe().unwrap_or_default().with_file_name(name)
}

/// PATH with the folder of this command, last: `tenon` need not be installed.
fn path_with_own_folder() -> Option<OsString> {
    let own = env::current_exe().ok()?.parent()?.to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(env::split_paths(&path).chain([own])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_output_is_shown() {
        let long: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let shown = last_lines(long.as_bytes());
        assert!(
            shown.starts_with("\n... 70 lines before ...\nline 70\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\nline 99"), "{shown}");
        assert_eq!(last_lines(b""), "");
    }
}
