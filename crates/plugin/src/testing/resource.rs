//! Managed resources.

use bytes::Bytes;
use tenon_protocols::seasonings::AnswerError;
use tenon_protocols::seasonings::calls::{
    ApplyChange, Import, Kind, PlanChange, ReadResource, Validate,
};
use tenon_schema::Attribute;
use tenon_values::Value;

use super::{Failed, Host, complete, part};
use crate::{Action, Typed};

/// A resource that is managed in a test: the host keeps its state between calls, as Terraform does.
#[derive(Debug)]
pub struct Managed<'a> {
    host: &'a Host,
    kind: Kind<'a>,
    /// Null while it does not exist.
    state: Value,
    private: Option<Bytes>,
}

/// What is planned for a resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlannedChange {
    /// [`Create`](Action::Create), [`Update`](Action::Update), [`Replace`](Action::Replace) or
    /// [`NoOp`](Action::NoOp).
    pub action: Action,
    /// The resource as it will be. What is known only after the apply is unknown.
    pub after: Value,
    private: Option<Bytes>,
}

impl Host {
    /// A resource of this type that does not exist yet.
    ///
    /// # Panics
    /// There is no such type.
    #[track_caller]
    pub fn resource<'a>(&'a self, name: &'a str) -> Managed<'a> {
        let Some(resource) = self.offer.resources.get(name) else {
            panic!("{}", self.missing("resource", name));
        };
        let body = &resource.schema.body;
        Managed {
            host: self,
            kind: Kind { name, body },
            state: Value::null(body.implied_type()),
            private: None,
        }
    }

    /// Imports a resource by its id, and reads it.
    ///
    /// # Errors
    /// It could not be read, or does not exist.
    ///
    /// # Panics
    /// There is no such type.
    pub async fn import<'a>(&'a self, name: &'a str, id: &str) -> Result<Managed<'a>, Failed> {
        let mut managed = self.resource(name);
        let resources = &self.offer.resources;
        let call = Import {
            kind: managed.kind,
            id,
            resources,
        };
        let imported = self.ask(&call).await?;
        self.tell(imported.diagnostics)?;
        let mut found = imported.resources.into_iter();
        let Some(found) = found.find(|found| found.name == name) else {
            return Err(Failed::new(format!("nothing was imported for {id:?}")));
        };
        (managed.state, managed.private) = (found.state, found.private);
        match managed.read().await? {
            true => Ok(managed),
            false => Err(Failed::new(format!("{id:?} does not exist"))),
        }
    }
}

