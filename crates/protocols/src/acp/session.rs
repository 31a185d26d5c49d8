//! Beginning, listing and ending sessions.

use super::{ConfigOption, Raw};

record! {
    /// The params of `session/new`.
    pub struct NewSessionParams {
        required {
            /// The folder that the agent works in, as an absolute path.
            cwd: String = "cwd",
        }
        optional {
            /// Servers that the agent connects to. Required by version 1; some clients leave it out.
            mcp_servers: Vec<McpServer> = "mcpServers",
            /// More folders.
            additional_directories: Vec<String> = "additionalDirectories",
        }
    }
}

record! {
    /// The result of `session/new`.
    pub struct NewSessionResult {
        required {
            /// The name of the session: any text.
            session_id: String = "sessionId",
        }
        optional {
            /// Modes, if the agent has some.
            modes: Modes = "modes",
            /// Models, if the agent has some. Version 1 has `configOptions` for that.
            models: Models = "models",
            /// Options, if the agent has some.
            config_options: Vec<ConfigOption> = "configOptions",
        }
    }
}

record! {
    /// The params of `session/load` and `session/resume`.
    pub struct OpenSessionParams {
        required {
            /// A session that the agent has kept.
            session_id: String = "sessionId",
            /// The folder that the agent works in, as an absolute path.
            cwd: String = "cwd",
        }
        optional {
            /// Servers that the agent connects to. Required for `session/load` by version 1.
            mcp_servers: Vec<McpServer> = "mcpServers",
            /// More folders.
            additional_directories: Vec<String> = "additionalDirectories",
        }
    }
}

record! {
    /// The result of `session/load` and `session/resume`.
    pub struct OpenSessionResult {
        optional {
            /// Modes, if the agent has some.
            modes: Modes = "modes",
            /// Models, if the agent has some. Version 1 has `configOptions` for that.
            models: Models = "models",
            /// Options, if the agent has some.
            config_options: Vec<ConfigOption> = "configOptions",
        }
    }
}

record! {
    /// Params that name a session and nothing else.
    pub struct SessionParams {
        required {
            /// The session.
            session_id: String = "sessionId",
        }
        optional {}
    }
}

record! {
    /// The params of `session/list`.
    pub struct ListSessionsParams {
        optional {
            /// Only sessions in this folder.
            cwd: String = "cwd",
            /// Where the last page ended.
            cursor: String = "cursor",
        }
    }
}

record! {
    /// The result of `session/list`.
    pub struct ListSessionsResult {
        required {
            /// One page of sessions.
            sessions: Vec<SessionInfo> = "sessions",
        }
        optional {
            /// The `cursor` of the next page, if there is one.
            next_cursor: String = "nextCursor",
        }
    }
}

record! {
    /// A session in a list.
    pub struct SessionInfo {
        required {
            /// Its name.
            session_id: String = "sessionId",
            /// Its folder.
            cwd: String = "cwd",
        }
        optional {
            /// For people.
            title: String = "title",
            /// When it was changed last, in ISO 8601.
            updated_at: String = "updatedAt",
            /// More folders.
            additional_directories: Vec<String> = "additionalDirectories",
        }
    }
}

record! {
    /// The modes of a session.
    pub struct Modes {
        required {
            /// The one that is on.
            current_mode_id: String = "currentModeId",
            /// All of them.
            available_modes: Vec<Mode> = "availableModes",
        }
        optional {}
    }
}

record! {
    /// A mode.
    pub struct Mode {
        required {
            /// The name for programs.
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
    /// The params of `session/set_mode`.
    pub struct SetModeParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// The mode.
            mode_id: String = "modeId",
        }
        optional {}
    }
}

record! {
    /// The models of a session.
    pub struct Models {
        required {
            /// The one in use.
            current_model_id: String = "currentModelId",
            /// All of them.
            available_models: Vec<Model> = "availableModels",
        }
        optional {}
    }
}

record! {
    /// A model.
    pub struct Model {
        required {
            /// The name for programs.
            model_id: String = "modelId",
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
    /// The params of `session/set_model`.
    pub struct SetModelParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// The model.
            model_id: String = "modelId",
        }
        optional {}
    }
}

union! {
    /// An MCP server that the agent is to use.
    pub enum McpServer by "type" {
        /// By HTTP.
        Http(HttpServer) = "http",
        /// By HTTP with server-sent events.
        Sse(HttpServer) = "sse",
        /// A program, in the form of earlier versions.
        Local(LocalServer) = "local",
    }
    /// A program that the agent starts.
    else Stdio(StdioServer)
}

record! {
    /// A server that the agent starts.
    pub struct StdioServer {
        required {
            /// For people.
            name: String = "name",
            /// The program.
            command: String = "command",
        }
        optional {
            /// Its arguments. Required by version 1.
            args: Vec<String> = "args",
            /// Variables for it. Required by version 1.
            env: Vec<Variable> = "env",
        }
    }
}

record! {
    /// A server that the agent starts, in the form of earlier versions.
    pub struct LocalServer {
        required {
            /// For people.
            name: String = "name",
            /// The program and its arguments.
            command: Vec<String> = "command",
        }
        optional {
            /// Variables for it: an object of texts.
            environment: Raw = "environment",
        }
    }
}

record! {
    /// A server at a URL.
    pub struct HttpServer {
        required {
            /// For people.
            name: String = "name",
            /// Where it is.
            url: String = "url",
            /// Headers for every request.
            headers: Vec<Variable> = "headers",
        }
        optional {}
    }
}

record! {
    /// An environment variable or a header.
    pub struct Variable {
        required {
            /// Its name.
            name: String = "name",
            /// Its value, which may be a secret.
            value: String = "value",
        }
        optional {}
    }
}

impl McpServer {
    /// The server in the form of version 1. What a program in the form of earlier versions lacks is empty.
    #[must_use]
    pub fn into_v1(self) -> McpServer {
        let McpServer::Local(local) = self else {
            return self;
        };
        let mut command = local.command.into_iter();
        let mut server = StdioServer::new(local.name, command.next().unwrap_or_default());
        server.args = Some(command.collect());
        let environment: Option<std::collections::BTreeMap<String, String>> =
            local.environment.and_then(|raw| raw.decode().ok());
        let variables = environment.unwrap_or_default().into_iter();
        server.env = Some(
            variables
                .map(|(name, value)| Variable::new(name, value))
                .collect(),
        );
        server.rest = local.rest;
        McpServer::Stdio(server)
    }
}
