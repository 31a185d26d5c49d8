//! `tenon acp agent`: scenarios and plugins from an editor.

mod actions;
mod calling;
mod progress;
mod scenarios;
mod undoing;
mod words;
mod work;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_acp::agent::{
    About, Agent, AgentError, Opening, Session, Settings, Setup, Store, Turn, serve,
};
use tenon_protocols::acp::{
    Command, CommandInput, ContentBlock, Failure as Refusal, Mode, StopReason,
};
use tenon_rpc::{CloseReason, Io};

use crate::args::{AcpAgentArgs, EnvironmentArgs};
use crate::commands::signals::HangUp;
use crate::exit::{Code, Failure};
use crate::platform;
use words::Order;

/// A cancelled run has ten seconds for its running actions; this is longer.
const GRACE: Duration = Duration::from_secs(30);
/// The mode in which nothing is started or written.
const PLAN_ONLY: &str = "plan";

pub(crate) async fn run(args: &AcpAgentArgs) -> Result<(), Failure> {
    // Mistakes in the options are reported before an editor waits for an answer.
    args.environment.variables()?;
    let store = match folder(args) {
        Some(folder) => {
            let store = Store::open(&folder);
            Some(store.map_err(|error| {
                let folder = tenon_text::path(&folder);
                Failure::cannot_start(format!(
                    "sessions cannot be kept in {folder}: {error}\n  \
                     choose another folder with --store, or keep none with --no-store"
                ))
            })?)
        }
        None => None,
    };
    let agent = TenonAgent {
        environment: args.environment.clone(),
        allowed: Mutex::default(),
    };
    let settings = Settings {
        store,
        grace: GRACE,
        // Commands are short, and people type several in a row.
        rates: false,
        ..Settings::default()
    };
    let io = Io::stdio().map_err(Failure::cannot_start)?;
    // A dropped turn ends what it has started, and journals are as they should be at any moment.
    let mut terminate = platform::terminate().map_err(Failure::cannot_start)?;
    let mut hang_up = HangUp::watch()?;
    let reason = tokio::select! {
        reason = serve(agent, io, settings) => reason,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted()),
        _ = terminate.recv() => return Err(Failure::interrupted()),
        () = hang_up.received() => return Err(Failure::interrupted()),
    };
    match reason {
        CloseReason::PeerClosed | CloseReason::ClosedHere => Ok(()),
        CloseReason::BrokenStream(error) => Err(Failure::new(Code::BrokenProtocol, error)),
        reason => Err(Failure::cannot_start(reason)),
    }
}

/// Where sessions are kept.
fn folder(args: &AcpAgentArgs) -> Option<PathBuf> {
    if args.no_store || args.store.is_some() {
        return args.store.clone();
    }
    let absolute = |name| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME");
    let state = state.or_else(|| Some(absolute("HOME")?.join(".local/state")));
    // On Windows.
    let state = state.or_else(|| absolute("LOCALAPPDATA"));
    Some(state?.join("tenon/acp"))
}

/// The agent.
struct TenonAgent {
    /// What providers and plugins get.
    environment: EnvironmentArgs,
    /// What need not be asked for again, by session.
    allowed: Mutex<HashMap<String, HashSet<String>>>,
}

impl Agent for TenonAgent {
    fn about(&self) -> About {
        let mut about = About::new("tenon", env!("CARGO_PKG_VERSION"));
        about.info.title = Some("Tenon".into());
        about
    }

    async fn open(&self, session: &Session, _opening: Opening) -> Result<Setup, AgentError> {
        if !session.folder().is_dir() {
            let data = json!({ "path": session.folder(), "details": "there is no such folder" });
            return Err(AgentError::failure(Refusal::InvalidParams, data));
        }
        let mode = |id: &str, name: &str, about: &str| {
            let mut mode = Mode::new(id, name);
            mode.description = Some(about.to_owned());
            mode
        };
        Ok(Setup {
            modes: vec![
                mode(
                    "ask",
                    "Ask",
                    "Asks before it starts a program or writes a file",
                ),
                mode(
                    PLAN_ONLY,
                    "Plan only",
                    "Starts and writes nothing but what planning needs",
                ),
            ],
            commands: { words::COMMANDS.iter() }
                .map(|(name, hint, about)| {
                    let mut command = Command::new(*name, *about);
                    let has_input = !hint.is_empty();
                    command.input = has_input.then(|| CommandInput::new(*hint));
                    command
                })
                .collect(),
            ..Setup::default()
        })
    }

    async fn close(&self, session: &Session) {
        self.allowed().remove(session.id());
    }

    async fn prompt(
        &self,
        turn: Turn,
        prompt: Vec<ContentBlock>,
    ) -> Result<StopReason, AgentError> {
        let order = match words::read(&prompt) {
            Ok(order) => order,
            Err(answer) => {
                turn.say(answer).await?;
                return Ok(StopReason::EndTurn);
            }
        };
        let is_plan_only = turn.mode().as_deref() == Some(PLAN_ONLY);
        if is_plan_only && !matches!(order, Order::Help | Order::Scenarios(_) | Order::Plan(_)) {
            let answer = "The session is in the mode “Plan only”. Switch to “Ask” to do this.";
            turn.say(answer).await?;
            let data = json!({ "details": answer, "modeId": PLAN_ONLY });
            return Err(AgentError::failure(Refusal::ToolDisabled, data));
        }
        let outcome = match order {
            Order::Help => turn.say(words::help()).await,
            Order::Scenarios(folder) => scenarios::list(&turn, folder.as_deref()).await,
            Order::Plan(work) => scenarios::plan(self, &turn, work).await,
            Order::Run(work) => scenarios::run(self, &turn, work).await,
            Order::Teardown(record) => undoing::tear_down(self, &turn, &record).await,
            Order::Init => actions::init(self, &turn).await,
            Order::Call(call) => calling::call(self, &turn, call).await,
        };
        outcome.map(|()| StopReason::EndTurn)
    }
}

impl TenonAgent {
    fn allowed(&self) -> std::sync::MutexGuard<'_, HashMap<String, HashSet<String>>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
