//! `tenon man`.

use clap::CommandFactory;

use crate::args::Args;
use crate::exit::Failure;
use crate::output;

/// Prints the page of the whole command, or of a subcommand at any depth.
pub(crate) fn run(words: &[String]) -> Result<(), Failure> {
    let mut command = Args::command();
    command.build();
    let mut found = &command;
    for (depth, word) in words.iter().enumerate() {
        found = found.find_subcommand(word).ok_or_else(|| {
            let name = words[..=depth].join(" ");
            let above = ["tenon"]
                .into_iter()
                .chain(words[..depth].iter().map(String::as_str));
            let above = above.collect::<Vec<_>>().join(" ");
            Failure::usage(format!(
                "unknown command `{}`; see {} --help",
                tenon_text::line(&name),
                tenon_text::line(&above)
            ))
        })?;
    }
    let page = found.clone();
    let title = page.get_display_name().unwrap_or("tenon").to_owned();
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .title(title)
        .render(&mut text)
        .map_err(Failure::cannot_start)?;
    output::bytes(&text)
}
