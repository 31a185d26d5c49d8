//! Commands without a plan: `init`, `refresh` and `import`.

use tenon_protocols::seasonings::Params;

use super::plan::Summary;
use super::{Ended, Session, SessionError, view};
use crate::chain::{Chain, Flow, View};
use crate::changes::{Action, StateJson, StateResource};
use crate::hook::{Hook, Moment, Stage};
use crate::relay::Relay;

impl Session {
    pub(super) async fn init(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        let nothing = Summary::default();
        if self.before(chain, Stage::Init, nothing).await == Flow::Stop {
            return Ok(1);
        }
        let ended = self.run_between(chain, Stage::Init).await?;
        let nothing = (View::default(), nothing);
        self.after(chain, Stage::Init, &ended, nothing).await;
        Ok(ended.code)
    }

    /// An import changes the state, as an apply does.
    pub(super) async fn import(&self, chain: &mut Chain) -> Result<i32, SessionError> {
        let summary = Summary::ONE_IMPORT;
        if self.before(chain, Stage::Apply, summary).await == Flow::Stop {
            return Ok(1);
        }
        let ended = self.run_between(chain, Stage::Apply).await?;
        if ended.code != 0 {
            let nothing = (View::default(), Summary::default());
            self.after(chain, Stage::Apply, &ended, nothing).await;
            return Ok(ended.code);
        }
        let (imported, state) = match self.imported(chain).await {
            Ok((imported, state)) => (imported, Ok(state)),
            Err(error) => (View::default(), Err(error)),
        };
        self.after(chain, Stage::Apply, &ended, (imported, summary))
            .await;
        let state = state.map_err(|error| {
            let effect = "applyStageCompleted got no resources";
            self.state_after_failed(&ended, effect, error)
        })?;
        self.keep_metadata(chain, &state, &[]).await;
        Ok(ended.code)
    }

    /// What was imported, and the state that it is in.
    async fn imported(&self, chain: &mut Chain) -> Result<(View, StateJson), SessionError> {
        let state = self.state_after().await?;
        let address = self.arguments.positional().unwrap_or_default();
        let passes = |one: &str| one == address;
        let imported = { self.view_of_state(chain, &state, &passes, Action::NoOp) }.await?;
        Ok((imported, state))
    }

    async fn before(&self, chain: &mut Chain, stage: Stage, summary: Summary) -> Flow {
        let about = |params: Params| {
            let params = params.text("stage", stage.name());
            params.member("summary", &summary)
        };
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
        let seen = { self.view_of_state(chain, &before, &|_| true, Action::Read) }.await?;
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
        let found = self.refreshed(chain, &before).await;
        let (seen, after) = found.map_err(|error| {
            self.state_after_failed(&ended, "postRefresh was not called", error)
        })?;
        let _refreshed_already = chain.resources(Hook::PostRefresh, &seen).await;
        self.keep_metadata(chain, &after, &[]).await;
        Ok(0)
    }

    /// What a refresh found, and the state that it left.
    async fn refreshed(
        &self,
        chain: &mut Chain,
        before: &StateJson,
    ) -> Result<(View, StateJson), SessionError> {
        let after = self.state_after().await?;
        let schemas = self.schemas(chain).await?;
        let (known, found) = (before.by_address(), after.by_address());
        let seen = view(chain, &schemas, None, |resources| {
            let all = after.in_use().map(|(module, now)| {
                let earlier = known.get(&*now.resource.address).copied();
                resources.of_refreshed(module, &now.resource, (earlier, Some(now)))
            });
            let is_gone =
                |(_, one): &(_, &StateResource)| !found.contains_key(&*one.resource.address);
            let gone = before.in_use().filter(is_gone).map(|(module, earlier)| {
                resources.of_refreshed(module, &earlier.resource, (Some(earlier), None))
            });
            all.chain(gone).collect()
        })?;
        Ok((seen, after))
    }

    /// The resources of a state whose addresses pass.
    async fn view_of_state(
        &self,
        chain: &mut Chain,
        state: &StateJson,
        passes: &(dyn Fn(&str) -> bool + Sync),
        action: Action,
    ) -> Result<View, SessionError> {
        let schemas = self.schemas(chain).await?;
        view(chain, &schemas, None, |resources| {
            { state.in_use() }
                .filter(|(_, one)| passes(&one.resource.address))
                .map(|(module, one)| resources.of_state(module, one, action))
                .collect()
        })
    }
}
