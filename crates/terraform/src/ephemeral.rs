//! Ephemeral resources: opened, renewed while they are used, and closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tenon_protocols::denobridge::{Close, Json, Open, Outcome, PrivateData, Props, Renew};
use tenon_tfplugin::{
    Diagnostic, Diagnostics, OpenResponse, Private, RenewResponse, block, has_errors,
};
use tenon_values::Value;
use tokio::task::JoinSet;

use crate::bridge::{self, Bridge};
use crate::launch::Launch;
use crate::places;
use crate::schema::EPHEMERAL_SCHEMA;
use crate::script::Script;
use crate::scripts::{Failure, Scripts, Task};

/// An ephemeral resource that is open.
pub(crate) struct Lease {
    launch: Arc<Launch>,
    /// Its newest private data. Terraform passes what `renew` returns only to the next `renew`, and
    /// `close` would get that of `open`.
    data: Option<Json>,
}

/// The names in the private data: `data` and `config` as terraform-provider-denobridge has them,
/// `lease` to find the newest data by.
const DATA: &str = "data";
const CONFIG: &str = "config";
const LEASE: &str = "lease";

/// A number that no other process gives: private data of another one must not be taken for ours.
fn next_lease() -> u64 {
    static LEASES: AtomicU32 = AtomicU32::new(1);
    let process = u64::from(std::process::id());
    process << 32 | u64::from(LEASES.fetch_add(1, Ordering::Relaxed))
}

pub(crate) async fn open(bridge: &Bridge, config: &Value) -> Result<OpenResponse, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    match try_open(bridge, config, &mut diagnostics).await {
        Ok(opened) => Ok(OpenResponse {
            diagnostics,
            ..opened
        }),
        Err(error) => {
            diagnostics.push(error);
            Err(diagnostics)
        }
    }
}

async fn try_open(
    bridge: &Bridge,
    config: &Value,
    diagnostics: &mut Diagnostics,
) -> Result<OpenResponse, Diagnostic> {
    let launch = bridge.launch(config)?;
    let places = bridge.places(config);
    let params = Props {
        props: bridge::to_json(&block::part(config, "props"))?,
    };
    let task = Task::new(Open, "open ephemeral resource");
    let answer = bridge.scripts.call(&launch, task, params).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    bridge.hide_json(answer.private_data.as_ref());
    bridge.hide_json(answer.sensitive_result.as_ref());
    diagnostics.extend(places.show_all(answer.diagnostics));
    let (result, sensitive) = (answer.result.as_ref(), answer.sensitive_result.as_ref());
    let data = answer.private_data;
    if result.or(sensitive).or(data.as_ref()).is_none() && diagnostics.is_empty() {
        diagnostics.push(bridge::no_result(&launch, "open"));
    }
    let lease = next_lease();
    let mut private = Private::default();
    private.set(DATA, data.as_ref());
    private.set(CONFIG, Script::of(config)?.as_ref());
    private.set(LEASE, Some(&lease));
    if data.is_some() || !has_errors(diagnostics) {
        // Before anything else can fail: Terraform does not close what was not opened without an error,
        // so `close_all` has to.
        bridge.leases().insert(lease, Lease { launch, data });
    }
    let opened = bridge::with_results(config, result, sensitive)?;
    Ok(OpenResponse {
        renew_at: answer.renew_at,
        private: private.to_bytes(),
        ..OpenResponse::new(opened)
    })
}

pub(crate) async fn renew(bridge: &Bridge, private: &[u8]) -> Result<RenewResponse, Diagnostic> {
    let Opened {
        launch,
        mut private,
        lease,
        data,
    } = Opened::find(bridge, private)?;
    let task = Task::new(Renew, "renew ephemeral resource");
    let answer = bridge
        .scripts
        .call(&launch, task, PrivateData { private_data: data })
        .await;
    let answer = match answer {
        Ok(answer) => answer.unwrap_or_default(),
        // It asked to be renewed without being able to; so it lasts as long as it lasts.
        Err(failure) if failure.is_missing => return Ok(RenewResponse::default()),
        Err(failure) => return Err(failure.diagnostic),
    };
    bridge.hide_json(answer.private_data.as_ref());
    let diagnostics = show_all(bridge, answer.diagnostics);
    if let Some(data) = answer.private_data {
        private.set(DATA, Some(&data));
        if let Some(lease) = lease
            && let Some(lease) = bridge.leases().get_mut(&lease)
        {
            lease.data = Some(data);
        }
    }
    Ok(RenewResponse {
        renew_at: answer.renew_at,
        private: Some(private.to_bytes()),
        diagnostics,
    })
}

