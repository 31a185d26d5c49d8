//! What agents use of clients: files and terminals.

use super::Variable;

record! {
    /// The params of `fs/read_text_file`.
    pub struct ReadTextFileParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// An absolute path.
            path: String = "path",
        }
        optional {
            /// The first line to read, from 1.
            line: u32 = "line",
            /// How many lines to read.
            limit: u32 = "limit",
        }
    }
}

record! {
    /// The result of `fs/read_text_file`.
    pub struct ReadTextFileResult {
        required {
            /// The lines.
            content: String = "content",
        }
        optional {}
    }
}

record! {
    /// The params of `fs/write_text_file`. A missing file is created.
    pub struct WriteTextFileParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// An absolute path.
            path: String = "path",
            /// What the file contains afterwards.
            content: String = "content",
        }
        optional {}
    }
}

record! {
    /// The params of `terminal/create`.
    pub struct CreateTerminalParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// The program, or a command line for a shell if there are no arguments.
            command: String = "command",
        }
        optional {
            /// The arguments.
            args: Vec<String> = "args",
            /// Variables.
            env: Vec<Variable> = "env",
            /// The folder, as an absolute path.
            cwd: String = "cwd",
            /// How much output is kept, in bytes: the last.
            output_byte_limit: u64 = "outputByteLimit",
        }
    }
}

record! {
    /// The result of `terminal/create`.
    pub struct CreateTerminalResult {
        required {
            /// The name of the terminal.
            terminal_id: String = "terminalId",
        }
        optional {}
    }
}

record! {
    /// Params that name a terminal.
    pub struct TerminalParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// The terminal.
            terminal_id: String = "terminalId",
        }
        optional {}
    }
}

record! {
    /// The result of `terminal/output`.
    pub struct TerminalOutput {
        required {
            /// What the program has printed.
            output: String = "output",
            /// Whether its beginning is missing.
            truncated: bool = "truncated",
        }
        optional {
            /// How the program ended, if it has.
            exit_status: ExitStatus = "exitStatus",
        }
    }
}

record! {
    /// How a program ended.
    pub struct ExitStatus {
        optional {
            /// The number that it ended with.
            exit_code: i64 = "exitCode",
            /// The signal that ended it.
            signal: String = "signal",
        }
    }
}
