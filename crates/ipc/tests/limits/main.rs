//! What a server lets each of its clients have.

#[path = "../exact/mod.rs"]
mod exact;
#[path = "../place/mod.rs"]
mod place;

mod order;
mod rates;
mod room;
mod slow;
