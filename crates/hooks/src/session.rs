//! A command of Terraform with plugins around it.

mod apply;
mod plan;
mod simple;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_protocols::Protocol;

use crate::arguments::Arguments;
use crate::chain::{Chain, View};
use crate::changes::{Configuration, PlanJson, StateJson};
use crate::finding::{Finding, Severity};
use crate::launch::{LaunchError, SeeLog, launch_all};
use crate::program::{Program, ProgramError};
use crate::project::Project;
use crate::records::RecordError;
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
}

/// Asks the user a question; whether the answer is yes.
pub type Approve = Arc<dyn Fn(Question) -> bool + Send + Sync>;

/// What the user is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the actions of the plan may be performed.
    Apply,
    /// Whether everything may be destroyed.
    Destroy,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The exit code.
    pub code: i32,
    /// What plugins found.
    pub findings: Vec<Finding>,
}

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A plugin cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Terraform could not be asked something.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Something could not be kept.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A value of a plan does not fit its schema.
    #[error("the plan cannot be read: {0}")]
    Value(#[from] tenon_values::Error),
    /// A file of ours cannot be used.
    #[error("{0}: {1}")]
    File(String, #[source] std::io::Error),
    /// The plan is not the one that was reviewed.
    #[error("the plan has changed since it was reviewed, so it is not applied")]
    PlanChanged,
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

    /// Nobody has to be asked.
    fn is_approved(&self) -> bool {
        self.arguments.has("auto-approve") || self.arguments.positional().is_some()
    }

    /// Runs the command, with hooks if it has any.
    ///
    /// # Errors
    /// A plugin or Terraform cannot be started, or what Terraform says cannot be read.
    pub async fn run(&self) -> Result<Report, SessionError> {
        let Some(wrapped) = self.wrapped().filter(|_| self.has_hooks()) else {
            let status = self.program.run(&self.arguments, &[]).await?;
            return Ok(Report {
                code: code_of(status),
                findings: Vec::new(),
            });
        };
        let mut chain = Chain {
            members: launch_all(&self.project, &self.folder, self.log.clone()).await?,
            findings: Vec::new(),
            metadata: Default::default(),
            limit: self.project.hook_limit,
            is_interrupted: false,
        };
        let code = match wrapped {
            Wrapped::Init => self.init(&mut chain).await,
            Wrapped::Plan => self.plan(&mut chain).await,
            Wrapped::Apply => self.apply(&mut chain).await,
            Wrapped::Refresh => self.refresh(&mut chain).await,
            Wrapped::Import => self.import(&mut chain).await,
        };
        let (findings, is_interrupted) =
            (std::mem::take(&mut chain.findings), chain.is_interrupted);
        end(chain).await;
        let code = match code? {
            _ if is_interrupted => 130,
            0 | 2 if findings.iter().any(|one| one.severity == Severity::Failure) => 1,
            code => code,
        };
        Ok(Report { code, findings })
    }

    /// The types of all resources.
    async fn schemas(&self) -> Result<Schemas, SessionError> {
        let arguments = self.arguments.sibling("providers", ["schema", "-json"]);
        let text = self.program.capture(&arguments).await?;
        Schemas::parse(&text).map_err(|error| {
            let command = "providers schema -json".to_owned();
            ProgramError::Unreadable { command, error }.into()
        })
    }

    /// The state as it is now.
    async fn state(&self) -> Result<StateJson, SessionError> {
        let arguments = self.arguments.sibling("show", ["-json"]);
        Ok(self.program.json(&arguments).await?)
    }

    /// What a plan says.
    async fn plan_json(&self, plan: &str) -> Result<PlanJson, SessionError> {
        let arguments = self.arguments.sibling("show", ["-json", plan]);
        Ok(self.program.json(&arguments).await?)
    }
}

/// The resources of a hook, for plugins that may see sensitive values and for those that may not.
fn view(
    chain: &Chain,
    schemas: &Schemas,
    configuration: &Configuration,
    make: impl Fn(&Resources<'_>) -> Result<Vec<Resource>, tenon_values::Error>,
) -> Result<View, SessionError> {
    let resources = |sends_sensitive| Resources {
        schemas,
        configuration,
        sends_sensitive,
    };
    Ok(View {
        redacted: make(&resources(false))?,
        clear: match chain.sends_sensitive() {
            true => Some(make(&resources(true))?),
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

/// A folder for a plan that nobody else can read, because plans have secrets in them.
fn plan_folder() -> Result<tempfile::TempDir, SessionError> {
    tempfile::Builder::new()
        .prefix("tenon-plan-")
        .tempdir()
        .map_err(|error| SessionError::File("a folder for the plan".into(), error))
}

/// The path of a plan as this process sees it: Terraform takes it from its own folder.
fn seen_from_here(folder: &Path, plan: &str) -> PathBuf {
    folder.join(plan)
}
