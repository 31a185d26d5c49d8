//! Managed resources.

use std::collections::BTreeMap;

use bytes::Bytes;
use tenon_schema::{Body, Resource};
use tenon_values::{Error, Value};

use super::super::answer::{Answer, AnswerError};
use super::super::diagnostic::{Diagnostic, has_errors};
use super::super::params::Params;
use super::super::path::Segment;
use super::{Call, Done, Kind};

/// Configures the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Configure<'a> {
    /// The schema of the configuration.
    pub body: &'a Body,
    /// The configuration, with defaults. Parts of it may be unknown.
    pub config: &'a Value,
}

impl Call for Configure<'_> {
    const METHOD: &'static str = "resources/configure";
    type Answer = Done;

    fn params(&self) -> Result<Params, Error> {
        Params::new().value("config", self.config, self.body)
    }

    fn answer(&self, answer: &Answer) -> Result<Done, AnswerError> {
        done(answer)
    }
}

/// Checks a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Validate<'a> {
    /// What is configured: "resource", "data", "ephemeral" or "provider".
    pub what: &'static str,
    /// The type. For the provider the name is empty.
    pub kind: Kind<'a>,
    /// The configuration as it is written. Parts of it may be unknown.
    pub config: &'a Value,
}

impl Call for Validate<'_> {
    const METHOD: &'static str = "resources/validate";
    type Answer = Done;

    fn params(&self) -> Result<Params, Error> {
        let params = Params::new().text("kind", self.what);
        let params = match self.kind.name {
            "" => params,
            name => params.text("type", name),
        };
        params.value("config", self.config, self.kind.body)
    }

    fn answer(&self, answer: &Answer) -> Result<Done, AnswerError> {
        done(answer)
    }
}

fn done(answer: &Answer) -> Result<Done, AnswerError> {
    Ok(Done {
        diagnostics: answer.diagnostics(),
    })
}

/// Plans a create or an update.
#[derive(Clone, Copy, Debug)]
pub struct PlanChange<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// The resource as it is; null for a create.
    pub prior: &'a Value,
    /// What the user wrote.
    pub config: &'a Value,
    /// What would be without the plugin's word.
    pub proposed: &'a Value,
    /// The private data of the resource.
    pub private: Option<&'a [u8]>,
}

/// A planned change.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The resource as it will be; `None` only beside an error.
    pub planned: Option<Value>,
    /// The paths whose change needs a new resource.
    pub replace: Vec<Vec<Segment>>,
    /// New private data; `None` keeps what there is.
    pub private: Option<Bytes>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for PlanChange<'_> {
    const METHOD: &'static str = "resources/planChange";
    type Answer = Planned;

    fn params(&self) -> Result<Params, Error> {
        let body = self.kind.body;
        Ok(Params::new()
            .text("type", self.kind.name)
            .value("prior", self.prior, body)?
            .value("config", self.config, body)?
            .value("proposed", self.proposed, body)?
            .binary("private", self.private))
    }

    fn answer(&self, answer: &Answer) -> Result<Planned, AnswerError> {
        let diagnostics = answer.diagnostics();
        let body = self.kind.body;
        Ok(Planned {
            planned: answer.value_unless_failed("planned", body.into(), &diagnostics)?,
            replace: answer.optional("replace")?.unwrap_or_default(),
            private: answer.binary("private")?,
            diagnostics,
        })
    }
}

/// Creates, updates or deletes a resource.
#[derive(Clone, Copy, Debug)]
pub struct ApplyChange<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// The resource as it is; null for a create.
    pub prior: &'a Value,
    /// The resource as it was planned; null for a delete.
    pub planned: &'a Value,
    /// What the user wrote; null for a delete.
    pub config: &'a Value,
    /// The private data of the plan.
    pub private: Option<&'a [u8]>,
}

