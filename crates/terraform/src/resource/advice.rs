//! The answer of a script to `modifyPlan`, which can change a plan before it is applied.

use tenon_protocols::denobridge::{
    Diagnostic as Said, Json, ModifyPlan, ModifyPlanParams, ModifyPlanResult, PlanType,
};
use tenon_tfplugin::{Diagnostic, Diagnostics, block};
use tenon_values::{Step, Type, Value};

use super::{effective_props, id, placeholders};
use crate::bridge::{self, Bridge};
use crate::launch::Launch;
use crate::places;
use crate::scripts::{Failure, Task};

/// The answer of the script about a planned change.
pub(super) struct Advice {
    /// The planned props: null if there are none, unknown if they cannot be planned yet.
    pub(super) modified_props: Value,
    /// The planned props equal the current ones.
    pub(super) is_no_change: bool,
    pub(super) requires_replacement: bool,
}

impl Advice {
    pub(super) fn none(modified_props: Value) -> Advice {
        Advice {
            modified_props,
            is_no_change: false,
            requires_replacement: false,
        }
    }

    pub(super) async fn ask(
        bridge: &Bridge,
        plan_type: PlanType,
        prior: &Value,
        proposed: &Value,
        diagnostics: &mut Diagnostics,
    ) -> Result<Advice, Diagnostic> {
        let next = match plan_type {
            PlanType::Delete => Value::NULL,
            PlanType::Create | PlanType::Update => block::part(proposed, "props"),
        };
        let unknown = Value::unknown(Type::Dynamic);
        let Some(launch) = bridge.launch_if_known(proposed)? else {
            // The path of the script is known only when the plan is applied.
            return Ok(Advice::none(unknown));
        };
        if !bridge.has_modify_plan(&launch) {
            return Ok(Advice::none(Value::NULL));
        }
        let unknown_props = unknown_paths(&next);
        let is_guess = !unknown_props.is_empty();
        let params = params(plan_type, prior, &next, unknown_props.clone())?;
        let places = match plan_type {
            // Terraform does not pass the block of a resource that is to be deleted.
            PlanType::Delete => bridge.places(proposed).in_words(),
            PlanType::Create | PlanType::Update => bridge.places(proposed),
        };
        let answer = match ask_script(bridge, &launch, params).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(Advice::none(Value::NULL)),
            // With the real values instead of placeholders, the call may succeed.
            Err(failure) if is_guess && failure.is_of_call => {
                let failure = failure.show(&places);
                diagnostics.push(without_advice(failure, plan_type, &unknown_props));
                return Ok(Advice::none(unknown));
            }
            Err(failure) => return Err(failure.show(&places)),
        };
        let (dropped, said): (Vec<Said>, Vec<Said>) =
            { answer.diagnostics.into_iter() }.partition(|said| is_about(said, &unknown_props));
        diagnostics.extend(
            said.into_iter()
                .map(|said| match is_guess && said.is_error() {
                    true => not_yet(places.show(said), &unknown_props),
                    false => places.show(said),
                }),
        );
        let mut advice = Advice::none(Value::NULL);
        advice.requires_replacement = answer.requires_replacement == Some(true);
        let may_be_replaced = plan_type == PlanType::Update && !advice.requires_replacement;
        if may_be_replaced && !dropped.is_empty() {
            diagnostics.push(Diagnostic::warning(
                "Plan without the script's advice",
                format!(
                    "Not known yet: {}. The script reports errors about the placeholders for that, \
                     so this plan is made without its advice.{AGAIN}",
                    listed(&unknown_props)
                ),
            ));
        }
        if is_guess {
            // The answer may differ when all values are known.
            advice.modified_props = unknown;
        } else if let Some(modified) =
            { answer.modified_props }.filter(|_| plan_type != PlanType::Delete)
        {
            advice.modify(&modified, prior, &next)?;
        }
        Ok(advice)
    }

    fn modify(&mut self, modified: &Json, prior: &Value, next: &Value) -> Result<(), Diagnostic> {
        let now = effective_props(prior);
        if !prior.is_null()
            && bridge::props_from_json(Some(modified), &now, "modifiedProps")? == now
        {
            self.is_no_change = true;
            self.modified_props = block::part(prior, "modified_props");
            return Ok(());
        }
        let modified = bridge::props_from_json(Some(modified), next, "modifiedProps")?;
        if modified != *next {
            self.modified_props = modified;
        }
        Ok(())
    }
}

