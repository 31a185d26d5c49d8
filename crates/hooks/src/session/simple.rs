//! Commands without a plan: `init`, `refresh` and `import`.

use tenon_protocols::seasonings::Params;

use super::plan::Summary;
use super::{Ended, Session, SessionError, view};
use crate::chain::{Chain, Flow, View};
use crate::changes::{Configuration, StateJson};
use crate::hook::{Hook, Moment, Stage};
use crate::relay::Relay;

impl Session {
    pub(super) async fn init(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        if self.before(chain, Stage::Init).await == Flow::Stop {
            return Ok(1);
        }
        let ended = self.run_between(chain, Stage::Init).await?;
        let nothing = (View::default(), Summary::default());
        self.after(chain, Stage::Init, &ended, nothing).await;
        Ok(ended.code)
    }

    /// An import changes the state, as an apply does.
    pub(super) async fn import(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        if self.before(chain, Stage::Apply).await == Flow::Stop {
            return Ok(1);
        }
        let ended = self.run_between(chain, Stage::Apply).await?;
        if ended.code != 0 {
            let nothing = (View::default(), Summary::default());
            self.after(chain, Stage::Apply, &ended, nothing).await;
            return Ok(ended.code);
        }
        let state = self.state_after().await?;
        let address = self.arguments.positional().unwrap_or_default();
        let passes = |one: &str| one == address;
        let imported = self.view_of_state(chain, &state, &passes).await?;
        let imported = (imported, Summary::ONE_IMPORT);
        self.after(chain, Stage::Apply, &ended, imported).await;
        self.keep_metadata(chain, &state, &[]).await?;
        Ok(ended.code)
    }

    async fn before(&self, chain: &mut Chain, stage: Stage) -> Flow {
        let about = |params: Params| Ok(params.text("stage", stage.name()));
        let start = Hook::Stage(stage, Moment::Start);
        chain.stage(start, &View::default(), about).await
    }

    async fn run_between(&self, chain: &Chain, stage: Stage) -> Result<Ended, SessionError> {
        self.go_on()?;
        let relay = self.relay(chain, Hook::Stage(stage, Moment::Failed));
        self.run_program(&self.arguments, &[], relay).await
    }

    /// Tells plugins how the command ended. It is done already, whatever they say.
    async fn after(
        &self,
        chain: &mut Chain,
        stage: Stage,
        ended: &Ended,
        (resources, summary): (View, Summary),
    ) {
        let about = |params: Params| {
            let params = params.text("stage", stage.name());
            params.member("summary", &summary)
        };
        let _done = match ended.code {
            0 => {
                let completed = Hook::Stage(stage, Moment::Completed);
                chain.stage(completed, &resources, about).await
            }
            _ => {
                let about = |params: Params| about(params)?.member("errors", &ended.errors);
                let failed = Hook::Stage(stage, Moment::Failed);
                chain.stage(failed, &resources, about).await
            }
        };
    }

    pub(super) async fn refresh(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        let before = self.state_before().await?;
        let seen = self.view_of_state(chain, &before, &|_| true).await?;
        if chain.resources(Hook::PreRefresh, &seen).await == Flow::Stop {
            return Ok(1);
        }
        self.go_on()?;
        // A refresh has no stage, so no hook gets its errors.
        let relay = Relay::default();
        let ended = self.run_program(&self.arguments, &[], relay).await?;
        if ended.code != 0 {
            return Ok(ended.code);
        }
        let after = self.state_after().await?;
        let schemas = self.schemas().await?;
        let configuration = Configuration::default();
        let seen = view(chain, &schemas, &configuration, |resources| {
            let all = after.in_use().map(|(module, one)| {
                let earlier = before.resource(&one.resource.address);
                resources.of_states(module, earlier, one)
            });
            all.collect()
        })?;
        let _refreshed_already = chain.resources(Hook::PostRefresh, &seen).await;
        self.keep_metadata(chain, &after, &[]).await?;
        Ok(0)
    }

    /// The resources of a state whose addresses pass.
    async fn view_of_state(
        &self,
        chain: &mut Chain,
        state: &StateJson,
        passes: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<View, SessionError> {
        let schemas = self.schemas().await?;
        view(chain, &schemas, &Configuration::default(), |resources| {
            { state.in_use() }
                .filter(|(_, one)| passes(&one.resource.address))
                .map(|(module, one)| resources.of_state(module, one))
                .collect()
        })
    }
}
