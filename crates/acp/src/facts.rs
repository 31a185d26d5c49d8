//! What a tool call does, as far as the agent says it.

mod command;
mod environment;
mod input;
mod options;
mod path;
mod reading;
mod shell;
mod starters;
mod windows;
mod word;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tenon_protocols::acp::{
    CreateTerminalParams, Location, Raw, ToolCall, ToolCallUpdate, ToolContent, ToolKind,
};

use crate::paths::spelling;

use command::Given;
pub use command::{Commands, command_line};
pub(crate) use command::{Key, Meant};
pub(crate) use environment::variables;
pub(crate) use path::normal;

/// What a tool call does: its kind, the files that it is about and the commands that it runs.
///
/// Agents say it in several messages and several members, so facts are collected: a rule that allows something must
/// hold for all of them, a rule that denies something for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The last kind that was stated.
    pub kind: Option<ToolKind>,
    /// What it does, for people.
    pub title: Option<String>,
    /// Absolute paths, without `.` and `..`.
    pub paths: BTreeSet<PathBuf>,
    /// Paths with `..`, as they were written: behind a link they lead elsewhere than their text says.
    pub climbing: BTreeSet<PathBuf>,
    /// Command lines, with the variables that are set for them before each: `NAME=VALUE make`. Of a shell that is given a
    /// script it is the script.
    pub commands: BTreeSet<String>,
    /// Where the commands are run, if that is stated and is not the folder of the session.
    pub folders: BTreeSet<PathBuf>,
    /// What is started too, for rules that ask or deny: the command lines of shells whose scripts are among the commands, and
    /// the script of what may be a shell.
    pub shells: BTreeSet<String>,
    /// How commands of several words read without their quotes: so they are run by clients that join the words to a line.
    pub joined: BTreeSet<String>,
    /// It shows how a file changes.
    pub has_diff: bool,
    /// It has the new text of a file.
    pub has_text: bool,
    /// It has code, which is run unless the call changes a file.
    pub has_code: bool,
    /// It has a terminal, in which something runs.
    pub has_terminal: bool,
    /// One of the files has several names (hard links), so other files than these are meant as well.
    pub has_other_names: bool,
    /// A path or command could not be read, so more is done than is listed here.
    pub is_incomplete: bool,
}

/// More files and commands of a tool call, and more of each, are not kept. Then more is done than is listed.
const MOST: usize = 1024;
const LONGEST_PATH: usize = 4096;
const LONGEST_COMMAND: usize = 1 << 17;
const LONGEST_TITLE: usize = 4096;
/// All of it together, in bytes.
const MOST_BYTES: usize = 1 << 20;

fn short(title: &str) -> String {
    beginning(title, LONGEST_TITLE).to_owned()
}

/// The longest prefix of at most `most` bytes.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

impl Facts {
    /// A file that is read.
    pub fn reading(path: &str, folder: &Path) -> Facts {
        Facts::of_file(ToolKind::Read, path, folder)
    }

    /// A file that is written.
    pub fn writing(path: &str, folder: &Path) -> Facts {
        Facts::of_file(ToolKind::Edit, path, folder)
    }

    fn of_file(kind: ToolKind, path: &str, folder: &Path) -> Facts {
        let mut facts = Facts {
            kind: Some(kind),
            ..Facts::default()
        };
        facts.add_path(path, folder);
        facts
    }

    /// A program that is started in a session with this folder.
    pub fn running(params: &CreateTerminalParams, folder: &Path) -> Facts {
        let mut facts = Facts {
            kind: Some(ToolKind::Execute),
            ..Facts::default()
        };
        let variables = variables(params.env.as_deref());
        facts.is_incomplete |= variables.is_err();
        let variables = variables.unwrap_or_default();
        let arguments = params.args.clone().unwrap_or_default();
        match arguments.is_empty() {
            // Some agents give the whole line as the program.
            true => facts.add_line(&environment::before(&variables, &params.command)),
            false => facts.add_words(&params.command, &arguments, &variables),
        }
        if let Some(stated) = &params.cwd {
            facts.add_folder(stated, folder);
        }
        facts
    }

