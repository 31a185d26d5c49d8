//! A command of Terraform with plugins around it.

mod apply;
mod error;
mod plan;
mod simple;

use std::path::PathBuf;
use std::sync::Arc;

pub use error::SessionError;
use tenon_protocols::{Protocol, Secrets};

use crate::arguments::Arguments;
use crate::chain::{Chain, View};
use crate::changes::{Configuration, PlanJson, StateJson};
use crate::finding::{Finding, Severity};
use crate::hook::{self, Hook};
use crate::interruption::Interruption;
use crate::launch::{SeeLog, launch_all};
use crate::pins;
use crate::plan_file::PlanFile;
use crate::program::{Program, ProgramError};
use crate::project::Project;
use crate::records::{self, Move, StateName};
use crate::relay::{Relay, Show};
use crate::resource::{Resource, Resources};
use crate::schemas::Schemas;

/// Everything that a command needs.
pub struct Session {
    /// The program that does the work.
    pub program: Program,
    /// Its arguments.
    pub arguments: Arguments,
    /// The plugins.
    pub project: Project,
    /// The folder that the program works in.
    pub folder: PathBuf,
    /// Asks the user whether the plan may be applied.
    pub approve: Approve,
    /// Is shown what plugins write to stderr.
    pub log: Option<SeeLog>,
    /// Prints what Terraform prints, if it comes through this process.
    pub show: Show,
    /// Ctrl-C.
    pub interruption: Arc<Interruption>,
}

/// Asks the user a question; whether the answer is yes. It may block.
pub type Approve = Arc<dyn Fn(&Question) -> Result<bool, String> + Send + Sync>;

/// What the user is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub subject: Subject,
    /// The workspace, if it is not the default one.
    pub workspace: Option<String>,
    /// What the program calls itself.
    pub product: &'static str,
    /// The user wants no colours.
    pub is_plain: bool,
    /// What plugins found so far, which the user should know before the answer.
    pub findings: Vec<Finding>,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Whether the actions of the plan may be performed.
    Apply,
    /// Whether everything may be destroyed.
    Destroy,
    /// Whether the state may be updated to what was found.
    Refresh,
}

/// How a command ended.
#[derive(Debug)]
pub struct Report {
    /// The exit code.
    pub code: i32,
    /// What plugins found, also if the command could not be carried out.
    pub findings: Vec<Finding>,
    /// How many of the findings the user has seen with a question.
    pub seen: usize,
    /// A hook has stopped an apply before it began.
    pub is_stopped: bool,
    /// What the user should know besides.
    pub warnings: Vec<String>,
    /// The file that holds a plan which passed all hooks, as the user named it. Terraform would now tell the user to
    /// apply it with Terraform alone.
    pub saved_plan: Option<String>,
    /// Why the command could not be carried out.
    pub error: Option<SessionError>,
}

/// Which commands have plugins around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapped {
    Init,
    Plan,
    Apply,
    Refresh,
    Import,
}

impl Session {
    /// Whether hooks are called for this command. All others are run as they are.
    pub fn has_hooks(&self) -> bool {
        !self.project.hooks.is_empty() && self.wrapped().is_some()
    }

    fn wrapped(&self) -> Option<Wrapped> {
        if self.arguments.asks_for_help() {
            return None;
        }
        match self.arguments.command.as_str() {
            "init" => Some(Wrapped::Init),
            "plan" => Some(Wrapped::Plan),
            // Terraform refuses it, in words of its own.
            "apply" | "destroy" if self.arguments.has("json") && !self.is_approved() => None,
            "apply" | "destroy" => Some(Wrapped::Apply),
            "refresh" => Some(Wrapped::Refresh),
            "import" => Some(Wrapped::Import),
            _ => None,
        }
    }

    /// No confirmation is needed.
    fn is_approved(&self) -> bool {
        self.arguments.has("auto-approve") || self.arguments.positional().is_some()
    }

