//! Calls for a plugin that has just ended wait for the next one.

#![cfg(unix)]

mod place;

use std::time::Duration;

use place::{Place, eventually, json};
use tenon_host::{PluginCommand, Start, Status};
use tenon_ipc::{Client, PLUGIN_ENDED, Relay, RelaySettings};
use tenon_rpc::{CallError, Dialect, ErrorCode};

/// Ends with the first call, and leaves somebody behind who holds its stdin and stdout open. The
/// next one answers every call.
const PLUGIN: &str = r#"
if [ -e "$1/started" ]; then
  while read -r line; do
    id=${line#*\"id\":}
    echo "{\"jsonrpc\":\"2.0\",\"id\":${id%%[,\}]*},\"result\":\"second\"}"
  done
else
  : >"$1/started"
  read -r line
  sleep 1000 &
  exit 3
fi
"#;

#[tokio::test]
async fn a_call_after_the_end_of_a_plugin_waits_for_the_next_one() {
    let place = Place::new();
    let folder = place.folder();
    let command = PluginCommand::new("sh")
        .args(["-c", PLUGIN, "plugin"])
        .arg(&folder);
    let start = Start::new(Dialect::JsonRpcLines);
    let relay = Relay::start(
        &place.name(),
        command,
        start,
        None,
        RelaySettings::default(),
    )
    .await;
    let relay = relay.unwrap();
    eventually("the first plugin", || folder.join("started").exists()).await;
    let (first, second) = (place.client().await, place.client().await);
    let mut status = relay.status();
    let lost = tokio::spawn(async move { first.call_raw("end", None).await });
    let is_ending = |status: &Status| matches!(status, Status::Ending);
    let ending = tokio::time::timeout(Duration::from_secs(20), status.wait_for(is_ending)).await;
    assert!(ending.is_ok_and(|ending| ending.is_ok()));
    assert_eq!(answer(&second).await.unwrap(), json("\"second\""));
    match lost.await.unwrap() {
        Err(CallError::Answered(error)) => {
            assert_eq!(error.code, ErrorCode::Number(PLUGIN_ENDED), "{error:?}");
        }
        other => panic!("its outcome is unknown, not {other:?}"),
    }
    relay.stop(Duration::from_secs(5)).await;
}

async fn answer(client: &Client) -> Result<tenon_rpc::Payload, CallError> {
    client.call_raw("again", None).await
}
