//! How a plugin is greeted and ended.

use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};
use tenon_rpc::{
    CallError, Dialect, Payload, Peer,
    options::{Cancel, Params, Stray},
};

use super::capabilities::{Capabilities, Level};
#[cfg(feature = "values")]
use super::list;
use super::names::canonical;
use crate::lifecycle::{
    Begun, Client, Spec, Work, call, client_info, decode, quotable_version, refuse,
};

/// The version of the protocol.
pub const VERSION: u64 = 1;

pub(crate) static SPEC: Spec = Spec {
    name: "seasonings",
    dialect: Dialect::MsgpackRpc,
    versions: &["1"],
    // Strict msgpack-rpc peers want params to be an array.
    params: Params::Wrapped,
    cancel: Some(Cancel {
        method: "$/cancel",
        field: "id",
    }),
    #[cfg(feature = "values")]
    ext_names: super::EXT_NAMES,
    // A whole state travels as one string.
    frame: Some(64 * 1024 * 1024),
    // A plugin that prints anything else is broken: msgpack has no way to find the next message.
    stray: Stray::Fail,
    first_call: Some("init"),
    begins_once: true,
    begin: greet_with_everything,
    takes_config: true,
    values_have_schemas: true,
    end,
    failure,
    goodbye: |method| (method == "shutdown").then(|| json!({})),
    #[cfg(feature = "values")]
    list: Some(list::list),
    methods: &[
        "ping",
        "middleware/prePlan",
        "middleware/postPlan",
        "middleware/preApply",
        "middleware/postApply",
        "middleware/preRefresh",
        "middleware/postRefresh",
        "middleware/initStageStart",
        "middleware/initStageCompleted",
        "middleware/initStageFailed",
        "middleware/planStageStart",
        "middleware/planStageCompleted",
        "middleware/planStageFailed",
        "middleware/applyStageStart",
        "middleware/applyStageCompleted",
        "middleware/applyStageFailed",
        "functions/getSchema",
        "functions/call",
        "resources/getSchema",
        "resources/configure",
        "resources/validate",
        "resources/planChange",
        "resources/applyChange",
        "resources/read",
        "resources/readData",
        "resources/import",
        "resources/upgrade",
        "resources/open",
        "resources/renew",
        "resources/close",
        "storage/read",
        "storage/write",
        "storage/lock",
        "storage/unlock",
        "storage/list",
        "storage/delete",
    ],
    ..Spec::BASE
};

/// What the host says in the first call.
#[derive(Clone, Debug, Default)]
pub struct Greeting {
    /// The levels that the host can use.
    pub levels: Vec<Level>,
    /// What the user configured for this plugin.
    pub config: Map<String, Value>,
}

impl Greeting {
    /// A greeting without configuration.
    pub fn new(levels: impl IntoIterator<Item = Level>) -> Greeting {
        Greeting {
            levels: levels.into_iter().collect(),
            config: Map::new(),
        }
    }
}

/// What a plugin says about itself in the answer to the first call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welcome {
    /// The name; empty if it gives none.
    pub name: String,
    /// The version; empty if it gives none.
    pub version: String,
    /// What it has.
    pub capabilities: Capabilities,
    /// How many calls it works on at the same time; one if absent. Anything but a whole number of at
    /// least one counts as absent.
    pub max_in_flight: Option<NonZeroUsize>,
}

impl Welcome {
    /// Reads the answer to `init`.
    ///
    /// # Errors
    /// It is not a map, or the plugin speaks another major version of the protocol.
    pub fn read(answer: &Payload) -> Result<Welcome, CallError> {
        let said = decode(answer)?;
        if !said.is_object() {
            // It is not quoted: it may be large, and may contain secrets.
            return refuse("`init` did not answer a map");
        }
        check_version(&said["protocol_version"])?;
        let info = match &said["provider_info"] {
            Value::Object(_) => &said["provider_info"],
            _ => &said,
        };
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let lists = [&said["capabilities"], &said["supported_capabilities"]];
        let names = lists.into_iter().filter_map(Value::as_array).flatten();
        let max_in_flight = said["max_in_flight"].as_u64();
        Ok(Welcome {
            name: text(&info["name"]),
            version: text(&info["version"]),
            capabilities: Capabilities::of(names.filter_map(Value::as_str)),
            max_in_flight: max_in_flight
                .and_then(|count| NonZeroUsize::new(usize::try_from(count).ok()?)),
        })
    }
}

/// Whether a version that the other side says is this one: 1, "1" and "1.0" are the same, and absent
/// means 1.
pub fn speaks(version: &Value) -> bool {
    let major = match version {
        Value::Null => return true,
        Value::Number(number) => number.as_f64().map(f64::trunc),
        Value::String(text) => text.split('.').next().and_then(|major| major.parse().ok()),
        _ => None,
    };
    major == Some(VERSION as f64)
}

fn check_version(said: &Value) -> Result<(), CallError> {
    match (speaks(said), quotable_version(said)) {
        (true, _) => Ok(()),
        (false, Some(version)) => refuse(format!(
            "the plugin speaks version {version} of the protocol, and this host speaks version {VERSION}"
        )),
        (false, None) => refuse("`protocol_version` in the answer to `init` is not a version"),
    }
}

/// Makes the first call of a process.
///
/// # Errors
/// The call failed, or the plugin speaks another major version of the protocol.
pub async fn begin(peer: &Peer, greeting: &Greeting) -> Result<Welcome, CallError> {
    let answer = greet(peer, greeting).await?;
    Welcome::read(&answer)
}

