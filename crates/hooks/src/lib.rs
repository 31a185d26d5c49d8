//! Runs Terraform and OpenTofu with plugins around it.
//!
//! - [`Project`]: what `tenon.hcl` says: which plugins there are, whose hooks are called, and which one keeps
//!   the state.
//! - [`Session`]: one command of Terraform. `plan`, `apply`, `destroy`, `refresh`, `import` and `init` have hooks
//!   around them; all others are run as they are.
//! - [`Report`]: how it ended, and what plugins found.
//!
//! An `apply` is a `plan` into a file, the review of that plan by all plugins, and the apply of exactly that file,
//! whose checksum is compared before. Plugins see neither sensitive values, unless their block says
//! `send_sensitive = true`, nor more of the environment than other plugins.

mod arguments;
mod backend;
mod chain;
mod changes;
mod config_values;
mod finding;
mod hook;
mod interruption;
mod launch;
mod pins;
mod plan_file;
mod program;
mod project;
mod records;
mod relay;
mod resource;
mod schemas;
mod session;
mod values;

pub use arguments::Arguments;
pub use backend::{Backend, backend, given_settings, remembered_settings};
pub use finding::{Finding, Severity};
pub use interruption::Interruption;
pub use launch::{LaunchError, SeeLog, command, learn_variables, start};
pub use pins::{PinError, check as check_pins};
pub use program::{Program, ProgramError};
pub use project::{FILE, PluginSettings, Project, ProjectError};
pub use relay::{Show, Stream};
pub use session::{Approve, Question, Report, Session, SessionError, Subject};
