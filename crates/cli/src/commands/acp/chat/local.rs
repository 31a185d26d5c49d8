//! Lines that begin with `:`, which are for this client and not for the agent.

use std::path::Path;

use tenon_acp::client::{About, Session};
use tenon_protocols::acp::{Choice, ConfigOption, ConfigValue};

use super::talking::Talk;
use super::{Interrupts, images, sessions, unless_interrupted};
use crate::args::chat_help;
use crate::exit::Failure;
use crate::output::on_one_line;

/// Whether the chat continues.
pub(super) enum Next {
    Line,
    End,
}

const COMMANDS: [&str; 9] = [
    ":commands",
    ":help",
    ":image",
    ":mode",
    ":model",
    ":quit",
    ":sessions",
    ":set",
    ":exit",
];

/// What Tab completes: commands of the agent and of this client in the first word, and the path of an image.
pub(super) fn complete(commands: &[String], typed: &str) -> (usize, Vec<String>) {
    if let Some(path) = typed.strip_prefix(":image ") {
        return (typed.len() - path.len(), paths(path));
    }
    let found = match typed.chars().next() {
        _ if typed.contains(' ') => Vec::new(),
        Some('/') => {
            let names = commands.iter().filter(|name| name.starts_with(&typed[1..]));
            names.map(|name| format!("/{name} ")).collect()
        }
        Some(':') => {
            let names = COMMANDS.iter().filter(|name| name.starts_with(typed));
            names.map(|name| (*name).to_owned()).collect()
        }
        _ => Vec::new(),
    };
    (0, found)
}

/// The files that a path may become.
fn paths(begun: &str) -> Vec<String> {
    let (folder, name) = begun
        .rsplit_once('/')
        .map_or(("", begun), |(folder, name)| {
            (&begun[..=folder.len()], name)
        });
    let place = if folder.is_empty() { "." } else { folder };
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let known = entry.file_name().into_string().ok()?;
        let is_hidden = known.starts_with('.') && !name.starts_with('.');
        let slash = if entry.path().is_dir() { "/" } else { "" };
        (known.starts_with(name) && !is_hidden).then(|| format!("{folder}{known}{slash}"))
    });
    let mut found: Vec<String> = found.collect();
    found.sort();
    found
}

