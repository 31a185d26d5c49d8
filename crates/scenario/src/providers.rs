pub(crate) mod launcher;
pub(crate) mod provider;
