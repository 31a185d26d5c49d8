//! What all calls of Terraform share: the provider's settings, the scripts, and how the script of a
//! block is found.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_protocols::denobridge::Json;
use tenon_tfplugin::{Diagnostic, block};
use tenon_values::Value;
use tenon_values::json::{self, Arrays};

use crate::ephemeral::Lease;
use crate::launch::{Launch, Launches};
use crate::places::Places;
use crate::script::Script;
use crate::scripts::Scripts;
use crate::settings::Settings;

/// Shared by all calls.
pub(crate) struct Bridge {
    settings: Mutex<Arc<Settings>>,
    launches: Launches,
    pub(crate) scripts: Scripts,
    /// Keys of scripts that have no `modifyPlan`, found out since the provider was configured.
    without_modify_plan: Mutex<HashSet<String>>,
    /// The ephemeral resources that are open.
    leases: Mutex<HashMap<u64, Lease>>,
}

impl Bridge {
    pub(crate) fn new() -> Bridge {
        let settings = Settings::default();
        Bridge {
            scripts: Scripts::new(settings.shows_stderr()),
            settings: Mutex::new(Arc::new(settings)),
            launches: Launches::default(),
            without_modify_plan: Mutex::default(),
            leases: Mutex::default(),
        }
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        lock(&self.settings).clone()
    }

    /// Sets the settings. With `--debug` the provider outlives a command of Terraform, and scripts may
    /// have been edited since the last one.
    pub(crate) fn configure(&self, settings: Settings) {
        self.scripts.start_anew(settings.shows_stderr());
        *lock(&self.settings) = Arc::new(settings);
        self.launches.forget();
        lock(&self.without_modify_plan).clear();
    }

    /// What a script is started with.
    pub(crate) fn launch_script(&self, script: &Script) -> Result<Arc<Launch>, Diagnostic> {
        self.launches.of(script, &self.settings())
    }

    /// What the script of a block is started with. None while something about it is unknown.
    pub(crate) fn launch_if_known(&self, block: &Value) -> Result<Option<Arc<Launch>>, Diagnostic> {
        let script = Script::of(block)?;
        script.map(|script| self.launch_script(&script)).transpose()
    }

    /// What the script of a block is started with.
    pub(crate) fn launch(&self, block: &Value) -> Result<Arc<Launch>, Diagnostic> {
        self.launch_if_known(block)?.ok_or_else(|| {
            Diagnostic::error(
                "Unknown script",
                "path, command, config_file or permissions is not known yet. They must not depend on \
                 values that are known only after apply.",
            )
        })
    }

    /// What the script of an existing resource is started with: the script that the state names.
    pub(crate) fn launch_of_state(&self, state: &Value) -> Result<Arc<Launch>, Diagnostic> {
        self.launch(state).map_err(|error| {
            let moved = "The state names this script for the resource. If the script was moved, run \
                         `terraform apply -refresh=false`, which uses the script that the \
                         configuration names.";
            let detail = format!("{}\n\n{moved}", error.detail);
            Diagnostic { detail, ..error }
        })
    }

    /// Where the diagnostics of the script of a block are shown.
    pub(crate) fn places<'a>(&'a self, block: &'a Value) -> Places<'a> {
        Places {
            block,
            depth: self.settings().path_depth(),
            secrets: &self.scripts.secrets,
        }
    }

    pub(crate) fn has_modify_plan(&self, launch: &Launch) -> bool {
        !lock(&self.without_modify_plan).contains(&launch.key)
    }

    pub(crate) fn remember_without_modify_plan(&self, launch: &Launch) {
        lock(&self.without_modify_plan).insert(launch.key.clone());
    }

    pub(crate) fn leases(&self) -> MutexGuard<'_, HashMap<u64, Lease>> {
        lock(&self.leases)
    }

    /// Masks this part of an answer in everything that scripts say.
    pub(crate) fn hide_json(&self, sent: Option<&Json>) {
        if let Some(value) = sent.and_then(|sent| sent.value().ok()) {
            self.hide(&value);
        }
    }

    /// Masks this value in everything that scripts say.
    pub(crate) fn hide(&self, value: &Value) {
        if !value.is_null() {
            self.scripts.secrets.learn(&value.sensitive());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value as a script reads it.
pub(crate) fn to_json(value: &Value) -> Result<Json, Diagnostic> {
    Json::of(value).map_err(|error| {
        Diagnostic::error(
            "Value cannot be written as JSON",
            format!("A value cannot be passed to a script: {error}."),
        )
    })
}

/// Whether two values are the same to a script. Types do not count: a list and a tuple of the same
/// elements are one array.
pub(crate) fn are_same_json(one: &Value, other: &Value) -> bool {
    if one == other {
        return true;
    }
    let is_same = || {
        let text = Json::of(one).ok()?;
        let like = json::implied_like(text.text().as_bytes(), other).ok()?;
        Some(like == *other)
    };
    one.is_wholly_known() && other.is_wholly_known() && is_same() == Some(true)
}

/// A value as a script reads it, left out if it is null.
pub(crate) fn to_optional_json(value: &Value) -> Result<Option<Json>, Diagnostic> {
    match value.is_null() {
        true => Ok(None),
        false => to_json(value).map(Some),
    }
}

/// Props that a script sent. Without a previous value they get the types of a literal in a
/// configuration, where arrays are tuples: with another type an unchanged prop would be planned as a
/// change.
pub(crate) fn props_from_json(
    sent: Option<&Json>,
    before: &Value,
    name: &str,
) -> Result<Value, Diagnostic> {
    read_json(sent, before, Arrays::Tuples, name)
}

/// A block with what its script found.
pub(crate) fn with_results(
    block: &Value,
    result: Option<&Json>,
    sensitive_result: Option<&Json>,
) -> Result<Value, Diagnostic> {
    let sensitive = from_json(sensitive_result, &Value::NULL, "sensitiveResult")?;
    let result = from_json(result, &Value::NULL, "result")?;
    Ok(block::with(
        block,
        [("result", result), ("sensitive_result", sensitive)],
    ))
}

/// A warning for a script that answered with nothing of what the method is called for. Most often it
/// returns the result itself instead of an object that has it.
pub(crate) fn no_result(launch: &Launch, method: &str) -> Diagnostic {
    let detail = format!(
        "{} answered {method} without `result` and `sensitiveResult`, so both are null. A script answers \
         {{\"result\": ...}}, and {{\"result\": null}} if there is nothing.",
        launch.name
    );
    Diagnostic::warning("Answer without a result", detail).at(launch.attribute)
}

/// Results that a script sent, with the types of the previous value wherever they fit. New arrays are
/// lists if their elements have one type, as in terraform-provider-denobridge.
pub(crate) fn from_json(
    sent: Option<&Json>,
    before: &Value,
    name: &str,
) -> Result<Value, Diagnostic> {
    read_json(sent, before, Arrays::Lists, name)
}

fn read_json(
    sent: Option<&Json>,
    before: &Value,
    arrays: Arrays,
    name: &str,
) -> Result<Value, Diagnostic> {
    let Some(sent) = sent else {
        return Ok(Value::NULL);
    };
    json::echoed(sent.text().as_bytes(), before, arrays).map_err(|error| {
        Diagnostic::error(
            "Invalid answer from the script",
            format!(
                "{name} in the script's answer cannot be converted to a Terraform value: {error}."
            ),
        )
    })
}
