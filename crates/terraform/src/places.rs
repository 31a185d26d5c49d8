//! Where the diagnostics of scripts are shown, and how paths are written.

use tenon_protocols::Secrets;
use tenon_protocols::denobridge::{self, Severity as Said};
use tenon_tfplugin::{AttributePath, Diagnostic, Diagnostics, PathStep, Severity, block};
use tenon_values::{Kind, Number, Value};

/// A diagnostic as a warning, with a note before what it says.
pub(crate) fn warning_of(diagnostic: Diagnostic, note: String) -> Diagnostic {
    let detail = match diagnostic.detail.as_str() {
        "" => note,
        detail => paragraphs(&note, detail),
    };
    Diagnostic {
        severity: Severity::Warning,
        detail,
        ..diagnostic
    }
}

/// The same with its attribute in words, for where Terraform does not show the line. What says
/// which script to run is left out: errors name the script.
pub(crate) fn spelled_out(diagnostic: Diagnostic) -> Diagnostic {
    let steps = diagnostic.attribute.iter().flat_map(|path| &path.0);
    let mut words = steps.map(|step| match step {
        PathStep::Attribute(word) | PathStep::Key(word) => word.clone(),
        PathStep::Index(index) => index.to_string(),
    });
    let root = words
        .next()
        .filter(|root| root != "path" && root != "command");
    let Some(root) = root else {
        return diagnostic;
    };
    let place = path_text(&root, &words.collect::<Vec<_>>());
    Diagnostic {
        detail: paragraphs(&diagnostic.detail, &format!("Attribute: {place}")),
        ..diagnostic
    }
}

/// Two paragraphs, or one if the first is empty.
pub(crate) fn paragraphs(first: &str, second: &str) -> String {
    match first {
        "" => second.to_owned(),
        first => format!("{first}\n\n{second}"),
    }
}

/// A path as a configuration writes it: `props.tags[0]`, `props["a b"]`.
pub(crate) fn path_text(root: &str, steps: &[String]) -> String {
    let is_name = |word: &str| {
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
        word.chars().all(is_letter) && word.starts_with(|first: char| first.is_alphabetic())
    };
    let steps = steps.iter().map(|word| match word.parse::<u64>() {
        Ok(index) => format!("[{index}]"),
        Err(_) if is_name(word) => format!(".{word}"),
        Err(_) => format!("[{word:?}]"),
    });
    std::iter::once(root.to_owned()).chain(steps).collect()
}

/// Where the diagnostics of scripts are shown.
pub(crate) struct Places<'a> {
    /// The block they are about, as it was configured.
    pub(crate) block: &'a Value,
    /// How many steps Terraform follows. Older ones show the whole block for a longer path, which
    /// helps less than the nearest attribute.
    pub(crate) depth: usize,
    /// What scripts say may hold them.
    pub(crate) secrets: &'a Secrets,
}

impl Places<'_> {
    /// The same for diagnostics that are shown in words, whatever Terraform follows.
    pub(crate) fn in_words(self) -> Self {
        Places {
            depth: usize::MAX,
            ..self
        }
    }

    /// What a script said, as Terraform shows it.
    pub(crate) fn show(&self, said: denobridge::Diagnostic) -> Diagnostic {
        let path = said.prop_path.filter(|path| !path.is_empty());
        // What renewing and closing need to know is in no block.
        let path = path.filter(|path| path[0] != "privateData");
        let summary = match said.summary.is_empty() {
            true => "The script reports a problem".to_owned(),
            false => self.secrets.hide(&said.summary),
        };
        let detail = self.secrets.hide(&said.detail);
        let shown = match said.severity {
            Said::Error => Diagnostic::error(summary, detail),
            Said::Warning => Diagnostic::warning(summary, detail),
        };
        Diagnostic {
            attribute: path.map(|path| self.find(&path)),
            ..shown
        }
    }

    /// Everything a script said.
    pub(crate) fn show_all(&self, said: Vec<denobridge::Diagnostic>) -> Diagnostics {
        said.into_iter().map(|one| self.show(one)).collect()
    }

    /// The attribute that a script means: it knows the names of its params.
    fn find(&self, path: &[String]) -> AttributePath {
        let (root, rest) = match path {
            [first, rest @ ..] => match self.root(first) {
                Some(root) => (root, rest),
                // Not the name of anything around the props, so it must be one inside them.
                None => ("props", path),
            },
            [] => ("props", path),
        };
        let mut steps = vec![PathStep::Attribute(root.to_owned())];
        let mut value = Some(block::part(self.block, root));
        for word in rest.iter().take(self.depth - 1) {
            let (step, below) = inner_step(word, value.as_ref());
            // What is not in the block is what the script made up.
            steps.push(match below {
                Some(_) => step,
                None => inner_step(&self.secrets.hide(word), None).0,
            });
            value = below;
        }
        AttributePath(steps)
    }

    fn root<'a>(&self, name: &'a str) -> Option<&'a str> {
        Some(match name {
            "nextProps" | "currentProps" | "modifiedProps" => "props",
            "writeOnlyProps" | "nextWriteOnlyProps" | "writeOnly" => "write_only_props",
            "currentState" => "state",
            "sensitiveState" | "currentSensitiveState" => "sensitive_state",
            "sensitiveResult" => "sensitive_result",
            "configFile" => "config_file",
            "sensitive" => ["sensitive_state", "sensitive_result"]
                .into_iter()
                .find(|name| self.has(name))?,
            name if self.has(name) => name,
            _ => return None,
        })
    }

    fn has(&self, name: &str) -> bool {
        let parts = self.block.attributes();
        parts.is_some_and(|parts| parts.get(name).is_some())
    }
}

