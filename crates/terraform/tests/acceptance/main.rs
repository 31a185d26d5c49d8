//! The provider in real Terraforms, with real Deno and Python: what users type, and what they see.
//!
//! `scripts/tools` installs Terraform 1.15 and Deno; a `terraform` and a `tofu` on PATH are tested as
//! well. A test whose tool is missing says so and passes; under CI=true it fails. The variable
//! PROVIDER names another binary to test.

mod actions;
mod checklist;
mod compatibility;
mod documents;
mod drift;
mod ephemeral;
mod examples;
mod file;
mod functions;
mod hostile;
mod import;
mod interruptions;
#[path = "../../../cli/tests/support/mark.rs"]
mod mark;
mod outcome;
mod plans;
mod port;
mod processes;
mod running;
mod scripts;
mod secrets;
mod starting;
mod tools;
mod trial;
mod types;
mod unknown_props;
mod validation;
mod workspace;
mod write_only;