    /// Runs the command, with hooks if it has any.
    pub async fn run(&self) -> Report {
        let Some(wrapped) = self.wrapped().filter(|_| self.has_hooks()) else {
            let ended = self.run_program(&self.arguments, &[], Relay::default());
            return Report::new(ended.await.map(|ended| ended.code), Vec::new());
        };
        let secrets = Secrets::default();
        let log = self.log.clone().map(|log| -> SeeLog {
            let secrets = secrets.clone();
            Arc::new(move |name, line| log(name, &secrets.hide(line)))
        });
        let members = tokio::select! {
            members = launch_all(&self.project, &self.folder, log, &secrets) => members,
            () = self.interruption.asked() => {
                return Report::new(Err(SessionError::Interrupted), Vec::new());
            }
        };
        let (members, findings) = match members {
            Ok(launched) => launched,
            Err(error) => return Report::new(Err(error.into()), Vec::new()),
        };
        let mut chain = Chain {
            members,
            findings,
            seen: 0,
            warnings: Vec::new(),
            saved_plan: None,
            schemas: None,
            metadata: Default::default(),
            limit: self.project.hook_limit,
            secrets,
            interruption: Arc::clone(&self.interruption),
        };
        let ended = match wrapped {
            Wrapped::Init => self.init(&mut chain).await,
            Wrapped::Plan => self.plan(&mut chain).await,
            Wrapped::Apply => self.apply(&mut chain).await,
            Wrapped::Refresh => self.refresh(&mut chain).await,
            Wrapped::Import => self.import(&mut chain).await,
        };
        let mut report = Report::new(ended, std::mem::take(&mut chain.findings));
        report.seen = chain.seen;
        report.warnings = std::mem::take(&mut chain.warnings);
        report.saved_plan = chain.saved_plan.take();
        end(chain).await;
        report.is_stopped = wrapped == Wrapped::Apply && {
            let mut failures = report.findings.iter().filter(|one| is_failure(one));
            failures.any(|one| !hook::AFTER_APPLY.contains(&one.hook))
        };
        if self.interruption.is_asked() {
            report.code = 130;
        } else if matches!(report.code, 0 | 2) && report.findings.iter().any(is_failure) {
            report.code = 1;
        }
        report
    }

    /// Runs a command whose input and output are the user's.
    async fn run_program(
        &self,
        arguments: &Arguments,
        variables: &[(&str, &str)],
        relay: Relay,
    ) -> Result<Ended, SessionError> {
        let output = (relay, &self.show);
        let running = self
            .program
            .run(arguments, variables, &self.interruption, output);
        let (status, mut errors) = running.await?;
        if self.interruption.is_forced() {
            // The process is about to end. No hook is called and no record written before that.
            std::future::pending::<()>().await;
        }
        let code = code_of(status);
        if errors.is_empty() {
            let (program, command) = (self.program.name(), &arguments.command);
            errors.push(format!("{program} {command} ended with exit code {code}"));
        }
        Ok(Ended { code, errors })
    }

    /// What is done with the output of a command that is followed by this hook if it fails.
    fn relay(&self, chain: &Chain, failed: Hook) -> Relay {
        Relay {
            is_json: self.arguments.has("json"),
            keeps_errors: chain.wants(failed),
            ..Relay::default()
        }
    }

    /// Nothing more is begun after Ctrl-C.
    fn go_on(&self) -> Result<(), SessionError> {
        let interruption = &self.interruption;
        match interruption.is_asked() || interruption.was_during_terraform() {
            true => Err(SessionError::Interrupted),
            false => Ok(()),
        }
    }

    /// The types of all resources, which are asked for once in a command.
    async fn schemas(&self, chain: &mut Chain) -> Result<Arc<Schemas>, SessionError> {
        if let Some(known) = &chain.schemas {
            return Ok(Arc::clone(known));
        }
        let arguments = self.arguments.sibling("providers", ["schema", "-json"]);
        let text = self.program.capture(&arguments).await?;
        let schemas = Schemas::parse(&text).map_err(|error| {
            let command = "providers schema -json".to_owned();
            ProgramError::Unreadable { command, error }
        })?;
        Ok(Arc::clone(chain.schemas.insert(Arc::new(schemas))))
    }

    /// The state as it is before the command.
    async fn state_before(&self) -> Result<StateJson, SessionError> {
        self.state(self.arguments.value("state").flatten()).await
    }

    /// The state as the command left it.
    async fn state_after(&self) -> Result<StateJson, SessionError> {
        self.state(self.state_file_after()).await
    }

    /// The file of a local state that the user has named, to be written.
    fn state_file_after(&self) -> Option<&str> {
        let named = |option| self.arguments.value(option).flatten();
        named("state-out").or(named("state"))
    }

    async fn state(&self, file: Option<&str>) -> Result<StateJson, SessionError> {
        let arguments = match file {
            // The first apply creates it.
            Some(file) if !self.folder.join(file).exists() => return Ok(StateJson::default()),
            Some(file) => self.arguments.sibling("show", ["-json", file]),
            None => self.arguments.sibling("show", ["-json"]),
        };
        Ok(self.program.json(&arguments).await?)
    }

