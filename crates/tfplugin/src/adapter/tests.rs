//! The service, called as tonic calls it.

mod failures;
mod shop;
mod values;
