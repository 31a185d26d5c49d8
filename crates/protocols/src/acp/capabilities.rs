//! The first call, and what each side can do. What is not stated is not supported.

use super::{Raw, VERSION};

record! {
    /// The params of `initialize`.
    pub struct InitializeParams {
        required {
            /// The latest version that the client speaks.
            protocol_version: u16 = "protocolVersion",
        }
        optional {
            /// What the client can do.
            client_capabilities: ClientCapabilities = "clientCapabilities",
            /// Who the client is.
            client_info: Implementation = "clientInfo",
        }
    }
}

record! {
    /// The result of `initialize`.
    pub struct InitializeResult {
        required {
            /// The version that is spoken from now on.
            protocol_version: u16 = "protocolVersion",
        }
        optional {
            /// What the agent can do.
            agent_capabilities: AgentCapabilities = "agentCapabilities",
            /// Ways to log in.
            auth_methods: Vec<AuthMethod> = "authMethods",
            /// Who the agent is.
            agent_info: Implementation = "agentInfo",
        }
    }
}

impl Default for InitializeParams {
    fn default() -> InitializeParams {
        InitializeParams::new(VERSION)
    }
}

impl Default for InitializeResult {
    fn default() -> InitializeResult {
        InitializeResult::new(VERSION)
    }
}

record! {
    /// The name of a program.
    pub struct Implementation {
        required {
            /// For programs.
            name: String = "name",
            /// Its version.
            version: String = "version",
        }
        optional {
            /// For people.
            title: String = "title",
        }
    }
}

record! {
    /// What a client can do.
    pub struct ClientCapabilities {
        optional {
            /// Reading and writing files.
            fs: FileSystemCapabilities = "fs",
            /// All methods of terminals.
            terminal: bool = "terminal",
            /// Updates and options that not every client understands.
            session: ClientSessionCapabilities = "session",
            /// Ways to log in.
            auth: ClientAuthCapabilities = "auth",
            /// Asking the user.
            elicitation: ElicitationCapabilities = "elicitation",
        }
    }
}

record! {
    /// Which methods of files a client answers.
    pub struct FileSystemCapabilities {
        optional {
            /// `fs/read_text_file`.
            read_text_file: bool = "readTextFile",
            /// `fs/write_text_file`.
            write_text_file: bool = "writeTextFile",
        }
    }
}

record! {
    /// Updates and options that not every client understands. An object, also an empty one, means yes.
    pub struct ClientSessionCapabilities {
        optional {
            /// Updates about compaction.
            compaction: Raw = "compaction",
            /// Kinds of options besides `select`.
            config_options: ConfigOptionsCapabilities = "configOptions",
            /// Notices.
            notices: Raw = "notices",
        }
    }
}

record! {
    /// Kinds of options that not every client understands.
    pub struct ConfigOptionsCapabilities {
        optional {
            /// Options that are on or off.
            boolean: Raw = "boolean",
        }
    }
}

record! {
    /// How a client can log in.
    pub struct ClientAuthCapabilities {
        optional {
            /// It can start the agent in a terminal for that.
            terminal: bool = "terminal",
        }
    }
}

record! {
    /// How a client can ask the user. An object, also an empty one, means yes.
    pub struct ElicitationCapabilities {
        optional {
            /// With a form.
            form: Raw = "form",
            /// With a page in a browser.
            url: Raw = "url",
        }
    }
}

record! {
    /// What an agent can do.
    pub struct AgentCapabilities {
        optional {
            /// `session/load`.
            load_session: bool = "loadSession",
            /// Content of prompts besides text and links.
            prompt_capabilities: PromptCapabilities = "promptCapabilities",
            /// Ways to reach MCP servers besides starting them.
            mcp_capabilities: McpCapabilities = "mcpCapabilities",
            /// Further methods of sessions.
            session_capabilities: SessionCapabilities = "sessionCapabilities",
            /// Logging in and out.
            auth: AgentAuthCapabilities = "auth",
        }
    }
}

record! {
    /// Content of prompts besides text and links.
    pub struct PromptCapabilities {
        optional {
            /// Images.
            image: bool = "image",
            /// Sounds.
            audio: bool = "audio",
            /// Resources with their contents.
            embedded_context: bool = "embeddedContext",
        }
    }
}

record! {
    /// Ways to reach MCP servers besides starting them.
    pub struct McpCapabilities {
        optional {
            /// By HTTP.
            http: bool = "http",
            /// By HTTP with server-sent events, which is deprecated.
            sse: bool = "sse",
        }
    }
}

record! {
    /// Further methods of sessions. An object, also an empty one, means yes.
    pub struct SessionCapabilities {
        optional {
            /// `session/list`.
            list: Raw = "list",
            /// `session/delete`.
            delete: Raw = "delete",
            /// More folders than `cwd`.
            additional_directories: Raw = "additionalDirectories",
            /// `session/resume`.
            resume: Raw = "resume",
            /// `session/close`.
            close: Raw = "close",
        }
    }
}

record! {
    /// Logging in and out.
    pub struct AgentAuthCapabilities {
        optional {
            /// `logout`. An object means yes.
            logout: Raw = "logout",
        }
    }
}

union! {
    /// A way to log in.
    pub enum AuthMethod by "type" {
        /// The client starts the agent in a terminal, and the user logs in there.
        Terminal(TerminalAuth) = "terminal",
    }
    /// The client calls `authenticate`, and the agent does the rest.
    else Agent(AgentAuth) or "agent"
}

record! {
    /// The agent asks for what it needs.
    pub struct AgentAuth {
        required {
            /// The `methodId` of `authenticate`.
            id: String = "id",
            /// For people.
            name: String = "name",
        }
        optional {
            /// For people.
            description: String = "description",
        }
    }
}

record! {
    /// The user logs in in a terminal.
    pub struct TerminalAuth {
        required {
            /// The name for programs.
            id: String = "id",
            /// For people.
            name: String = "name",
        }
        optional {
            /// For people.
            description: String = "description",
            /// Arguments after those of the agent.
            args: Vec<String> = "args",
            /// Variables besides those of the agent: an object of texts.
            env: Raw = "env",
        }
    }
}

record! {
    /// The params of `authenticate`.
    pub struct AuthenticateParams {
        required {
            /// One of the ways that the agent named.
            method_id: String = "methodId",
        }
        optional {}
    }
}

record! {
    /// An object that may be empty: params and results without members of their own.
    pub struct Empty {
        optional {}
    }
}