    /// What the state is called that the command left.
    async fn state_name(&self) -> Result<StateName, SessionError> {
        let Some(file) = self.state_file_after() else {
            let arguments = self.arguments.sibling("state", ["pull"]);
            return Ok(self.program.json(&arguments).await?);
        };
        let unreadable = |error| SessionError::File(file.to_owned(), error);
        let text = std::fs::read(self.folder.join(file)).map_err(unreadable)?;
        serde_json::from_slice(&text).map_err(|error| unreadable(error.into()))
    }

    /// What a plan says.
    async fn plan_json(&self, plan: &PlanFile) -> Result<PlanJson, SessionError> {
        let path = plan.path();
        let arguments = self.arguments.sibling("show", ["-json", &path]);
        let read = self.program.json(&arguments).await;
        read.map_err(|error| match error {
            ProgramError::Failed {
                command,
                status,
                errors,
            } => SessionError::Program(ProgramError::Failed {
                command: plan.renamed_in(&command),
                status,
                errors: plan.renamed_in(&errors),
            }),
            error => error.into(),
        })
    }

    /// The plugins whose hooks are called, with what decides about their answers.
    fn plugins(&self) -> records::Plugins {
        let plugins = self.project.hooks.iter().map(|name| {
            let settings = &self.project.plugins[name];
            (name.clone(), pins::fingerprint(settings, &self.folder))
        });
        plugins.collect()
    }

    /// Keeps what plugins noted about the resources of a state, which may have moved. The command is done, so that
    /// nothing fails because of them.
    async fn keep_metadata(&self, chain: &mut Chain, state: &StateJson, moves: &[Move<'_>]) {
        if chain.metadata.is_empty() && !records::has_metadata(&self.folder) {
            return;
        }
        let all = state.resources().into_iter();
        let addresses = all.map(|(_, one)| one.resource.address.as_str()).collect();
        match self.state_name().await {
            Ok(name) => {
                let known = &chain.metadata;
                let noted = records::note_metadata(&self.folder, &name, moves, &addresses, known);
                chain.warn_of(noted);
            }
            Err(error) => chain.warnings.push(format!(
                "what plugins noted about resources was not kept: {error}"
            )),
        }
    }

    /// The selected workspace, if it is not the default one.
    fn workspace(&self) -> Option<String> {
        let selected = std::env::var("TF_WORKSPACE").ok().or_else(|| {
            let data = std::env::var_os("TF_DATA_DIR").unwrap_or_else(|| ".terraform".into());
            let file = self.folder.join(data).join("environment");
            std::fs::read_to_string(file).ok()
        });
        let selected = selected.map(|name| name.trim().to_owned());
        selected.filter(|name| !name.is_empty() && name != "default")
    }
}

impl Report {
    fn new(ended: Result<i32, SessionError>, findings: Vec<Finding>) -> Report {
        let (code, error) = match ended {
            Ok(code) => (code, None),
            Err(error) => (1, Some(error)),
        };
        Report {
            code,
            findings,
            seen: 0,
            is_stopped: false,
            warnings: Vec::new(),
            saved_plan: None,
            error,
        }
    }
}

/// How a command of Terraform ended.
struct Ended {
    code: i32,
    /// Its errors, or how it ended if it printed none.
    errors: Vec<String>,
}

fn is_failure(finding: &Finding) -> bool {
    finding.severity == Severity::Failure
}

/// The resources of a hook, for plugins that may see sensitive values and for those that may not.
///
/// The user is warned of configurations that could not be read.
fn view(
    chain: &mut Chain,
    schemas: &Schemas,
    configuration: Option<&Configuration>,
    make: impl Fn(&Resources<'_>) -> Result<Vec<Resource>, tenon_values::Error>,
) -> Result<View, SessionError> {
    let resources = |sent| Resources {
        schemas,
        configuration,
        sent,
    };
    let redacted = make(&resources(None))?;
    for doubt in redacted.iter().filter_map(|one| one.doubt.as_ref()) {
        if !chain.warnings.contains(doubt) {
            chain.warnings.push(doubt.clone());
        }
    }
    Ok(View {
        redacted,
        clear: match chain.sends_sensitive() {
            true => Some(make(&resources(Some(chain.secrets.clone())))?),
            false => None,
        },
    })
}

/// Ends all plugins at the same time.
async fn end(chain: Chain) {
    let mut endings = tokio::task::JoinSet::new();
    for member in chain.members {
        endings.spawn(async move {
            let goodbye =
                |peer: tenon_rpc::Peer| async move { Protocol::Seasonings.end(&peer).await };
            member.plugin.stop(goodbye).await;
        });
    }
    while endings.join_next().await.is_some() {}
}

/// As a shell would have it.
fn code_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1)
}
