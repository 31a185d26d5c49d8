//! Packed plugins in real Terraforms.
//!
//! `scripts/tools` installs Terraform 1.15; a `terraform` and a `tofu` on PATH are tested as well.
//! Without the tools the tests are skipped, but not under CI=true.

#[path = "../../cli/tests/support/mark.rs"]
mod mark;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../terraform/tests/acceptance/outcome.rs"]
mod outcome;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "../../terraform/tests/acceptance/room.rs"]
mod room;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../terraform/tests/acceptance/running.rs"]
mod running;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../terraform/tests/acceptance/tools.rs"]
mod tools;

#[path = "acceptance/answers.rs"]
mod answers;
#[path = "acceptance/documents.rs"]
mod documents;
#[path = "acceptance/failures.rs"]
mod failures;
#[path = "acceptance/interruptions.rs"]
mod interruptions;
#[path = "acceptance/lives.rs"]
mod lives;
#[path = "acceptance/notes.rs"]
mod notes;
#[path = "acceptance/packages.rs"]
mod packages;
#[path = "acceptance/port.rs"]
mod port;
#[path = "acceptance/processes.rs"]
mod processes;
#[path = "acceptance/rust.rs"]
mod rust;
#[path = "acceptance/shapes.rs"]
mod shapes;
#[path = "acceptance/stage.rs"]
mod stage;
#[path = "acceptance/windows.rs"]
mod windows;
#[path = "acceptance/workspace.rs"]
mod workspace;
