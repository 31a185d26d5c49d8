//! Every input under `fuzz/regressions` goes through the code that the fuzz targets run, so that
//! what a fuzzer found once is found by everybody from then on.

#[allow(unreachable_pub, reason = "there it is a library")]
#[path = "../../../fuzz/src/seasonings.rs"]
mod checks;

#[path = "../../../fuzz/src/regressions.rs"]
mod regressions;

use regressions::check_all;

#[test]
fn seasonings_answers() {
    check_all("seasonings_answers", checks::seasonings_answers);
}

#[test]
fn seasonings_schemas() {
    check_all("seasonings_schemas", checks::seasonings_schemas);
}

#[test]
fn seasonings_values() {
    check_all("seasonings_values", checks::seasonings_values);
}