    fn add_words(&mut self, program: &str, arguments: &[String], variables: &[(&str, &str)]) {
        let words = command::command_line(program, arguments);
        let line = environment::before(variables, &words);
        match command::script(program, arguments) {
            Some(Given::Script(script)) if line == words => {
                self.add_shell(&line);
                self.add_line(script);
                return;
            }
            Some(Given::Script(script) | Given::Perhaps(script)) => self.add_shell(script),
            None => {}
        }
        self.add_line(&line);
        if let Some(joined) = command::joined(program, arguments) {
            self.add_joined(environment::before(variables, &joined));
        }
    }

    fn add_shell(&mut self, line: &str) {
        let has_room = self.shells.len() < MOST && self.bytes() < MOST_BYTES;
        if has_room && line.len() <= LONGEST_COMMAND {
            self.shells.insert(line.to_owned());
        }
    }

    fn add_joined(&mut self, line: String) {
        let has_room = self.joined.len() < MOST && self.bytes() < MOST_BYTES;
        match has_room && line.len() <= LONGEST_COMMAND {
            true => drop(self.joined.insert(line)),
            false => self.is_incomplete = true,
        }
    }

    /// Where commands are run.
    fn add_folder(&mut self, stated: &str, folder: &Path) {
        for meaning in path::meanings(stated) {
            if self.folders.len() >= MOST
                || meaning.len() > LONGEST_PATH
                || self.bytes() >= MOST_BYTES
            {
                self.is_incomplete = true;
                return;
            }
            let path = self.absolute(&meaning, folder);
            let normal = path::normal(&path);
            self.folders.extend(spelling::aliases(&normal));
            if normal != folder {
                self.folders.insert(normal);
            }
            if path::climbs(&path) {
                self.climbing.insert(path);
            }
        }
    }

    /// Adds what a new tool call says. Paths are relative to `folder` unless they are absolute.
    pub fn add(&mut self, call: &ToolCall, folder: &Path) {
        self.title = Some(short(&call.title));
        self.add_parts(
            call.kind.as_ref(),
            call.locations.as_deref(),
            call.content.as_deref(),
            call.raw_input.as_ref(),
            folder,
        );
    }

    /// Adds what an update or a request for permission says.
    pub fn add_update(&mut self, call: &ToolCallUpdate, folder: &Path) {
        if let Some(title) = &call.title {
            self.title = Some(short(title));
        }
        self.add_parts(
            call.kind.as_ref(),
            call.locations.as_deref(),
            call.content.as_deref(),
            call.raw_input.as_ref(),
            folder,
        );
    }

    fn add_parts(
        &mut self,
        kind: Option<&ToolKind>,
        locations: Option<&[Location]>,
        content: Option<&[ToolContent]>,
        input: Option<&Raw>,
        folder: &Path,
    ) {
        if kind.is_some() {
            self.kind = kind.cloned();
        }
        for location in locations.unwrap_or_default() {
            self.add_path(&location.path, folder);
        }
        for item in content.unwrap_or_default() {
            match item {
                ToolContent::Diff(diff) => {
                    self.has_diff = true;
                    self.add_path(&diff.path, folder);
                }
                ToolContent::Terminal(_) => self.has_terminal = true,
                _ => {}
            }
        }
        if let Some(input) = input.and_then(|input| input.decode().ok()) {
            self.add_input(&input, folder);
        }
    }

    fn add_path(&mut self, path: &str, folder: &Path) {
        for meaning in path::meanings(path) {
            if self.paths.len() >= MOST
                || meaning.len() > LONGEST_PATH
                || self.bytes() >= MOST_BYTES
            {
                self.is_incomplete = true;
                return;
            }
            let path = self.absolute(&meaning, folder);
            let normal = path::normal(&path);
            self.paths.extend(spelling::aliases(&normal));
            self.paths.insert(normal);
            if path::climbs(&path) {
                self.climbing.insert(path);
            }
        }
    }

