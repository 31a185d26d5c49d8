//! A prompt with line editing and history, on a separate thread.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rustyline::completion::Completer;
use rustyline::config::Behavior;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};
use tenon_host::own_file;
use tokio::sync::mpsc;

use crate::exit::Failure;
use crate::output::screen;
use crate::platform::TerminalState;

/// Lines that are remembered from one session to the next.
const HISTORY: usize = 1000;

/// What Tab completes: from the text before the cursor, where the word begins and what it may be.
pub(crate) type Complete = Box<dyn Fn(&str) -> (usize, Vec<String>) + Send>;

/// How lines are edited.
pub(crate) struct Editing<'a> {
    /// The name of the file that remembers them.
    pub(crate) history: &'a str,
    /// Lines that contain one of these, in lower case, are not remembered.
    pub(crate) secrets: Vec<String>,
    pub(crate) complete: Complete,
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Prompt<'a> {
    /// The next line of the conversation.
    Line,
    /// The answer to a question, which is shown. It is not remembered: it may be a secret.
    Question(&'a str),
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    Line(String),
    /// A line that is not UTF-8.
    Unreadable,
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the script.
    End,
}

/// A prompt for the thread.
struct Asked {
    prompt: String,
    /// Whether what is typed goes into the history.
    is_remembered: bool,
}

pub(crate) struct Terminal {
    prompts: SyncSender<Asked>,
    entered: mpsc::Receiver<Entered>,
    /// Whether the thread is reading a line.
    is_reading: bool,
    /// How the terminal was before. The thread restores it after each line, but cannot if we end
    /// while it reads.
    before: Option<TerminalState>,
}

impl Terminal {
    pub(crate) fn open(editing: Editing<'_>) -> Result<Terminal, Failure> {
        let config = Config::builder()
            // The prompt goes to the terminal itself: stdout is for results alone.
            .behavior(Behavior::PreferTerm)
            // Several lines that are pasted are several lines.
            .bracketed_paste(false)
            .history_ignore_space(true)
            .max_history_size(HISTORY)
            .map_err(cannot_open)?
            .build();
        let mut editor = Editor::with_config(config).map_err(cannot_open)?;
        editor.set_helper(Some(Names(editing.complete)));
        let history = history_file(editing.history);
        if let Some(history) = &history {
            // The first session has none.
            let _not_there = editor.load_history(history);
        }
        if let Ok(mut printer) = editor.create_external_printer() {
            screen::start(move |text| {
                // A closed terminal shows nothing.
                let _gone = printer.print(text);
            });
        }
        let (prompts, asked) = sync_channel(1);
        let (typed, entered) = mpsc::channel(1);
        let thread = Thread {
            editor,
            history,
            secrets: editing.secrets,
        };
        std::thread::spawn(move || thread.run(&asked, &typed));
        Ok(Terminal {
            prompts,
            entered,
            is_reading: false,
            before: TerminalState::of_stdin(),
        })
    }

    pub(crate) async fn next(&mut self, prompt: Prompt<'_>) -> Entered {
        if !self.is_reading {
            screen::begin_editing();
            let (prompt, is_remembered) = match prompt {
                Prompt::Line => ("> ", true),
                Prompt::Question(question) => (question, false),
            };
            let asked = Asked {
                prompt: prompt.to_owned(),
                is_remembered,
            };
            self.is_reading = self.prompts.send(asked).is_ok();
        }
        // If the thread has ended, so has the input.
        let entered = self.entered.recv().await.unwrap_or(Entered::End);
        self.is_reading = false;
        screen::end_editing();
        entered
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if !self.is_reading {
            return;
        }
        if let Some(before) = &self.before {
            before.restore();
        }
        screen::end_editing();
        crate::output::talk("");
    }
}

fn cannot_open(error: ReadlineError) -> Failure {
    Failure::cannot_start(format!("the terminal cannot be used: {error}"))
}

/// What reads lines.
struct Thread {
    editor: Editor<Names, FileHistory>,
    history: Option<PathBuf>,
    /// Names of members whose values are masked.
    secrets: Vec<String>,
}

impl Thread {
    fn run(mut self, asked: &Receiver<Asked>, typed: &mpsc::Sender<Entered>) {
        while let Ok(asked) = asked.recv() {
            let entered = match self.editor.readline(&asked.prompt) {
                Ok(line) => {
                    if asked.is_remembered {
                        self.remember(&line);
                    }
                    Entered::Line(line)
                }
                Err(ReadlineError::Interrupted) => Entered::Interrupted,
                Err(_) => Entered::End,
            };
            if typed.blocking_send(entered).is_err() {
                return;
            }
        }
    }

    /// Lines that contain a masked name are not stored.
    fn remember(&mut self, line: &str) {
        let lower = line.to_lowercase();
        if self.secrets.iter().any(|secret| lower.contains(secret)) {
            return;
        }
        let is_new = self.editor.add_history_entry(line).unwrap_or(false);
        if let (true, Some(history)) = (is_new, &self.history) {
            // Without a history, the session still works.
            let _not_written = self.editor.append_history(history);
        }
    }
}

/// Where lines are remembered, in a folder that only its owner can read.
fn history_file(name: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = variable("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/state")));
    // On Windows.
    let state = state.or_else(|| variable("LOCALAPPDATA").map(PathBuf::from))?;
    let folder = state.join("tenon");
    own_file::create_folder(&folder).ok()?;
    Some(folder.join(name))
}

/// The names that Tab completes.
struct Names(Complete);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((self.0)(&line[..position]))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
