//! What go-cty 1.18.1 does, entry by entry.

#[path = "../examples/vectors/checks/mod.rs"]
#[allow(
    dead_code,
    reason = "the example that shares the checks uses all of it"
)]
mod checks;

const VECTORS: &str = include_str!("data/cty_vectors.json");

#[test]
fn every_vector_passes() {
    let file = checks::read(VECTORS).unwrap();
    let lists = checks::run(&file).unwrap();
    let counts = file["counts"].as_object().unwrap();
    assert_eq!(lists.len(), counts.len(), "a list of the file is missing");
    let mut failures = Vec::new();
    for list in lists {
        assert_eq!(
            Some(list.total as u64),
            counts[&list.name].as_u64(),
            "{}",
            list.name
        );
        failures.extend(
            list.failures
                .into_iter()
                .map(|failure| format!("{}: {failure}", list.name)),
        );
    }
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
