//! What is kept of a run: the [`record`] with its [`node`]s, and beside it, while the run is in
//! progress, the [`journal`].
//!
//! [`seal`] and [`kept`] encrypt secrets, [`budget`] keeps the record within its limit, [`storage`]
//! reads and writes it. [`known`] finds the secrets that a record does not hold in clear.

pub(crate) mod budget;
pub(crate) mod disk;
pub(crate) mod item;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod known;
pub(crate) mod node;
pub(crate) mod record;
pub(crate) mod seal;
pub(crate) mod secret_names;
pub(crate) mod storage;
pub(crate) mod time;
pub(crate) mod undo;
