//! From a model to a plan: what would be done, in which order, with which values.
//!
//! In the order of the work: [`declarations`] finds out which provider runs an action; [`expand`]
//! unfolds components and repetitions into a [`graph`]; [`link`] finds what depends on what, and
//! [`order`] an order; [`check`] evaluates everything that can be known before a run
//! ([`evaluation`], [`attributes`]). The result is a [`plan::Plan`].

pub(crate) mod attributes;
pub(crate) mod check;
pub(crate) mod declarations;
mod drawing;
pub(crate) mod evaluation;
pub(crate) mod expand;
pub(crate) mod flow;
pub(crate) mod graph;
pub(crate) mod idempotency;
pub(crate) mod link;
mod names;
pub(crate) mod needed;
pub(crate) mod order;
pub(crate) mod origins;
pub(crate) mod plan;
mod sensitive;
pub(crate) mod settings;
