//! Creating, updating and deleting a resource.
//!
//! Nothing is forgotten: whatever the plugin answers, a resource that may exist stays in the state.

use tenon_protocols::seasonings::calls::{Applied, ApplyChange, Call};
use tenon_tfplugin::{ApplyRequest, ApplyResponse, Diagnostic, Diagnostics, has_errors};
use tenon_values::Value;

use super::{check, private, settle};
use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};
use crate::{show, tree};

pub(crate) async fn apply(
    plugin: &Plugin,
    offered: &Offered,
    request: ApplyRequest,
) -> Result<ApplyResponse, Diagnostics> {
    let kind = offered.resource(&request.type_name)?;
    let ApplyRequest {
        prior,
        planned,
        config,
        ..
    } = &request;
    for value in [prior, planned, config] {
        tree::learn(&plugin.secrets, kind.body, value);
    }
    let planned = &tree::without_write_only(kind.body, planned);
    let call = ApplyChange {
        kind,
        prior,
        planned,
        config,
        private: private(&request.private),
    };
    let task = match (prior.is_null(), planned.is_null()) {
        (true, _) => Task::changing("create the resource"),
        (false, true) => Task::changing("delete the resource"),
        (false, false) => Task::changing("update the resource"),
    };
    let kept = Kept { prior, planned };
    let answer = match plugin.call(&call, task).await {
        Ok(answer) => answer,
        Err(failure) if failure.kind == Kind::Unreadable => {
            return Ok(kept.despite(failure.diagnostic, Diagnostics::new()));
        }
        Err(failure) => return Err(failure.into()),
    };
    let Applied {
        state,
        private,
        diagnostics,
    } = answer;
    let sent = state.as_ref().ok().and_then(Option::as_ref);
    let diagnostics = show::answered(plugin, kind.body, sent, diagnostics);
    let mistake = |path: &str, problem: &str, saved: &str| {
        mistake(plugin, task, path, &format!("{problem}. {saved}"))
    };
    let state = match state {
        Ok(Some(state)) if planned.is_null() || !state.is_null() => state,
        Ok(Some(_)) if has_errors(&diagnostics) => return Err(diagnostics),
        Ok(Some(_)) => {
            let problem = "it is nil, but the resource was not planned for deletion";
            let error = mistake("state", problem, kept.saved());
            return Ok(kept.despite(error, diagnostics));
        }
        Ok(None) if has_errors(&diagnostics) => return Err(diagnostics),
        Ok(None) => Value::null(kind.body.implied_type()),
        Err(error) => {
            let error = mistake(&error.path, &error.problem, kept.saved());
            return Ok(kept.despite(error, diagnostics));
        }
    };
    let state = tree::without_write_only(kind.body, &state);
    let state = settle(kind.body, &state, planned);
    let mut response = ApplyResponse {
        diagnostics,
        ..ApplyResponse::new(state)
    };
    if let Some(path) = check::unknown_part(&response.state) {
        let place = show::place("state", &path);
        let problem = mistake(
            &place,
            "it is unknown, but after a change everything is known",
            "The state that the plugin returned is saved, with null for what is unknown",
        );
        response.diagnostics.push(problem);
        response.state = response.state.unknown_as_null();
    } else if !has_errors(&response.diagnostics)
        && let Some(path) = check::state_contradiction(planned, &response.state)
    {
        let (place, problem, saved) = match planned.is_null() {
            true => (
                "state".to_owned(),
                "the resource still exists after delete",
                "The state that the plugin returned is saved, so the resource is not forgotten",
            ),
            false => (
                show::place("state", &path),
                "it differs from what was planned",
                "The state that the plugin returned is saved",
            ),
        };
        response.diagnostics.push(mistake(&place, problem, saved));
    }
    match private {
        Ok(private) => response.private = private.map(Into::into),
        Err(error) => {
            let unusable = unusable_private(plugin, task, &error.problem);
            response.diagnostics.push(unusable);
        }
    }
    Ok(response)
}

/// What is kept in the state if the answer cannot be used.
struct Kept<'a> {
    prior: &'a Value,
    planned: &'a Value,
}

impl Kept<'_> {
    /// What [`Kept::despite`] saves, for the user.
    fn saved(&self) -> &'static str {
        match self.prior.is_null() {
            true => "The state has what was planned, with null for what is unknown",
            false => "The state has what it had before",
        }
    }

    /// The error with a state: what was planned for a resource that was probably created, otherwise what
    /// there was before.
    fn despite(&self, error: Diagnostic, mut diagnostics: Diagnostics) -> ApplyResponse {
        diagnostics.push(error);
        let state = match self.prior.is_null() {
            true => self.planned.unknown_as_null(),
            false => self.prior.clone(),
        };
        ApplyResponse {
            diagnostics,
            ..ApplyResponse::new(state)
        }
    }
}

/// Private data that cannot be used takes nothing away from the state.
fn unusable_private(plugin: &Plugin, task: Task, problem: &str) -> Diagnostic {
    let problem = format!("{problem}. The state is kept, with the earlier private data");
    mistake(plugin, task, "private", &problem)
}

fn mistake(plugin: &Plugin, task: Task, path: &str, problem: &str) -> Diagnostic {
    let detail = show::wrong_answer(plugin, ApplyChange::METHOD, path, problem);
    Diagnostic::error(format!("Could not {}", task.what), detail)
}
