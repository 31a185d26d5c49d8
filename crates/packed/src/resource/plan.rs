//! Saying what a change will do.

use tenon_protocols::seasonings::calls::{Call, PlanChange};
use tenon_protocols::seasonings::resolve;
use tenon_tfplugin::{Diagnostic, Diagnostics, PlanRequest, PlanResponse, has_errors};
use tenon_values::Path;

use super::{agreement, host_plan, private, settle};
use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};
use crate::{show, tree};

pub(crate) async fn plan(
    plugin: &Plugin,
    offered: &Offered,
    request: PlanRequest,
) -> Result<PlanResponse, Diagnostics> {
    let kind = offered.resource(&request.type_name)?;
    let PlanRequest {
        prior,
        proposed,
        config,
        ..
    } = &request;
    for value in [prior, proposed, config] {
        tree::learn(&plugin.secrets, kind.body, value);
    }
    // A plugin is not asked about deletions.
    if proposed.is_null() {
        return Ok(PlanResponse::new(proposed.clone()));
    }
    let proposed = tree::proposal(kind.body, prior, config, proposed);
    let proposed = tree::without_write_only(kind.body, &proposed);
    let call = PlanChange {
        kind,
        prior,
        config,
        proposed: &proposed,
        private: private(&request.private),
    };
    let task = Task::reading("plan the change");
    let asked = match plugin.call(&call, task).await {
        Ok(planned) => Some(planned),
        Err(failure) if failure.kind == Kind::LeftOut => None,
        Err(failure) => return Err(failure.into()),
    };
    let Some(answer) = asked else {
        let planned = host_plan::plan(kind.body, prior, config, &proposed);
        let replaced = host_plan::replaced(kind.body, prior, &planned);
        return Ok(PlanResponse {
            requires_replace: replaced.iter().map(show::attribute_path).collect(),
            ..PlanResponse::new(planned)
        });
    };
    let planned = answer.planned.as_ref();
    let mut diagnostics = show::answered(plugin, kind.body, planned, answer.diagnostics);
    let Some(planned) = answer.planned.filter(|_| !has_errors(&diagnostics)) else {
        return Err(diagnostics);
    };
    if planned.is_null() {
        diagnostics.push(wrong(
            plugin,
            &Path::root(),
            "it is nil, but the resource is not deleted",
        ));
        return Err(diagnostics);
    }
    let planned = tree::without_write_only(kind.body, &planned);
    let planned = settle(kind.body, &planned, &proposed);
    let found = agreement::plan_contradiction(kind.body, config, prior, &planned);
    if let Some((path, problem)) = found {
        diagnostics.push(wrong(plugin, &path, &problem));
        return Err(diagnostics);
    }
    let mut replaced = host_plan::replaced(kind.body, prior, &planned);
    if !prior.is_null() {
        for segments in &answer.replace {
            let path = resolve(segments, kind.body);
            if path.is_root() {
                // Without it, the resource would be updated in place.
                let problem = "a path in it does not match any attribute";
                let detail = show::wrong_answer(plugin, PlanChange::METHOD, "replace", problem);
                diagnostics.push(Diagnostic::error("Invalid plan of the plugin", detail));
                return Err(diagnostics);
            }
            replaced.push(path);
        }
    }
    Ok(PlanResponse {
        requires_replace: replaced.iter().map(show::attribute_path).collect(),
        private: answer.private.map(Into::into),
        diagnostics,
        ..PlanResponse::new(planned)
    })
}

fn wrong(plugin: &Plugin, path: &Path, problem: &str) -> Diagnostic {
    let place = match path.is_root() {
        true => "planned".to_owned(),
        false => format!("planned.{}", show::path_text(path)),
    };
    let detail = show::wrong_answer(plugin, PlanChange::METHOD, &place, problem);
    let diagnostic = Diagnostic::error("Invalid plan of the plugin", detail);
    match path.is_root() {
        true => diagnostic,
        false => diagnostic.at(show::attribute_path(path)),
    }
}
