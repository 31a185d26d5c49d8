//! What the calls of Terraform have in common: the provider's settings, the scripts, and the way
//! from a block to the script that it runs.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_protocols::denobridge::Json;
use tenon_tfplugin::Diagnostic;
use tenon_values::Value;
use tenon_values::json::{self, Arrays};

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
    /// Keys of scripts that have said that they have no `modifyPlan`, since the provider was
    /// configured.
    without_modify_plan: Mutex<HashSet<String>>,
    /// The newest private data of ephemeral resources that are open. Terraform hands what `renew`
    /// gives back only to the next `renew`, and `close` would get that of `open`.
    leases: Mutex<HashMap<u64, Option<Json>>>,
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

    /// Sets the settings. Where the provider outlives a command of Terraform, because somebody
    /// debugs it, scripts may have been edited since the last one.
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
                "What to run is not known yet. Let path, command, config_file and permissions \
                 depend on nothing that is known only after apply.",
            )
        })
    }

    /// What looks after a resource that is there already, which the state says.
    pub(crate) fn launch_of_state(&self, state: &Value) -> Result<Arc<Launch>, Diagnostic> {
        self.launch(state).map_err(|error| {
            let moved = "The state says that this script looks after the resource. If it was \
                         moved, `terraform apply -refresh=false` passes the resource on to the one \
                         that the configuration names.";
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

    pub(crate) fn leases(&self) -> MutexGuard<'_, HashMap<u64, Option<Json>>> {
        lock(&self.leases)
    }

    /// Nothing that a script says is to show this part of its answer.
    pub(crate) fn hide_json(&self, sent: Option<&Json>) {
        if let Some(value) = sent.and_then(|sent| sent.value().ok()) {
            self.hide(&value);
        }
    }

    /// Nothing that a script says is to show this value.
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
            "Value without JSON",
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

/// Props that a script sent. What nothing was known of before has the types of a literal in a
/// configuration, where arrays are tuples: with another type an unchanged prop would be planned as
/// a change.
pub(crate) fn props_from_json(
    sent: Option<&Json>,
    before: &Value,
    name: &str,
) -> Result<Value, Diagnostic> {
    read_json(sent, before, Arrays::Tuples, name)
}

/// Results that a script sent, with the types of what was there before wherever that fits. New
/// arrays are lists if their elements have one type, as terraform-provider-denobridge has them.
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
            "Invalid answer of the script",
            format!("{name} in the script's answer cannot be a value of Terraform: {error}."),
        )
    })
}
