//! `plan`, and the review of what was planned.

use std::path::Path;

use tenon_protocols::seasonings::{Params, sha256};
use tenon_values::Error;

use super::{Session, SessionError, code_of, plan_folder, seen_from_here, view};
use crate::arguments::Arguments;
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, Configuration, PlanJson, ResourceChange};
use crate::hook::{Hook, Moment, Stage};
use crate::records;
use crate::resource::{Resource, Resources};

/// A plan that has passed all hooks.
pub(super) struct Review {
    /// The SHA-256 checksum of its file.
    pub(super) sha256: String,
    pub(super) json: PlanJson,
    /// What is planned, as plugins see it.
    pub(super) planned: View,
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
        let folder = plan_folder()?;
        let (arguments, plan) = match self.arguments.value("out").flatten() {
            Some(plan) => (self.arguments.clone(), plan.to_owned()),
            None => {
                let plan = folder.path().join("plan").display().to_string();
                (self.arguments.clone().with(format!("-out={plan}")), plan)
            }
        };
        // The path of a plan that is gone soon is of no use to the user.
        let is_ours = self.arguments.value("out").is_none();
        let code = self.run_plan(chain, &arguments, is_ours).await?;
        if !matches!(code, 0 | 2) {
            return Ok(code);
        }
        self.review(chain, &plan).await?;
        Ok(code)
    }

    /// The hooks before a plan.
    pub(super) async fn before_plan(&self, chain: &mut Chain) -> Result<Flow, SessionError> {
        let start = Hook::Stage(Stage::Plan, Moment::Start);
        let stage = |params: Params| Ok(params.text("stage", Stage::Plan.name()));
        if chain.stage(start, &View::default(), stage).await == Flow::Stop {
            return Ok(Flow::Stop);
        }
        let hooks = [Hook::PreRefresh, Hook::PrePlan];
        if !hooks.iter().any(|hook| chain.wants(*hook)) {
            return Ok(Flow::GoOn);
        }
        let (state, schemas) = (self.state().await?, self.schemas().await?);
        let configuration = Configuration::default();
        let view = view(chain, &schemas, &configuration, |resources| {
            let all = state.resources().into_iter();
            all.map(|(module, one)| resources.of_state(module, one))
                .collect()
        })?;
        for hook in hooks {
            if chain.resources(hook, &view).await == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::GoOn)
    }

    /// Runs `plan`; if it fails, plugins are told.
    pub(super) async fn run_plan(
        &self,
        chain: &mut Chain,
        arguments: &Arguments,
        is_ours: bool,
    ) -> Result<i32, SessionError> {
        // Terraform then gives no advice on what to do with the plan.
        let variables: &[(&str, &str)] = match is_ours {
            true => &[("TF_IN_AUTOMATION", "1")],
            false => &[],
        };
        let code = code_of(self.program.run(arguments, variables).await?);
        if !matches!(code, 0 | 2) {
            let error = format!("{} plan ended with exit code {code}", self.program.name());
            let stage = |params: Params| {
                let params = params.text("stage", Stage::Plan.name());
                params.member("errors", &[&error])
            };
            let failed = Hook::Stage(Stage::Plan, Moment::Failed);
            let _already_failed = chain.stage(failed, &View::default(), stage).await;
        }
        Ok(code)
    }

    /// Shows a plan to all plugins. `None` if one of them refuses it.
    pub(super) async fn review(
        &self,
        chain: &mut Chain,
        plan: &str,
    ) -> Result<Option<Review>, SessionError> {
        let file = seen_from_here(&self.folder, plan);
        let sum = sum_of(&file)?;
        let json = self.plan_json(plan).await?;
        let schemas = self.schemas().await?;
        let refreshed = view(chain, &schemas, &json.configuration, |resources| {
            refreshed(resources, &json)
        })?;
        let planned = view(chain, &schemas, &json.configuration, |resources| {
            let changes = json.resource_changes.iter();
            changes.map(|change| resources.of_change(change)).collect()
        })?;
        let mut flow = chain.resources(Hook::PostRefresh, &refreshed).await;
        if chain.resources(Hook::PostPlan, &planned).await == Flow::Stop {
            flow = Flow::Stop;
        }
        let summary = Summary::of(&json.resource_changes);
        let stage = |params: Params| {
            params
                .text("stage", Stage::Plan.name())
                .text("plan_sha256", &sum)
                .member("summary", &summary)
        };
        let completed = Hook::Stage(Stage::Plan, Moment::Completed);
        if chain.stage(completed, &planned, stage).await == Flow::Stop {
            flow = Flow::Stop;
        }
        if flow == Flow::Stop {
            return Ok(None);
        }
        records::note_review(&self.folder, &sum, &self.project.hooks)?;
        Ok(Some(Review {
            sha256: sum,
            json,
            planned,
        }))
    }
}

/// The SHA-256 checksum of a plan.
pub(super) fn sum_of(plan: &Path) -> Result<String, SessionError> {
    sha256(plan).map_err(|error| SessionError::File(plan.display().to_string(), error))
}

/// The resources of the state before the plan, as they were and as they were found.
fn refreshed(resources: &Resources<'_>, plan: &PlanJson) -> Result<Vec<Resource>, Error> {
    let all = plan.prior_state.resources().into_iter();
    let all = all.filter(|(_, one)| one.resource.mode == "managed" && one.deposed_key.is_none());
    all.map(|(module, one)| {
        let drift = plan.resource_drift.iter();
        let mut drift = drift.filter(|drift| drift.deposed.is_none());
        match drift.find(|drift| drift.resource.address == one.resource.address) {
            Some(drift) => resources.of_change(drift),
            None => resources.of_state(module, one),
        }
    })
    .collect()
}
