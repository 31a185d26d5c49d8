//! Hooks.

use serde_json::Value as Json;
use tenon_protocols::seasonings::{Answer, Params, canonical};
use tenon_rpc::Text;
use tenon_values::{Error, Value};

use super::{Failed, Host};
use crate::hooks::ANY;
use crate::{Action, Change, ResourceHook, Stage, StageHook, Verdict};

impl Host {
    /// Calls a hook for a resource.
    ///
    /// # Errors
    /// The hook failed, or the plugin does not have it.
    pub async fn resource_hook(
        &self,
        hook: ResourceHook,
        change: &Change,
    ) -> Result<Verdict, Failed> {
        let action = match hook {
            ResourceHook::PostApply => "applied_action",
            _ => "planned_action",
        };
        self.hook(hook.capability(), resource(change, action)?)
            .await
    }

    /// Calls a hook for a part of a command.
    ///
    /// # Errors
    /// The hook failed, or the plugin does not have it.
    pub async fn stage_hook(&self, hook: StageHook, stage: &Stage) -> Result<Verdict, Failed> {
        let name = match hook {
            StageHook::InitStart | StageHook::InitCompleted | StageHook::InitFailed => "init",
            StageHook::PlanStart | StageHook::PlanCompleted | StageHook::PlanFailed => "plan",
            StageHook::ApplyStart | StageHook::ApplyCompleted | StageHook::ApplyFailed => "apply",
        };
        let action = match name {
            "apply" => "applied_action",
            _ => "planned_action",
        };
        let resources = { stage.resources.iter() }.map(|change| resource(change, action));
        let resources = resources.collect::<Result<Vec<Params>, Error>>()?;
        let summary = serde_json::json!({
            "add": stage.add,
            "change": stage.change,
            "destroy": stage.destroy,
            "import": stage.import,
        });
        let mut params = { Params::new().text("stage", name) }
            .maps("resources", resources)
            .member("summary", &summary)?
            .member("errors", &stage.errors)?;
        if let Some(digest) = &stage.plan_sha256 {
            params = params.text("plan_sha256", digest);
        }
        self.hook(hook.capability(), params).await
    }

    async fn hook(&self, capability: &'static str, params: Params) -> Result<Verdict, Failed> {
        let method = Text::from(canonical(capability));
        let peer = self.terraform.peer();
        let answer = peer.call_raw(method, Some(params.into_payload())).await?;
        let read = || {
            let answer = Answer::of_params(capability, Some(&answer))?;
            let status: String = answer.required("status")?;
            let message = answer.optional("message")?;
            let warnings = answer.optional("warnings")?;
            let metadata = match answer.has("metadata") {
                true => answer.value("metadata", (&ANY).into())?,
                false => Value::NULL,
            };
            Ok((status, message, warnings, metadata))
        };
        let (status, message, warnings, metadata) =
            read().map_err(|error: tenon_protocols::seasonings::AnswerError| {
                Failed::new(error.to_string())
            })?;
        let metadata = { metadata.attributes().into_iter() }
            .flat_map(|all| {
                let all = all
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value.clone()));
                all.collect::<Vec<_>>()
            })
            .collect();
        let verdict = [Verdict::pass(), Verdict::warn(""), Verdict::fail("")];
        let verdict = verdict.into_iter().find(|one| one.status == status);
        let verdict =
            verdict.ok_or_else(|| Failed::new(format!("the status {status:?} is unknown")))?;
        Ok(Verdict {
            status: verdict.status,
            message,
            warnings: Option::unwrap_or_default(warnings),
            metadata,
        })
    }
}

/// What is sent about a resource.
fn resource(change: &Change, action: &str) -> Result<Params, Error> {
    let mut params = Params::new()
        .text("address", &change.address)
        .text("provider", &change.provider)
        .text("resource_type", &change.resource_type)
        .text("resource_name", &change.resource_name)
        .text("resource_mode", &change.resource_mode);
    if let Some(module) = &change.module {
        params = params.text("module", module);
    }
    if let Some(index) = &change.index {
        let index = tenon_protocols::Json::of(index)?;
        let index: Json = serde_json::from_str(index.text()).unwrap_or_default();
        params = params.member("index", &index)?;
    }
    if let Some(known) = change.action.map(Action::name) {
        params = params.text(action, known);
    }
    for (name, value) in [
        ("before", &change.before),
        ("after", &change.after),
        ("config", &change.config),
        ("metadata", &change.metadata),
    ] {
        params = params.value(name, value, &value.ty())?;
    }
    params.member("sensitive_paths", &change.sensitive_paths)
}
