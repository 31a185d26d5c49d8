//! Runs the exchanges of `conformance/exchanges` against a connection: what the file says goes
//! in, and exactly what the file says has to come out.

#[path = "../examples/desk/methods.rs"]
mod desk;
#[path = "../examples/desk/error_names.rs"]
mod error_names;
mod exchange;
mod raw_peer;

use std::collections::HashMap;

use error_names::ERROR_NAMES;
use exchange::{Server, Step, files, fits, last_call, play};
use raw_peer::{RawPeer, watched};
use tenon_rpc::Dialect;

impl Server for RawPeer {
    async fn send(&mut self, bytes: Vec<u8>) {
        RawPeer::send(self, bytes).await;
    }

    async fn finish(&mut self) {
        RawPeer::finish(self).await;
    }

    async fn line(&mut self) -> Option<String> {
        RawPeer::line(self).await
    }
}

#[tokio::test(start_paused = true)]
async fn every_recorded_exchange_is_reproduced() {
    let mut played = HashMap::<Dialect, usize>::new();
    let mut problems = Vec::new();
    for file in files("exchanges") {
        for (name, mut steps) in file.exchanges {
            if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                steps.extend(last_call(file.dialect));
            }
            let (router, options) = (desk::router(), desk::options(ERROR_NAMES));
            let (mut peer, _connection) =
                RawPeer::connect(file.dialect, router, options, 64 * 1024);
            if let Err(problem) = watched(play(&mut peer, steps)).await {
                problems.push(format!("{}: {name}: {problem}", file.name));
            }
            *played.entry(file.dialect).or_default() += 1;
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    assert!(played[&Dialect::JsonRpcLines] >= 80, "{played:?}");
    assert!(played[&Dialect::Orchard] >= 10, "{played:?}");
}

#[test]
fn different_frames_do_not_match() {
    let fits = |expected, line| fits(expected, line, &mut HashMap::new());
    assert!(fits(
        r#"{"id":1,"error":{"code":5}}"#,
        r#"{"id":1,"error":{"code":5,"message":"no"}}"#
    ));
    assert!(!fits(
        r#"{"id":1,"error":{"code":5}}"#,
        r#"{"id":1,"error":{"code":6}}"#
    ));
    assert!(!fits(
        r#"{"id":1,"result":5}"#,
        r#"{"id":1,"result":5,"more":1}"#
    ));
    assert!(!fits(r#"{"id":1,"result":5}"#, r#"{"id":1.0,"result":5}"#));
    assert!(!fits(r#"[{"id":1,"result":5}]"#, r#"{"id":1,"result":5}"#));
}
