//! What a change would do to a resource.

use tenon_protocols::denobridge::PlanType;
use tenon_values::{Type, Value};

use super::advice::Advice;
use super::named;
use super::write_only::{self, Change};
use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::private::Private;
use crate::proto::tfplugin6::plan_resource_change::{Request, Response};
use crate::proto::tfplugin6::{AttributePath, Diagnostic};
use crate::schema::{RESOURCE, RESOURCE_SHAPE, check_name};
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
            let asked = Advice::ask(bridge, PlanType::Delete, &prior, &prior, diagnostics).await;
            for one in diagnostics {
                *one = named(std::mem::take(one), &prior);
            }
            asked.map_err(|error| named(error, &prior))?;
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
        let steady = match change {
            // It counts only if there is another reason for an update.
            Change::Unwatched => wire::part(prior, "write_only_props_version"),
            _ => version.clone(),
        };
        let proposed = wire::with(proposed, [("write_only_props_version", steady)]);
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
        if proposed == *prior && !change.plans_update() {
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
                ("write_only_props_version", version),
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
