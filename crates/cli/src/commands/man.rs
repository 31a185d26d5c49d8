//! `tenon man`.

use clap::CommandFactory;

use crate::args::Args;
use crate::exit::Failure;
use crate::output;

pub(crate) fn run() -> Result<(), Failure> {
    let mut page = Vec::new();
    let command = Args::command();
    let mut render =
        |command: &clap::Command| clap_mangen::Man::new(command.clone()).render(&mut page);
    render(&command).map_err(Failure::cannot_start)?;
    for subcommand in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        render(subcommand).map_err(Failure::cannot_start)?;
    }
    output::bytes(&page)
}
