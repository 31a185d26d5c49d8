//! Every input under `fuzz/regressions` goes through the code that the fuzz targets run, so that
//! what a fuzzer found once is found by everybody from then on.

#[allow(unreachable_pub, reason = "there it is a library")]
#[path = "../../../fuzz/src/values.rs"]
mod checks;

#[path = "../../../fuzz/src/regressions.rs"]
mod regressions;

use regressions::check_all;

#[test]
fn values_bridge() {
    check_all("values_bridge", checks::values_bridge);
}

#[test]
fn values_json() {
    check_all("values_json", checks::values_json);
}

#[test]
fn values_msgpack() {
    check_all("values_msgpack", checks::values_msgpack);
}

#[test]
fn values_types() {
    check_all("values_types", checks::values_types);
}
