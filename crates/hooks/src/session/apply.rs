//! `apply` and `destroy`: a plan, its review, and the apply of exactly that plan.

use serde_json::value::RawValue;
use tenon_protocols::seasonings::{Params, sha256};

use super::plan::{Review, Summary, empty_plan};
use super::{Question, Session, SessionError, Subject, view};
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, ResourceChange, StateJson};
use crate::hook::{Hook, Moment, Stage};
use crate::plan_file::PlanFile;
use crate::records::{self, Known};

impl Session {
    pub(super) async fn apply(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        // A saved plan is applied without a question, as Terraform does it.
        if let Some(saved) = self.arguments.positional() {
            let plan = self.copy_of(saved)?;
            let Some(review) = self.review_saved(chain, &plan, saved).await? else {
                return Ok(1);
            };
            return self.apply_plan(chain, &plan, Some(saved), &review).await;
        }
        if self.before_plan(chain).await? == Flow::Stop {
            return Ok(1);
        }
        let plan = empty_plan()?;
        let arguments = self.arguments.as_plan();
        let code = self.run_plan_into(chain, arguments, &plan).await?;
        if code != 0 {
            return Ok(code);
        }
        let Some(review) = self.review(chain, &plan, None).await? else {
            return Ok(1);
        };
        if self.must_ask(&review) && !self.is_allowed(chain).await? {
            return Ok(1);
        }
        self.apply_plan(chain, &plan, None, &review).await
    }

    /// Whether the user has to approve of a plan.
    fn must_ask(&self, review: &Review) -> bool {
        !self.arguments.has("auto-approve") && review.json.has_changes()
    }

    /// Asks the user, who may press Ctrl-C instead.
    async fn is_allowed(&self, chain: &mut Chain) -> Result<bool, SessionError> {
        let is_destroy = self.arguments.command == "destroy" || self.arguments.has("destroy");
        let question = Question {
            subject: match is_destroy {
                true => Subject::Destroy,
                false if self.arguments.has("refresh-only") => Subject::Refresh,
                false => Subject::Apply,
            },
            workspace: self.workspace(),
            product: self.program.product(),
            is_plain: self.arguments.has("no-color"),
            findings: chain.findings.clone(),
        };
        chain.seen = chain.findings.len();
        let approve = self.approve.clone();
        let asking = tokio::task::spawn_blocking(move || approve(&question));
        let answer = tokio::select! {
            answer = asking => answer.unwrap_or_else(|error| Err(error.to_string())),
            () = self.interruption.asked() => Err("interrupted".to_owned()),
        };
        answer.map_err(SessionError::Approval)
    }

    /// A plan that was saved by an earlier command. One that passed the same hooks then is not shown to them again.
    async fn review_saved(
        &self,
        chain: &mut Chain,
        plan: &PlanFile,
        saved: &str,
    ) -> Result<Option<Review>, SessionError> {
        let sealed = plan.seal();
        let sum = sealed.map_err(|error| SessionError::File(saved.to_owned(), error))?;
        match records::known(&self.folder, &sum, saved, &self.plugins()) {
            Known::Reviewed(metadata) => {
                chain.metadata = metadata;
                Ok(Some(self.read_plan(chain, plan).await?))
            }
            Known::Changed => Err(SessionError::PlanChanged(saved.to_owned())),
            Known::New => self.review(chain, plan, Some(saved)).await,
        }
    }

    async fn apply_plan(
        &self,
        chain: &mut Chain,
        plan: &PlanFile,
        saved: Option<&str>,
        review: &Review,
    ) -> Result<i32, SessionError> {
        let summary = Summary::of(&review.json.resource_changes);
        let about = |params: Params| {
            params
                .text("stage", Stage::Apply.name())
                .text("plan_sha256", &review.sha256)
                .member("summary", &summary)
        };
        self.go_on()?;
        let start = Hook::Stage(Stage::Apply, Moment::Start);
        if chain.stage(start, &View::default(), about).await == Flow::Stop
            || chain.resources(Hook::PreApply, &review.planned).await == Flow::Stop
        {
            return Ok(1);
        }
        self.go_on()?;
        self.check_unchanged(plan, saved, review)?;
        let takes_variables = review.json.takes_variables();
        let arguments = self.arguments.as_apply_of(&plan.path(), takes_variables);
        let code = self.run_program(&arguments, &[]).await?;
        self.after_apply(chain, review, code, about).await?;
        Ok(code)
    }

    /// What is applied is what was reviewed. A saved plan is applied from a copy; that its file has changed since
    /// means that somebody expects another plan to be applied.
    fn check_unchanged(
        &self,
        plan: &PlanFile,
        saved: Option<&str>,
        review: &Review,
    ) -> Result<(), SessionError> {
        let name = saved.unwrap_or("the plan");
        let unreadable = |error| SessionError::File(name.to_owned(), error);
        let mut sums = vec![plan.sha256().map_err(unreadable)?];
        if let Some(saved) = saved {
            sums.push(sha256(&self.folder.join(saved)).map_err(unreadable)?);
        }
        match sums.iter().all(|sum| *sum == review.sha256) {
            true => Ok(()),
            false => Err(SessionError::PlanChanged(name.to_owned())),
        }
    }

    /// The hooks after an apply, with the values that resources have now. None of them can undo it.
    async fn after_apply(
        &self,
        chain: &mut Chain,
        review: &Review,
        code: i32,
        about: impl Fn(Params) -> Result<Params, tenon_values::Error>,
    ) -> Result<(), SessionError> {
        let state = self.state_after().await?;
        let applied: Vec<&ResourceChange> = { review.json.resource_changes.iter() }
            .filter(|change| change.deposed.is_none())
            .filter(|change| code == 0 || was_applied(change, &state))
            .collect();
        let configuration = &review.json.configuration;
        let applied = view(chain, &review.schemas, configuration, |resources| {
            let applied = applied.iter().map(|change| {
                let now = state.resource(&change.resource.address);
                resources.of_applied(change, now)
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
        self.keep_metadata(chain, &state).await
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
