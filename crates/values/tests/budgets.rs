//! What hostile input may cost: memory in proportion to its length, and every limit exactly where
//! it says.

#[path = "budgets/limits.rs"]
mod limits;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenon_values::Limits;
use tenon_values::msgpack::{decode, implied_type};
use tenon_values::{Number, Type, Value, json};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(size: usize) {
    let held = HELD.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "an allocator is unsafe; this one only counts")]
// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it moves, there are both.
        grow(size);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time: the memory of all of them is counted together.
static TURN: Mutex<()> = Mutex::new(());

/// A byte of input may cost so many bytes of memory: one byte is an empty list, which takes 88.
const PER_BYTE: usize = 128;

/// And any input at all may cost this.
const FIXED: usize = 1 << 20;

const MEBIBYTE: usize = 1 << 20;

/// Runs `work` on `input` and fails if it takes more memory than the input may cost.
fn within_budget<T>(name: &str, input: &[u8], work: impl FnOnce(&[u8]) -> T) -> T {
    let turn = TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work(input);
    let cost = PEAK.load(Ordering::Relaxed) - before;
    let budget = input.len() * PER_BYTE + FIXED;
    drop(turn);
    assert!(
        cost <= budget,
        "{name}: {} bytes cost {cost}, more than {budget}",
        input.len()
    );
    result
}

fn ty(text: &str) -> Type {
    text.parse().unwrap()
}

/// `head` again and again, with `tail` behind it.
fn nested(head: &[u8], times: usize, tail: &[u8]) -> Vec<u8> {
    [head.repeat(times), tail.to_vec()].concat()
}

/// A list of lists of lists, as deep as the decoder goes in.
fn deep_list(levels: usize) -> Type {
    (0..levels).fold(Type::String, |ty, _| Type::list(ty))
}

#[test]
fn lengths_that_are_only_claimed_cost_nothing() {
    let claims: [(&str, &[u8]); 12] = [
        ("list(string)", &[0xdd, 0xff, 0xff, 0xff, 0xff]),
        ("set(string)", &[0xdd, 0xff, 0xff, 0xff, 0xff]),
        ("tuple([string])", &[0xdd, 0xff, 0xff, 0xff, 0xff]),
        ("any", &[0xdd, 0xff, 0xff, 0xff, 0xff]),
        ("map(string)", &[0xdf, 0xff, 0xff, 0xff, 0xff]),
        ("object({ a = string })", &[0xdf, 0xff, 0xff, 0xff, 0xff]),
        ("string", &[0xdb, 0xff, 0xff, 0xff, 0xff]),
        ("string", &[0xc6, 0xff, 0xff, 0xff, 0xff]),
        ("number", &[0xdb, 0xff, 0xff, 0xff, 0xff]),
        ("string", &[0xc9, 0xff, 0xff, 0xff, 0xff, 12]),
        ("any", &[0x92, 0xc6, 0xff, 0xff, 0xff, 0xff]),
        (
            "list(string)",
            &[0xc7, 6, 12, 0xdf, 0xff, 0xff, 0xff, 0xff, 1],
        ),
    ];
    for (text, bytes) in claims {
        let result = within_budget(text, bytes, |bytes| decode(bytes, &ty(text)));
        assert!(result.is_err(), "{text} {bytes:02x?}");
        let result = within_budget("implied", bytes, implied_type);
        assert!(result.is_err() || bytes[0] == 0xc7, "{bytes:02x?}");
    }
}

/// Every level claims as many elements as there are bytes left, down to the limit of depth.
#[test]
fn claims_at_every_level_do_not_add_up() {
    let depth = Limits::default().depth;
    let lists = deep_list(depth);
    let maps = (0..depth).fold(Type::String, |ty, _| Type::map(ty));
    for length in [1024u16, 0x7fff] {
        let [high, low] = length.to_be_bytes();
        let tail = vec![0xc0; usize::from(length) * 2];
        let arrays = nested(&[0xdc, high, low], depth, &tail);
        within_budget("arrays", &arrays, |bytes| decode(bytes, &lists)).unwrap_err();
        let objects = nested(&[0xde, high, low, 0xa0], depth, &tail);
        within_budget("maps", &objects, |bytes| decode(bytes, &maps)).unwrap_err();
        within_budget("implied", &arrays, implied_type).unwrap_err();
    }
}

#[test]
fn nesting_ends_in_an_error() {
    let list = deep_list(1000);
    for (name, bytes) in [
        ("arrays", nested(&[0x91], 100_000, &[0xc0])),
        ("a mebibyte of arrays", vec![0x91; MEBIBYTE]),
        ("maps", nested(&[0x81, 0xa0], 100_000, &[0xc0])),
        (
            "dynamic values",
            nested(b"\x92\xc4\x09\"dynamic\"", 100_000, &[0xc0]),
        ),
    ] {
        for ty in [&list, &Type::Dynamic, &ty("list(any)"), &ty("map(any)")] {
            within_budget(name, &bytes, |bytes| decode(bytes, ty)).unwrap_err();
        }
        within_budget(name, &bytes, implied_type).unwrap_err();
    }
    for text in ["[", "{\"a\":", "{\"value\":", "[\"list\",", "list("] {
        let text = text.repeat(MEBIBYTE / text.len());
        let bytes = text.as_bytes();
        within_budget("implied JSON", bytes, json::implied).unwrap_err();
        within_budget("JSON", bytes, |bytes| json::decode(bytes, &Type::Dynamic)).unwrap_err();
        within_budget("JSON", bytes, |bytes| json::decode(bytes, &list)).unwrap_err();
        within_budget("a type", bytes, |_| Type::from_json(&text)).unwrap_err();
        within_budget("an expression", bytes, |_| text.parse::<Type>()).unwrap_err();
    }
}

