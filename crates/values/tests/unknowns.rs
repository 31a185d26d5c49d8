//! What Terraform reads of unknown values and sets of them, and writes back.

use serde_json::Value as Json;
use tenon_values::{Type, msgpack};

const ANSWERS: &str = include_str!("data/terraform_unknowns.json");

fn bytes(hex: &Json) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

#[test]
fn values_pass_through_as_they_pass_through_terraform() {
    let file: Json = serde_json::from_str(ANSWERS).unwrap();
    let mut failures = Vec::new();
    for case in file["values"].as_array().unwrap() {
        let decoded = msgpack::decode(&bytes(&case["in"]), &Type::Dynamic);
        let written = decoded.and_then(|value| msgpack::encode(&value, &Type::Dynamic));
        let is_right = match (&written, case.get("out")) {
            (Ok(written), Some(expected)) => *written == bytes(expected),
            // Where Terraform panics, this reports an error.
            (Err(_), None) => case["refused"] == true,
            _ => false,
        };
        if !is_right {
            failures.push(format!("{}: {written:02x?}", case["name"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
