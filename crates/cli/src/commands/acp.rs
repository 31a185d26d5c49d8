//! `tenon acp`: the guard between editors and agents, and what belongs to it.

mod agent;
mod chat;
mod guard;
mod policy;
mod policy_file;
mod replay;
mod splitting;
mod verify;

use crate::args::AcpCommand;
use crate::exit::Failure;

pub(crate) async fn run(command: AcpCommand) -> Result<(), Failure> {
    match command {
        AcpCommand::Guard(args) => guard::run(&args).await,
        AcpCommand::Policy(command) => policy::run(&command),
        AcpCommand::Replay(args) => replay::run(&args).await,
        AcpCommand::Agent(args) => agent::run(&args).await,
        AcpCommand::Chat(args) => chat::run(&args).await,
        AcpCommand::Verify(args) => verify::run(&args),
    }
}
