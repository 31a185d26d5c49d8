//! What a change would do to a resource.

use tenon_protocols::denobridge::{
    Diagnostic as Said, Json, ModifyPlan, ModifyPlanParams, ModifyPlanResult, PlanType,
};
use tenon_values::{Step, Type, Value};

use super::write_only::{self, Change};
use super::{effective_props, id};
use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::launch::Launch;
use crate::private::Private;
use crate::proto::tfplugin6::plan_resource_change::{Request, Response};
use crate::proto::tfplugin6::{AttributePath, Diagnostic};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
use crate::scripts::Task;
use crate::wire;

pub(crate) async fn plan(bridge: &Bridge, request: Request) -> Response {
    let mut response = Response {
        planned_private: request.prior_private.clone(),
        planned_identity: request.prior_identity.clone(),
        ..Response::default()
    };
    let mut diagnostics = Diagnostics::new();
    match Plan::of(bridge, &request, &mut diagnostics).await {
        Ok(plan) => {
            match wire::encode(&plan.planned, &RESOURCE_SHAPE.ty) {
                Ok(planned) => response.planned_state = Some(planned),
                Err(error) => diagnostics.push(error),
            }
            response.requires_replace = plan.requires_replace;
        }
        Err(error) => {
            diagnostics.push(error);
            response.planned_state = request.proposed_new_state;
        }
    }
    response.diagnostics = diagnostics;
    response
}

struct Plan {
    planned: Value,
    requires_replace: Vec<AttributePath>,
}

impl Plan {
    async fn of(
        bridge: &Bridge,
        request: &Request,
        diagnostics: &mut Diagnostics,
    ) -> Result<Plan, Diagnostic> {
        check_name(&request.type_name, RESOURCE)?;
        let ty = &RESOURCE_SHAPE.ty;
        let prior = wire::decode(request.prior_state.as_ref(), ty)?;
        let proposed = wire::decode(request.proposed_new_state.as_ref(), ty)?;
        let config = wire::decode(request.config.as_ref(), ty)?;
        let private = Private::read(&request.prior_private)?;
        bridge.hide(&wire::part(&config, "write_only_props"));
        bridge.hide(&wire::part(&prior, "sensitive_state"));
        if proposed.is_null() {
            // The block may be gone, and then Terraform does not say which resource it is about.
            Advice::ask(bridge, PlanType::Delete, &prior, &prior, diagnostics).await?;
            for one in diagnostics {
                one.detail = format!("{}\n\nResource: {}", one.detail, id(&prior));
            }
            return Ok(Plan {
                planned: proposed,
                requires_replace: Vec::new(),
            });
        }
        // Terraform proposes the values themselves, which no plan may hold.
        let proposed = wire::with(&proposed, [("write_only_props", Value::NULL)]);
        match prior.is_null() {
            true => Plan::create(bridge, &config, &proposed, diagnostics).await,
            false => {
                let change = write_only::change(&config, &private);
                Plan::update(bridge, &config, &prior, &proposed, change, diagnostics).await
            }
        }
    }

    async fn create(
        bridge: &Bridge,
        config: &Value,
        proposed: &Value,
        diagnostics: &mut Diagnostics,
    ) -> Result<Plan, Diagnostic> {
        let none = Value::null(RESOURCE_SHAPE.ty.clone());
        let advice = Advice::ask(bridge, PlanType::Create, &none, proposed, diagnostics).await?;
        let set = wire::part(config, "write_only_props_version");
        let version = match set.is_null() {
            true => Value::from(1),
            false => set,
        };
        let planned = wire::with(
            proposed,
            [
                ("id", Value::unknown(Type::String)),
                ("state", Value::unknown(Type::Dynamic)),
                ("sensitive_state", Value::unknown(Type::Dynamic)),
                ("write_only_props_version", version),
                ("modified_props", advice.modified_props),
            ],
        );
        Ok(Plan {
            planned,
            // Nothing is there to be replaced.
            requires_replace: Vec::new(),
        })
    }

