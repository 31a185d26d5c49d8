//! Where msgpack values end and what their pieces are, against an independent writer.

mod any_value;

use any_value::{any_value, encoded};
use proptest::prelude::*;
use rmpv::Value;
use tenon_wire::msgpack::{Budget, Reader, Scanner, Token, write};

const BUDGET: Budget = Budget {
    bytes: 1 << 20,
    depth: 32,
    elements: 10_000,
};

proptest! {
    #[test]
    fn finds_the_end_however_the_bytes_arrive(value in any_value(), step in 1usize..7) {
        let bytes = encoded(&value);
        let mut followed = bytes.clone();
        followed.extend([0xc1, 0xc1]);
        let mut scanner = Scanner::default();
        let mut have = 0;
        let length = loop {
            have = (have + step).min(followed.len());
            if let Some(length) = scanner.scan(&followed[..have], BUDGET).unwrap() {
                break length;
            }
            prop_assert!(have < followed.len());
        };
        prop_assert_eq!(length, bytes.len());
        // It starts afresh with the next value.
        prop_assert_eq!(scanner.scan(&bytes, BUDGET).unwrap(), Some(bytes.len()));
        prop_assert_eq!(Reader::new(&bytes).skip(), Some(0..bytes.len()));
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Scanner::default().scan(&bytes, BUDGET);
        let mut reader = Reader::new(&bytes);
        while reader.token().is_some() {}
        let _ = Reader::new(&bytes).skip();
    }

    #[test]
    fn integers_are_written_as_short_as_an_independent_writer_does(number in any::<i64>(), shift in 0u32..64) {
        let number = number >> shift;
        let mut bytes = Vec::new();
        write::signed(&mut bytes, number);
        prop_assert_eq!(&bytes, &encoded(&Value::from(number)));
        let expected = if number < 0 { Token::Negative(number) } else { Token::Unsigned(number as u64) };
        prop_assert_eq!(Reader::new(&bytes).token(), Some(expected));
    }
}

#[test]
fn declared_lengths_cost_nothing() {
    let error = |bytes: &[u8]| {
        let violation = Scanner::default().scan(bytes, BUDGET).unwrap_err();
        format!("{violation:?}")
    };
    assert!(error(b"\xdd\xff\xff\xff\xff").contains("values"));
    assert!(error(b"\xdb\xff\xff\xff\xff").contains("bytes"));
    assert!(error(b"\xdf\xff\xff\xff\xff").contains("values"));
    assert!(error(&[0x91; 100]).contains("deep"));
    assert!(error(b"\x91\xc1").contains("c1"));
    // A chain of headers, each of them modest, still adds up.
    assert!(error(&b"\xdc\x0f\xff".repeat(20)).contains("values"));
}