/// The answer of the script; `None` if it does not have the method.
async fn ask_script(
    bridge: &Bridge,
    launch: &Launch,
    params: ModifyPlanParams,
) -> Result<Option<ModifyPlanResult>, Failure> {
    let task = Task::reading(ModifyPlan, "modify plan");
    match bridge.scripts.call(launch, task, params).await {
        Ok(answer) => Ok(Some(answer.unwrap_or_default())),
        Err(failure) if failure.is_missing => {
            bridge.remember_without_modify_plan(launch);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

fn params(
    plan_type: PlanType,
    prior: &Value,
    next: &Value,
    unknown_props: Vec<Vec<String>>,
) -> Result<ModifyPlanParams, Diagnostic> {
    let part = |name| bridge::to_optional_json(&block::part(prior, name));
    Ok(ModifyPlanParams {
        id: (!prior.is_null()).then(|| id(prior)),
        plan_type,
        next_props: bridge::to_json(&placeholders::filled(next))?,
        unknown_props,
        current_props: bridge::to_optional_json(&effective_props(prior))?,
        current_state: part("state")?,
        current_sensitive_state: part("sensitive_state")?,
    })
}

/// The paths of all unknown values in the props.
fn unknown_paths(props: &Value) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    props.walk(&mut |path, value| {
        if value.is_known() {
            return true;
        }
        let steps = path.steps().iter().map(|step| match step {
            Step::Attribute(name) => name.to_string(),
            Step::Key(key) => key.to_string_lossy().into_owned(),
            Step::Index(index) | Step::Element(index) => index.to_string(),
        });
        paths.push(
            std::iter::once("nextProps".to_owned())
                .chain(steps)
                .collect(),
        );
        false
    });
    paths
}

/// The effect on an update that was planned without an answer of the script.
const AGAIN: &str = " It is asked again when everything is known, before anything is changed. If it \
    requires a replacement then, Terraform reports \"Provider produced inconsistent final plan\" and \
    does not change this resource; run terraform apply again in that case.";

/// A failure while props are unknown, which does not stop the plan.
fn without_advice(failure: Diagnostic, plan_type: PlanType, unknown: &[Vec<String>]) -> Diagnostic {
    let again = match plan_type {
        PlanType::Update => AGAIN,
        PlanType::Create | PlanType::Delete => {
            " It is asked again when everything is known, before anything is changed."
        }
    };
    places::warning_of(
        failure,
        format!(
            "Not known yet: {}. The script failed with placeholders for that, so this plan is made \
             without its advice.{again}",
            listed(unknown)
        ),
    )
}

/// An error of the script while props are unknown, which does not stop the plan.
fn not_yet(error: Diagnostic, unknown: &[Vec<String>]) -> Diagnostic {
    places::warning_of(
        error,
        format!(
            "Not known yet: {}. The script reports this error with placeholders for that, so it \
             does not stop the plan. It is asked again when everything is known, before anything \
             is changed.",
            listed(unknown)
        ),
    )
}

/// The paths in the syntax of a configuration.
fn listed(unknown: &[Vec<String>]) -> String {
    /// The most paths that are listed.
    const SHOWN: usize = 5;
    let shown = { unknown.iter().take(SHOWN) }
        .map(|path| places::path_text("props", &path[1..]))
        .collect::<Vec<_>>()
        .join(", ");
    match unknown.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

/// Whether an error is about an unknown value: the script is called again when it is known.
fn is_about(said: &Said, unknown: &[Vec<String>]) -> bool {
    let Some([root, rest @ ..]) = said.prop_path.as_deref() else {
        return false;
    };
    let is_props = matches!(root.as_str(), "props" | "nextProps" | "modifiedProps");
    is_props && said.is_error() && unknown.iter().any(|path| rest.starts_with(&path[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_listed() {
        let props = Value::object([
            ("known", Value::from(1)),
            (
                "tags",
                Value::tuple(vec![Value::from("a"), Value::unknown(Type::String)]),
            ),
            (
                "inner",
                Value::object([("x", Value::unknown(Type::Dynamic))]),
            ),
        ]);
        assert_eq!(
            unknown_paths(&props),
            [
                vec!["nextProps", "inner", "x"],
                vec!["nextProps", "tags", "1"]
            ]
        );
        assert_eq!(
            unknown_paths(&Value::unknown(Type::Dynamic)),
            [["nextProps"]]
        );
        assert!(unknown_paths(&Value::NULL).is_empty());
    }

    #[test]
    fn errors_about_unknown_props_wait() {
        let unknown = [vec!["nextProps".to_owned(), "tags".to_owned()]];
        let about =
            |path: &[&str]| is_about(&Said::error("s", "d").at(path.iter().copied()), &unknown);
        assert!(about(&["nextProps", "tags"]));
        assert!(about(&["props", "tags", "0"]));
        assert!(!about(&["props", "name"]));
        assert!(!about(&["props"]));
        assert!(!is_about(&Said::error("s", "d"), &unknown));
        assert!(!is_about(
            &Said::warning("s", "d").at(["props", "tags"]),
            &unknown
        ));
    }
}
