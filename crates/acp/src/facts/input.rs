//! What the input of a tool says. Each agent has its own names for files, commands and folders.

use std::path::Path;

use serde_json::{Map, Value};
use tenon_protocols::acp::ToolKind;

use super::{Facts, environment, path};

/// Ends of the names by which agents name files, in lower case and without signs.
const PATHS: [&str; 8] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "fileuri",
    "fileuris",
];
/// What ends so and is not a file.
const NOT_PATHS: [&str; 2] = ["profile", "awsprofile"];
/// Names of files in what changes them; elsewhere they are other things.
const CHANGED_PATHS: [&str; 7] = [
    "source",
    "destination",
    "target",
    "from",
    "to",
    "uri",
    "newuri",
];
const COMMANDS: [&str; 8] = [
    "command",
    "commands",
    "cmd",
    "cmds",
    "commandline",
    "shellcommand",
    "bashcommand",
    "script",
];
/// Where a command is run; without a command it is a file.
const FOLDERS: [&str; 8] = [
    "cwd",
    "workdir",
    "workingdir",
    "workingdirectory",
    "dir",
    "directory",
    "dirpath",
    "folder",
];
const VARIABLES: [&str; 3] = ["env", "environment", "envs"];
/// Members that are the input of another tool.
const INPUTS: [&str; 6] = [
    "input",
    "arguments",
    "args",
    "params",
    "parameters",
    "toolinput",
];
/// Members that are commands if there is no other one. Beside a command, they say which shell runs it.
const SCRIPTS: [&str; 4] = ["argv", "bash", "powershell", "shell"];
/// New text of a file.
const TEXTS: [&str; 4] = ["content", "newcontent", "newstring", "newtext"];
/// Members with a member for each file, by its path.
const BY_PATH: [&str; 2] = ["changes", "filechanges"];
/// Patterns of files, below the path that is stated with them.
const PATTERNS: [&str; 5] = ["glob", "globs", "globpattern", "include", "includepattern"];
/// Patches, which name the files that they change.
const PATCHES: [&str; 4] = ["diff", "patch", "patchtext", "unifieddiff"];
/// What is before the name of a file in a line of a patch.
const PATCHED: [&str; 4] = [
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];
const DEEPEST_INPUT: usize = 16;

/// `file_path`, `filePath` and `FilePath` are one name.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The members of an object with plain names.
struct Members<'v>(Vec<(String, &'v Value)>);

impl<'v> Members<'v> {
    fn of(members: &'v Map<String, Value>) -> Members<'v> {
        let members = members.iter().map(|(name, value)| (plain(name), value));
        Members(members.collect())
    }

    fn named(&self, names: &[&str]) -> impl Iterator<Item = &'v Value> {
        let is_named = |name: &String| names.contains(&name.as_str());
        { self.0.iter() }
            .filter(move |(name, _)| is_named(name))
            .map(|(_, value)| *value)
    }

    fn paths(&self, changes: bool, runs: bool) -> impl Iterator<Item = &'v Value> {
        let is_path = move |name: &str| {
            let is_file = PATHS.iter().any(|end| name.ends_with(end));
            let is_folder = FOLDERS.contains(&name);
            match is_folder {
                true => !runs,
                false => {
                    is_file && !NOT_PATHS.contains(&name)
                        || changes && CHANGED_PATHS.contains(&name)
                }
            }
        };
        { self.0.iter() }
            .filter(move |(name, _)| is_path(name))
            .map(|(_, value)| *value)
    }
}

impl Facts {
    /// The `rawInput` of a tool call.
    pub(super) fn add_input(&mut self, input: &Value, folder: &Path) {
        match object(input) {
            Some(members) => self.add_members(&members, folder, 0),
            // It may say anything.
            None => self.is_incomplete |= !input.is_null(),
        }
    }