/// The first call of a host that can use everything.
fn greet_with_everything<'a>(peer: &'a Peer, client: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let greeting = Greeting {
            config: client.config.clone(),
            ..Greeting::new(Level::ALL)
        };
        let answer = greet(peer, &greeting).await?;
        Welcome::read(&answer)?;
        Ok(Some(answer))
    })
}

async fn greet(peer: &Peer, greeting: &Greeting) -> Result<Payload, CallError> {
    let levels: Vec<&str> = greeting.levels.iter().map(|level| level.name()).collect();
    // Strict peers want params to be an array, so the map goes inside one.
    let params = json!([{
        "protocol_version": VERSION,
        "host": client_info(),
        "capabilities": levels,
        "config": greeting.config,
    }]);
    call(peer, "init", Some(params)).await
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended all the same.
        let _gone = call(peer, "shutdown", None).await;
    })
}

/// Results can report failures: with a diagnostic, with the status of a hook, and with `success` of a
/// storage.
fn failure(method: &str, result: &Payload) -> Option<&'static str> {
    let result = decode(result).ok()?;
    let is_error = |one: &Value| {
        let severity = one["severity"].as_str().unwrap_or_default();
        !matches!(severity.to_ascii_lowercase().as_str(), "warning" | "warn")
    };
    let mut diagnostics = result["diagnostics"].as_array().into_iter().flatten();
    if diagnostics.any(is_error) {
        return Some("the plugin reported an error in `diagnostics`");
    }
    let method = canonical(method);
    if method.starts_with("middleware/") {
        if !result.is_object() {
            return Some("the hook failed: its result is not a map");
        }
        let is_good = match &result["status"] {
            Value::Null => true,
            status => matches!(
                status.as_str(),
                Some("success" | "pass" | "ok" | "warning" | "warn")
            ),
        };
        return (!is_good)
            .then_some("the hook failed: its `status` is neither success nor warning");
    }
    let confirms = ["storage/write", "storage/unlock", "storage/delete"];
    let is_confirmed = !confirms.contains(&&*method) || result["success"] == true;
    (!is_confirmed).then_some("the plugin did not confirm it: `success` is not true")
}

#[cfg(test)]
mod tests {
    use tenon_rpc::Format;

    use super::*;

    fn read(said: Value) -> Result<Welcome, CallError> {
        Welcome::read(&Payload::encode(Format::Msgpack, &said).unwrap())
    }

    #[test]
    fn both_shapes_of_a_welcome_are_read() {
        let plain = json!({"name": "a", "version": "2", "protocol_version": 1,
            "capabilities": ["functions"], "max_in_flight": 4, "later": true});
        let nested = json!({"provider_info": {"name": "a", "version": "2"},
            "supported_capabilities": ["functions"], "max_in_flight": 4});
        let welcome = read(plain).unwrap();
        assert_eq!(read(nested).unwrap(), welcome);
        assert_eq!(
            (welcome.name.as_str(), welcome.version.as_str()),
            ("a", "2")
        );
        assert!(welcome.capabilities.includes("functions/call"));
        assert_eq!(welcome.max_in_flight, NonZeroUsize::new(4));
        assert_eq!(read(json!({})).unwrap(), Welcome::default());
        let odd = read(json!({"capabilities": null, "max_in_flight": 0})).unwrap();
        assert_eq!(odd, Welcome::default());
        read(json!([])).unwrap_err();
    }

    #[test]
    fn a_result_can_be_a_failure() {
        let failed = |method, result: Value| {
            let result = Payload::encode(Format::Msgpack, &result).unwrap();
            failure(method, &result).is_some()
        };
        let warning = json!({"diagnostics": [{"severity": "warning", "summary": "a"}]});
        let error = json!({"diagnostics": [{"severity": "warning"}, {"severity": "error"}]});
        assert!(!failed("resources/read", warning) && failed("resources/read", error));
        assert!(failed(
            "resources/read",
            json!({"diagnostics": [{"summary": "a"}]})
        ));
        for status in [json!(null), json!("ok"), json!("warning")] {
            assert!(!failed("middleware/postPlan", json!({"status": status})));
        }
        assert!(failed("post-plan", json!({"status": "fail"})));
        assert!(failed("hooks.postPlan", json!({"status": "maybe"})));
        assert!(failed("middleware/postPlan", json!(null)));
        assert!(failed("middleware/postPlan", json!([])));
        assert!(failed("storage/write", json!({})));
        assert!(!failed("storage/write", json!({"success": true})));
        assert!(!failed("storage/read", json!({"state": null})));
    }

    #[test]
    fn another_major_version_is_refused_with_both() {
        for same in [
            json!(1),
            json!(1.0),
            json!("1"),
            json!("1.0"),
            json!("1.7"),
            json!(null),
        ] {
            read(json!({ "protocol_version": same })).unwrap();
        }
        for other in [json!(2), json!("2.0"), json!("one"), json!(0)] {
            let error = read(json!({ "protocol_version": other })).unwrap_err();
            let text = format!("version {other} of the protocol, and this host speaks version 1");
            assert!(error.to_string().contains(&text), "{error}");
        }
    }

    /// It may be large, and may contain secrets.
    #[test]
    fn an_answer_that_breaks_the_protocol_is_not_quoted() {
        for answer in [
            json!("secret"),
            json!(["secret"]),
            json!({ "protocol_version": ["secret"] }),
            json!({ "protocol_version": "secret".repeat(10) }),
        ] {
            let error = read(answer).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
