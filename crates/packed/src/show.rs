//! What the plugin tells the user, as Terraform shows it.

use tenon_protocols::Secrets;
use tenon_protocols::seasonings::{self, Segment, resolve};
use tenon_schema::Body;
use tenon_tfplugin::{AttributePath, Diagnostic, Diagnostics, PathStep, Severity};
use tenon_values::{Path, Step, Value};

use crate::plugin::Plugin;
use crate::resource::unknown_part;
use crate::tree;

/// What a user can do about an answer that cannot be used.
pub(crate) const BUG: &str = "This is a bug in the plugin: report it to the author of the plugin.";

/// What is wrong with an answer of the plugin, and where.
pub(crate) fn wrong_answer(plugin: &Plugin, method: &str, place: &str, problem: &str) -> String {
    let problem = plugin.secrets.hide(problem);
    format!(
        "{place} in the answer to {method}: {problem}. {BUG}\n\nPlugin: {}, method {method}",
        plugin.name()
    )
}

/// A value that the plugin says exists, and that is not wholly known: the place in the answer is that of what is unknown.
pub(crate) fn unknown_value(
    plugin: &Plugin,
    method: &str,
    member: &str,
    path: &Path,
) -> Diagnostic {
    let problem = "it is unknown, but what exists is known";
    let detail = wrong_answer(plugin, method, &place(member, path), problem);
    Diagnostic::error("Unknown value in the answer of the plugin", detail)
}

/// What is wrong with an answer that must be there and wholly known; `None` if nothing is.
pub(crate) fn incomplete(
    plugin: &Plugin,
    method: &str,
    member: &str,
    value: &Value,
) -> Option<Diagnostic> {
    if value.is_null() {
        let detail = wrong_answer(plugin, method, member, "it is nil");
        return Some(Diagnostic::error("Incomplete answer of the plugin", detail));
    }
    let path = unknown_part(value)?;
    Some(unknown_value(plugin, method, member, &path))
}

/// A place in a member of an answer: `state`, `state.rule[1].port`.
pub(crate) fn place(member: &str, path: &Path) -> String {
    format!("{member}{path}")
}

/// The diagnostics of an answer, once the secrets in its value are known: a plugin may quote them.
pub(crate) fn answered(
    plugin: &Plugin,
    body: &Body,
    value: Option<&Value>,
    said: Vec<seasonings::Diagnostic>,
) -> Diagnostics {
    if let Some(value) = value {
        tree::learn(&plugin.secrets, body, value);
    }
    diagnostics(said, body, &plugin.secrets)
}

/// The plugin's diagnostics, at the attributes of this schema.
pub(crate) fn diagnostics(
    said: Vec<seasonings::Diagnostic>,
    body: &Body,
    secrets: &Secrets,
) -> Diagnostics {
    let show = |one: seasonings::Diagnostic| Diagnostic {
        severity: match one.severity {
            seasonings::Severity::Error => Severity::Error,
            seasonings::Severity::Warning => Severity::Warning,
        },
        attribute: attribute(&one.path, body),
        summary: match one.summary.is_empty() {
            true => "The plugin reports a problem".to_owned(),
            false => secrets.hide(&one.summary),
        },
        detail: secrets.hide(&one.detail),
    };
    said.into_iter().map(show).collect()
}

/// Says in the details what the diagnostics are about. While it plans, Terraform shows no source for what is said
/// about ephemeral resources.
pub(crate) fn add_place(said: &mut [seasonings::Diagnostic], type_name: &str, body: &Body) {
    for one in said {
        let path = resolve(&one.path, body);
        let place = match path.is_root() {
            true => format!("In the ephemeral resource {type_name}."),
            false => format!(
                "In {} of the ephemeral resource {type_name}.",
                path_text(&path)
            ),
        };
        one.detail = match one.detail.is_empty() {
            true => place,
            false => format!("{}\n\n{place}", one.detail),
        };
    }
}

fn attribute(segments: &[Segment], body: &Body) -> Option<AttributePath> {
    let path = resolve(segments, body);
    (!path.is_root()).then(|| attribute_path(&path))
}

/// A path as Terraform has it. It ends before an element of a set.
pub(crate) fn attribute_path(path: &Path) -> AttributePath {
    let steps = path.steps().iter().map_while(|step| match step {
        Step::Attribute(name) => Some(PathStep::Attribute(name.to_string())),
        Step::Key(key) => Some(PathStep::Key(key.to_string_lossy().into_owned())),
        Step::Index(index) => Some(PathStep::Index(i64::try_from(*index).ok()?)),
        Step::Element(_) => None,
    });
    AttributePath(steps.collect())
}

/// A path for people, as in HCL: `rule[1].port`.
pub(crate) fn path_text(path: &Path) -> String {
    path.to_string().trim_start_matches('.').to_owned()
}
