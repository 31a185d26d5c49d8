//! Storage plugins as real processes: the examples, and one that fails in every way.
//!
//! The examples in Rust are built by `cargo build -p tenon-plugin --examples`, and by `cargo test --workspace`.

#[path = "../support/front.rs"]
mod front;
#[path = "../../../cli/tests/support/mark.rs"]
mod mark;

mod faults;
mod kills;
mod place;
mod rounds;
