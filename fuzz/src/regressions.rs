//! Runs a fuzz target over every stored input. The test `regressions` of each crate includes this file.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

pub(crate) fn check_all(target: &str, check: fn(&[u8])) {
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