/// A change that was made, or as much of it as could be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The resource as it is now; `None` where none is needed: after a delete, or beside an error. An
    /// error in it takes nothing away from the rest.
    pub state: Result<Option<Value>, AnswerError>,
    /// New private data; `None` keeps what there is. An error in it takes nothing away from the rest either.
    pub private: Result<Option<Bytes>, AnswerError>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for ApplyChange<'_> {
    const METHOD: &'static str = "resources/applyChange";
    type Answer = Applied;

    fn params(&self) -> Result<Params, Error> {
        let body = self.kind.body;
        Ok(Params::new()
            .text("type", self.kind.name)
            .value("prior", self.prior, body)?
            .value("planned", self.planned, body)?
            .value("config", self.config, body)?
            .binary("private", self.private))
    }

    fn answer(&self, answer: &Answer) -> Result<Applied, AnswerError> {
        let diagnostics = answer.diagnostics();
        let may_be_missing = self.planned.is_null() || has_errors(&diagnostics);
        let state = match may_be_missing && !answer.has("state") {
            true => Ok(None),
            false => answer.value("state", self.kind.body.into()).map(Some),
        };
        Ok(Applied {
            state,
            private: answer.binary("private"),
            diagnostics,
        })
    }
}

/// Reads how a resource is now.
#[derive(Clone, Copy, Debug)]
pub struct ReadResource<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// The resource as the state has it.
    pub state: &'a Value,
    /// Its private data.
    pub private: Option<&'a [u8]>,
}

/// A resource as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The resource; null if it no longer exists, `None` only together with an error.
    pub state: Option<Value>,
    /// New private data; `None` keeps what there is.
    pub private: Option<Bytes>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for ReadResource<'_> {
    const METHOD: &'static str = "resources/read";
    type Answer = Found;

    fn params(&self) -> Result<Params, Error> {
        Ok(Params::new()
            .text("type", self.kind.name)
            .value("state", self.state, self.kind.body)?
            .binary("private", self.private))
    }

    fn answer(&self, answer: &Answer) -> Result<Found, AnswerError> {
        found(answer, "state", self.kind.body)
    }
}

fn found(answer: &Answer, name: &str, body: &Body) -> Result<Found, AnswerError> {
    let diagnostics = answer.diagnostics();
    Ok(Found {
        state: answer.value_unless_failed(name, body.into(), &diagnostics)?,
        private: answer.binary("private")?,
        diagnostics,
    })
}

/// Finds a resource that exists already.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// What the user gave to find it by.
    pub id: &'a str,
    /// Every type of resource that the plugin has: what is found may be of others, too.
    pub resources: &'a BTreeMap<String, Resource>,
}

/// What was found for an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The resources; states may be partial.
    pub resources: Vec<ImportedResource>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// A resource that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedResource {
    /// The type, without the prefix of the provider.
    pub name: String,
    /// What is known of it.
    pub state: Value,
    /// Its private data.
    pub private: Option<Bytes>,
}

impl Call for Import<'_> {
    const METHOD: &'static str = "resources/import";
    type Answer = Imported;

    fn params(&self) -> Result<Params, Error> {
        Ok(Params::new()
            .text("type", self.kind.name)
            .text("id", self.id))
    }

    fn answer(&self, answer: &Answer) -> Result<Imported, AnswerError> {
        let diagnostics = answer.diagnostics();
        let mut resources = Vec::new();
        match answer.list("imported")? {
            Some(list) => {
                for one in &list {
                    let name: String = one.required("type")?;
                    let Some(resource) = self.resources.get(&name) else {
                        return Err(one.unknown_type(&name));
                    };
                    resources.push(ImportedResource {
                        state: one.value("state", (&resource.schema.body).into())?,
                        private: one.binary("private")?,
                        name,
                    });
                }
            }
            None => {
                let found = found(answer, "state", self.kind.body)?;
                // nil means that there is nothing to import.
                let state = found.state.filter(|state| !state.is_null());
                resources.extend(state.map(|state| ImportedResource {
                    name: self.kind.name.to_owned(),
                    state,
                    private: found.private,
                }));
            }
        }
        Ok(Imported {
            resources,
            diagnostics,
        })
    }
}

/// Makes a state of the current version out of an older one.
#[derive(Clone, Copy, Debug)]
pub struct Upgrade<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// The version of the state.
    pub version: u64,
    /// The state as plain maps and lists.
    pub state: &'a Value,
}

impl Call for Upgrade<'_> {
    const METHOD: &'static str = "resources/upgrade";
    type Answer = Found;

    fn params(&self) -> Result<Params, Error> {
        Params::new()
            .text("type", self.kind.name)
            .member("version", &self.version)?
            .value("state", self.state, &self.state.ty())
    }

    fn answer(&self, answer: &Answer) -> Result<Found, AnswerError> {
        found(answer, "state", self.kind.body)
    }
}
