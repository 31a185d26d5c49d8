//! Resources: things that are created, read, updated and deleted.

use std::future::Future;
use std::sync::Arc;

use tenon_values::Value;

use crate::data::write;
use crate::parts::{Given, Kind, Refusal, ResourceKind, Shape, Work, read};
use crate::{Attributes, Data, Decision, Diagnostic, Failure, Plan, Typed};

/// A resource: something that is created, read, updated and deleted.
///
/// Calls for different resources run concurrently on one thread, so a function that blocks delays
/// the others. Functions may be written as `async fn`.
pub trait Resource: Send + Sync + 'static {
    /// What the user configures. Fields that are [`WriteOnly`](crate::WriteOnly) are never stored.
    type Props: Attributes + Send + 'static;
    /// What else is known about the resource once it exists; `()` if that is nothing. Fields that
    /// are [`Secret`](crate::Secret) are not shown. What an older version of the plugin stored has
    /// to fit as well: give new fields a default or make them an `Option`, or raise
    /// [`VERSION`](Resource::VERSION).
    type State: Attributes + Send + 'static;

    /// The version of the schema. Raise it when `Props` or `State` no longer fit what an older
    /// version of the plugin stored, and implement [`upgrade`](Resource::upgrade).
    const VERSION: u64 = 0;

    /// Creates it.
    fn create(
        &self,
        props: Self::Props,
    ) -> impl Future<Output = Result<Created<Self::State>, Failure>> + Send;

    /// Returns how it is now; `None` if it no longer exists. Right after an import there are no
    /// props, only the id.
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

    /// Deletes it. If it no longer exists, that is a success.
    fn delete(
        &self,
        existing: Existing<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Data<()>, Failure>> + Send;

    /// Decides about a planned change. It must not change anything: plans are made several times,
    /// and not every plan is applied.
    fn modify_plan(
        &self,
        plan: Plan<Self::Props, Self::State>,
    ) -> impl Future<Output = Result<Decision<Self::Props>, Failure>> + Send {
        drop(plan);
        std::future::ready(Ok(Decision::keep()))
    }

    /// Upgrades what was stored with an older [`VERSION`](Resource::VERSION): an object of the
    /// attributes that the schema had then, and `id`, with lists as tuples and maps as objects. A value
    /// of the type `any` is an object with its `type` and its `value`.
    ///
    /// Seasonings calls it, also before `configure`, so it has no `self`. denobridge does not: there
    /// the older state has to fit `Props` and `State`.
    ///
    /// ```
    /// use tenon_plugin::{
    ///     Created, Data, Existing, Failure, Found, Plugin, Resource, Typed, Value, attributes,
    /// };
    ///
    /// attributes! {
    ///     struct Props { size_in_bytes: u64 }
    ///     // What version 0 stored.
    ///     struct Stored0 { id: String, size_in_kilobytes: u64 }
    /// }
    ///
    /// struct Disk;
    ///
    /// impl Resource for Disk {
    ///     type Props = Props;
    ///     type State = ();
    ///     const VERSION: u64 = 1;
    ///
    ///     async fn upgrade(version: u64, stored: Value) -> Result<Existing<Props, ()>, Failure> {
    ///         assert_eq!(version, 0);
    ///         let stored = Stored0::from_value(&stored)?;
    ///         let props = Props { size_in_bytes: stored.size_in_kilobytes * 1000 };
    ///         Ok(Existing { id: stored.id, props: Some(props), state: None })
    ///     }
    ///     // ...
    /// #   async fn create(&self, _: Props) -> Result<Created<()>, Failure> {
    /// #       Ok(Created::new("disk", ()))
    /// #   }
    /// #   async fn read(
    /// #       &self,
    /// #       _: String,
    /// #       _: Option<Props>,
    /// #   ) -> Result<Option<Found<Props, ()>>, Failure> {
    /// #       Ok(None)
    /// #   }
    /// #   async fn update(&self, _: Existing<Props, ()>, _: Props) -> Result<Data<()>, Failure> {
    /// #       Ok(Data::done())
    /// #   }
    /// #   async fn delete(&self, _: Existing<Props, ()>) -> Result<Data<()>, Failure> {
    /// #       Ok(Data::done())
    /// #   }
    /// }
    ///
    /// let plugin = Plugin::new("disks", "2.0.0").resource("disk", "A disk", |_| Disk);
    /// assert_eq!(plugin.offer().resources["disk"].schema.version, 1);
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let stored = [("id", Value::from("d1")), ("size_in_kilobytes", Value::from(4))];
    /// let upgraded = Disk::upgrade(0, Value::object(stored)).await.unwrap();
    /// assert_eq!(upgraded.props.unwrap().size_in_bytes, 4000);
    /// # });
    /// ```
    ///
    /// # Errors
    /// What is stored cannot be upgraded; unless it is implemented, that is always so.
    fn upgrade(
        version: u64,
        stored: Value,
    ) -> impl Future<Output = Result<Existing<Self::Props, Self::State>, Failure>> + Send {
        drop(stored);
        std::future::ready(Err(Failure::new(format!(
            "the plugin cannot upgrade a resource that was stored with version {version} of the schema to version {}",
            Self::VERSION
        ))))
    }
}

/// A resource as it was last seen.
#[derive(Debug)]
pub struct Existing<P, S> {
    /// Its id.
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
    /// Its id, and its state, or [`Data`] with diagnostics.
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
    /// Its props as they are now, and its state, or [`Data`] with diagnostics. If no secret in the
    /// state has a value, all of them stay as they were.
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

impl ResourceKind {
    pub(crate) fn new<R: Resource>(shape: &Arc<Shape>) -> ResourceKind {
        ResourceKind {
            kind: Kind::new::<R::Props>(shape),
            rewrite: |props| {
                let props: R::Props = read(Given::Props, props)?;
                Ok(write(&props, "props")?)
            },
            upgrade: |version, stored| {
                Box::pin(async move {
                    let Existing { id, props, state } = R::upgrade(version, stored).await?;
                    let props = props.map(|props| write(&props, "props")).transpose()?;
                    let state = state.map(|state| write(&state, "state")).transpose()?;
                    Ok(Existing { id, props, state })
                })
            },
        }
    }
}

impl<R: Resource> AnyResource for R {
    fn create(self: Arc<Self>, props: Value) -> Work<Result<Created<Value>, Refusal>> {
        Box::pin(async move {
            let props = read(Given::Props, &props)?;
            let Created { id, data } = Resource::create(&*self, props).await?;
            let mut diagnostics = data.diagnostics;
            // What was created is not forgotten because its state cannot be written.
            let state = data.value.to_value().unwrap_or_else(|error| {
                let detail = format!("the state cannot be written: {error}");
                let problem = Diagnostic::error("the resource was created in part", detail);
                diagnostics.push(problem);
                Value::object::<&str>([])
            });
            Ok(Created::new(
                id,
                Data {
                    value: state,
                    diagnostics,
                },
            ))
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
