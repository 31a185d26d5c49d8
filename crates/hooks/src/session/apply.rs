//! `apply` and `destroy`: a plan, its review, and the apply of exactly that plan.

use serde::Deserialize;
use serde_json::value::RawValue;
use tenon_protocols::seasonings::Params;

use super::plan::{Review, Summary, sum_of};
use super::{Question, Session, SessionError, code_of, plan_folder, seen_from_here, view};
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, ResourceChange, StateJson};
use crate::hook::{Hook, Moment, Stage};
use crate::records;

/// What a state is called.
#[derive(Deserialize)]
struct StateName {
    lineage: String,
    serial: u64,
}

impl Session {
    pub(super) async fn apply(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        // A saved plan is applied without a question, as Terraform does it.
        if let Some(plan) = self.arguments.positional() {
            let Some(review) = self.review_saved(chain, plan).await? else {
                return Ok(1);
            };
            return self.apply_plan(chain, plan, &review).await;
        }
        if self.before_plan(chain).await? == Flow::Stop {
            return Ok(1);
        }
        let folder = plan_folder()?;
        let plan = folder.path().join("plan").display().to_string();
        let arguments = self.arguments.as_plan().with(format!("-out={plan}"));
        let code = self.run_plan(chain, &arguments, true).await?;
        if code != 0 {
            return Ok(code);
        }
        let Some(review) = self.review(chain, &plan).await? else {
            return Ok(1);
        };
        if self.must_ask(&review) {
            let is_destroy = self.arguments.command == "destroy" || self.arguments.has("destroy");
            let question = match is_destroy {
                true => Question::Destroy,
                false => Question::Apply,
            };
            if !(self.approve)(question) {
                return Ok(1);
            }
        }
        self.apply_plan(chain, &plan, &review).await
    }

    /// Whether the user has to approve of a plan.
    fn must_ask(&self, review: &Review) -> bool {
        !self.arguments.has("auto-approve") && review.json.has_changes()
    }

    /// A plan that was saved by an earlier command. One that passed the same hooks then is not shown to them again.
    async fn review_saved(
        &self,
        chain: &mut Chain,
        plan: &str,
    ) -> Result<Option<Review>, SessionError> {
        let sha256 = sum_of(&seen_from_here(&self.folder, plan))?;
        if !records::is_reviewed(&self.folder, &sha256, &self.project.hooks) {
            return self.review(chain, plan).await;
        }
        let json = self.plan_json(plan).await?;
        let schemas = self.schemas().await?;
        let planned = view(chain, &schemas, &json.configuration, |resources| {
            let changes = json.resource_changes.iter();
            changes.map(|change| resources.of_change(change)).collect()
        })?;
        Ok(Some(Review {
            sha256,
            json,
            planned,
        }))
    }

    async fn apply_plan(
        &self,
        chain: &mut Chain,
        plan: &str,
        review: &Review,
    ) -> Result<i32, SessionError> {
        let summary = Summary::of(&review.json.resource_changes);
        let about = |params: Params| {
            params
                .text("stage", Stage::Apply.name())
                .text("plan_sha256", &review.sha256)
                .member("summary", &summary)
        };
        let start = Hook::Stage(Stage::Apply, Moment::Start);
        if chain.stage(start, &View::default(), about).await == Flow::Stop
            || chain.resources(Hook::PreApply, &review.planned).await == Flow::Stop
        {
            return Ok(1);
        }
        // What is applied is what was reviewed.
        if sum_of(&seen_from_here(&self.folder, plan))? != review.sha256 {
            return Err(SessionError::PlanChanged);
        }
        let arguments = self.arguments.as_apply_of(plan);
        let code = code_of(self.program.run(&arguments, &[]).await?);
        self.after_apply(chain, review, code, about).await?;
        Ok(code)
    }

    /// The hooks after an apply, with the values that resources have now. None of them can undo it.
    async fn after_apply(
        &self,
        chain: &mut Chain,
        review: &Review,
        code: i32,
        about: impl Fn(Params) -> Result<Params, tenon_values::Error>,
    ) -> Result<(), SessionError> {
        let state = self.state().await?;
        let schemas = self.schemas().await?;
        let applied: Vec<&ResourceChange> = { review.json.resource_changes.iter() }
            .filter(|change| change.deposed.is_none())
            .filter(|change| code == 0 || was_applied(change, &state))
            .collect();
        let applied = view(chain, &schemas, &review.json.configuration, |resources| {
            let applied = applied.iter().map(|change| {
                let mut resource = resources.of_change(change)?;
                if let Some(now) = state.resource(&change.resource.address) {
                    resource.after = resources.of_state(None, now)?.after;
                }
                Ok(resource)
            });
            applied.collect()
        })?;
        let _applied_already = chain.resources(Hook::PostApply, &applied).await;
        let (moment, errors) = match code {
            0 => (Moment::Completed, Vec::new()),
            code => {
                let error = format!("{} apply ended with exit code {code}", self.program.name());
                (Moment::Failed, vec![error])
            }
        };
        let hook = Hook::Stage(Stage::Apply, moment);
        let about = |params: Params| match errors.is_empty() {
            true => about(params),
            false => about(params)?.member("errors", &errors),
        };
        let _applied_already = chain.stage(hook, &applied, about).await;
        self.keep_metadata(chain).await
    }

    async fn keep_metadata(&self, chain: &Chain) -> Result<(), SessionError> {
        if chain.metadata.is_empty() {
            return Ok(());
        }
        let arguments = self.arguments.sibling("state", ["pull"]);
        let name: StateName = self.program.json(&arguments).await?;
        records::note_metadata(&self.folder, &name.lineage, name.serial, &chain.metadata)?;
        Ok(())
    }
}

/// Whether a change was carried out by an apply that failed somewhere.
fn was_applied(change: &ResourceChange, state: &StateJson) -> bool {
    let now = state.resource(&change.resource.address);
    match change.change.action() {
        Action::Delete | Action::Forget => now.is_none(),
        Action::NoOp => false,
        Action::Create | Action::Read => now.is_some_and(|now| !now.tainted),
        Action::Update | Action::Replace => now.is_some_and(|now| {
            let before = change.change.before.as_deref().map(RawValue::get);
            !now.tainted && now.values.as_deref().map(RawValue::get) != before
        }),
    }
}
