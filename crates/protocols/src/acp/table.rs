//! Every method, once: its name, who answers it, what it needs, its limits and its types.

use std::time::Duration;

use serde::de::DeserializeOwned;
use tenon_rpc::{Payload, PayloadError, Text};

use super::*;

/// A side of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The editor.
    Client,
    /// The agent.
    Agent,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Client => Side::Agent,
            Side::Agent => Side::Client,
        }
    }

    /// `client` or `agent`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Agent => "agent",
        }
    }
}

/// What the receiver must have stated in `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    Open,
    /// One of these members of its capabilities is `true`, or an object.
    Stated(&'static [&'static [&'static str]]),
}

/// How often a method may be called in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// So many times in a minute.
    pub per_minute: u32,
}

/// One method or event.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name on the wire.
    pub name: &'static str,
    /// Who receives it; `None` for both.
    pub to: Option<Side>,
    /// It is not answered.
    pub is_event: bool,
    /// What the receiver must have stated.
    pub gate: Gate,
    /// The largest message, in bytes of params or result.
    pub size: Option<usize>,
    /// How often it may be sent in a session.
    pub rate: Option<Rate>,
    /// How long an answer may take. For `session/prompt` and `session/load`: how long nothing may happen in the session.
    pub timeout: Option<Duration>,
    /// It can be tried again after a timeout.
    pub is_retried: bool,
    /// Its params name a session.
    pub has_session: bool,
    check_params: Check,
    check_result: Check,
}

type Check = fn(&Payload) -> Result<(), PayloadError>;

fn fits<T: DeserializeOwned>(payload: &Payload) -> Result<(), PayloadError> {
    payload.decode_private::<T>().map(drop)
}

/// As `fits`, without decoding the content, which may have many megabytes.
fn fits_write(params: &Payload) -> Result<(), PayloadError> {
    match view::is_write(params) {
        true => Ok(()),
        // It says what is wrong, and quotes nothing.
        false => fits::<WriteTextFileParams>(params),
    }
}

/// As `fits`, without decoding the content.
fn fits_read(result: &Payload) -> Result<(), PayloadError> {
    match view::is_read(result) {
        true => Ok(()),
        false => fits::<ReadTextFileResult>(result),
    }
}

const BASE: Entry = Entry {
    name: "",
    to: None,
    is_event: false,
    gate: Gate::Open,
    size: None,
    rate: None,
    timeout: None,
    is_retried: false,
    has_session: true,
    check_params: |_| Ok(()),
    check_result: |_| Ok(()),
};

impl Entry {
    /// Whether params fit the method.
    ///
    /// # Errors
    /// They do not. The text says where, and quotes nothing: they may contain secrets.
    pub fn check_params(&self, params: Option<&Payload>) -> Result<(), PayloadError> {
        let null = Payload::null(tenon_rpc::Format::Json);
        (self.check_params)(params.unwrap_or(&null))
    }

    /// Whether a result fits the method. Many agents answer `null` instead of an empty list or object.
    ///
    /// # Errors
    /// As for [`check_params`](Entry::check_params).
    pub fn check_result(&self, result: &Payload) -> Result<(), PayloadError> {
        match result.is_null() {
            true => Ok(()),
            false => (self.check_result)(result),
        }
    }

    /// Whether this side receives it.
    pub fn is_for(&self, side: Side) -> bool {
        self.to.is_none_or(|to| to == side)
    }
}

/// The row of a method or event. Extensions, whose names begin with `_`, have none.
pub fn method(name: &str) -> Option<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name)
}

/// Whether this is the name of an extension, which each side may define.
pub fn is_extension(name: &Text) -> bool {
    name.starts_with('_')
}

const KB: usize = 1024;
const MB: usize = 1024 * KB;

const fn per_minute(per_minute: u32) -> Option<Rate> {
    Some(Rate { per_minute })
}

const fn seconds(seconds: u64) -> Option<Duration> {
    Some(Duration::from_secs(seconds))
}

/// The limit of calls that the message specification does not name: that of `session/new`.
const CALL: Option<Duration> = seconds(60);

const TERMINAL: Gate = Gate::Stated(&[&["terminal"]]);

