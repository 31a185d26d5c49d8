//! The guard as a library: `acp-guard rates|no-rates AGENT...`.

use std::error::Error;

use tenon_acp::guard::{Guard, Limits, Settings};
use tenon_host::{PluginCommand, Process};
use tenon_rpc::Io;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let rates = words.next().as_deref() == Some("rates");
    let program = words.next().ok_or("no agent")?;
    let (process, io) = Process::spawn(&PluginCommand::new(program).args(words))?;
    let settings = Settings {
        limits: Limits {
            rates,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let guard = Guard::start(Io::stdio()?, io, settings);
    guard.closed().await;
    drop((guard, process));
    Ok(())
}
