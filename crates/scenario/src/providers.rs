//! Providers in their processes: how they are started ([`launcher`]), asked what they offer
//! ([`schema`]), given work ([`provider`]) and ended.

pub(crate) mod failure;
pub(crate) mod launcher;
mod permissions;
pub(crate) mod provider;
pub(crate) mod schema;
