//! What every section of the bench needs: how it begins, medians and ratios over rounds, goals,
//! tables, and a quiet place to measure in.

pub mod child;
pub mod goal;
pub mod numbers;
pub mod os;
pub mod placement;
pub mod section;
pub mod spinner;
pub mod table;
pub mod watchdog;
