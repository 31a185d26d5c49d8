//! The hooks of the protocol, and what plugins answer to them.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{Format, Payload};

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hook {
    PrePlan,
    PostPlan,
    PreApply,
    PostApply,
    PreRefresh,
    PostRefresh,
    Stage(Stage, Moment),
}

/// A part of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Init,
    Plan,
    Apply,
}

/// When in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Moment {
    Start,
    Completed,
    Failed,
}

impl Stage {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stage::Init => "init",
            Stage::Plan => "plan",
            Stage::Apply => "apply",
        }
    }
}

impl Hook {
    /// The method that is called.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Hook::PrePlan => "middleware/prePlan",
            Hook::PostPlan => "middleware/postPlan",
            Hook::PreApply => "middleware/preApply",
            Hook::PostApply => "middleware/postApply",
            Hook::PreRefresh => "middleware/preRefresh",
            Hook::PostRefresh => "middleware/postRefresh",
            Hook::Stage(Stage::Init, Moment::Start) => "middleware/initStageStart",
            Hook::Stage(Stage::Init, Moment::Completed) => "middleware/initStageCompleted",
            Hook::Stage(Stage::Init, Moment::Failed) => "middleware/initStageFailed",
            Hook::Stage(Stage::Plan, Moment::Start) => "middleware/planStageStart",
            Hook::Stage(Stage::Plan, Moment::Completed) => "middleware/planStageCompleted",
            Hook::Stage(Stage::Plan, Moment::Failed) => "middleware/planStageFailed",
            Hook::Stage(Stage::Apply, Moment::Start) => "middleware/applyStageStart",
            Hook::Stage(Stage::Apply, Moment::Completed) => "middleware/applyStageCompleted",
            Hook::Stage(Stage::Apply, Moment::Failed) => "middleware/applyStageFailed",
        }
    }

    /// The name without the level, as users read it.
    pub(crate) fn name(self) -> &'static str {
        let method = self.method();
        method.strip_prefix("middleware/").unwrap_or(method)
    }

    /// A failure stops the command before its next hook: nothing has been planned or applied yet.
    pub(crate) fn stops_at_once(self) -> bool {
        matches!(
            self,
            Hook::PrePlan | Hook::PreApply | Hook::PreRefresh | Hook::Stage(_, Moment::Start)
        )
    }

    /// The name of the member that says what happens to a resource.
    pub(crate) fn action_member(self) -> &'static str {
        match self {
            Hook::PostApply | Hook::Stage(Stage::Apply, Moment::Completed | Moment::Failed) => {
                "applied_action"
            }
            _ => "planned_action",
        }
    }
}

/// What a plugin made of a hook.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) has_failed: bool,
    /// What the user should read.
    pub(crate) texts: Vec<String>,
    pub(crate) metadata: Option<Map<String, Json>>,
    /// The user did not wait for it.
    pub(crate) is_interrupted: bool,
}

#[derive(Default, Deserialize)]
struct Answer {
    status: Option<Json>,
    message: Option<String>,
    warnings: Option<Vec<String>>,
    metadata: Option<Map<String, Json>>,
}

impl Outcome {
    /// A failure with this reason.
    pub(crate) fn failed(text: impl Into<String>) -> Outcome {
        Outcome {
            has_failed: true,
            texts: vec![text.into()],
            ..Outcome::default()
        }
    }

    /// The user did not wait for it.
    pub(crate) fn interrupted() -> Outcome {
        Outcome {
            is_interrupted: true,
            ..Outcome::failed("interrupted")
        }
    }

    /// Reads an answer. One that cannot be understood is a failure: it may have been one.
    pub(crate) fn read(answer: &Payload) -> Outcome {
        if answer.is_null() {
            return Outcome::default();
        }
        let read = { answer.to_format_with(Format::Json, EXT_NAMES) }
            .and_then(|answer| answer.decode_private::<Answer>());
        let Answer {
            status,
            message,
            warnings,
            metadata,
        } = match read {
            Ok(answer) => answer,
            Err(error) => return Outcome::failed(format!("the answer cannot be read: {error}")),
        };
        let message = message.filter(|message| !message.is_empty());
        let mut texts = warnings.unwrap_or_default();
        let status = match &status {
            None | Some(Json::Null) => Some("success"),
            Some(Json::String(status)) => Some(status.as_str()),
            Some(_) => None,
        };
        let has_failed = match status {
            // A message without a warning is not worth a line.
            Some("success" | "pass" | "ok") => false,
            Some("warning" | "warn") => {
                let message = message.or_else(|| {
                    let has_none = texts.is_empty();
                    has_none.then(|| "a warning without a message".to_owned())
                });
                texts.splice(0..0, message);
                false
            }
            Some("fail") => {
                texts.insert(0, message.unwrap_or_else(|| "no reason is given".into()));
                true
            }
            _ => {
                texts.insert(0, "the status is not success, warning or fail".into());
                true
            }
        };
        Outcome {
            has_failed,
            texts,
            metadata,
            is_interrupted: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: Json) -> (bool, Vec<String>) {
        let outcome = Outcome::read(&Payload::encode(Format::Msgpack, &answer).unwrap());
        (outcome.has_failed, outcome.texts)
    }

    #[test]
    fn a_status_is_read_in_all_its_spellings() {
        let passed = (false, Vec::new());
        for pass in [
            json!(null),
            json!({}),
            json!({"status": null}),
            json!({"status": "success", "message": "fine"}),
            json!({"status": "pass"}),
            json!({"status": "ok", "later": 1}),
        ] {
            assert_eq!(read(pass.clone()), passed, "{pass}");
        }
        let warned = |texts: &[&str]| (false, texts.iter().map(|&text| text.to_owned()).collect());
        assert_eq!(read(json!({"warnings": ["a", "b"]})), warned(&["a", "b"]));
        assert_eq!(
            read(json!({"status": "warn", "message": "m"})),
            warned(&["m"])
        );
        let both = json!({"status": "warning", "message": "m", "warnings": ["w"]});
        assert_eq!(read(both), warned(&["m", "w"]));
        assert_eq!(
            read(json!({"status": "warn", "warnings": ["w"]})),
            warned(&["w"])
        );
        for fail in [
            json!({"status": "fail"}),
            json!({"status": "later"}),
            json!({"status": 1}),
            json!({"status": "fail", "message": "m"}),
            json!([]),
            json!({"warnings": 7}),
        ] {
            let (has_failed, texts) = read(fail.clone());
            assert!(has_failed && !texts.is_empty(), "{fail}");
        }
    }

    #[test]
    fn every_hook_is_known_to_the_protocol() {
        use tenon_protocols::seasonings::canonical;
        for stage in [Stage::Init, Stage::Plan, Stage::Apply] {
            for moment in [Moment::Start, Moment::Completed, Moment::Failed] {
                let hook = Hook::Stage(stage, moment);
                assert_eq!(canonical(hook.name()), hook.method());
            }
        }
        for hook in [
            Hook::PrePlan,
            Hook::PostPlan,
            Hook::PreApply,
            Hook::PostApply,
        ] {
            assert_eq!(canonical(hook.name()), hook.method());
        }
    }
}
