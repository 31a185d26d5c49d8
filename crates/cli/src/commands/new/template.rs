//! What a new plugin consists of.
//!
//! Templates are the files of `templates/`: those of the language, and those of `shared`. They are working files of a
//! plugin called `plugname`. A line such as `#: function action` begins a part that only these kinds or languages have,
//! `#: end` ends it. (`//:` in Rust and JavaScript, `<!--:` in Markdown.) A file of which nothing is left is not written.
//! `dot-` stands for the dot of a hidden file, and `.template` is removed: cargo would take a folder with a `Cargo.toml`
//! for another package, and leave it out of ours.

use std::path::{Path, PathBuf};

use crate::args::{Choice, Kind, Language};
use crate::exit::Failure;

/// Every template, by its path.
const TEMPLATES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Folders that are copied as they are: the SDKs.
const VENDORED: [&str; 3] = ["tenon_plugin/", "tenon-sdk/", "tenon-plugin.bash"];

/// A plugin that is to be created.
pub(super) struct Plugin {
    pub(super) name: String,
    pub(super) language: Language,
    pub(super) kind: Kind,
    /// Whether it is for Windows, which starts it in another way and lacks some commands of Tenon.
    pub(super) is_windows: bool,
    /// Where the crate for plugins in Rust is.
    pub(super) sdk: Sdk,
}

/// Where the crate for plugins in Rust is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sdk {
    /// In this folder of a checkout.
    Folder(PathBuf),
    /// In the registry of crates, once it is published.
    Registry,
}

impl Sdk {
    /// The crate in a checkout of Tenon.
    ///
    /// # Errors
    /// It is not there.
    pub(super) fn of(checkout: &Path) -> Result<Sdk, Failure> {
        let folder = std::path::absolute(checkout).unwrap_or_else(|_| checkout.to_owned());
        let folder = folder.join("crates").join("plugin");
        match folder.join("Cargo.toml").is_file() {
            true => Ok(Sdk::Folder(folder)),
            false => Err(Failure::usage(format!(
                "{} is not a checkout of Tenon: it has no crates/plugin/Cargo.toml\n  \
                 hint: give the folder that contains the sources of Tenon with --sdk PATH",
                tenon_text::path(checkout)
            ))),
        }
    }

    /// The sources that this command was built from, if they are still there. One of a package does not know them.
    pub(super) fn found() -> Sdk {
        let own = option_env!("TENON_SOURCES").map(Path::new);
        let folder = own.and_then(Path::parent);
        folder
            .map(|crates| crates.join("plugin"))
            .filter(|folder| folder.join("Cargo.toml").is_file())
            .map_or(Sdk::Registry, Sdk::Folder)
    }

    /// What a text of a manifest has in its place.
    fn quoted(&self) -> String {
        match self {
            Sdk::Folder(folder) => {
                let folder = folder.display().to_string();
                folder.replace('\\', "\\\\").replace('"', "\\\"")
            }
            Sdk::Registry => String::new(),
        }
    }
}

/// A file of a new plugin.
pub(super) struct File {
    /// Its path in the folder of the plugin.
    pub(super) path: String,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// A file; one that begins with `#!` is executable.
    Text(Vec<u8>),
    /// A link to another file.
    Link(String),
}

