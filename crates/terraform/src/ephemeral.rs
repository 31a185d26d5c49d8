//! Ephemeral resources: opened, renewed while they are used, and closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tenon_protocols::denobridge::{Close, Json, Open, PrivateData, Props, Renew};
use tenon_tfplugin::{
    Diagnostic, Diagnostics, OpenResponse, Private, RenewResponse, block, has_errors,
};
use tenon_values::Value;

use crate::bridge::{self, Bridge};
use crate::launch::Launch;
use crate::places;
use crate::schema::EPHEMERAL_SCHEMA;
use crate::script::Script;
use crate::scripts::Task;

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
    let sensitive = bridge::from_json(
        answer.sensitive_result.as_ref(),
        &Value::NULL,
        "sensitiveResult",
    )?;
    let result = bridge::from_json(answer.result.as_ref(), &Value::NULL, "result")?;
    let opened = block::with(
        config,
        [("result", result), ("sensitive_result", sensitive)],
    );
    let lease = next_lease();
    let mut private = Private::default();
    private.set(DATA, answer.private_data.as_ref());
    private.set(CONFIG, Script::of(config)?.as_ref());
    private.set(LEASE, Some(&lease));
    bridge.leases().insert(lease, answer.private_data);
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
        if let Some(lease) = lease {
            bridge.leases().insert(lease, Some(data));
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
    let params = PrivateData {
        private_data: opened.data,
    };
    let task = Task::cleaning(Close, "close ephemeral resource");
    let answer = match bridge.scripts.call(&opened.launch, task, params).await {
        Ok(answer) => answer,
        Err(failure) if failure.is_missing => None,
        Err(failure) => return Err(failure.diagnostic),
    };
    let Some(answer) = answer else {
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
        let newest = lease.and_then(|lease| bridge.leases().get(&lease).cloned());
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

/// Terraform does not say any more what the block is, so attributes are named in words.
fn show_all(bridge: &Bridge, said: Vec<tenon_protocols::denobridge::Diagnostic>) -> Diagnostics {
    let block = EPHEMERAL_SCHEMA.object(&[]);
    let shown = bridge.places(&block).in_words().show_all(said);
    let shown = shown.into_iter().map(|one| Diagnostic {
        attribute: None,
        ..places::spelled_out(one)
    });
    shown.collect()
}
