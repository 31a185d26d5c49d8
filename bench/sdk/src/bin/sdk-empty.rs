//! Ends at once: the limit of starts.

fn main() {}
