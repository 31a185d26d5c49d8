//! What a change would do to a resource.

use tenon_protocols::denobridge::PlanType;
use tenon_tfplugin::{
    AttributePath, Diagnostic, Diagnostics, PlanRequest, PlanResponse, Private, block,
};
use tenon_values::{Type, Value};

use super::advice::Advice;
use super::named;
use super::write_only::{self, Change};
use crate::bridge::{self, Bridge};
use crate::schema::RESOURCE_SCHEMA;

pub(crate) async fn plan(
    bridge: &Bridge,
    request: PlanRequest,
) -> Result<PlanResponse, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    match Plan::of(bridge, &request, &mut diagnostics).await {
        Ok(plan) => Ok(PlanResponse {
            requires_replace: plan.requires_replace,
            diagnostics,
            ..PlanResponse::new(plan.planned)
        }),
        Err(error) => {
            diagnostics.push(error);
            Err(diagnostics)
        }
    }
}

struct Plan {
    planned: Value,
    requires_replace: Vec<AttributePath>,
}

impl Plan {
    async fn of(
        bridge: &Bridge,
        request: &PlanRequest,
        diagnostics: &mut Diagnostics,
    ) -> Result<Plan, Diagnostic> {
        let PlanRequest {
            prior,
            proposed,
            config,
            ..
        } = request;
        let private = Private::read(&request.private)?;
        bridge.hide(&block::part(config, "write_only_props"));
        bridge.hide(&block::part(prior, "sensitive_state"));
        if proposed.is_null() {
            let asked = Advice::ask(bridge, PlanType::Delete, prior, prior, diagnostics).await;
            for one in diagnostics {
                *one = named(std::mem::take(one), prior);
            }
            asked.map_err(|error| named(error, prior))?;
            return Ok(Plan {
                planned: proposed.clone(),
                requires_replace: Vec::new(),
            });
        }
        // Terraform proposes the values themselves, which no plan may hold.
        let proposed = block::with(proposed, [("write_only_props", Value::NULL)]);
        match prior.is_null() {
            true => Plan::create(bridge, config, &proposed, diagnostics).await,
            false => {
                let change = write_only::change(config, &private);
                Plan::update(bridge, config, prior, &proposed, change, diagnostics).await
            }
        }
    }

    async fn create(
        bridge: &Bridge,
        config: &Value,
        proposed: &Value,
        diagnostics: &mut Diagnostics,
    ) -> Result<Plan, Diagnostic> {
        let none = Value::null(RESOURCE_SCHEMA.implied_type());
        let advice = Advice::ask(bridge, PlanType::Create, &none, proposed, diagnostics).await?;
        let set = block::part(config, "write_only_props_version");
        let version = match set.is_null() {
            true => Value::from(1),
            false => set,
        };
        let planned = block::with(
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
            Change::Unwatched => block::part(prior, "write_only_props_version"),
            _ => version.clone(),
        };
        let proposed = block::with(proposed, [("write_only_props_version", steady)]);
        let mut advice = Advice::none(block::part(prior, "modified_props"));
        let (mut proposed, props) = (proposed, block::part(prior, "props"));
        if bridge::are_same_json(&block::part(&proposed, "props"), &props) {
            // Upstream keeps every array as a list, where a configuration has a tuple.
            proposed = block::with(&proposed, [("props", props)]);
        } else {
            advice = Advice::ask(bridge, PlanType::Update, prior, &proposed, diagnostics).await?;
            if advice.is_no_change {
                proposed = block::with(&proposed, [("props", props)]);
            }
        }
        let proposed = block::with(&proposed, [("modified_props", advice.modified_props)]);
        if proposed == *prior && !change.plans_update() {
            return Ok(Plan {
                planned: proposed,
                requires_replace: Vec::new(),
            });
        }
        let planned = block::with(
            &proposed,
            [
                ("id", block::part(prior, "id")),
                ("state", Value::unknown(Type::Dynamic)),
                ("sensitive_state", Value::unknown(Type::Dynamic)),
                ("write_only_props_version", version),
            ],
        );
        Ok(Plan {
            planned,
            requires_replace: match advice.requires_replacement {
                true => vec!["props".into()],
                false => Vec::new(),
            },
        })
    }
}
