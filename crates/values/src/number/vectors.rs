//! Numbers computed by go-cty, compared with ours.

use std::path::Path;

use serde_json::Value;

use super::Number;

/// The results of go-cty for one number.
struct Described {
    precision: u32,
    binary: String,
    text: String,
    /// The length of the whole text: of a long text, `text` is only the beginning.
    length: usize,
}

/// Finds the descriptions by their beginning, since `serde_json` does not read a file that nests as
/// deeply as this one; they contain no other objects.
fn collect(vectors: &str) -> Vec<Described> {
    const START: &str = "{\"k\": \"number\"";
    let object = |at: usize| {
        let rest = &vectors[at..];
        let end = rest.find('}').unwrap();
        described(&serde_json::from_str(&rest[..=end]).unwrap())
    };
    let starts = vectors.match_indices(START);
    starts.filter_map(|(at, _)| object(at)).collect()
}

fn described(value: &Value) -> Option<Described> {
    let text = value["v"].as_str().or(value["v_head"].as_str())?;
    Some(Described {
        precision: u32::try_from(value["prec"].as_u64()?).ok()?,
        binary: value["p"].as_str()?.to_owned(),
        text: text.to_owned(),
        length: value["v_len"]
            .as_u64()
            .map_or(text.len(), |length| length as usize),
    })
}

#[test]
fn numbers_of_the_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cty_vectors.json");
    let found = collect(&std::fs::read_to_string(path).unwrap());
    assert!(found.len() > 800);
    for described in found {
        let Described {
            precision,
            binary,
            text,
            length,
        } = described;
        let number = Number::from_binary_text(&binary, precision).unwrap();
        assert_eq!(number.to_binary_text(), binary);
        assert_eq!(number.precision(), precision);
        let written = number.to_text();
        assert!(
            written.starts_with(&text),
            "{binary} at {precision}: {written}, not {text}"
        );
        assert_eq!(written.len(), length);
        if precision == 512 {
            let parsed: Number = written.parse().unwrap();
            assert_eq!(parsed.to_binary_text(), binary, "{written}");
        }
    }
}
