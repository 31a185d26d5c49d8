//! `apply` and `destroy`: a plan, its review, and the apply of exactly that plan.

use serde_json::value::RawValue;
use tenon_protocols::seasonings::{Params, sha256};

use super::plan::{Review, Summary, empty_plan};
use super::{Ended, Question, Session, SessionError, Subject};
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, ResourceChange, StateJson, StateResource};
use crate::hook::{Hook, Moment, Stage};
use crate::plan_file::PlanFile;
use crate::records::{self, Known, Move};
use crate::relay::Relay;

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
        let planned = review.planned(chain)?;
        if chain.stage(start, &View::default(), about).await == Flow::Stop
            || chain.resources(Hook::PreApply, &planned).await == Flow::Stop
        {
            return Ok(1);
        }
        self.go_on()?;
        self.check_unchanged(plan, saved, review)?;
        let takes_variables = review.json.takes_variables();
        let arguments = self.arguments.as_apply_of(&plan.path(), takes_variables);
        let relay = Relay {
            has_shown_plan: saved.is_none(),
            is_destroy: self.arguments.command == "destroy",
            ..self.relay(chain, Hook::Stage(Stage::Apply, Moment::Failed))
        };
        let ended = self.run_program(&arguments, &[], relay).await?;
        self.after_apply(chain, review, &ended, about).await?;
        Ok(ended.code)
    }

    /// What is applied is what was reviewed. A saved plan is applied from a copy; that its file has changed since
    /// means that the user expects another plan to be applied.
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
        ended: &Ended,
        about: impl Fn(Params) -> Result<Params, tenon_values::Error>,
    ) -> Result<(), SessionError> {
        let after = self.applied(chain, review, ended).await;
        let (applied, state) = match after {
            Ok((applied, state)) => (applied, Ok(state)),
            Err(error) => self.presumed(chain, review, ended, error)?,
        };
        let _applied_already = chain.resources(Hook::PostApply, &applied).await;
        let moment = match ended.code {
            0 => Moment::Completed,
            _ => Moment::Failed,
        };
        let hook = Hook::Stage(Stage::Apply, moment);
        let about = |params: Params| match moment {
            Moment::Failed => about(params)?.member("errors", &ended.errors),
            _ => about(params),
        };
        let _applied_already = chain.stage(hook, &applied, about).await;
        let changes = review.json.resource_changes.iter();
        let moves: Vec<Move<'_>> = changes
            .filter_map(|change| {
                Some((
                    change.previous_address.as_deref()?,
                    &*change.resource.address,
                ))
            })
            .collect();
        self.keep_metadata(chain, &state?, &moves).await;
        Ok(())
    }

    /// What was applied, as the state has it.
    async fn applied(
        &self,
        chain: &mut Chain,
        review: &Review,
        ended: &Ended,
    ) -> Result<(View, StateJson), SessionError> {
        let state = self.state_after().await?;
        let found = state.by_address();
        let applied: Vec<_> = { review.json.changes() }
            .map(|change| (change, found.get(&*change.resource.address).copied()))
            .filter(|(change, now)| was_applied(change, *now, ended.code == 0))
            .collect();
        let applied = review.view(chain, |resources| {
            let applied = applied.iter();
            let applied = applied.map(|(change, now)| resources.of_applied(change, *now));
            applied.collect()
        })?;
        Ok((applied, state))
    }

    /// What is known of an apply whose state cannot be read: all of the plan if Terraform has succeeded, otherwise
    /// nothing. Beside it, the error that the command ends with.
    fn presumed(
        &self,
        chain: &mut Chain,
        review: &Review,
        ended: &Ended,
        error: SessionError,
    ) -> Result<(View, Result<StateJson, SessionError>), SessionError> {
        let failed = |effect| Err(self.state_after_failed(ended, effect, error));
        if ended.code != 0 {
            let effect = "it is unknown what was applied: postApply was not called, and applyStageFailed got no resources";
            return Ok((View::default(), failed(effect)));
        }
        let applied = review.view(chain, |resources| {
            let changes = review.json.changes().filter(|change| is_action(change));
            changes.map(|change| resources.of_change(change)).collect()
        })?;
        let effect =
            "the hooks after the apply saw the planned values, and what plugins noted was not kept";
        Ok((applied, failed(effect)))
    }
}

/// Whether there is something to do for a change.
fn is_action(change: &ResourceChange) -> bool {
    let is_moved = change.previous_address.is_some() || change.change.importing.is_some();
    is_moved || change.change.action() != Action::NoOp
}

/// Whether a change was carried out. A resource that was created and is tainted exists, so it was.
fn was_applied(change: &ResourceChange, now: Option<&StateResource>, is_complete: bool) -> bool {
    match change.change.action() {
        _ if !is_action(change) => false,
        _ if is_complete => true,
        Action::Delete | Action::Forget => now.is_none(),
        Action::Create | Action::Read | Action::NoOp => now.is_some(),
        // A replacement may have deleted the old one alone.
        action @ (Action::Update | Action::Replace) => match now {
            Some(now) => {
                let before = change.change.before.as_deref().map(RawValue::get);
                now.tainted || now.text() != before
            }
            None => action == Action::Replace,
        },
    }
}
