//! Resources: things that are created, read, updated and deleted.

use std::future::Future;
use std::sync::Arc;

use tenon_values::Value;

use crate::data::write;
use crate::parts::{Given, Refusal, Work, read};
use crate::{Attributes, Data, Decision, Failure, Plan};

/// A resource: something that is created, read, updated and deleted.
///
/// Calls for different resources come at the same time, on one thread: what blocks keeps the
/// others waiting. Functions may be written as `async fn`.
pub trait Resource: Send + Sync + 'static {
    /// What the configuration says about it. Fields that are [`WriteOnly`](crate::WriteOnly) are
    /// never stored.
    type Props: Attributes + Send + 'static;
    /// What else is known about it once it exists; `()` if that is nothing. Fields that are
    /// [`Secret`](crate::Secret) are not shown. A state that an older version of the plugin wrote
    /// has to fit as well: give new fields a default, or make them an `Option`.
    type State: Attributes + Send + 'static;

    /// Creates it.
    fn create(
        &self,
        props: Self::Props,
    ) -> impl Future<Output = Result<Created<Self::State>, Failure>> + Send;

    /// How it is now; `None` if it does not exist any more. Right after an import there are no
    /// props, and the id is all there is to find it by.
    #[expect(
        clippy::type_complexity,
        reason = "another name would hide what an author has to write"
    )]
    fn read(
        &self,
        id: String,
        props: Option<Self::Props>,
    ) -> impl Future<Output = Result<Option<Found<Self::Props, Self::State>>, Failure>> + Send;

    /// Updates it. Its id stays the same.
    fn update(
        &self,
        existing: Existing<Self::Props, Self::State>,
        props: Self::Props,
    ) -> impl Future<Output = Result<Data<Self::State>, Failure>> + Send;

    /// Deletes it. If it does not exist any more, that is a success.
    fn delete(
        &self,
        existing: Existing<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Data<()>, Failure>> + Send;

    /// Decides about a planned change. Nothing may be changed here: a plan is only looked at, and
    /// more than once.
    fn modify_plan(
        &self,
        plan: Plan<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Decision<Self::Props>, Failure>> + Send {
        drop(plan);
        std::future::ready(Ok(Decision::keep()))
    }
}

/// A resource as it was last seen.
#[derive(Debug)]
pub struct Existing<P, S> {
    /// What it is found by.
    pub id: String,
    /// Its props. There are none if it was imported and has not been read since.
    pub props: Option<P>,
    /// Its state, if it has one. A `Secret` in it that is an `Option` may be absent.
    pub state: Option<S>,
}

impl Existing<Value, Value> {
    pub(crate) fn read<P: Attributes, S: Attributes>(self) -> Result<Existing<P, S>, Refusal> {
        let props = { self.props }.map(|props| read(Given::Current, &props));
        let state = { self.state }.map(|state| read(Given::State, &state));
        Ok(Existing {
            id: self.id,
            props: props.transpose()?,
            state: state.transpose()?,
        })
    }
}

/// A resource that was created.
#[derive(Debug)]
pub struct Created<S> {
    pub(crate) id: String,
    pub(crate) data: Data<S>,
}

impl<S> Created<S> {
    /// What it is found by, and what is known about it: a state, or [`Data`] with diagnostics.
    pub fn new(id: impl Into<String>, state: impl Into<Data<S>>) -> Created<S> {
        Created {
            id: id.into(),
            data: state.into(),
        }
    }
}

/// A resource that was read.
#[derive(Debug)]
pub struct Found<P, S> {
    pub(crate) props: P,
    pub(crate) data: Data<S>,
}

impl<P, S> Found<P, S> {
    /// Its props as they are now, and what is known about it: a state, or [`Data`] with diagnostics.
    /// If no secret in the state has a value, all of them stay as they were.
    pub fn new(props: P, state: impl Into<Data<S>>) -> Found<P, S> {
        Found {
            props,
            data: state.into(),
        }
    }
}

/// A [`Resource`] whose types are values.
pub(crate) trait AnyResource: Send + Sync {
    fn create(self: Arc<Self>, props: Value) -> Work<Result<Created<Value>, Refusal>>;

    fn read(
        self: Arc<Self>,
        id: String,
        props: Option<Value>,
    ) -> Work<Result<Option<Found<Value, Value>>, Refusal>>;

    fn update(
        self: Arc<Self>,
        existing: Existing<Value, Value>,
        props: Value,
    ) -> Work<Result<Data<Value>, Refusal>>;

    fn delete(self: Arc<Self>, existing: Existing<Value, Value>)
    -> Work<Result<Data<()>, Refusal>>;

    fn modify_plan(
        self: Arc<Self>,
        plan: Plan<Value, Value>,
    ) -> Work<Result<Decision<Value>, Refusal>>;
}

impl<R: Resource> AnyResource for R {
    fn create(self: Arc<Self>, props: Value) -> Work<Result<Created<Value>, Refusal>> {
        Box::pin(async move {
            let props = read(Given::Props, &props)?;
            let created = Resource::create(&*self, props).await?;
            let data = created.data.write("state")?;
            Ok(Created::new(created.id, data))
        })
    }

    fn read(
        self: Arc<Self>,
        id: String,
        props: Option<Value>,
    ) -> Work<Result<Option<Found<Value, Value>>, Refusal>> {
        Box::pin(async move {
            let props = props.map(|props| read(Given::Props, &props)).transpose()?;
            let Some(found) = Resource::read(&*self, id, props).await? else {
                return Ok(None);
            };
            let props = write(&found.props, "props")?;
            Ok(Some(Found::new(props, found.data.write("state")?)))
        })
    }

    fn update(
        self: Arc<Self>,
        existing: Existing<Value, Value>,
        props: Value,
    ) -> Work<Result<Data<Value>, Refusal>> {
        Box::pin(async move {
            let props = read(Given::Props, &props)?;
            let updated = Resource::update(&*self, existing.read()?, props).await?;
            Ok(updated.write("state")?)
        })
    }

    fn delete(
        self: Arc<Self>,
        existing: Existing<Value, Value>,
    ) -> Work<Result<Data<()>, Refusal>> {
        Box::pin(async move { Ok(Resource::delete(&*self, existing.read()?).await?) })
    }

    fn modify_plan(
        self: Arc<Self>,
        plan: Plan<Value, Value>,
    ) -> Work<Result<Decision<Value>, Refusal>> {
        Box::pin(async move {
            let decision = Resource::modify_plan(&*self, plan.read()?).await?;
            Ok(decision.write()?)
        })
    }
}