impl Plugin {
    pub(super) fn files(&self) -> Vec<File> {
        let language = self.language.name();
        let mut files = Vec::new();
        for (path, bytes) in TEMPLATES {
            let Some((owner, path)) = path.split_once('/') else {
                continue;
            };
            if owner != language && owner != "shared" {
                continue;
            }
            let is_vendored = VENDORED.iter().any(|folder| path.starts_with(folder));
            let content = match (is_vendored, std::str::from_utf8(bytes)) {
                (false, Ok(text)) => self.render(text).into_bytes(),
                _ => bytes.to_vec(),
            };
            if !content.trim_ascii().is_empty() || is_vendored {
                let path = path.strip_suffix(".template").unwrap_or(path);
                let hidden = path.strip_prefix("dot-").map(|name| format!(".{name}"));
                let path = hidden.unwrap_or_else(|| path.replace("plugname", &self.name));
                files.push(File {
                    path,
                    content: Content::Text(content),
                });
            }
        }
        // The plugin is `./NAME` in every language.
        let ending = match self.language {
            Language::Python => Some("py"),
            Language::Typescript => Some("mjs"),
            Language::Rust | Language::Bash => None,
        };
        if self.is_windows {
            files.extend(self.launchers());
        } else if let Some(ending) = ending {
            let target = format!("{}.{ending}", self.name);
            files.push(File {
                path: self.name.clone(),
                content: Content::Link(target),
            });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }

    /// What starts the plugin and its test on Windows, which goes by the ending of a file and not by its first line.
    fn launchers(&self) -> [File; 2] {
        let name = &self.name;
        let plugin = match self.language {
            Language::Python => format!("python \"%~dp0{name}.py\" %*"),
            Language::Typescript => format!("node \"%~dp0{name}.mjs\" %*"),
            Language::Rust => {
                "cargo run --quiet --manifest-path \"%~dp0Cargo.toml\" -- %*".to_owned()
            }
            Language::Bash => format!("bash \"%~dp0{name}\" %*"),
        };
        let test = "bash \"%~dp0test\" %*".to_owned();
        [(name.as_str(), plugin), ("test", test)].map(|(name, line)| File {
            path: format!("{name}.cmd"),
            content: Content::Text(format!("@{line}\r\n").into_bytes()),
        })
    }

    /// The parts of a text that this plugin has, with its name.
    fn render(&self, text: &str) -> String {
        let words = self.words();
        let mut rendered = String::new();
        // Whether each part that has begun is kept.
        let mut parts: Vec<bool> = Vec::new();
        for line in text.lines() {
            match marker(line) {
                Some("end") => drop(parts.pop()),
                Some(of) => parts.push(
                    of.split(' ')
                        .any(|word| words.iter().any(|own| own == word)),
                ),
                None if parts.iter().all(|is_kept| *is_kept) => {
                    rendered.push_str(line);
                    rendered.push('\n');
                }
                None => {}
            }
        }
        let rendered = rendered.trim_end().to_owned() + "\n";
        let (python, tests) = match self.is_windows {
            false => (
                "python3 ",
                "`./test` tests it; `tenon dev` does so whenever you save.",
            ),
            true => ("python ", r"`.\test` tests it, and requires bash."),
        };
        rendered
            .replace("python3 ", python)
            .replace("plugtests", tests)
            .replace("plugname", &self.name)
            .replace("plugversion", env!("CARGO_PKG_VERSION"))
            .replace("plugsources", &self.sdk.quoted())
    }

    /// What the marked parts of templates can be for.
    fn words(&self) -> Vec<String> {
        let mut words = vec![self.language.name()];
        match (self.kind, self.language) {
            (Kind::All, Language::Bash) => {
                words.extend(["function", "action", "resource"].map(str::to_owned));
            }
            (Kind::All, _) => words.extend(Kind::names()),
            (kind, _) => words.push(kind.name()),
        }
        words.push(if self.is_windows { "windows" } else { "unix" }.to_owned());
        if self.language == Language::Rust {
            words.push(match self.sdk {
                Sdk::Folder(_) => "checkout".to_owned(),
                Sdk::Registry => "published".to_owned(),
            });
        }
        words
    }
}

/// What a line says about the following ones, if it says something.
fn marker(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_suffix("-->").unwrap_or(line);
    let comments = ["#:", "//:", "<!--:"];
    let marked = comments
        .iter()
        .find_map(|comment| line.strip_prefix(comment))?;
    marked.strip_prefix(' ').map(str::trim)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn every() -> Vec<Plugin> {
        let mut every = Vec::new();
        for language in Language::value_variants() {
            for kind in Kind::value_variants() {
                for (sdk, is_windows) in [
                    (Sdk::Folder("/sources/crates/plugin".into()), false),
                    (Sdk::Registry, false),
                    (Sdk::Registry, true),
                ] {
                    every.push(Plugin {
                        name: "weather".into(),
                        language: *language,
                        kind: *kind,
                        is_windows,
                        sdk,
                    });
                }
            }
        }
        every
    }

    #[test]
    fn nothing_of_a_template_is_left_in_a_plugin() {
        for plugin in every() {
            let files = plugin.files();
            let title = format!("{:?} {:?}", plugin.language, plugin.kind);
            let started = if plugin.is_windows {
                "weather.cmd"
            } else {
                "weather"
            };
            for needed in [started, "test", "README.md", ".gitignore"] {
                assert!(
                    files.iter().any(|file| file.path == needed),
                    "{title} lacks {needed}"
                );
            }
            for file in &files {
                let is_vendored = VENDORED.iter().any(|folder| file.path.starts_with(folder));
                let Content::Text(bytes) = &file.content else {
                    continue;
                };
                let text = String::from_utf8_lossy(bytes);
                assert!(!file.path.contains("plugname"), "{title}: {}", file.path);
                if is_vendored {
                    continue;
                }
                for left in ["plugname", "plugtests", "plugversion", "plugsources"] {
                    assert!(!text.contains(left), "{title}: {left} in {}", file.path);
                }
                assert!(
                    !text.lines().any(|line| marker(line).is_some()),
                    "{title}: {}",
                    file.path
                );
                assert!(
                    !text.contains("\n\n\n\n"),
                    "{title}: a gap in {}",
                    file.path
                );
                assert!(!text.starts_with('\n'), "{title}: a gap in {}", file.path);
            }
        }
    }

    #[test]
    fn every_part_ends_and_is_of_something() {
        let mut known = Language::names();
        known.extend(Kind::names());
        known.extend(["checkout", "published", "windows", "unix"].map(str::to_owned));
        for (path, bytes) in TEMPLATES {
            if VENDORED.iter().any(|folder| path.contains(folder)) {
                continue;
            }
            let mut open = 0;
            for line in String::from_utf8_lossy(bytes).lines() {
                match marker(line) {
                    Some("end") => open -= 1,
                    Some(words) => {
                        open += 1;
                        for word in words.split(' ') {
                            assert!(known.iter().any(|one| one == word), "{path}: {line}");
                        }
                    }
                    None => {}
                }
                assert!(open >= 0, "{path}: {line}");
            }
            assert_eq!(open, 0, "{path}");
        }
    }

    fn readme(plugin: &Plugin) -> String {
        let files = plugin.files();
        let readme = files.iter().find(|file| file.path == "README.md");
        match readme.map(|file| &file.content) {
            Some(Content::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => panic!("no README"),
        }
    }

    /// Windows lacks `tenon dev`, `state` and `terraform`, and starts `test.cmd`.
    #[test]
    fn a_readme_names_only_commands_that_the_system_has() {
        for plugin in every() {
            let text = readme(&plugin);
            let title = format!("{:?} {:?}: {text}", plugin.language, plugin.kind);
            assert_eq!(text.contains("`tenon dev`"), !plugin.is_windows, "{title}");
            assert_eq!(text.contains("`./test`"), !plugin.is_windows, "{title}");
            assert_eq!(text.contains(r"`.\test`"), plugin.is_windows, "{title}");
            if plugin.is_windows {
                for command in ["`. <(tenon state serve", "`tenon terraform plan"] {
                    assert!(!text.contains(command), "{title}");
                }
            }
        }
    }

    #[test]
    fn a_plugin_in_rust_says_where_its_crate_is() {
        for (sdk, dependency, is_told) in [
            (
                Sdk::Folder(r#"/a "b"/crates/plugin"#.into()),
                r#"tenon-plugin = { path = "/a \"b\"/crates/plugin" }"#.to_owned(),
                false,
            ),
            (
                Sdk::Registry,
                format!("tenon-plugin = {:?}", env!("CARGO_PKG_VERSION")),
                true,
            ),
        ] {
            let plugin = Plugin {
                name: "weather".into(),
                language: Language::Rust,
                kind: Kind::All,
                is_windows: false,
                sdk,
            };
            let files = plugin.files();
            let text = |path: &str| {
                let file = files.iter().find(|file| file.path == path).expect("a file");
                let Content::Text(bytes) = &file.content else {
                    panic!("a file")
                };
                String::from_utf8_lossy(bytes).into_owned()
            };
            assert!(text("Cargo.toml").lines().any(|line| line == dependency));
            assert_eq!(text("README.md").contains("--sdk"), is_told);
        }
    }

    #[test]
    fn a_readme_is_short() {
        for plugin in every() {
            let text = readme(&plugin);
            assert!(text.lines().count() <= 40, "{text}");
        }
    }
}
