//! What can be chosen in a session: its mode, its model and its options.
//!
//! Clients of different ages use `modes`, `models` or `configOptions` for the same thing. All three are sent, and a
//! change by one of them is visible in the others.

use serde_json::json;
use tenon_protocols::acp::{
    Choice, ConfigCategory, ConfigOption, ConfigValue, Failure, Mode, Model, Models, Modes,
    Profile, SelectOption,
};
use tenon_rpc::RpcError;

use super::store::Kept;

/// The option that stands for the mode.
const MODE: &str = "mode";
/// The option that stands for the model.
const MODEL: &str = "model";

/// What a session offers.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Modes. The first one is the default.
    pub modes: Vec<Mode>,
    /// Models. The first one is the default.
    pub models: Vec<Model>,
    /// Further options with their default values. `mode` and `model` are taken by modes and models.
    pub options: Vec<ConfigOption>,
    /// Commands: prompts that begin with `/` and a name.
    pub commands: Vec<tenon_protocols::acp::Command>,
}

/// Something that the client has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A mode.
    Mode(String),
    /// A model.
    Model(String),
    /// The value of another option.
    Option(String, ConfigValue),
}

/// What a session offers, and what is chosen.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    setup: Setup,
    mode: Option<String>,
    model: Option<String>,
}

impl Settings {
    /// With what was chosen earlier, as far as it is still offered.
    pub(crate) fn new(setup: Setup, kept: &Kept) -> Settings {
        let chosen = |kept: &Option<String>, offered: Vec<&String>| {
            let kept = kept.as_ref().filter(|kept| offered.contains(kept));
            kept.or(offered.first().copied()).cloned()
        };
        let mut settings = Settings {
            mode: chosen(
                &kept.mode,
                setup.modes.iter().map(|mode| &mode.id).collect(),
            ),
            model: chosen(
                &kept.model,
                setup.models.iter().map(|model| &model.model_id).collect(),
            ),
            setup,
        };
        for (id, value) in &kept.options {
            if let Ok(change) = settings.option(id, value.clone(), Profile::V1) {
                settings.apply(&change);
            }
        }
        settings
    }

    /// What is kept of it.
    pub(crate) fn kept(&self) -> Kept {
        let value = |option: &ConfigOption| match option {
            ConfigOption::Select(one) => Some((one.id.clone(), (&*one.current_value).into())),
            ConfigOption::Boolean(one) => Some((one.id.clone(), one.current_value.into())),
            _ => None,
        };
        Kept {
            mode: self.mode.clone(),
            model: self.model.clone(),
            options: self.setup.options.iter().filter_map(value).collect(),
        }
    }

    pub(crate) fn commands(&self) -> &[tenon_protocols::acp::Command] {
        &self.setup.commands
    }

    pub(crate) fn current_mode(&self) -> Option<&str> {
        self.mode.as_deref()
    }

    pub(crate) fn current_model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(crate) fn modes(&self) -> Option<Modes> {
        let mode = self.mode.clone()?;
        Some(Modes::new(mode, self.setup.modes.clone()))
    }

    pub(crate) fn models(&self) -> Option<Models> {
        let model = self.model.clone()?;
        Some(Models::new(model, self.setup.models.clone()))
    }