    fn absolute(&mut self, path: &str, folder: &Path) -> PathBuf {
        let path = folder.join(path);
        // On Windows, `C:file` is in a folder that only the agent knows.
        self.is_incomplete |= !path.is_absolute();
        path
    }

    /// Adds a command line. What is kept of a tool call is bounded: an agent may send any number of them.
    fn add_line(&mut self, line: &str) {
        let kept = beginning(line, LONGEST_COMMAND);
        let has_room = self.commands.len() < MOST && self.bytes() < MOST_BYTES;
        self.is_incomplete |= kept.len() < line.len() || !has_room;
        if has_room {
            self.commands.insert(kept.to_owned());
        }
    }

    /// How much is kept.
    pub(crate) fn bytes(&self) -> usize {
        let paths = [&self.paths, &self.climbing, &self.folders];
        let lines = [&self.commands, &self.shells, &self.joined];
        let paths = paths
            .into_iter()
            .flatten()
            .map(|path| path.as_os_str().len());
        let lines = lines.into_iter().flatten().map(String::len);
        let title = self.title.as_ref().map_or(0, String::len);
        paths.chain(lines).sum::<usize>() + title
    }

    /// The files and commands that were not stated before, if there are any.
    pub(crate) fn since(&self, before: &Facts) -> Option<Facts> {
        let facts = Facts {
            paths: &self.paths - &before.paths,
            commands: &self.commands - &before.commands,
            shells: &self.shells - &before.shells,
            joined: &self.joined - &before.joined,
            ..self.clone()
        };
        (!facts.paths.is_empty() || !facts.commands.is_empty()).then_some(facts)
    }

