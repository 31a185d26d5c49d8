//! Adding resources, data sources and ephemeral resources.

use std::future::Future;
use std::sync::Arc;

use tenon_schema::{Attribute, Body, Schema};
use tenon_values::{Type, Value};

use super::{Plugin, add};
use crate::parts::{Given, Kind, Part, Refusal, ResourceKind, Shape, Work, read};
use crate::{Attributes, Context, Data, Ephemeral, Failure, IntoData, Resource};

impl<S: Send + Sync + 'static> Plugin<S> {
    /// Adds a resource. `make` gets the state that `configure` made, and returns the [`Resource`]
    /// that handles all resources of this type. The schema consists of the attributes of its props,
    /// those of its state, which are computed, and its `id`.
    ///
    /// # Panics
    /// There is a resource of this name already, or its state has a block.
    #[must_use]
    #[track_caller]
    pub fn resource<R, F>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        make: F,
    ) -> Plugin<S>
    where
        R: Resource,
        F: Fn(Arc<S>) -> R + Send + Sync + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape::new::<R::Props, R::State>());
        let mut body = shape.body().about(description.into());
        let id = Attribute::new("id", Type::String).computed().stable();
        body.attributes.push(id.about("The id of the resource."));
        let resource = tenon_schema::Resource {
            schema: Schema::new(R::VERSION, body),
            ..tenon_schema::Resource::default()
        };
        add(
            "resources",
            &mut self.offer.resources,
            name.clone(),
            resource,
        );
        let kind = ResourceKind::new::<R>(&shape);
        self.kinds.resources.insert(name.clone(), kind);
        self.parts.push(Box::new(move |state, parts| {
            let work = Arc::new(make(state.clone()));
            let shape = shape.clone();
            parts.resources.insert(name.clone(), Part { shape, work });
        }));
        self
    }

    /// Adds a data source. `look` gets the state and the configured attributes, and returns what it
    /// found, or [`Data`] with diagnostics.
    ///
    /// # Panics
    /// There is a data source of this name already, or what it returns has a block.
    #[must_use]
    #[track_caller]
    pub fn data_source<P, T, F, W>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        look: F,
    ) -> Plugin<S>
    where
        P: Attributes,
        T: IntoData<Value: Attributes>,
        F: Fn(Context<S>, P) -> W + Send + Sync + 'static,
        W: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape::new::<P, T::Value>());
        let schema = Schema::from(shape.body().about(description.into()));
        add(
            "data sources",
            &mut self.offer.data_sources,
            name.clone(),
            schema,
        );
        let kind = Kind::new::<P>(&shape);
        self.kinds.data_sources.insert(name.clone(), kind);
        let look = Arc::new(look);
        self.parts.push(Box::new(move |state, parts| {
            let (look, state) = (look.clone(), state.clone());
            let work = move |progress, given: Value| -> Work<Result<Data<Value>, Refusal>> {
                let context = Context::new(state.clone(), progress);
                let work = read(Given::Props, &given).map(|props| look(context, props));
                Box::pin(async move { Ok(work?.await?.into_data().write("result")?) })
            };
            let work = Arc::new(work);
            let shape = shape.clone();
            parts
                .data_sources
                .insert(name.clone(), Part { shape, work });
        }));
        self
    }

    /// Adds an ephemeral resource. `make` gets the state that `configure` made.
    ///
    /// # Panics
    /// There is an ephemeral resource of this name already, or its result has a block.
    #[must_use]
    #[track_caller]
    pub fn ephemeral<E, F>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        make: F,
    ) -> Plugin<S>
    where
        E: Ephemeral,
        F: Fn(Arc<S>) -> E + Send + Sync + 'static,
    {
        let name = name.into();
        let shape = Arc::new(Shape::new::<E::Props, E::Result>());
        let schema = Schema::from(shape.body().about(description.into()));
        let all = &mut self.offer.ephemeral_resources;
        add("ephemeral resources", all, name.clone(), schema);
        let kind = Kind::new::<E::Props>(&shape);
        self.kinds.ephemeral_resources.insert(name.clone(), kind);
        self.parts.push(Box::new(move |state, parts| {
            let work = Arc::new(make(state.clone()));
            let shape = shape.clone();
            parts
                .ephemeral_resources
                .insert(name.clone(), Part { shape, work });
        }));
        self
    }
}

impl Shape {
    #[track_caller]
    fn new<G: Attributes, R: Attributes>() -> Shape {
        assert!(
            R::blocks().is_empty(),
            "what a plugin returns cannot have blocks; only users write blocks"
        );
        Shape {
            given: G::attributes(),
            blocks: G::blocks(),
            returned: R::attributes(),
        }
    }

    /// The attributes that users give and, as computed ones, those that the plugin returns. An
    /// attribute of both is one if the types are the same and it is not write-only. (Checking the
    /// schema finds names that are used twice.)
    fn body(&self) -> Body {
        let mut attributes = self.given.clone();
        for returned in &self.returned {
            let is_same = |one: &&mut Attribute| {
                one.name == returned.name && one.ty == returned.ty && !one.is_write_only
            };
            match attributes.iter_mut().find(is_same) {
                Some(both) => {
                    both.is_sensitive |= returned.is_sensitive;
                    if both.presence.is_optional() {
                        both.presence = tenon_schema::Presence::OptionalComputed;
                        both.is_stable |= returned.is_stable;
                    }
                }
                None => {
                    let mut computed = returned.clone().computed();
                    computed.default = None;
                    attributes.push(computed);
                }
            }
        }
        Body {
            blocks: self.blocks.clone(),
            ..Body::new(attributes)
        }
    }
}
