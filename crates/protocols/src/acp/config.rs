//! The options of a session.

use serde::{Deserialize, Serialize};

words! {
    /// What an option is about. Vendors have their own, which begin with `_`.
    pub enum ConfigCategory {
        /// The mode.
        Mode = "mode",
        /// The model.
        Model = "model",
        /// A setting of the model.
        ModelConfig = "model_config",
        /// How much the model thinks.
        ThoughtLevel = "thought_level",
    }
}

union! {
    /// An option of a session.
    pub enum ConfigOption by "type" {
        /// One of several values.
        Select(SelectOption) = "select",
        /// On or off.
        Boolean(BooleanOption) = "boolean",
    }
}

record! {
    /// An option with one of several values.
    pub struct SelectOption {
        required {
            /// The name for programs.
            id: String = "id",
            /// For people.
            name: String = "name",
            /// The value that it has.
            current_value: String = "currentValue",
            /// The values, or groups of values.
            options: Vec<Choice> = "options",
        }
        optional {
            /// For people.
            description: String = "description",
            /// What it is about.
            category: ConfigCategory = "category",
        }
    }
}

record! {
    /// A value (`value`), or a group of values (`group` and `options`).
    pub struct Choice {
        required {
            /// For people.
            name: String = "name",
        }
        optional {
            /// The value for programs.
            value: String = "value",
            /// For people.
            description: String = "description",
            /// The name of a group.
            group: String = "group",
            /// The values of a group.
            options: Vec<Choice> = "options",
        }
    }
}

record! {
    /// An option that is on or off.
    pub struct BooleanOption {
        required {
            /// The name for programs.
            id: String = "id",
            /// For people.
            name: String = "name",
            /// Whether it is on.
            current_value: bool = "currentValue",
        }
        optional {
            /// For people.
            description: String = "description",
            /// What it is about.
            category: ConfigCategory = "category",
        }
    }
}

/// A new value for an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConfigValue {
    /// One of the values of a selection.
    Text(String),
    /// On or off, with `type: "boolean"` beside it.
    Flag(bool),
}

impl From<&str> for ConfigValue {
    fn from(value: &str) -> ConfigValue {
        ConfigValue::Text(value.to_owned())
    }
}

impl From<bool> for ConfigValue {
    fn from(value: bool) -> ConfigValue {
        ConfigValue::Flag(value)
    }
}

record! {
    /// The params of `session/set_config_option`.
    pub struct SetConfigOptionParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// The option.
            config_id: String = "configId",
            /// Its new value.
            value: ConfigValue = "value",
        }
        optional {
            /// `boolean` if the value is one.
            value_type: String = "type",
        }
    }
}

record! {
    /// The result of `session/set_config_option`, and an update.
    pub struct ConfigOptions {
        required {
            /// All options, with their values.
            config_options: Vec<ConfigOption> = "configOptions",
        }
        optional {}
    }
}
