//! How a client is set up: what it offers, and who answers the agent's questions.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::PluginCommand;
use tenon_protocols::Protocol;
use tenon_protocols::acp::{
    ClientAuthCapabilities, ClientCapabilities, ClientSessionCapabilities,
    ConfigOptionsCapabilities, ElicitationCapabilities, ElicitationParams, ElicitationResult,
    Empty, FileSystemCapabilities, Implementation, PermissionKind, PermissionParams,
    PermissionResult, Raw,
};
use tenon_rpc::Tap;
use tenon_rpc::trace::Redact;

use crate::facts::Facts;
use crate::paths::FolderNames;
use crate::policy::{Action, Decision, Policy};

/// The answer of a user, which may take long. It is dropped when the turn is cancelled.
pub type Answer<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Makes the command of a terminal out of a program and its arguments, with the environment, the permissions and the
/// limits that it should have. The agent's folder and variables are added to it.
pub type Launch = Arc<dyn Fn(&str, &[String]) -> PluginCommand + Send + Sync>;

/// Who answers what the agent asks.
pub trait User: Send + Sync + 'static {
    /// Whether a tool call may be made. Calls of files and terminals that no permission covers are asked for in the
    /// same way; their ids begin with `tenon-`.
    fn permission(&self, request: PermissionParams) -> Answer<PermissionResult>;

    /// A question with a form or a page, if [`Setup::offered`] has it.
    fn elicitation(&self, question: ElicitationParams) -> Answer<ElicitationResult> {
        let _not_answered = question;
        Box::pin(async { ElicitationResult::Cancel(Empty::default()) })
    }

    /// The page of a question is done.
    fn elicitation_complete(&self, elicitation_id: &str) {
        let _not_shown = elicitation_id;
    }

    /// A policy has decided about a call, so that the user is not asked.
    fn decided(&self, request: &PermissionParams, decision: &Decision) {
        let _not_shown = (request, decision);
    }

    /// A file was written for the agent, with this many bytes.
    fn wrote(&self, session_id: &str, path: &str, bytes: usize) {
        let _not_shown = (session_id, path, bytes);
    }
}

/// The user of [`Setup::default`]: rejects everything.
struct Nobody;

impl User for Nobody {
    fn permission(&self, request: PermissionParams) -> Answer<PermissionResult> {
        let answer = rejection(&request);
        Box::pin(async { answer })
    }
}

/// The answer that rejects a call, once rather than always.
pub(super) fn rejection(request: &PermissionParams) -> PermissionResult {
    let option = |kind| request.options.iter().find(|option| option.kind == kind);
    let rejects = option(PermissionKind::RejectOnce);
    match rejects.or_else(|| option(PermissionKind::RejectAlways)) {
        Some(option) => PermissionResult::selected(option.option_id.clone()),
        None => PermissionResult::cancelled(),
    }
}

/// What the agent may use of this client.
#[derive(Clone)]
pub struct Offered {
    /// Reading files below the folders of the session.
    pub reads_files: bool,
    /// Writing files below the folders of the session.
    pub writes_files: bool,
    /// Starting programs; nothing if there are no terminals.
    pub terminals: Option<Launch>,
    /// Terminals that may exist at the same time, in all sessions.
    pub terminal_limit: usize,
    /// Questions with a form.
    pub forms: bool,
    /// Questions with a page in a browser.
    pub pages: bool,
    /// The user can run the agent in a terminal to log in.
    pub terminal_login: bool,
}

impl Default for Offered {
    /// Everything that needs no user interface; terminals with the default environment of plugins.
    fn default() -> Offered {
        Offered {
            reads_files: true,
            writes_files: true,
            terminals: Some(Arc::new(|program, arguments| {
                PluginCommand::new(program).args(arguments)
            })),
            terminal_limit: 32,
            forms: false,
            pages: false,
            terminal_login: false,
        }
    }
}

impl fmt::Debug for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offered")
            .field("reads_files", &self.reads_files)
            .field("writes_files", &self.writes_files)
            .field("terminals", &self.terminals.is_some())
            .field("forms", &self.forms)
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

/// How a client is set up. The default offers files and terminals, and rejects every request for permission.
#[derive(Clone)]
pub struct Setup {
    /// The name and version that the agent gets.
    pub info: Implementation,
    /// What the agent may use.
    pub offered: Offered,
    /// Who answers questions.
    pub user: Arc<dyn User>,
    /// What is decided without the user. The first one with a rule that matches decides; otherwise the default of the
    /// last one does.
    pub policies: Vec<Policy>,
    /// How long the agent may take to answer `initialize`.
    pub start_limit: Duration,
    /// How long nothing may happen in a turn. Time in which the agent waits for the user or for a terminal does not
    /// count. Then the turn is cancelled.
    pub inactivity: Option<Duration>,
    /// How long the agent may take to end a cancelled turn.
    pub cancel_limit: Duration,
    /// Sees every message.
    pub tap: Option<Arc<dyn Tap>>,
    /// Masks secrets where the agent's bytes are quoted.
    pub redact: Option<Redact>,
}

impl Default for Setup {
    fn default() -> Setup {
        let limit =
            tenon_protocols::acp::method("session/prompt").and_then(|prompt| prompt.timeout);
        Setup {
            info: Implementation {
                title: Some("Tenon".to_owned()),
                ..Implementation::new("tenon", env!("CARGO_PKG_VERSION"))
            },
            offered: Offered::default(),
            user: Arc::new(Nobody),
            policies: Vec::new(),
            start_limit: Protocol::Acp.start_limit(),
            inactivity: limit,
            cancel_limit: Duration::from_secs(10),
            tap: None,
            redact: None,
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("info", &self.info)
            .field("offered", &self.offered)
            .field("inactivity", &self.inactivity)
            .finish_non_exhaustive()
    }
}

impl Setup {
    /// What is decided about a call in a session with this folder.
    pub(super) fn decide(&self, facts: &Facts, folder: &FolderNames) -> Decision {
        let mut last = None;
        for policy in &self.policies {
            let decision = policy.decide(facts, folder);
            if decision.rule.is_some() {
                return decision;
            }
            last = Some(decision);
        }
        last.unwrap_or_else(|| Decision {
            action: Action::Ask,
            rule: None,
            at: None,
            why: "there are no rules".to_owned(),
            is_doubtful: false,
            passed: Vec::new(),
        })
    }

    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let offered = &self.offered;
        let yes = |is_offered: bool| {
            let empty = Raw::parse("{}").ok();
            empty.filter(|_| is_offered)
        };
        ClientCapabilities {
            fs: Some(FileSystemCapabilities {
                read_text_file: Some(offered.reads_files),
                write_text_file: Some(offered.writes_files),
                ..FileSystemCapabilities::default()
            }),
            terminal: Some(offered.terminals.is_some()),
            session: Some(ClientSessionCapabilities {
                compaction: yes(true),
                config_options: Some(ConfigOptionsCapabilities {
                    boolean: yes(true),
                    ..ConfigOptionsCapabilities::default()
                }),
                notices: yes(true),
                ..ClientSessionCapabilities::default()
            }),
            auth: offered.terminal_login.then(|| ClientAuthCapabilities {
                terminal: Some(true),
                ..ClientAuthCapabilities::default()
            }),
            elicitation: (offered.forms || offered.pages).then(|| ElicitationCapabilities {
                form: yes(offered.forms),
                url: yes(offered.pages),
                ..ElicitationCapabilities::default()
            }),
            ..ClientCapabilities::default()
        }
    }
}
