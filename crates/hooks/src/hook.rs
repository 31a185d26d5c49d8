//! The hooks of the protocol, and what plugins answer to them.

use serde_json::{Map, Value as Json};
use tenon_host::PluginError;
use tenon_protocols::Secrets;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{Format, Payload};

use crate::finding::Severity;

/// What a plugin answers.
const FORM: &str = "a hook is answered with a map of status, message, warnings (a list of texts) and metadata (a map); \
     the empty map means success";

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

/// The names of the hooks that are called once something has been applied.
pub(crate) const AFTER_APPLY: [&str; 3] = ["postApply", "applyStageCompleted", "applyStageFailed"];

/// What a plugin made of a hook.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) has_failed: bool,
    /// What the user should read: the first is about the failure, if there is one.
    pub(crate) texts: Vec<(Severity, String)>,
    /// How the plugin itself failed.
    pub(crate) evidence: Vec<String>,
    pub(crate) metadata: Option<Map<String, Json>>,
    /// The plugin has ended, or does not answer: it is not called again.
    pub(crate) is_lost: bool,
}

/// The members of an answer. Those that are absent or nil are `None`.
#[derive(Default)]
struct Answer {
    status: Option<String>,
    message: Option<String>,
    warnings: Option<Vec<String>>,
    metadata: Option<Map<String, Json>>,
}

impl Answer {
    /// Reads an answer; the error says which part of it has the wrong type.
    fn read(answer: &Payload) -> Result<Answer, String> {
        let answer = answer.to_format_with(Format::Json, EXT_NAMES);
        let answer = answer.and_then(|answer| answer.decode_private::<Json>());
        let mut members = match answer.map_err(|error| error.to_string())? {
            Json::Object(members) => members,
            other => return Err(format!("the result is {}, not a map", kind(&other))),
        };
        let mut take = |name| members.remove(name).filter(|value| !value.is_null());
        let text = |name: &str, value: Json| match value {
            Json::String(text) => Ok(text),
            other => Err(format!("`{name}` is {}, not a text", kind(&other))),
        };
        let warnings = |value| match value {
            Json::Array(all) => {
                let texts = all.into_iter().enumerate();
                let texts = texts.map(|(index, one)| text(&format!("warnings[{index}]"), one));
                texts.collect()
            }
            other => Err(format!(
                "`warnings` is {}, not a list of texts",
                kind(&other)
            )),
        };
        let metadata = |value| match value {
            Json::Object(metadata) => Ok(metadata),
            other => Err(format!("`metadata` is {}, not a map", kind(&other))),
        };
        Ok(Answer {
            status: take("status")
                .map(|value| text("status", value))
                .transpose()?,
            message: take("message")
                .map(|value| text("message", value))
                .transpose()?,
            warnings: take("warnings").map(warnings).transpose()?,
            metadata: take("metadata").map(metadata).transpose()?,
        })
    }
}

/// What a value is, in the words of msgpack.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "nil",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "an array",
        Json::Object(_) => "a map",
    }
}

impl Outcome {
    /// Without secrets, as it is shown and stored.
    pub(crate) fn masked(mut self, secrets: &Secrets) -> Outcome {
        let texts = self.texts.iter_mut().map(|(_, text)| text);
        for text in texts.chain(&mut self.evidence) {
            *text = secrets.hide(text);
        }
        for value in self.metadata.iter_mut().flat_map(|all| all.values_mut()) {
            mask(value, secrets);
        }
        self
    }

    /// A failure with this reason.
    pub(crate) fn failed(text: impl Into<String>) -> Outcome {
        Outcome {
            has_failed: true,
            texts: vec![(Severity::Failure, text.into())],
            ..Outcome::default()
        }
    }

    /// A failure of the plugin itself.
    pub(crate) fn broken(error: &PluginError, hint: Option<&str>) -> Outcome {
        let text = error.to_string();
        let mut lines = text.lines().map(str::to_owned);
        let problem = lines.next().unwrap_or_default();
        let mut evidence: Vec<String> = lines.collect();
        if let Some(hint) = hint.filter(|_| error.hint().is_none()) {
            evidence.push(format!("  hint: {hint}"));
        }
        Outcome {
            evidence,
            ..Outcome::failed(problem)
        }
    }

