//! Commands without a plan: `init`, `refresh` and `import`.

use tenon_protocols::seasonings::Params;

use super::{Session, SessionError, code_of, view};
use crate::chain::{Chain, Flow, View};
use crate::changes::Configuration;
use crate::hook::{Hook, Moment, Stage};

impl Session {
    pub(super) async fn init(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        self.staged(chain, Stage::Init).await
    }

    /// An import changes the state, as an apply does.
    pub(super) async fn import(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        self.staged(chain, Stage::Apply).await
    }

    /// Runs the command between the hooks of a stage.
    async fn staged(&self, chain: &mut Chain, stage: Stage) -> Result<i32, SessionError> {
        let about = |params: Params| Ok(params.text("stage", stage.name()));
        let nothing = View::default();
        let start = Hook::Stage(stage, Moment::Start);
        if chain.stage(start, &nothing, about).await == Flow::Stop {
            return Ok(1);
        }
        let code = code_of(self.program.run(&self.arguments, &[]).await?);
        let name = format!("{} {}", self.program.name(), self.arguments.command);
        let _done = match code {
            0 => {
                let completed = Hook::Stage(stage, Moment::Completed);
                chain.stage(completed, &nothing, about).await
            }
            code => {
                let error = format!("{name} ended with exit code {code}");
                let about = |params: Params| about(params)?.member("errors", &[&error]);
                let failed = Hook::Stage(stage, Moment::Failed);
                chain.stage(failed, &nothing, about).await
            }
        };
        Ok(code)
    }

    pub(super) async fn refresh(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        let schemas = self.schemas().await?;
        let configuration = Configuration::default();
        let before = self.state().await?;
        let seen = view(chain, &schemas, &configuration, |resources| {
            let all = before.resources().into_iter();
            all.map(|(module, one)| resources.of_state(module, one))
                .collect()
        })?;
        if chain.resources(Hook::PreRefresh, &seen).await == Flow::Stop {
            return Ok(1);
        }
        let code = code_of(self.program.run(&self.arguments, &[]).await?);
        if code != 0 {
            return Ok(code);
        }
        let after = self.state().await?;
        let seen = view(chain, &schemas, &configuration, |resources| {
            let all = after.resources().into_iter();
            let all = all.map(|(module, one)| {
                let mut resource = resources.of_state(module, one)?;
                if let Some(earlier) = before.resource(&one.resource.address) {
                    resource.before = resources.of_state(module, earlier)?.before;
                }
                Ok(resource)
            });
            all.collect()
        })?;
        let _refreshed_already = chain.resources(Hook::PostRefresh, &seen).await;
        Ok(0)
    }
}
