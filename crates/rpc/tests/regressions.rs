//! Every input under `fuzz/regressions` goes through the code that the fuzz targets run, so that
//! what a fuzzer found once is found by everybody from then on.

#[allow(unreachable_pub, reason = "there it is a library")]
#[path = "../../../fuzz/src/rpc.rs"]
mod checks;

#[path = "../../../fuzz/src/regressions.rs"]
mod regressions;

use regressions::check_all;

#[test]
fn json_rpc() {
    check_all("json_rpc", checks::json_rpc);
}

#[test]
fn json_rpc_headers() {
    check_all("json_rpc_headers", checks::json_rpc_headers);
}

#[test]
fn members() {
    check_all("members", checks::members);
}

#[test]
fn msgpack_rpc() {
    check_all("msgpack_rpc", checks::msgpack_rpc);
}

#[test]
fn orchard() {
    check_all("orchard", checks::orchard);
}

#[test]
fn transcode() {
    check_all("transcode", checks::transcode);
}
