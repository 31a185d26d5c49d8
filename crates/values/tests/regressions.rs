//! Every input under `fuzz/regressions` goes through the code that the fuzz targets run, so that
//! what a fuzzer found once is found by everybody from then on.

#[allow(unreachable_pub, reason = "there it is a library")]
#[path = "../../../fuzz/src/values.rs"]
mod checks;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

fn check_all(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/regressions")
        .join(target);
    let entries = fs::read_dir(&folder).expect("the folder of the target");
    let mut names = Vec::new();
    let mut failed = Vec::new();
    for entry in entries {
        let entry = entry.expect("readable");
        let name = entry.file_name().display().to_string();
        let input = fs::read(entry.path()).expect("readable");
        if catch_unwind(|| check(&input)).is_err() {
            failed.push(name.clone());
        }
        names.push(name);
    }
    assert!(names.len() >= 3, "only {names:?}");
    assert!(failed.is_empty(), "{target}: {failed:?}");
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
