//! What every section of the bench needs: how it begins, medians and ratios over rounds, goals,
//! tables, and a quiet place to measure in; and what those that measure servers need: how a server
//! and its client are started, the raw client, results by row and cell.

pub mod child;
pub mod control;
pub mod goal;
pub mod link;
mod msgpack;
pub mod numbers;
pub mod os;
pub mod placement;
pub mod raw;
pub mod report;
pub mod results;
pub mod rounds;
pub mod row;
pub mod running;
pub mod section;
pub mod spinner;
pub mod table;
mod template;
pub mod watchdog;
pub mod wire;