pub(crate) async fn close(bridge: &Bridge, private: &[u8]) -> Result<Diagnostics, Diagnostic> {
    let opened = Opened::find(bridge, private)?;
    if let Some(lease) = opened.lease {
        bridge.leases().remove(&lease);
    }
    let answer = call_close(&bridge.scripts, &opened.launch, opened.data).await;
    let Some(answer) = answer.map_err(|failure| failure.diagnostic)? else {
        return Ok(Diagnostics::new());
    };
    let is_done = answer.is_done();
    let mut diagnostics = show_all(bridge, answer.diagnostics);
    if !is_done && !has_errors(&diagnostics) {
        diagnostics.push(Diagnostic::error(
            "Failed to close ephemeral resource",
            format!(
                "{} did not answer {{\"done\": true}}, so it may still be open.",
                opened.launch.name
            ),
        ));
    }
    Ok(diagnostics)
}

/// Calls `close`, which a script need not have.
async fn call_close(
    scripts: &Scripts,
    launch: &Launch,
    private_data: Option<Json>,
) -> Result<Option<Outcome>, Failure> {
    let task = Task::cleaning(Close, "close ephemeral resource");
    match scripts
        .call(launch, task, PrivateData { private_data })
        .await
    {
        Err(failure) if failure.is_missing => Ok(None),
        outcome => outcome,
    }
}

/// Closes everything that is still open, all in parallel, and gives up after `limit`. Terraform closes
/// nothing after an error or Ctrl-C.
pub(crate) async fn close_all(bridge: &Bridge, limit: Duration) {
    let mut closing = JoinSet::new();
    for (_, Lease { launch, data }) in bridge.leases().drain() {
        let scripts = bridge.scripts.clone();
        closing.spawn(async move {
            let script = &launch.name;
            match call_close(&scripts, &launch, data).await {
                Ok(_) => tracing::debug!(script, "closed an ephemeral resource that was left open"),
                Err(failure) => tracing::warn!(
                    script,
                    "an ephemeral resource was left open and cannot be closed: {}",
                    failure.diagnostic.detail
                ),
            }
        });
    }
    let all_closed = async { while closing.join_next().await.is_some() {} };
    if tokio::time::timeout(limit, all_closed).await.is_err() {
        tracing::warn!("an ephemeral resource was not closed in time");
    }
}

/// What is known of a resource that was opened.
struct Opened {
    launch: Arc<Launch>,
    private: Private,
    lease: Option<u64>,
    data: Option<Json>,
}

impl Opened {
    fn find(bridge: &Bridge, private: &[u8]) -> Result<Opened, Diagnostic> {
        let private = Private::read(private)?;
        let script: Script = private.get(CONFIG).ok_or_else(|| {
            Diagnostic::error(
                "Unknown ephemeral resource",
                "Terraform does not say which script opened it; please report this.",
            )
        })?;
        let lease = private.get(LEASE);
        let newest = lease.and_then(|lease| Some(bridge.leases().get(&lease)?.data.clone()));
        let data = newest.unwrap_or_else(|| private.get(DATA));
        // It may have been opened by another process of this provider.
        bridge.hide_json(data.as_ref());
        Ok(Opened {
            launch: bridge.launch_script(&script)?,
            data,
            lease,
            private,
        })
    }
}

/// Terraform no longer says what the block is, so attributes are named in words.
fn show_all(bridge: &Bridge, said: Vec<tenon_protocols::denobridge::Diagnostic>) -> Diagnostics {
    let block = EPHEMERAL_SCHEMA.object(&[]);
    let shown = bridge.places(&block).in_words().show_all(said);
    let shown = shown.into_iter().map(|one| Diagnostic {
        attribute: None,
        ..places::spelled_out(one)
    });
    shown.collect()
}