impl Managed<'_> {
    /// Its state: its id, what was configured and what the plugin returned. Null while it does not exist.
    ///
    /// # Errors
    /// It does not fit the type.
    pub fn state<T: Typed>(&self) -> Result<T, Failed> {
        Ok(T::from_value(&self.state)?)
    }

    /// Whether it exists, as far as the host knows.
    pub fn exists(&self) -> bool {
        !self.state.is_null()
    }

    /// Checks a configuration and plans the change that it needs.
    ///
    /// # Errors
    /// The configuration or the change is refused.
    pub async fn plan(&self, config: &impl Typed) -> Result<PlannedChange, Failed> {
        self.planned(&self.config(&config.to_value()?)?, &self.state)
            .await
    }

    /// Plans the change that a configuration needs, and makes it: creates, updates or replaces the resource.
    ///
    /// # Errors
    /// As for [`plan`](Managed::plan), or the change failed. What was created in part is kept.
    pub async fn apply(&mut self, config: &impl Typed) -> Result<(), Failed> {
        let config = self.config(&config.to_value()?)?;
        let mut planned = self.planned(&config, &self.state).await?;
        match planned.action {
            Action::NoOp => return Ok(()),
            Action::Replace => {
                self.destroy().await?;
                planned = self.planned(&config, &self.state).await?;
            }
            _ => {}
        }
        self.change(&planned.after, &config, planned.private).await
    }

    /// Reads its current state. `false`: it no longer exists.
    ///
    /// # Errors
    /// Reading failed.
    pub async fn read(&mut self) -> Result<bool, Failed> {
        let call = ReadResource {
            kind: self.kind,
            state: &self.state,
            private: self.private.as_deref(),
        };
        let found = self.host.ask(&call).await?;
        self.host.tell(found.diagnostics)?;
        self.state = found.state.unwrap_or_else(|| self.state.clone());
        self.private = found.private.or(self.private.take());
        Ok(self.exists())
    }

    /// Deletes it.
    ///
    /// # Errors
    /// That failed; the host still has its state then.
    pub async fn destroy(&mut self) -> Result<(), Failed> {
        let none = Value::null(self.kind.body.implied_type());
        self.change(&none, &none, self.private.clone()).await
    }

    /// The configuration as the host sends it: values of their types, and null for what is not given.
    fn config(&self, given: &Value) -> Result<Value, Failed> {
        let completed = complete(self.kind.body, given)?;
        let body = self.kind.body;
        let names = body.attributes.iter().map(|one| one.name.as_str());
        let names = names.chain(body.blocks.iter().map(|one| one.name.as_str()));
        let written = names.filter(|name| !part(given, name).is_null());
        let written: Vec<_> = written.map(|name| (name, part(&completed, name))).collect();
        Ok(body.object(&written))
    }

    async fn planned(&self, config: &Value, prior: &Value) -> Result<PlannedChange, Failed> {
        let (host, kind) = (self.host, self.kind);
        let validate = Validate {
            what: "resource",
            kind,
            config,
        };
        host.tell(host.ask(&validate).await?.diagnostics)?;
        let completed = complete(kind.body, config)?;
        let proposed = |one: &Attribute| match part(&completed, &one.name) {
            value if one.is_write_only || value.is_null() => match one.presence.is_computed() {
                true => part(prior, &one.name),
                false => Value::NULL,
            },
            value => value,
        };
        let attributes = kind.body.attributes.iter();
        let attributes = attributes.map(|one| (one.name.as_str(), proposed(one)));
        let blocks = kind.body.blocks.iter().map(|one| one.name.as_str());
        let blocks = blocks.map(|name| (name, part(&completed, name)));
        let parts = attributes
            .chain(blocks)
            .filter(|(_, value)| !value.is_null());
        let proposed = kind.body.object(&parts.collect::<Vec<_>>());
        let call = PlanChange {
            kind,
            prior,
            config,
            proposed: &proposed,
            private: self.private.as_deref(),
        };
        let planned = host.ask(&call).await?;
        host.tell(planned.diagnostics)?;
        let after = planned.planned.unwrap_or(proposed);
        let is_replaced = !planned.replace.is_empty()
            || kind.body.attributes.iter().any(|one| {
                let name = &one.name;
                one.replaces && !one.is_write_only && part(prior, name) != part(&after, name)
            });
        Ok(PlannedChange {
            action: match (prior.is_null(), is_replaced) {
                (true, _) => Action::Create,
                (false, true) => Action::Replace,
                (false, false) if *prior == after => Action::NoOp,
                (false, false) => Action::Update,
            },
            after,
            private: planned.private.or(self.private.clone()),
        })
    }

    async fn change(
        &mut self,
        planned: &Value,
        config: &Value,
        private: Option<Bytes>,
    ) -> Result<(), Failed> {
        let call = ApplyChange {
            kind: self.kind,
            prior: &self.state,
            planned,
            config,
            private: private.as_deref(),
        };
        let applied = self.host.ask(&call).await?;
        let wrong = |error: AnswerError| Failed::new(error.to_string());
        let state = applied.state.map_err(wrong)?;
        let new_private = applied.private.map_err(wrong)?;
        let failed = self.host.tell(applied.diagnostics);
        match state {
            Some(state) => {
                self.private = new_private.or(private);
                self.state = state;
            }
            None if failed.is_ok() => {
                self.private = None;
                self.state = Value::null(self.kind.body.implied_type());
            }
            None => {}
        }
        failed
    }
}