#[test]
fn many_small_values_cost_what_they_weigh() {
    let count = MEBIBYTE;
    let head = |count: usize| [&[0xdd][..], &u32::try_from(count).unwrap().to_be_bytes()].concat();
    for (name, element, text) in [
        ("nulls", &[0xc0][..], "list(string)"),
        ("nulls in a set", &[0xc0], "set(string)"),
        ("empty strings", &[0xa0], "list(string)"),
        ("empty strings in a set", &[0xa0], "set(string)"),
        ("unknown values", &[0xd4, 0, 0], "list(string)"),
        ("unknown values in a set", &[0xd4, 0, 0], "set(string)"),
        (
            "refined values",
            &[0xc7, 3, 12, 0x81, 1, 0xc2],
            "list(string)",
        ),
        ("empty lists", &[0x90], "list(list(string))"),
        ("empty lists in a set", &[0x90], "set(list(string))"),
        ("dynamic nulls", &[0xc0], "list(any)"),
        ("numbers", b"\xa81e100000", "list(number)"),
    ] {
        let times = count / element.len();
        let bytes = [head(times), element.repeat(times)].concat();
        let value = within_budget(name, &bytes, |bytes| decode(bytes, &ty(text)));
        let value = value.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!value.elements().unwrap().is_empty());
    }
}

#[test]
fn known_lengths_of_unknown_lists_cost_nothing() {
    // Not null, and of a length between 2^62 and 2^62.
    let huge = [
        &[0xc7, 23, 12, 0x83, 1, 0xc2][..],
        &[5, 0xcf, 0x40, 0, 0, 0, 0, 0, 0, 0],
        &[6, 0xcf, 0x40, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    for text in ["list(string)", "set(string)", "map(string)"] {
        let value = within_budget(text, &huge, |bytes| decode(bytes, &ty(text))).unwrap();
        let refinement = value.refinement().unwrap();
        assert_eq!(
            (refinement.shortest(), refinement.longest()),
            (1 << 62, Some(1 << 62))
        );
    }
    // A length that is spread out into elements, again and again: eleven bytes and a header each.
    let spread = [0xc7, 11, 12, 0x83, 1, 0xc2, 5, 0xcd, 4, 0, 6, 0xcd, 4, 0];
    let times = 4096u16;
    let [high, low] = times.to_be_bytes();
    let bytes = [vec![0xdc, high, low], spread.repeat(usize::from(times))].concat();
    let _ = within_budget("spread lists", &bytes, |bytes| {
        decode(bytes, &ty("list(list(string))"))
    });
}

#[test]
fn numbers_are_as_small_as_their_text() {
    for text in [
        "1e100000",
        "-1e-100000",
        "1e157826",
        "0.1e-157800",
        "1p524287",
        "1e1000000000",
    ] {
        within_budget(text, text.as_bytes(), |_| text.parse::<Number>()).ok();
        let bytes = [vec![0xa0 | text.len() as u8], text.as_bytes().to_vec()].concat();
        within_budget(text, &bytes, |bytes| decode(bytes, &Type::Number)).ok();
        within_budget(text, text.as_bytes(), json::implied).ok();
    }
    let digits = "7".repeat(MEBIBYTE);
    within_budget("digits", digits.as_bytes(), |_| digits.parse::<Number>()).unwrap_err();
    let digits = format!("0.{digits}");
    within_budget("digits", digits.as_bytes(), |_| digits.parse::<Number>()).unwrap();
}

#[test]
fn wide_types_cost_what_they_weigh() {
    let names = |count: usize| (0..count).map(|index| format!("\"{index:x}\":\"bool\""));
    let object = format!(
        "[\"object\",{{{}}}]",
        names(60_000).collect::<Vec<_>>().join(",")
    );
    let tuple = format!("[\"tuple\",[{}]]", vec!["\"bool\""; 120_000].join(","));
    for text in [object, tuple] {
        let read = within_budget("a type", text.as_bytes(), |_| Type::from_json(&text)).unwrap();
        assert_eq!(read.to_json().len(), text.len());
        // The same as the type of a dynamic null.
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        let bytes = [&[0x92, 0xc6][..], &length, text.as_bytes(), &[0xc0]].concat();
        let value = within_budget("a null", &bytes, |bytes| decode(bytes, &Type::Dynamic)).unwrap();
        assert_eq!(value, Value::null(read));
    }
}