pub(super) async fn obey(
    talk: &mut Talk<'_>,
    session: &Session,
    command: &str,
    interrupts: &mut Interrupts,
) -> Result<Next, Failure> {
    let (name, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    let (about, rest) = (session.about(), rest.trim());
    match (name, rest) {
        ("quit" | "exit", "") => return Ok(Next::End),
        ("help", "") => talk.transcript.note(chat_help())?,
        ("mode", "") => show(talk, "modes", &modes(&about))?,
        ("mode", mode) => unless_interrupted(session.set_mode(mode), interrupts, talk.args).await?,
        ("model", "") => show(talk, "models", &models(&about))?,
        ("model", model) => {
            unless_interrupted(session.set_model(model), interrupts, talk.args).await?;
        }
        ("set", rest) => match rest.split_once(char::is_whitespace) {
            Some((id, value)) => {
                let value = self::value(session, id, value.trim())?;
                let setting = session.set_config_option(id, value);
                unless_interrupted(setting, interrupts, talk.args).await?;
            }
            None => show(talk, "options", &options(&about, rest))?,
        },
        ("image", "") => {
            return Err(Failure::usage(
                ":image PATH adds an image to the next prompt",
            ));
        }
        ("image", path) => {
            let image = images::read(Path::new(path))?;
            talk.images.push(image);
            let count = talk.images.len();
            let images = if count == 1 {
                "1 image goes"
            } else {
                &format!("{count} images go")
            };
            talk.transcript
                .note(format_args!("{images} with the next prompt"))?;
        }
        ("commands", "") => {
            let commands = about.commands.iter();
            let lines: Vec<String> = commands
                .map(|command| {
                    let (name, about) = (
                        on_one_line(&command.name),
                        on_one_line(&command.description),
                    );
                    let hint = { command.input.as_ref() }.map_or(String::new(), |input| {
                        format!(" {}", on_one_line(&input.hint))
                    });
                    format!("  /{name}{hint}  {about}")
                })
                .collect();
            show(talk, "commands", &lines)?;
        }
        ("sessions", "") => {
            let sessions = talk.sessions(interrupts).await?;
            let lines: Vec<String> = sessions.iter().map(sessions::line).collect();
            show(talk, "sessions", &lines)?;
        }
        (name, _) => {
            let known = COMMANDS.iter().map(|known| &known[1..]);
            let hint = tenon_text::nearest(name, known)
                .map_or(":help shows the commands".to_owned(), |near| {
                    format!("did you mean `:{near}`?")
                });
            return Err(Failure::usage(format!(
                "unknown command `:{}`; {hint}",
                on_one_line(name)
            )));
        }
    }
    Ok(Next::Line)
}

fn show(talk: &mut Talk<'_>, what: &str, lines: &[String]) -> Result<(), Failure> {
    match lines {
        [] => talk.transcript.note(format_args!("there are no {what}")),
        lines => talk.transcript.note(lines.join("\n")),
    }
}

fn marked(is_current: bool, id: &str, name: &str) -> String {
    let mark = if is_current { '*' } else { ' ' };
    format!("{mark} {}  {}", on_one_line(id), on_one_line(name))
}

fn modes(about: &About) -> Vec<String> {
    let options = of_category(about, "mode");
    if !options.is_empty() {
        return options;
    }
    let modes = about.modes.iter();
    let lines = modes.flat_map(|modes| {
        { modes.available_modes.iter() }
            .map(|mode| marked(mode.id == modes.current_mode_id, &mode.id, &mode.name))
    });
    lines.collect()
}

fn models(about: &About) -> Vec<String> {
    let options = of_category(about, "model");
    if !options.is_empty() {
        return options;
    }
    let models = about.models.iter();
    let lines = models.flat_map(|models| {
        { models.available_models.iter() }.map(|model| {
            marked(
                model.model_id == models.current_model_id,
                &model.model_id,
                &model.name,
            )
        })
    });
    lines.collect()
}

/// The values of the options about this.
fn of_category(about: &About, category: &str) -> Vec<String> {
    let options = about.config_options.iter().flatten();
    let found = options.filter_map(|option| match option {
        ConfigOption::Select(option) => {
            let is_meant = { option.category.as_ref() }.is_some_and(|one| one.as_str() == category);
            is_meant.then(|| values(&option.options, &option.current_value))
        }
        _ => None,
    });
    found.flatten().collect()
}

fn values(choices: &[Choice], current: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for choice in choices {
        if let Some(value) = &choice.value {
            lines.push(marked(value == current, value, &choice.name));
        }
        lines.extend(values(
            choice.options.as_deref().unwrap_or_default(),
            current,
        ));
    }
    lines
}

/// All options, or the values of one.
fn options(about: &About, wanted: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for option in about.config_options.iter().flatten() {
        match option {
            ConfigOption::Select(option) if option.id == wanted => {
                lines.extend(values(&option.options, &option.current_value));
            }
            ConfigOption::Select(option) if wanted.is_empty() => lines.push(format!(
                "  {} = {}  {}",
                on_one_line(&option.id),
                on_one_line(&option.current_value),
                on_one_line(&option.name)
            )),
            ConfigOption::Boolean(option) if wanted.is_empty() || option.id == wanted => lines
                .push(format!(
                    "  {} = {}  {}",
                    on_one_line(&option.id),
                    option.current_value,
                    on_one_line(&option.name)
                )),
            _ => {}
        }
    }
    lines
}

/// A value for an option: on or off for those that are so.
pub(super) fn value(session: &Session, id: &str, value: &str) -> Result<ConfigValue, Failure> {
    let about = session.about();
    let is_flag = about
        .config_options
        .iter()
        .flatten()
        .any(|option| matches!(option, ConfigOption::Boolean(option) if option.id == id));
    if !is_flag {
        return Ok(ConfigValue::from(value));
    }
    match value {
        "true" | "on" | "yes" => Ok(ConfigValue::Flag(true)),
        "false" | "off" | "no" => Ok(ConfigValue::Flag(false)),
        _ => Err(Failure::usage(format!(
            "{}: write on or off",
            on_one_line(id)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_completed() {
        let commands = ["init".to_owned(), "install".to_owned()];
        let completed = |typed| complete(&commands, typed).1;
        assert_eq!(completed("/in"), ["/init ", "/install "]);
        assert_eq!(completed("/x"), Vec::<String>::new());
        assert_eq!(completed(":mo"), [":mode", ":model"]);
        assert_eq!(completed("in"), Vec::<String>::new());
        assert_eq!(completed("/init /in"), Vec::<String>::new());
    }

    #[test]
    fn the_path_of_an_image_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.png", "ab.png", ".hidden", "b.png"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("album")).unwrap();
        let path = folder.path().display();
        let (start, found) = complete(&[], &format!(":image {path}/a"));
        assert_eq!(start, ":image ".len());
        let expected = ["a.png", "ab.png", "album/"].map(|name| format!("{path}/{name}"));
        assert_eq!(found, expected);
        assert_eq!(complete(&[], &format!(":image {path}/")).1.len(), 4);
    }
}