    async fn update(
        bridge: &Bridge,
        config: &Value,
        prior: &Value,
        proposed: &Value,
        change: Change,
        diagnostics: &mut Diagnostics,
    ) -> Result<Plan, Diagnostic> {
        let version = write_only::version(config, prior, change);
        let is_set = !wire::part(config, "write_only_props_version").is_null();
        let has_secret_change = change != Change::No && !is_set;
        let proposed = wire::with(proposed, [("write_only_props_version", version)]);
        let mut advice = Advice::none(wire::part(prior, "modified_props"));
        let (mut proposed, props) = (proposed, wire::part(prior, "props"));
        if bridge::are_same_json(&wire::part(&proposed, "props"), &props) {
            // Upstream keeps every array as a list, where a configuration has a tuple.
            proposed = wire::with(&proposed, [("props", props)]);
        } else {
            advice = Advice::ask(bridge, PlanType::Update, prior, &proposed, diagnostics).await?;
            if advice.is_no_change {
                proposed = wire::with(&proposed, [("props", props)]);
            }
        }
        let proposed = wire::with(&proposed, [("modified_props", advice.modified_props)]);
        if proposed == *prior && !has_secret_change {
            return Ok(Plan {
                planned: proposed,
                requires_replace: Vec::new(),
            });
        }
        let planned = wire::with(
            &proposed,
            [
                ("id", wire::part(prior, "id")),
                ("state", Value::unknown(Type::Dynamic)),
                ("sensitive_state", Value::unknown(Type::Dynamic)),
            ],
        );
        Ok(Plan {
            planned,
            requires_replace: match advice.requires_replacement {
                true => vec![diagnostic::attribute_path("props")],
                false => Vec::new(),
            },
        })
    }
}

/// What the script says about a change.
struct Advice {
    /// What it made of the props: null if nothing, unknown if that cannot be told yet.
    modified_props: Value,
    /// What it made of the props is what they are already.
    is_no_change: bool,
    requires_replacement: bool,
}

impl Advice {
    fn none(modified_props: Value) -> Advice {
        Advice {
            modified_props,
            is_no_change: false,
            requires_replacement: false,
        }
    }

    async fn ask(
        bridge: &Bridge,
        plan_type: PlanType,
        prior: &Value,
        proposed: &Value,
        diagnostics: &mut Diagnostics,
    ) -> Result<Advice, Diagnostic> {
        let next = match plan_type {
            PlanType::Delete => Value::NULL,
            PlanType::Create | PlanType::Update => wire::part(proposed, "props"),
        };
        let unknown = Value::unknown(Type::Dynamic);
        let Some(launch) = bridge.launch_if_known(proposed)? else {
            // There is nobody to ask yet; when it is applied there is.
            return Ok(Advice::none(unknown));
        };
        if !bridge.has_modify_plan(&launch) {
            return Ok(Advice::none(Value::NULL));
        }
        let unknown_props = unknown_paths(&next);
        let params = params(plan_type, prior, &next, unknown_props.clone())?;
        let Some(answer) = ask_script(bridge, &launch, params, proposed).await? else {
            return Ok(Advice::none(Value::NULL));
        };
        let places = bridge.places(proposed);
        let said =
            { answer.diagnostics.into_iter() }.filter(|said| !is_about(said, &unknown_props));
        diagnostics.extend(said.map(|said| places.show(said)));
        let mut advice = Advice::none(Value::NULL);
        advice.requires_replacement = answer.requires_replacement == Some(true);
        if !unknown_props.is_empty() {
            // It may be another answer when everything is known.
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
        if !prior.is_null() && bridge::from_json(Some(modified), &now, "modifiedProps")? == now {
            self.is_no_change = true;
            self.modified_props = wire::part(prior, "modified_props");
            return Ok(());
        }
        let modified = bridge::from_json(Some(modified), next, "modifiedProps")?;
        if modified != *next {
            self.modified_props = modified;
        }
        Ok(())
    }
}

/// What the script answers; none if it has no such method.
async fn ask_script(
    bridge: &Bridge,
    launch: &Launch,
    params: ModifyPlanParams,
    block: &Value,
) -> Result<Option<ModifyPlanResult>, Diagnostic> {
    let task = Task::reading(ModifyPlan, "modify plan");
    match bridge.scripts.call(launch, task, params).await {
        Ok(answer) => Ok(Some(answer.unwrap_or_default())),
        Err(failure) if failure.is_missing => {
            bridge.remember_without_modify_plan(launch);
            Ok(None)
        }
        Err(failure) => Err(failure.show(&bridge.places(block))),
    }
}

fn params(
    plan_type: PlanType,
    prior: &Value,
    next: &Value,
    unknown_props: Vec<Vec<String>>,
) -> Result<ModifyPlanParams, Diagnostic> {
    let part = |name| bridge::to_optional_json(&wire::part(prior, name));
    Ok(ModifyPlanParams {
        id: (!prior.is_null()).then(|| id(prior)),
        plan_type,
        next_props: bridge::to_json(&next.unknown_as_null())?,
        unknown_props,
        current_props: bridge::to_optional_json(&effective_props(prior))?,
        current_state: part("state")?,
        current_sensitive_state: part("sensitive_state")?,
    })
}

/// The paths of everything in the props that is not known yet.
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

/// Whether an error is about something that is not known yet: it is asked again when it is.
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