    /// All options. A client that does not know options that are on or off does not get them.
    pub(crate) fn config_options(&self, has_booleans: bool) -> Option<Vec<ConfigOption>> {
        let choice = |value: &String, name: &String, description: &Option<String>| {
            let mut choice = Choice::new(name.clone());
            choice.value = Some(value.clone());
            choice.description.clone_from(description);
            choice
        };
        let select = |id: &str, name: &str, value: &String, choices: Vec<Choice>, category| {
            let mut option = SelectOption::new(id, name, value.clone(), choices);
            option.category = Some(category);
            ConfigOption::Select(option)
        };
        let mut options = Vec::new();
        if let Some(mode) = &self.mode {
            let choices = { self.setup.modes.iter() }
                .map(|mode| choice(&mode.id, &mode.name, &mode.description))
                .collect();
            options.push(select(MODE, "Mode", mode, choices, ConfigCategory::Mode));
        }
        if let Some(model) = &self.model {
            let choices = { self.setup.models.iter() }
                .map(|model| choice(&model.model_id, &model.name, &model.description))
                .collect();
            options.push(select(
                MODEL,
                "Model",
                model,
                choices,
                ConfigCategory::Model,
            ));
        }
        let further = { self.setup.options.iter() }
            .filter(|option| has_booleans || !matches!(option, ConfigOption::Boolean(_)));
        options.extend(further.cloned());
        (!options.is_empty()).then_some(options)
    }

    /// Checks a mode that was chosen.
    pub(crate) fn mode(&self, id: &str, profile: Profile) -> Result<Change, RpcError> {
        match self.setup.modes.iter().any(|mode| mode.id == id) {
            true => Ok(Change::Mode(id.to_owned())),
            false => {
                let known: Vec<_> = self.setup.modes.iter().map(|mode| &mode.id).collect();
                let data = json!({ "modeId": id, "details": "unknown mode", "modes": known });
                Err(Failure::InvalidParams.error(profile, data))
            }
        }
    }

    /// Checks a model that was chosen.
    pub(crate) fn model(&self, id: &str, profile: Profile) -> Result<Change, RpcError> {
        match self.setup.models.iter().any(|model| model.model_id == id) {
            true => Ok(Change::Model(id.to_owned())),
            false => {
                let known: Vec<_> = { self.setup.models.iter() }
                    .map(|model| &model.model_id)
                    .collect();
                let data = json!({ "modelId": id, "details": "unknown model", "models": known });
                Err(Failure::InvalidParams.error(profile, data))
            }
        }
    }

    /// Checks a value that was chosen.
    pub(crate) fn option(
        &self,
        id: &str,
        value: ConfigValue,
        profile: Profile,
    ) -> Result<Change, RpcError> {
        let invalid = |details: &str| {
            let data = json!({ "configId": id, "details": details });
            Failure::InvalidParams.error(profile, data)
        };
        match (id, &value) {
            (MODE, ConfigValue::Text(mode)) if self.mode.is_some() => {
                return self.mode(mode, profile);
            }
            (MODEL, ConfigValue::Text(model)) if self.model.is_some() => {
                return self.model(model, profile);
            }
            _ => {}
        }
        let option = self
            .setup
            .options
            .iter()
            .find(|option| id_of(option) == Some(id));
        match (option, &value) {
            (None, _) => Err(invalid("unknown option")),
            (Some(ConfigOption::Select(option)), ConfigValue::Text(text)) => {
                match has_choice(&option.options, text) {
                    true => Ok(Change::Option(id.to_owned(), value)),
                    false => Err(invalid("the option does not have this value")),
                }
            }
            (Some(ConfigOption::Boolean(_)), ConfigValue::Flag(_)) => {
                Ok(Change::Option(id.to_owned(), value))
            }
            (Some(_), _) => Err(invalid("the value has another type than the option")),
        }
    }

    /// Makes a change that was checked.
    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Mode(mode) => self.mode = Some(mode.clone()),
            Change::Model(model) => self.model = Some(model.clone()),
            Change::Option(id, value) => {
                let option = self.setup.options.iter_mut();
                let mut option = option.filter(|option| id_of(option) == Some(id));
                match (option.next(), value) {
                    (Some(ConfigOption::Select(option)), ConfigValue::Text(value)) => {
                        option.current_value.clone_from(value);
                    }
                    (Some(ConfigOption::Boolean(option)), ConfigValue::Flag(value)) => {
                        option.current_value = *value;
                    }
                    _ => {}
                }
            }
        }
    }
}

