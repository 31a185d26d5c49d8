//! Resources: what is made, kept and taken away.

use std::future::Future;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_protocols::denobridge::{
    CreateParams, CreateResult, DeleteParams, Json, ModifyPlanParams, ModifyPlanResult, Outcome,
    ReadParams, ReadResult, UpdateParams, UpdateResult,
};

use super::{Data, Decision, Failure, Plan, Secret, wire};

/// A resource: something that is made, looked at, changed and taken away.
///
/// Calls come at the same time, for different resources, on one thread: what blocks keeps the
/// others waiting. Functions may be written as `async fn`.
pub trait Resource: Send + Sync + 'static {
    /// What the configuration says about it.
    type Props: Serialize + DeserializeOwned + Send + 'static;
    /// What else is known about it once it is there; `()` if that is nothing. A state that an older
    /// version of the script wrote has to fit as well: give new fields a serde default.
    type State: Serialize + DeserializeOwned + Send + 'static;

    /// Makes it.
    fn create(
        &self,
        wanted: Wanted<Self::Props>,
    ) -> impl Future<Output = Result<Created<Self::State>, Failure>> + Send;

    /// How it is now; `None` if it is gone. Right after an import there are no props, and the id is
    /// all there is to find it by.
    #[expect(
        clippy::type_complexity,
        reason = "another name would hide what an author has to write"
    )]
    fn read(
        &self,
        id: String,
        props: Option<Self::Props>,
    ) -> impl Future<Output = Result<Option<Found<Self::Props, Self::State>>, Failure>> + Send;

    /// Changes it. Its id stays the same.
    fn update(
        &self,
        existing: Existing<Self::Props, Self::State>,
        wanted: Wanted<Self::Props>,
    ) -> impl Future<Output = Result<Data<Self::State>, Failure>> + Send;

    /// Takes it away. One that is gone already is no failure.
    fn delete(
        &self,
        existing: Existing<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send;

    /// What is to become of a planned change. Nothing may be changed here: a plan is only looked
    /// at, and more than once.
    fn modify_plan(
        &self,
        plan: Plan<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Decision<Self::Props>, Failure>> + Send {
        drop(plan);
        std::future::ready(Ok(Decision::keep()))
    }
}

/// How a resource is to be.
#[derive(Debug)]
pub struct Wanted<P> {
    /// What the configuration says.
    pub props: P,
    /// What the configuration says and no state is to hold: `write_only_props`.
    pub write_only: Secret,
}

/// A resource as it was last seen.
#[derive(Debug)]
pub struct Existing<P, S> {
    /// By what it is found.
    pub id: String,
    /// Its props. There are none if it was imported and has not been read since.
    pub props: Option<P>,
    /// Its state, if it has one.
    pub state: Option<S>,
    /// The sensitive part of its state.
    pub sensitive: Secret,
}

/// A resource that was made.
#[derive(Debug)]
pub struct Created<S> {
    id: String,
    data: Data<S>,
}

impl<S> Created<S> {
    /// By what it is found again, and what is known about it: a state, or [`Data`] with more.
    pub fn new(id: impl Into<String>, state: impl Into<Data<S>>) -> Created<S> {
        Created {
            id: id.into(),
            data: state.into(),
        }
    }
}

/// A resource that was looked at.
#[derive(Debug)]
pub struct Found<P, S> {
    props: P,
    data: Data<S>,
}

impl<P, S> Found<P, S> {
    /// Its props as they are now, and what is known about it: a state, or [`Data`] with more.
    pub fn new(props: P, state: impl Into<Data<S>>) -> Found<P, S> {
        Found {
            props,
            data: state.into(),
        }
    }
}

pub(super) async fn create<R: Resource>(
    resource: Arc<R>,
    params: CreateParams,
) -> Result<CreateResult, Failure> {
    let wanted = Wanted {
        props: wire::read(&params.props, "props")?,
        write_only: Secret::new(params.write_only_props, "writeOnlyProps"),
    };
    let created = resource.create(wanted).await?;
    let written = created.data.write("state")?;
    Ok(CreateResult {
        id: Some(created.id),
        state: Some(written.value),
        sensitive_state: written.sensitive,
        diagnostics: written.diagnostics,
    })
}

pub(super) async fn read<R: Resource>(
    resource: Arc<R>,
    params: ReadParams,
) -> Result<ReadResult, Failure> {
    let props = wire::read(&params.props, "props")?;
    let Some(found) = resource.read(params.id, props).await? else {
        return Ok(ReadResult {
            exists: Some(false),
            ..ReadResult::default()
        });
    };
    let written = found.data.write("state")?;
    Ok(ReadResult {
        exists: None,
        props: Some(wire::write(&found.props, "props")?),
        state: Some(written.value),
        sensitive_state: written.sensitive,
        diagnostics: written.diagnostics,
    })
}

pub(super) async fn update<R: Resource>(
    resource: Arc<R>,
    params: UpdateParams,
) -> Result<UpdateResult, Failure> {
    let wanted = Wanted {
        props: wire::read(&params.next_props, "nextProps")?,
        write_only: Secret::new(params.next_write_only_props, "nextWriteOnlyProps"),
    };
    let existing = current(
        params.id,
        &params.current_props,
        &params.current_state,
        params.current_sensitive_state,
    )?;
    let written = resource.update(existing, wanted).await?.write("state")?;
    Ok(UpdateResult {
        state: Some(written.value),
        sensitive_state: written.sensitive,
        diagnostics: written.diagnostics,
    })
}

pub(super) async fn delete<R: Resource>(
    resource: Arc<R>,
    params: DeleteParams,
) -> Result<Option<Outcome>, Failure> {
    let existing = Existing {
        id: params.id,
        props: wire::read(&params.props, "props")?,
        state: wire::read(&params.state, "state")?,
        sensitive: Secret::new(params.sensitive_state, "sensitiveState"),
    };
    resource.delete(existing).await.map(Some)
}

pub(super) async fn modify_plan<R: Resource>(
    resource: Arc<R>,
    params: ModifyPlanParams,
) -> Result<Option<ModifyPlanResult>, Failure> {
    let decision = resource.modify_plan(Plan::read(params)?).await?;
    decision.write().map(Some)
}

/// What is called current where there is something next as well.
pub(super) fn current<P: DeserializeOwned, S: DeserializeOwned>(
    id: String,
    props: &Json,
    state: &Json,
    sensitive: Option<Json>,
) -> Result<Existing<P, S>, Failure> {
    Ok(Existing {
        id,
        props: wire::read(props, "currentProps")?,
        state: wire::read(state, "currentState")?,
        sensitive: Secret::new(sensitive, "currentSensitiveState"),
    })
}
