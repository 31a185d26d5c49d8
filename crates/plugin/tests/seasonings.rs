//! Plugins in Seasonings, over connections in memory, called by the host's side of the protocol.

#[path = "seasonings/accounts.rs"]
mod accounts;
#[path = "seasonings/ambient.rs"]
mod ambient;
#[path = "seasonings/blocks.rs"]
mod blocks;
#[path = "seasonings/calls.rs"]
mod calls;
#[path = "seasonings/host.rs"]
mod host;
#[path = "seasonings/life.rs"]
mod life;
#[path = "seasonings/planning.rs"]
mod planning;
#[path = "seasonings/refusals.rs"]
mod refusals;
