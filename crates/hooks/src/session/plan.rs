//! `plan`, and the review of what was planned.

use std::collections::BTreeMap;
use std::sync::Arc;

use tenon_protocols::seasonings::Params;
use tenon_values::Error;

use super::{Ended, Session, SessionError, view};
use crate::arguments::Arguments;
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, PlanJson, ResourceChange};
use crate::hook::{Hook, Moment, Stage};
use crate::plan_file::PlanFile;
use crate::records;
use crate::resource::{Resource, Resources};
use crate::schemas::Schemas;

/// A plan that has passed all hooks.
pub(super) struct Review {
    /// The SHA-256 checksum of its file.
    pub(super) sha256: String,
    pub(super) json: PlanJson,
    pub(super) schemas: Arc<Schemas>,
}

impl Review {
    /// What is planned, as plugins see it.
    pub(super) fn planned(&self, chain: &mut Chain) -> Result<View, SessionError> {
        self.view(chain, |resources| {
            let changes = self.json.changes();
            changes.map(|change| resources.of_change(change)).collect()
        })
    }

    /// What is planned, and the data sources that were read for it.
    fn planned_and_read(&self, chain: &mut Chain) -> Result<View, SessionError> {
        self.view(chain, |resources| {
            let changes = self.json.changes();
            let changes = changes.map(|change| resources.of_change(change));
            let reads = self.json.reads();
            let reads = reads.map(|(module, one)| resources.of_read(module, one));
            changes.chain(reads).collect()
        })
    }

    pub(super) fn view(
        &self,
        chain: &mut Chain,
        make: impl Fn(&Resources<'_>) -> Result<Vec<Resource>, Error>,
    ) -> Result<View, SessionError> {
        view(chain, &self.schemas, Some(&self.json.configuration), make)
    }
}

/// What a plan comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Summary {
    add: usize,
    change: usize,
    destroy: usize,
    import: usize,
}

impl Summary {
    /// That of `terraform import`.
    pub(super) const ONE_IMPORT: Summary = Summary {
        add: 0,
        change: 0,
        destroy: 0,
        import: 1,
    };

    pub(super) fn of(changes: &[ResourceChange]) -> Summary {
        let mut summary = Summary::default();
        for change in changes
            .iter()
            .filter(|change| change.resource.mode == "managed")
        {
            let (add, changed, destroy) = match change.change.action() {
                Action::Create => (1, 0, 0),
                Action::Update => (0, 1, 0),
                Action::Replace => (1, 0, 1),
                Action::Delete => (0, 0, 1),
                Action::Read | Action::NoOp | Action::Forget => (0, 0, 0),
            };
            summary.add += add;
            summary.change += changed;
            summary.destroy += destroy;
            summary.import += usize::from(change.change.importing.is_some());
        }
        summary
    }
}

impl Session {
    pub(super) async fn plan(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        if self.before_plan(chain).await? == Flow::Stop {
            return Ok(1);
        }
        if let Some(saved) = self.arguments.value("out").flatten() {
            let code = self.run_plan(chain, &self.arguments).await?;
            if matches!(code, 0 | 2) {
                let plan = self.copy_of(saved)?;
                let review = self.review(chain, &plan, Some(saved)).await?;
                let passed = review.filter(|review| review.json.has_changes());
                chain.saved_plan = passed.map(|_| saved.to_owned());
            }
            return Ok(code);
        }
        let plan = empty_plan()?;
        let arguments = self.arguments.clone();
        let code = self.run_plan_into(chain, arguments, &plan).await?;
        if matches!(code, 0 | 2) {
            self.review(chain, &plan, None).await?;
        }
        Ok(code)
    }

    /// The hooks before a plan.
    pub(super) async fn before_plan(&self, chain: &mut Chain) -> Result<Flow, SessionError> {
        let start = Hook::Stage(Stage::Plan, Moment::Start);
        let stage = |params: Params| {
            let params = params.text("stage", Stage::Plan.name());
            params.member("summary", &Summary::default())
        };
        if chain.stage(start, &View::default(), stage).await == Flow::Stop {
            return Ok(Flow::Stop);
        }
        let hooks = [Hook::PreRefresh, Hook::PrePlan];
        if !hooks.iter().any(|hook| chain.wants(*hook)) {
            return Ok(Flow::GoOn);
        }
        let (state, schemas) = (self.state_before().await?, self.schemas(chain).await?);
        let view = view(chain, &schemas, None, |resources| {
            let all = state.in_use();
            all.map(|(module, one)| resources.of_state(module, one, Action::Read))
                .collect()
        })?;
        for hook in hooks {
            if chain.resources(hook, &view).await == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::GoOn)
    }

    /// Runs `plan` into a file of ours.
    pub(super) async fn run_plan_into(
        &self,
        chain: &mut Chain,
        arguments: Arguments,
        plan: &PlanFile,
    ) -> Result<i32, SessionError> {
        let arguments = arguments.with(format!("-out={}", plan.path()));
        self.run_plan(chain, &arguments).await
    }