/// A step into a value, whose kind tells whether a number is an index or a key.
fn inner_step(word: &str, value: Option<&Value>) -> (PathStep, Option<Value>) {
    let index = word.parse::<i64>().ok().filter(|index| *index >= 0);
    let kind = value.map(|value| (value, value.kind()));
    // A key that exists must be exact; any other is only shown.
    let key = |below: Option<Value>| match below {
        Some(below) => (PathStep::Key(word.to_owned()), Some(below)),
        None => (PathStep::Key(tenon_text::line(word).into_owned()), None),
    };
    match (kind, index) {
        (Some((_, Kind::Object(parts))), _) => key(parts.get(word).cloned()),
        (Some((map, Kind::Map(_))), _) => key(map.index(&Value::from(word)).ok()),
        (Some((list, Kind::List(_) | Kind::Tuple(_))), Some(index)) => (
            PathStep::Index(index),
            list.index(&Value::number(Number::from(index))).ok(),
        ),
        (_, Some(index)) => (PathStep::Index(index), None),
        (_, None) => key(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &[&str], depth: usize) -> String {
        let block = Value::object([
            (
                "props",
                Value::object([
                    ("tags", Value::tuple(vec![Value::from("a")])),
                    ("7", Value::from("seven")),
                ]),
            ),
            ("state", Value::NULL),
            ("sensitive_state", Value::NULL),
        ]);
        let places = Places {
            block: &block,
            depth,
            secrets: &Secrets::default(),
        };
        let said = denobridge::Diagnostic::error("s", "d").at(path.iter().copied());
        let Some(path) = places.show(said).attribute else {
            return "none".to_owned();
        };
        let steps = path.0.into_iter().map(|step| match step {
            PathStep::Attribute(name) => format!(".{name}"),
            PathStep::Key(key) => format!("[{key:?}]"),
            PathStep::Index(index) => format!("[{index}]"),
        });
        steps.collect()
    }

    #[test]
    fn a_path_of_params_becomes_one_of_attributes() {
        for (path, expected) in [
            (&[][..], "none"),
            (&["props"], ".props"),
            (&["props", "tags", "0"], ".props[\"tags\"][0]"),
            (&["nextProps", "tags"], ".props[\"tags\"]"),
            (&["currentProps", "7"], ".props[\"7\"]"),
            (&["tags", "0"], ".props[\"tags\"][0]"),
            (&["currentState", "a"], ".state[\"a\"]"),
            (&["sensitive", "a"], ".sensitive_state[\"a\"]"),
            (&["sensitiveState"], ".sensitive_state"),
            (&["props", "absent", "-1"], ".props[\"absent\"][\"-1\"]"),
            (&["props", "absent", "1abc"], ".props[\"absent\"][\"1abc\"]"),
            (
                &["props", "absent", "my-key"],
                ".props[\"absent\"][\"my-key\"]",
            ),
        ] {
            assert_eq!(shown(path, usize::MAX), expected, "{path:?}");
        }
    }

    #[test]
    fn a_path_in_words_is_written_as_in_a_configuration() {
        let steps = ["tags", "0", "a b", "my-key"].map(str::to_owned);
        assert_eq!(path_text("props", &steps), "props.tags[0][\"a b\"].my-key");
        assert_eq!(path_text("props", &[]), "props");
        let shown = spelled_out(Diagnostic::error("s", "d").at("props"));
        assert_eq!(shown.detail, "d\n\nAttribute: props");
        assert_eq!(spelled_out(Diagnostic::error("s", "")).detail, "");
    }

    #[test]
    fn a_path_ends_where_terraform_stops_following() {
        assert_eq!(shown(&["props", "tags", "0"], 2), ".props[\"tags\"]");
    }
}