    /// Adds where the paths lead to if there are symbolic links in them, and finds hard links.
    pub fn follow_links(&mut self) {
        let targets = |paths: &mut dyn Iterator<Item = &PathBuf>| -> Vec<PathBuf> {
            paths.filter_map(|path| path::target(path)).collect()
        };
        let paths = targets(&mut self.paths.iter().chain(&self.climbing));
        let folders = targets(&mut self.folders.iter());
        self.paths.extend(paths);
        self.folders.extend(folders);
        self.has_other_names |= self.paths.iter().any(|path| spelling::names(path) > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(update: &str) -> Facts {
        let mut facts = Facts::default();
        facts.add_update(&serde_json::from_str(update).unwrap(), Path::new("/w"));
        facts
    }

    #[cfg(unix)]
    fn paths(facts: &Facts) -> Vec<&str> {
        { facts.paths.iter() }
            .map(|path| path.to_str().unwrap())
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn files_are_collected_from_everywhere() {
        let facts = facts(
            r#"{"toolCallId":"t","kind":"edit","title":"Edit","locations":[{"path":"/w/a"}],
            "content":[{"type":"diff","path":"/w/x/../b","newText":""}],
            "rawInput":{"filepath":"c","files":["/w/d",{"path":"/w/e"}],"file_path":"file:///w/f"}}"#,
        );
        assert_eq!(facts.kind, Some(ToolKind::Edit));
        assert_eq!(
            paths(&facts),
            ["/w/a", "/w/b", "/w/c", "/w/d", "/w/e", "/w/f"]
        );
        assert!(!facts.is_incomplete);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_cannot_climb_by_its_text() {
        let facts = facts(r#"{"toolCallId":"t","rawInput":{"path":"src/../../etc/passwd"}}"#);
        assert_eq!(paths(&facts), ["/etc/passwd"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_means_whatever_it_can_mean() {
        let facts = facts(r#"{"toolCallId":"t","rawInput":{"path":"file:///w/%2eenv"}}"#);
        assert_eq!(paths(&facts), ["/w/%2eenv", "/w/.env"]);
        let home = std::env::var("HOME").unwrap();
        let facts = self::facts(r#"{"toolCallId":"t","rawInput":{"path":"~/.ssh/id"}}"#);
        let expected = [
            PathBuf::from(home).join(".ssh/id"),
            PathBuf::from("/w/~/.ssh/id"),
        ];
        assert_eq!(facts.paths, BTreeSet::from(expected));
    }

    /// An agent can send any number of tool calls, each with any number of files and commands.
    #[cfg(unix)]
    #[test]
    fn long_commands_of_a_call_are_bounded_together() {
        let mut facts = Facts::default();
        for number in 0..100 {
            facts.add_line(&format!("{number} {}", "x".repeat(100_000)));
        }
        assert!(facts.bytes() < MOST_BYTES + LONGEST_COMMAND);
        assert!(facts.is_incomplete);
    }

    #[test]
    fn what_is_kept_of_a_call_is_bounded() {
        let files: Vec<String> = (0..5000).map(|number| format!("/w/{number}")).collect();
        let long = "é".repeat(1 << 20);
        let call = serde_json::json!({ "toolCallId": "t", "title": long,
            "rawInput": { "files": files, "command": long } });
        let facts = facts(&call.to_string());
        assert!(facts.is_incomplete);
        assert_eq!(facts.paths.len(), MOST);
        assert!(
            facts
                .commands
                .iter()
                .all(|line| line.len() <= LONGEST_COMMAND)
        );
        assert!(facts.title.unwrap().len() <= LONGEST_TITLE);
    }

    #[cfg(unix)]
    #[test]
    fn commands_are_texts_or_words() {
        let command = |input: &str| {
            let facts = facts(&format!(r#"{{"toolCallId":"t","rawInput":{input}}}"#));
            assert!(!facts.is_incomplete, "{input}");
            facts.commands.into_iter().next().unwrap()
        };
        assert_eq!(command(r#"{"command":"git status"}"#), "git status");
        assert_eq!(
            command(r#"{"command":"git","args":["log","a b"]}"#),
            "git log 'a b'"
        );
        assert_eq!(command(r#"{"cmd":["bash","-lc","rm -rf /"]}"#), "rm -rf /");
        assert_eq!(command(r#"{"command":["ls"],"args":["-l"]}"#), "ls -l");
        assert_eq!(
            command(r#"{"tool":"x","arguments":{"command":"ls"}}"#),
            "ls"
        );
        let several = facts(r#"{"toolCallId":"t","rawInput":{"commands":["ls -l","rm x"]}}"#);
        assert!(several.commands.contains("rm x"), "{several:?}");
        let shell = facts(r#"{"toolCallId":"t","rawInput":{"command":["bash","-c","ls"]}}"#);
        assert_eq!(shell.shells, BTreeSet::from(["bash -c ls".to_owned()]));
    }

    #[test]
    fn what_cannot_be_read_is_known_to_be_missing() {
        for input in [
            r#"{"command":7}"#,
            r#"{"command":["a",1]}"#,
            r#"{"command":"a","args":"b"}"#,
            r#"{"path":{"x":1}}"#,
        ] {
            let facts = facts(&format!(r#"{{"toolCallId":"t","rawInput":{input}}}"#));
            assert!(facts.is_incomplete, "{input}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_files_that_do_not_exist_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        // By its text, `far/../x` is a file of the root.
        std::os::unix::fs::symlink("/usr/bin", root.join("far")).unwrap();
        let mut facts = Facts::writing("far/../x", &root);
        facts.follow_links();
        let behind = Path::new("/usr/bin").canonicalize().unwrap();
        let behind = behind.parent().unwrap().join("x");
        assert_eq!(facts.paths, BTreeSet::from([root.join("x"), behind]));
        let mut facts = Facts::writing("link/new.txt", &root);
        facts.follow_links();
        let expected = [root.join("link/new.txt"), root.join("real/new.txt")];
        assert_eq!(facts.paths, BTreeSet::from(expected));
    }
}