    /// Reads an answer. One that cannot be understood is a failure: it may have been one.
    pub(crate) fn read(answer: &Payload) -> Outcome {
        let Answer {
            status,
            message,
            warnings,
            metadata,
        } = match Answer::read(answer) {
            Ok(answer) => answer,
            Err(error) => {
                return Outcome {
                    evidence: vec![format!("  hint: {FORM}")],
                    ..Outcome::failed(format!("invalid answer: {error}"))
                };
            }
        };
        let message = message.filter(|message| !message.is_empty());
        let warnings = warnings.unwrap_or_default().into_iter();
        let mut texts: Vec<_> = warnings.map(|text| (Severity::Warning, text)).collect();
        let (severity, message) = match status.as_deref().unwrap_or("success") {
            "success" | "pass" | "ok" => (Severity::Info, message),
            "warning" | "warn" if message.is_none() && texts.is_empty() => {
                let message = "a warning without a message".to_owned();
                (Severity::Warning, Some(message))
            }
            "warning" | "warn" => (Severity::Warning, message),
            "fail" => {
                let message = message.unwrap_or_else(|| "no reason given".to_owned());
                (Severity::Failure, Some(message))
            }
            other => {
                let message =
                    format!("invalid answer: the status {other:?} is not success, warning or fail");
                (Severity::Failure, Some(message))
            }
        };
        texts.splice(0..0, message.map(|text| (severity, text)));
        Outcome {
            has_failed: severity == Severity::Failure,
            texts,
            metadata,
            ..Outcome::default()
        }
    }
}

fn mask(value: &mut Json, secrets: &Secrets) {
    match value {
        Json::String(text) => *text = secrets.hide(text),
        Json::Array(all) => all.iter_mut().for_each(|one| mask(one, secrets)),
        Json::Object(all) => all.values_mut().for_each(|one| mask(one, secrets)),
        Json::Number(number) => {
            let text = number.to_string();
            let hidden = secrets.hide(&text);
            if hidden != text {
                *value = Json::String(hidden);
            }
        }
        Json::Null | Json::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: Json) -> (bool, Vec<String>) {
        let outcome = Outcome::read(&Payload::encode(Format::Msgpack, &answer).unwrap());
        let texts = outcome.texts.into_iter().map(|(_, text)| text);
        (outcome.has_failed, texts.collect())
    }

    #[test]
    fn a_status_is_read_in_all_its_spellings() {
        let passed = (false, Vec::new());
        for pass in [
            json!({}),
            json!({"status": null, "message": null, "warnings": null, "metadata": null}),
            json!({"status": null}),
            json!({"status": "pass"}),
            json!({"status": "ok", "later": 1}),
        ] {
            assert_eq!(read(pass.clone()), passed, "{pass}");
        }
        let told = json!({"status": "success", "message": "fine", "warnings": ["w"]});
        let told = Outcome::read(&Payload::encode(Format::Msgpack, &told).unwrap());
        let expected = [
            (Severity::Info, "fine".to_owned()),
            (Severity::Warning, "w".to_owned()),
        ];
        assert_eq!(told.texts, expected);
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
        ] {
            let (has_failed, texts) = read(fail.clone());
            assert!(has_failed && !texts.is_empty(), "{fail}");
        }
    }

    #[test]
    fn an_answer_of_another_form_is_a_failure_that_names_the_member() {
        for (answer, problem) in [
            (json!(null), "the result is nil, not a map"),
            (json!([]), "the result is an array, not a map"),
            // The members by their position would be a pass.
            (
                json!(["ok", null, null, null]),
                "the result is an array, not a map",
            ),
            (json!("ok"), "the result is a text, not a map"),
            (json!(true), "the result is a boolean, not a map"),
            (json!({"status": 1}), "`status` is a number, not a text"),
            (json!({"message": {}}), "`message` is a map, not a text"),
            (
                json!({"warnings": 7}),
                "`warnings` is a number, not a list of texts",
            ),
            (
                json!({"warnings": ["a", 7]}),
                "`warnings[1]` is a number, not a text",
            ),
            (
                json!({"metadata": [1]}),
                "`metadata` is an array, not a map",
            ),
            (
                json!({"status": "pased"}),
                "the status \"pased\" is not success, warning or fail",
            ),
        ] {
            let expected = (true, vec![format!("invalid answer: {problem}")]);
            assert_eq!(read(answer.clone()), expected, "{answer}");
        }
    }

    #[test]
    fn every_hook_is_known_to_the_protocol() {
        use tenon_protocols::seasonings::canonical;
        for name in AFTER_APPLY {
            assert_eq!(canonical(name), format!("middleware/{name}"));
        }
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