    /// The input of a tool. That of a tool that calls another one has its input in it.
    fn add_members(&mut self, members: &Map<String, Value>, folder: &Path, depth: usize) {
        let members = Members::of(members);
        let runs = members.named(&COMMANDS).any(|value| !value.is_null());
        let changes = matches!(
            self.kind,
            Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move)
        );
        for value in members.paths(changes, runs) {
            self.add_paths(value, folder);
        }
        let variables: Vec<(&str, &str)> = { members.named(&VARIABLES) }
            .filter(|_| runs)
            .flat_map(|value| self.read_variables(value))
            .collect();
        for value in members.named(&COMMANDS) {
            self.add_command(value, members.named(&["args"]).next(), &variables);
        }
        // It may be a list of lines instead of words: then each is run.
        for line in { members.named(&["commands", "cmds"]) }
            .filter_map(Value::as_array)
            .flatten()
        {
            if let Some(line) = line.as_str().filter(|line| line.contains(' ')) {
                self.add_line(&environment::before(&variables, line));
            }
        }
        for value in members.named(&FOLDERS).filter(|_| runs) {
            match value {
                Value::String(stated) => self.add_folder(stated, folder),
                Value::Null => {}
                _ => self.is_incomplete = true,
            }
        }
        for value in members.named(&SCRIPTS).filter(|_| !runs) {
            self.add_command(value, members.named(&["args"]).next(), &[]);
        }
        self.has_text |= members.named(&TEXTS).any(Value::is_string);
        self.has_code |= members.named(&["code"]).any(Value::is_string);
        self.add_patterns(&members, folder);
        for patch in members.named(&PATCHES).filter_map(Value::as_str) {
            let names_files = self.add_patch(patch, folder);
            self.is_incomplete |= !names_files && members.paths(changes, runs).next().is_none();
        }
        for keys in members.named(&BY_PATH).filter_map(Value::as_object) {
            keys.keys().for_each(|path| self.add_path(path, folder));
        }
        let is_input = |name: &String| INPUTS.contains(&name.as_str());
        let is_variables = |name: &String| VARIABLES.contains(&name.as_str());
        for (name, value) in members.0.iter().filter(|(name, _)| !is_variables(name)) {
            match object(value).filter(|_| is_input(name)) {
                Some(nested) => self.add_nested(&Value::Object(nested), folder, depth + 1),
                None => self.add_nested(value, folder, depth + 1),
            }
        }
    }

    /// What is deeper in an input: `{"edits": [{"path": "a"}]}`.
    fn add_nested(&mut self, value: &Value, folder: &Path, depth: usize) {
        match value {
            Value::Object(_) | Value::Array(_) if depth > DEEPEST_INPUT => {
                self.is_incomplete = true;
            }
            Value::Object(nested) => self.add_members(nested, folder, depth),
            Value::Array(items) => {
                { items.iter() }.for_each(|item| self.add_nested(item, folder, depth + 1));
            }
            // Whatever it is called, it is a file.
            Value::String(text) if !path::of_file_uri(text).is_empty() && !text.contains('\n') => {
                self.add_path(text, folder);
            }
            _ => {}
        }
    }

    /// A search for files of some names below a folder.
    fn add_patterns(&mut self, members: &Members<'_>, folder: &Path) {
        let stated = members.paths(false, false).find_map(Value::as_str);
        let base = stated.map_or(folder.to_owned(), |stated| folder.join(stated));
        for value in members.named(&PATTERNS) {
            match value {
                Value::String(pattern) => self.add_path(pattern, &base),
                Value::Array(items) => { items.iter().filter_map(Value::as_str) }
                    .for_each(|pattern| self.add_path(pattern, &base)),
                _ => {}
            }
        }
    }

    /// The files that a patch changes. Returns whether it names some.
    fn add_patch(&mut self, patch: &str, folder: &Path) -> bool {
        let mut names: Vec<&str> = { patch.lines() }
            .filter_map(|line| PATCHED.iter().find_map(|before| line.strip_prefix(before)))
            .collect();
        // A line alone that begins so is a part of the text.
        for (old, new) in patch.lines().zip(patch.lines().skip(1)) {
            if let (Some(old), Some(new)) = (old.strip_prefix("--- "), new.strip_prefix("+++ ")) {
                names.extend([old, new]);
            }
        }
        for name in &names {
            let name = name.split('\t').next().unwrap_or(name).trim();
            // Git writes `a/` and `b/` before the names.
            let short = ["a/", "b/"].iter().find_map(|side| name.strip_prefix(side));
            if name != "/dev/null" {
                self.add_path(short.unwrap_or(name), folder);
            }
        }
        !names.is_empty()
    }

    fn add_paths(&mut self, value: &Value, folder: &Path) {
        match value {
            Value::String(path) => self.add_path(path, folder),
            Value::Array(items) => items.iter().for_each(|item| self.add_paths(item, folder)),
            Value::Object(item) => {
                let found = Members::of(item)
                    .paths(false, false)
                    .find(|path| path.is_string());
                match found {
                    Some(path) => self.add_paths(path, folder),
                    None => self.is_incomplete = true,
                }
            }
            // `createFile: true` is about a file, and does not name it.
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// `{"NAME": "VALUE"}`, or `[{"name": "NAME", "value": "VALUE"}]`.
    fn read_variables<'v>(&mut self, value: &'v Value) -> Vec<(&'v str, &'v str)> {
        let pairs: Option<Vec<(&str, &str)>> = match value {
            Value::Object(members) => { members.iter() }
                .map(|(name, value)| Some((name.as_str(), value.as_str()?)))
                .collect(),
            Value::Array(items) => { items.iter() }
                .map(|item| Some((item["name"].as_str()?, item["value"].as_str()?)))
                .collect(),
            Value::Null => Some(Vec::new()),
            _ => None,
        };
        self.is_incomplete |= pairs.is_none();
        pairs.unwrap_or_default()
    }

    fn add_command(
        &mut self,
        value: &Value,
        arguments: Option<&Value>,
        variables: &[(&str, &str)],
    ) {
        let words = |value: &Value| -> Option<Vec<String>> {
            let words = value.as_array()?.iter();
            words.map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let arguments = match arguments {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(arguments) => words(arguments),
        };
        let Some(arguments) = arguments else {
            self.is_incomplete = true;
            return;
        };
        match value {
            Value::String(text) if arguments.is_empty() => {
                self.add_line(&environment::before(variables, text));
            }
            Value::String(program) => self.add_words(program, &arguments, variables),
            Value::Null => {}
            _ => match words(value).as_deref() {
                Some([program, rest @ ..]) => {
                    self.add_words(program, &[rest, &arguments].concat(), variables);
                }
                Some([]) => {}
                None => self.is_incomplete = true,
            },
        }
    }
}

/// An object, also if it is written as a text: that is how models call tools.
fn object(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members.clone()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;

    fn facts(kind: &str, input: &Value) -> Facts {
        let call = json!({ "toolCallId": "t", "kind": kind, "rawInput": input }).to_string();
        let mut facts = Facts::default();
        facts.add_update(&serde_json::from_str(&call).unwrap(), Path::new("/w"));
        facts
    }

    fn paths(of: &[&str]) -> BTreeSet<PathBuf> {
        of.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn names_of_members_are_compared_without_case_and_signs() {
        for name in [
            "path",
            "file_path",
            "filePath",
            "FilePath",
            "target_file",
            "AbsolutePath",
        ] {
            let facts = facts("edit", &json!({ name: "a" }));
            assert_eq!(facts.paths, paths(&["/w/a"]), "{name}");
        }
        for name in ["command", "Command", "CMD", "shell_command", "commandLine"] {
            let facts = facts("execute", &json!({ name: "ls" }));
            assert!(facts.commands.contains("ls"), "{name}");
        }
        let profile = facts("execute", &json!({ "command": "ls", "profile": "x" }));
        assert_eq!(profile.paths, paths(&[]));
    }

    #[test]
    fn both_ends_of_a_move_are_files() {
        let moved = json!({ "source": "a", "destination": "/etc/b" });
        assert_eq!(facts("move", &moved).paths, paths(&["/w/a", "/etc/b"]));
        assert_eq!(facts("fetch", &moved).paths, paths(&[]));
    }

    #[test]
    fn an_input_that_is_a_text_is_read_too() {
        let run = r#"{"command":"rm x","cwd":"/etc"}"#;
        for input in [json!(run), json!({ "tool": "shell", "arguments": run })] {
            let facts = facts("other", &input);
            assert!(facts.commands.contains("rm x"), "{input}");
            assert_eq!(facts.folders, paths(&["/etc"]), "{input}");
        }
        for input in [json!("rm x"), json!(["rm x"]), json!(7)] {
            assert!(facts("other", &input).is_incomplete, "{input}");
        }
        assert!(!facts("other", &json!(null)).is_incomplete);
    }

    #[test]
    fn variables_and_folders_belong_to_the_command() {
        for variables in [
            json!({ "PATH": "/x" }),
            json!([{ "name": "PATH", "value": "/x" }]),
        ] {
            let input = json!({ "command": "make", "env": variables, "workdir": "sub" });
            let facts = facts("execute", &input);
            assert_eq!(facts.commands, BTreeSet::from(["PATH=/x make".to_owned()]));
            assert_eq!(facts.folders, paths(&["/w/sub"]));
            assert_eq!(facts.paths, paths(&[]));
        }
        let unreadable = json!({ "command": "make", "env": ["PATH=/x"] });
        assert!(facts("execute", &unreadable).is_incomplete);
        let here = facts("execute", &json!({ "command": "make", "cwd": "/w/." }));
        assert_eq!(here.folders, paths(&[]));
        let search = facts("search", &json!({ "directory": "sub" }));
        assert_eq!(search.paths, paths(&["/w/sub"]));
    }
}
