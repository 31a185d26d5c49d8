//! `tenon man`.

use clap::CommandFactory;

use crate::args::Args;
use crate::exit::Failure;
use crate::output;

/// Prints the page of the whole command, or of one of its subcommands.
pub(crate) fn run(subcommand: Option<&str>) -> Result<(), Failure> {
    let mut command = Args::command();
    command.build();
    let page = match subcommand {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).ok_or_else(|| {
                Failure::usage(format!("unknown command `{name}`; see tenon --help"))
            })?;
            found.clone()
        }
    };
    let title = page.get_display_name().unwrap_or("tenon").to_owned();
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .title(title)
        .render(&mut text)
        .map_err(Failure::cannot_start)?;
    output::bytes(&text)
}