    /// Runs `plan`; if it fails, plugins get its errors.
    async fn run_plan(
        &self,
        chain: &mut Chain,
        arguments: &Arguments,
    ) -> Result<i32, SessionError> {
        self.go_on()?;
        // Terraform then gives no advice on what to do with the file: it is gone soon, or applied without hooks.
        let variables = [("TF_IN_AUTOMATION", "1")];
        let failed = Hook::Stage(Stage::Plan, Moment::Failed);
        let relay = self.relay(chain, failed);
        let Ended { code, errors } = self.run_program(arguments, &variables, relay).await?;
        if !matches!(code, 0 | 2) {
            let stage = |params: Params| {
                let params = params.text("stage", Stage::Plan.name());
                let params = params.member("summary", &Summary::default())?;
                params.member("errors", &errors)
            };
            let _already_failed = chain.stage(failed, &View::default(), stage).await;
        }
        Ok(code)
    }

    /// Shows a plan, which may have been saved in a file, to all plugins. `None` if one of them refuses it.
    pub(super) async fn review(
        &self,
        chain: &mut Chain,
        plan: &PlanFile,
        file: Option<&str>,
    ) -> Result<Option<Review>, SessionError> {
        self.go_on()?;
        let review = self.read_plan(chain, plan).await?;
        let refreshed = review.view(chain, |resources| refreshed(resources, &review.json))?;
        let flow = chain.resources(Hook::PostRefresh, &refreshed).await;
        let planned = review.planned_and_read(chain)?;
        let flow = flow.and(chain.resources(Hook::PostPlan, &planned).await);
        let summary = Summary::of(&review.json.resource_changes);
        let stage = |params: Params| {
            params
                .text("stage", Stage::Plan.name())
                .text("plan_sha256", &review.sha256)
                .member("summary", &summary)
        };
        let completed = Hook::Stage(Stage::Plan, Moment::Completed);
        let flow = flow.and(chain.stage(completed, &planned, stage).await);
        if flow == Flow::Stop {
            if let Some(file) = file {
                chain.warn_of(records::note_refusal(&self.folder, file));
            }
            return Ok(None);
        }
        let (sha256, metadata) = (&review.sha256, &chain.metadata);
        let noted = records::note_review(&self.folder, sha256, file, &self.plugins(), metadata);
        chain.warn_of(noted);
        Ok(Some(review))
    }

    /// Reads a plan, which cannot be changed from then on.
    pub(super) async fn read_plan(
        &self,
        chain: &mut Chain,
        plan: &PlanFile,
    ) -> Result<Review, SessionError> {
        let sealed = plan.seal();
        let sha256 = sealed.map_err(|error| SessionError::File("the plan".into(), error))?;
        let json = self.plan_json(plan).await?;
        let schemas = self.schemas(chain).await?;
        Ok(Review {
            sha256,
            json,
            schemas,
        })
    }

    /// A copy of a saved plan, whose path Terraform takes from its own folder.
    pub(super) fn copy_of(&self, saved: &str) -> Result<PlanFile, SessionError> {
        PlanFile::copy_of(&self.folder.join(saved), saved)
            .map_err(|error| SessionError::File(saved.to_owned(), error))
    }
}

/// A file for a plan that is not saved.
pub(super) fn empty_plan() -> Result<PlanFile, SessionError> {
    PlanFile::new().map_err(|error| SessionError::File("a file for the plan".into(), error))
}

/// The resources of the state before the plan, as they were and as they were found.
fn refreshed(resources: &Resources<'_>, plan: &PlanJson) -> Result<Vec<Resource>, Error> {
    let mut drift: BTreeMap<&str, &ResourceChange> = { plan.resource_drift.iter() }
        .filter(|drift| drift.deposed.is_none())
        .map(|drift| (drift.resource.address.as_str(), drift))
        .collect();
    let found = plan.prior_state.in_use();
    let found = found.filter(|(_, one)| one.resource.mode == "managed");
    let found = found.map(|(module, one)| match drift.remove(&*one.resource.address) {
        Some(drift) => resources.of_change(drift),
        None => resources.of_state(module, one, Action::NoOp),
    });
    let mut all = found.collect::<Result<Vec<_>, Error>>()?;
    // What was not found is in the drift alone.
    let gone = drift.into_values().map(|drift| resources.of_change(drift));
    all.extend(gone.collect::<Result<Vec<_>, Error>>()?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Terraform lists it as drift, and not in the state that it plans from.
    #[test]
    fn hooks_after_a_refresh_see_what_is_gone() {
        let one = |name: &str| {
            json!({"address": format!("t.{name}"), "mode": "managed", "type": "t", "name": name,
                "provider_name": "p"})
        };
        let with = |name: &str, member: &str, value| {
            let mut one = one(name);
            one[member] = value;
            one
        };
        let plan: PlanJson = serde_json::from_value(json!({
            "prior_state": {"values": {"root_module": {"resources": [
                with("same", "values", json!({"id": 1})), with("other", "values", json!({"id": 3})),
            ]}}},
            "resource_drift": [
                with("other", "change", json!({"actions": ["update"], "before": {"id": 2}, "after": {"id": 3}})),
                with("gone", "change", json!({"actions": ["delete"], "before": {"id": 4}, "after": null})),
            ],
        }))
        .unwrap();
        let schemas = Schemas::default();
        let resources = Resources {
            schemas: &schemas,
            configuration: None,
            sent: None,
        };
        let all = refreshed(&resources, &plan).unwrap();
        let seen: Vec<(&str, &str)> = { all.iter() }
            .map(|one| (one.identity.address.as_str(), one.action.name()))
            .collect();
        let expected = [
            ("t.same", "NoOp"),
            ("t.other", "Update"),
            ("t.gone", "Delete"),
        ];
        assert_eq!(seen, expected);
    }
}
