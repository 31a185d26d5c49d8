//! Who decides what the agent asks for: the policies, what was allowed before, and the user.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    ElicitationParams, ElicitationResult, Empty, Failure, PermissionKind, PermissionOption,
    PermissionOutcome, PermissionParams, PermissionResult, Profile, Raw, ToolCallUpdate, ToolKind,
};
use tenon_rpc::RpcError;

use super::form::Form;
use super::session_state::{Grant, State};
use super::state::Shared;
use crate::facts::Facts;
use crate::policy::{Action, Decision, check_options};

impl Shared {
    pub(super) async fn permission(
        &self,
        request: PermissionParams,
    ) -> Result<PermissionResult, RpcError> {
        let session = self.session(&request.session_id).await?;
        check_options(&request.options, Profile::V1)?;
        let (mut facts, mut stated) = session.facts_of(&request);
        facts.follow_links();
        stated.follow_links();
        let decision = self.setup.decide(&facts, &session.names());
        let options = request.options.clone();
        let answer = self.answer(&session, &decision, request).await;
        // What the agent means by its own "always" only it knows; here it is what was shown.
        match allowed(&answer, &options) {
            Some(PermissionKind::AllowAlways) => session.grant(&stated, Grant::Always),
            Some(_) => session.grant(&stated, Grant::Once),
            None => {}
        }
        Ok(answer)
    }

    /// The answer of the policies, or of the user.
    async fn answer(
        &self,
        session: &Arc<State>,
        decision: &Decision,
        request: PermissionParams,
    ) -> PermissionResult {
        let withdrawn = session.questions();
        if withdrawn.is_cancelled() {
            return PermissionResult::cancelled();
        }
        if let Some(answer) = decision.answer(&request.options) {
            self.setup.user.decided(&request, decision);
            return answer;
        }
        let _silent_meanwhile = session.waiting();
        tokio::select! {
            biased;
            () = withdrawn.cancelled() => PermissionResult::cancelled(),
            answer = self.setup.user.permission(request) => answer,
        }
    }

    /// Whether the agent may use a file or a program. Reading is allowed unless a rule says otherwise; for the rest
    /// there must be a rule, a permission that covers it, or the user, who is asked as for a tool call. Returns whether
    /// the user was asked.
    pub(super) async fn access(
        &self,
        session: &Arc<State>,
        mut facts: Facts,
        tool_call: ToolCallUpdate,
    ) -> Result<bool, RpcError> {
        facts.follow_links();
        let decision = self.setup.decide(&facts, &session.names());
        let is_reading = facts.kind == Some(ToolKind::Read);
        // A rule has decided, and nothing about it was shown before. Files that may be read are too many to be shown.
        let is_news = !is_reading && !session.is_granted(&facts, decision.rule.is_some());
        if decision.action == Action::Deny || decision.action == Action::Allow && is_news {
            let request = PermissionParams::new(session.id.clone(), tool_call.clone(), Vec::new());
            self.setup.user.decided(&request, &decision);
        }
        match decision.action {
            Action::Allow => Ok(false),
            Action::Deny => Err(denied(&facts)),
            Action::Ask if decision.rule.is_none() && is_reading => Ok(false),
            Action::Ask if session.use_grant(&facts, decision.rule.is_some()) => Ok(false),
            Action::Ask => {
                let options = own_options(&facts, &decision);
                let request = PermissionParams::new(session.id.clone(), tool_call, options.clone());
                let answer = self.answer(session, &decision, request).await;
                let grant = match allowed(&answer, &options) {
                    None => return Err(denied(&facts)),
                    Some(PermissionKind::AllowAlways) if facts.commands.is_empty() => Grant::Kind,
                    Some(PermissionKind::AllowAlways) => Grant::Always,
                    Some(_) => Grant::Once,
                };
                session.grant(&facts, grant);
                session.use_grant(&facts, decision.rule.is_some());
                Ok(true)
            }
        }
    }

    pub(super) fn tool_call(&self, kind: ToolKind, title: String, input: &Value) -> ToolCallUpdate {
        ToolCallUpdate {
            kind: Some(kind),
            title: Some(title),
            raw_input: Raw::of(input).ok(),
            ..ToolCallUpdate::new(format!("tenon-{}", self.next_id()))
        }
    }

    pub(super) async fn elicitation(
        &self,
        question: ElicitationParams,
    ) -> Result<ElicitationResult, RpcError> {
        let offered = &self.setup.offered;
        let wrong = |details: String| {
            Failure::InvalidParams.error(Profile::V1, json!({ "details": details }))
        };
        let (is_offered, session) = match &question {
            ElicitationParams::Form(form) => (offered.forms, form.session_id.clone()),
            ElicitationParams::Url(page) => (offered.pages, page.session_id.clone()),
            _ => (false, None),
        };
        if !is_offered {
            let details = "this client has not stated that it supports this mode";
            return Err(wrong(details.to_owned()));
        }
        // The user must not be asked what has no valid answer.
        if let ElicitationParams::Form(form) = &question {
            Form::read(&form.requested_schema).map_err(|error| wrong(error.to_string()))?;
        }
        let Some(session) = session else {
            let _silent_meanwhile = self.waiting();
            return Ok(self.setup.user.elicitation(question).await);
        };
        let session = self.session(&session).await?;
        let _silent_meanwhile = session.waiting();
        let withdrawn = session.questions();
        tokio::select! {
            biased;
            () = withdrawn.cancelled() => Ok(ElicitationResult::Cancel(Empty::default())),
            answer = self.setup.user.elicitation(question) => Ok(answer),
        }
    }
}

/// What the user can answer to a question of this client. Where a rule wants the user to be asked there is no "always".
fn own_options(facts: &Facts, decision: &Decision) -> Vec<PermissionOption> {
    let always = match facts.commands.is_empty() {
        true => "Allow all changes of files",
        false => "Always allow this command",
    };
    let options = [
        ("allow", "Allow", PermissionKind::AllowOnce),
        ("always", always, PermissionKind::AllowAlways),
        ("reject", "Reject", PermissionKind::RejectOnce),
    ];
    { options.into_iter() }
        .filter(|(_, _, kind)| decision.rule.is_none() || *kind != PermissionKind::AllowAlways)
        .map(|(id, name, kind)| PermissionOption::new(id, name, kind))
        .collect()
}

/// The kind of the option that was chosen, if it allows the call. An unknown kind does not.
fn allowed(answer: &PermissionResult, options: &[PermissionOption]) -> Option<PermissionKind> {
    let PermissionOutcome::Selected(chosen) = &answer.outcome else {
        return None;
    };
    let option = options
        .iter()
        .find(|option| option.option_id == chosen.option_id)?;
    match option.kind {
        PermissionKind::AllowOnce | PermissionKind::AllowAlways => Some(option.kind.clone()),
        _ => None,
    }
}

fn denied(facts: &Facts) -> RpcError {
    let mut data = json!({ "details": "the user or a rule does not allow this" });
    if let Some(path) = facts.paths.iter().next() {
        data["path"] = json!(path.display().to_string());
    }
    Failure::PermissionDenied.error(Profile::V1, data)
}
