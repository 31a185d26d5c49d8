//! `tenon acp`: the guard between editors and agents, and what belongs to it.

mod verify;

use crate::args::AcpCommand;
use crate::exit::Failure;

pub(crate) async fn run(command: AcpCommand) -> Result<(), Failure> {
    match command {
        AcpCommand::Verify(args) => verify::run(&args),
    }
}