macro_rules! table {
    (
        calls {
            $($(#[doc = $about:expr])* $call:ident = $name:literal $(to $to:ident)? ($params:ty) -> $result:ty
                $({ $($field:ident: $value:expr),+ $(,)? })?;)+
        }
        events {
            $($(#[doc = $event_about:expr])* $event:ident = $event_name:literal $(to $event_to:ident)? ($event_params:ty)
                $({ $($event_field:ident: $event_value:expr),+ $(,)? })?;)+
        }
    ) => {
        tenon_rpc::methods! { $($(#[doc = $about])* pub $call = $name ($params) -> $result;)+ }
        tenon_rpc::events! { $($(#[doc = $event_about])* pub $event = $event_name ($event_params);)+ }

        /// Every method and event.
        pub static METHODS: &[Entry] = &[
            $(Entry {
                name: $name,
                $(to: Some(Side::$to),)?
                $($($field: $value,)+)?
                ..Entry { check_params: fits::<$params>, check_result: fits::<$result>, ..BASE }
            },)+
            $(Entry {
                name: $event_name,
                $(to: Some(Side::$event_to),)?
                is_event: true,
                check_params: fits::<$event_params>,
                $($($event_field: $event_value,)+)?
                ..BASE
            },)+
        ];
    };
}

table! {
    calls {
        /// The first call: versions and capabilities.
        Initialize = "initialize" to Agent (InitializeParams) -> InitializeResult {
            has_session: false, size: Some(10 * KB), timeout: seconds(30),
        };
        /// Logs in.
        Authenticate = "authenticate" to Agent (AuthenticateParams) -> Empty {
            // A person may have to find a password.
            has_session: false, timeout: seconds(900),
        };
        /// Logs out.
        Logout = "logout" to Agent (Empty) -> Empty {
            has_session: false, gate: Gate::Stated(&[&["auth", "logout"]]), timeout: CALL,
        };
        /// Begins a session.
        NewSession = "session/new" to Agent (NewSessionParams) -> NewSessionResult {
            has_session: false, size: Some(50 * KB), timeout: seconds(60),
        };
        /// Continues a session, and sends its history again before the answer.
        LoadSession = "session/load" to Agent (OpenSessionParams) -> OpenSessionResult {
            gate: Gate::Stated(&[&["loadSession"]]), size: Some(50 * KB), timeout: CALL,
        };
        /// Continues a session without its history.
        ResumeSession = "session/resume" to Agent (OpenSessionParams) -> OpenSessionResult {
            gate: Gate::Stated(&[&["sessionCapabilities", "resume"]]), size: Some(50 * KB), timeout: CALL,
        };
        /// Lists sessions.
        ListSessions = "session/list" to Agent (ListSessionsParams) -> ListSessionsResult {
            has_session: false, gate: Gate::Stated(&[&["sessionCapabilities", "list"]]), timeout: CALL,
        };
        /// Deletes a session. An unknown one is not an error.
        DeleteSession = "session/delete" to Agent (SessionParams) -> Empty {
            gate: Gate::Stated(&[&["sessionCapabilities", "delete"]]), timeout: CALL,
        };
        /// Ends a session, which can be loaded again.
        CloseSession = "session/close" to Agent (SessionParams) -> Empty {
            gate: Gate::Stated(&[&["sessionCapabilities", "close"]]), timeout: CALL,
        };
        /// Changes the mode.
        SetMode = "session/set_mode" to Agent (SetModeParams) -> Empty { timeout: CALL };
        /// Changes the model. Not in version 1; agents still answer it.
        SetModel = "session/set_model" to Agent (SetModelParams) -> Empty { timeout: CALL };
        /// Changes an option.
        SetConfigOption = "session/set_config_option" to Agent (SetConfigOptionParams) -> ConfigOptions { timeout: CALL };
        /// A turn: it is answered when the agent has finished.
        Prompt = "session/prompt" to Agent (PromptParams) -> PromptResult {
            size: Some(MB), rate: per_minute(10), timeout: seconds(300),
        };
        /// Asks whether a tool call may be made.
        RequestPermission = "session/request_permission" to Client (PermissionParams) -> PermissionResult;
        /// Reads a file, also what the editor has not saved.
        ReadTextFile = "fs/read_text_file" to Client (ReadTextFileParams) -> ReadTextFileResult {
            gate: Gate::Stated(&[&["fs", "readTextFile"]]),
            size: Some(10 * MB), rate: per_minute(100), timeout: seconds(30), is_retried: true,
            check_result: fits_read,
        };
        /// Writes a file.
        WriteTextFile = "fs/write_text_file" to Client (WriteTextFileParams) -> Empty {
            gate: Gate::Stated(&[&["fs", "writeTextFile"]]),
            size: Some(10 * MB), rate: per_minute(50), timeout: seconds(60), is_retried: true,
            check_params: fits_write,
        };
        /// Starts a program. It is answered immediately.
        CreateTerminal = "terminal/create" to Client (CreateTerminalParams) -> CreateTerminalResult { gate: TERMINAL };
        /// What a program has printed.
        TerminalOutputs = "terminal/output" to Client (TerminalParams) -> TerminalOutput { gate: TERMINAL };
        /// Waits for the end of a program.
        WaitForExit = "terminal/wait_for_exit" to Client (TerminalParams) -> ExitStatus { gate: TERMINAL };
        /// Ends a program. Its output stays.
        KillTerminal = "terminal/kill" to Client (TerminalParams) -> Empty { gate: TERMINAL };
        /// Ends a program, and forgets its terminal.
        ReleaseTerminal = "terminal/release" to Client (TerminalParams) -> Empty { gate: TERMINAL };
        /// Asks the user.
        CreateElicitation = "elicitation/create" to Client (ElicitationParams) -> ElicitationResult {
            has_session: false, gate: Gate::Stated(&[&["elicitation", "form"], &["elicitation", "url"]]),
        };
    }
    events {
        /// Cancels the turn of a session, which then ends with `cancelled`.
        Cancel = "session/cancel" to Agent (SessionParams);
        /// Reports what is new in a session.
        Update = "session/update" to Client (UpdateParams) { size: Some(100 * KB), rate: per_minute(1000) };
        /// The page of a question is done.
        ElicitationComplete = "elicitation/complete" to Client (ElicitationCompleteParams) { has_session: false };
        /// Cancels a request, which is answered all the same.
        CancelRequest = "$/cancel_request" (CancelRequestParams) { has_session: false };
    }
}
