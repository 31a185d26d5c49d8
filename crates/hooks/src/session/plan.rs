//! `plan`, and the review of what was planned.

use tenon_protocols::seasonings::Params;
use tenon_values::Error;

use super::{Ended, Session, SessionError, view};
use crate::arguments::Arguments;
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, Configuration, PlanJson, ResourceChange};
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
    pub(super) schemas: Schemas,
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
        let stage = |params: Params| Ok(params.text("stage", Stage::Plan.name()));
        if chain.stage(start, &View::default(), stage).await == Flow::Stop {
            return Ok(Flow::Stop);
        }
        let hooks = [Hook::PreRefresh, Hook::PrePlan];
        if !hooks.iter().any(|hook| chain.wants(*hook)) {
            return Ok(Flow::GoOn);
        }
        let (state, schemas) = (self.state_before().await?, self.schemas().await?);
        let configuration = Configuration::default();
        let view = view(chain, &schemas, &configuration, |resources| {
            let all = state.in_use();
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
        let refreshed = view(
            chain,
            &review.schemas,
            &review.json.configuration,
            |resources| refreshed(resources, &review.json),
        )?;
        let flow = chain.resources(Hook::PostRefresh, &refreshed).await;
        let flow = flow.and(chain.resources(Hook::PostPlan, &review.planned).await);
        let summary = Summary::of(&review.json.resource_changes);
        let stage = |params: Params| {
            params
                .text("stage", Stage::Plan.name())
                .text("plan_sha256", &review.sha256)
                .member("summary", &summary)
        };
        let completed = Hook::Stage(Stage::Plan, Moment::Completed);
        let flow = flow.and(chain.stage(completed, &review.planned, stage).await);
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
        let schemas = self.schemas().await?;
        let planned = view(chain, &schemas, &json.configuration, |resources| {
            { json.changes() }
                .map(|change| resources.of_change(change))
                .collect()
        })?;
        Ok(Review {
            sha256,
            json,
            schemas,
            planned,
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
    let all = plan.prior_state.in_use();
    let all = all.filter(|(_, one)| one.resource.mode == "managed");
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