fn id_of(option: &ConfigOption) -> Option<&str> {
    match option {
        ConfigOption::Select(option) => Some(&option.id),
        ConfigOption::Boolean(option) => Some(&option.id),
        _ => None,
    }
}

fn has_choice(choices: &[Choice], value: &str) -> bool {
    choices.iter().any(|choice| {
        let in_group = choice.options.as_deref().unwrap_or_default();
        choice.value.as_deref() == Some(value) || has_choice(in_group, value)
    })
}

#[cfg(test)]
mod tests {
    use tenon_protocols::acp::BooleanOption;

    use super::*;

    fn setup() -> Setup {
        let mut group = Choice::new("Group");
        let mut low = Choice::new("Low");
        low.value = Some("low".into());
        group.options = Some(vec![low]);
        let mut high = Choice::new("High");
        high.value = Some("high".into());
        Setup {
            modes: vec![Mode::new("ask", "Ask"), Mode::new("plan", "Plan")],
            models: vec![Model::new("small", "Small"), Model::new("large", "Large")],
            options: vec![
                ConfigOption::Select(SelectOption::new(
                    "effort",
                    "Effort",
                    "high",
                    vec![high, group],
                )),
                ConfigOption::Boolean(BooleanOption::new("web", "Web", false)),
            ],
            commands: Vec::new(),
        }
    }

    #[test]
    fn modes_models_and_options_say_the_same() {
        let mut settings = Settings::new(setup(), &Kept::default());
        assert_eq!(settings.modes().unwrap().current_mode_id, "ask");
        let change = settings.option("mode", "plan".into(), Profile::V1).unwrap();
        assert_eq!(change, Change::Mode("plan".into()));
        settings.apply(&change);
        settings.apply(&settings.model("large", Profile::V1).unwrap());
        assert_eq!(settings.modes().unwrap().current_mode_id, "plan");
        assert_eq!(settings.models().unwrap().current_model_id, "large");
        let options = settings.config_options(true).unwrap();
        let values: Vec<String> = { options.iter() }
            .map(|option| match option {
                ConfigOption::Select(option) => option.current_value.clone(),
                ConfigOption::Boolean(option) => option.current_value.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(values, ["plan", "large", "high", "false"]);
        assert_eq!(settings.config_options(false).unwrap().len(), 3);
    }

    #[test]
    fn only_what_is_offered_can_be_chosen() {
        let settings = Settings::new(setup(), &Kept::default());
        let code = |outcome: Result<Change, RpcError>| outcome.unwrap_err().code.number();
        assert_eq!(code(settings.mode("no", Profile::V1)), -32602);
        assert_eq!(code(settings.model("no", Profile::V1)), -32602);
        for (id, value) in [
            ("mode", "no".into()),
            ("mode", true.into()),
            ("effort", "no".into()),
            ("effort", true.into()),
            ("web", "on".into()),
            ("nothing", "x".into()),
        ] {
            assert_eq!(
                code(settings.option(id, value, Profile::V1)),
                -32602,
                "{id}"
            );
        }
        assert!(settings.option("effort", "low".into(), Profile::V1).is_ok());
        let none = Settings::default();
        assert_eq!(none.config_options(true), None);
        assert_eq!(none.modes(), None);
    }

    #[test]
    fn choices_are_kept_as_far_as_they_are_offered() {
        let mut settings = Settings::new(setup(), &Kept::default());
        for (id, value) in [
            ("mode", "plan".into()),
            ("effort", "low".into()),
            ("web", true.into()),
        ] {
            let change = settings.option(id, value, Profile::V1).unwrap();
            settings.apply(&change);
        }
        let kept = settings.kept();
        assert_eq!(Settings::new(setup(), &kept).kept(), kept);
        let mut smaller = setup();
        smaller.modes.truncate(1);
        let settings = Settings::new(smaller, &kept);
        assert_eq!(settings.current_mode(), Some("ask"));
    }
}
