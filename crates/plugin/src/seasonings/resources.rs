//! Managed resources.

use std::future::Future;
use std::sync::Arc;

use tenon_protocols::seasonings::{FAILED, Params, Segment};
use tenon_rpc::{Peer, Reply, RpcError};
use tenon_schema::{Attribute, Body};
use tenon_values::{Error, Type, Value};

use super::answers::{answer, failed, part, say, sent, subject, with_diagnostics};
use super::plan::Change;
use super::{Received, Served};
use crate::context::{Progress, Say};
use crate::parts::{Refusal, ResourceKind, Shape, names};
use crate::resource::AnyResource;
use crate::session::Stage;
use crate::{Data, Existing, Failure, Found, Plan, Planned, ResourceCall};

/// The private data of a resource that was imported and has not been read since.
const IMPORTED: &[u8] = b"imported";
/// What the private data of authors begins with.
const OF_AUTHOR: u8 = 1;

/// A call of the host, with what the author's function has besides its arguments.
struct Calling {
    call: ResourceCall,
    /// The resource was imported, and has not been read since.
    is_imported: bool,
    /// Dropped at the end, so that a `Progress` that is still in use sends nothing.
    _say: Arc<Say>,
}

impl Calling {
    fn new(peer: Peer, given: &Received) -> Result<Calling, RpcError> {
        let private = given.binary("private")?;
        let of_author = private.as_deref().and_then(|private| match private {
            [OF_AUTHOR, data @ ..] => Some(data.to_vec()),
            _ => None,
        });
        let say = say(peer);
        Ok(Calling {
            call: ResourceCall::new(Progress::new(&say), of_author),
            is_imported: private.is_some_and(|private| private == IMPORTED),
            _say: say,
        })
    }

    /// Runs the work, and adds the private data to its result.
    async fn run(
        &self,
        work: impl Future<Output = Result<Params, Refusal>>,
    ) -> Result<Params, Refusal> {
        let result = self.call.run(work).await?;
        Ok(match self.call.kept() {
            Some(Some(data)) => {
                let data = [&[OF_AUTHOR], &data[..]].concat();
                result.binary("private", Some(&data))
            }
            Some(None) => result.binary("private", Some(&[])),
            // It has been read now.
            None if self.is_imported => result.binary("private", Some(&[])),
            None => result,
        })
    }
}

/// The type of resource that a call is about.
struct Subject<'a> {
    name: &'a str,
    body: &'a Body,
    kind: &'a ResourceKind,
}

impl<'a> Subject<'a> {
    fn new(served: &'a Served, given: &Received) -> Result<Subject<'a>, RpcError> {
        let kinds = &served.session.kinds.resources;
        let (name, kind) = subject(served, given, "resource", kinds)?;
        let body = &served.offer()?.resources[name].schema.body;
        Ok(Subject { name, body, kind })
    }

    fn shape(&self) -> &'a Shape {
        &self.kind.kind.shape
    }

    /// A change of it, in which members that the call does not have are null.
    fn change(&self, given: &Received) -> Result<Change<'a>, RpcError> {
        let value = |name: &str| match given.has(name) {
            true => given.value(name, self.body),
            false => Ok(Value::null(self.body.implied_type())),
        };
        Ok(Change {
            body: self.body,
            shape: self.shape(),
            prior: value("prior")?,
            config: value("config")?,
            rewrite: self.kind.rewrite,
        })
    }

    async fn resource(&self, served: &Served) -> Result<Arc<dyn AnyResource>, RpcError> {
        let parts = served.session.parts().await.map_err(failed)?;
        Ok(parts.resources[self.name].work.clone())
    }

    /// The resource as it was last seen.
    fn existing(&self, prior: &Value) -> Existing<Value, Value> {
        let state = select(prior, names(&self.shape().returned));
        // A resource that was created in part has no state, but can be deleted all the same.
        let returned = self.shape().returned.iter();
        let mut required = returned.filter(|one| !one.presence.is_optional());
        let has_state = required.all(|one| !part(&state, &one.name).is_null());
        Existing {
            id: part(prior, "id").as_str().unwrap_or_default().to_owned(),
            props: Some(select(prior, self.shape().given_names())),
            state: has_state.then_some(state),
        }
    }

    /// The resource as it was last read, for an update or a delete. Without an id it cannot be found.
    fn known(&self, prior: &Value) -> Result<Existing<Value, Value>, Failure> {
        let existing = self.existing(prior);
        match existing.id.is_empty() {
            false => Ok(existing),
            true => Err(Failure::new(
                "the resource has no id, because it is not known how its creation ended; find out \
                 whether it exists, delete it by hand, and remove it with `terraform state rm`",
            )),
        }
    }

    /// The whole resource. What the plugin returned comes before what is known otherwise, and nothing
    /// is unknown.
    fn state(&self, id: &str, known: &Value, returned: &Value) -> Value {
        let value = |attribute: &Attribute| {
            let name = attribute.name.as_str();
            let value = match part(returned, name) {
                _ if attribute.is_write_only => Value::NULL,
                _ if name == "id" => Value::from(id),
                value if value.is_null() => part(known, name),
                value => value,
            };
            match value.is_null() {
                true => Value::null(attribute.implied_type()),
                false => value.unknown_as_null(),
            }
        };
        let attributes = self.body.attributes.iter();
        let attributes = attributes.map(|one| (one.name.as_str(), value(one)));
        let blocks = self.body.blocks.iter().map(|one| one.name.as_str());
        let blocks = blocks.map(|name| (name, part(known, name).unknown_as_null()));
        let blocks = blocks.filter(|(_, value)| !value.is_null());
        self.body
            .object(&attributes.chain(blocks).collect::<Vec<_>>())
    }
}

/// The attributes of an object that have these names.
pub(super) fn select<'a>(object: &Value, names: impl Iterator<Item = &'a str>) -> Value {
    Value::object(names.map(|name| (name, part(object, name))))
}

/// An answer with a value of the schema.
pub(super) fn with_value(
    answer: Params,
    name: &str,
    value: &Value,
    body: &Body,
) -> Result<Params, Refusal> {
    let unwritable = |error: Error| Failure::new(format!("the {name} cannot be written: {error}"));
    Ok(answer.value(name, value, body).map_err(unwritable)?)
}

pub(super) async fn plan(served: &Served, peer: Peer, given: &Received) -> Reply {
    let calling = Calling::new(peer, given)?;
    let subject = Subject::new(served, given)?;
    let change = subject.change(given)?;
    let body = subject.body;
    let proposed = given.value("proposed", body)?;
    if proposed.is_null() {
        return answer(body, with_value(Params::new(), "planned", &proposed, body));
    }
    let planned = change.planned(&proposed);
    // Without the configuration there is no one to ask. It is asked again before the apply.
    if matches!(*served.session.stage().await, Stage::Deferred) {
        return answer(body, with_value(Params::new(), "planned", &planned, body));
    }
    let resource = subject.resource(served).await?;
    let work = async {
        let props = Planned::new(change.props(&planned));
        let asked = match change.prior.is_null() {
            true => Plan::Create(props),
            false => Plan::Update(subject.existing(&change.prior), props),
        };
        let decision = resource.modify_plan(asked).await?;
        let (planned, is_replaced) = change.decided(&proposed, planned, decision.verdict);
        let mut result = with_value(Params::new(), "planned", &planned, body)?;
        if is_replaced {
            let id = vec![vec![Segment::Name("id".to_owned())]];
            result = result.member("replace", &id).map_err(Failure::from)?;
        }
        with_diagnostics(result, decision.diagnostics, body)
    };
    answer(body, calling.run(work).await)
}

pub(super) async fn apply(served: &Served, peer: Peer, given: &Received) -> Reply {
    let calling = Calling::new(peer, given)?;
    let subject = Subject::new(served, given)?;
    let change = subject.change(given)?;
    let body = subject.body;
    let planned = given.value("planned", body)?;
    let resource = subject.resource(served).await?;
    let work = async {
        if planned.is_null() {
            let deleted = resource.delete(subject.known(&change.prior)?).await?;
            return with_diagnostics(Params::new(), deleted.diagnostics, body);
        }
        let props = change.props(&planned);
        let (id, data) = match change.prior.is_null() {
            true => {
                let created = resource.create(props).await?;
                (created.id, created.data)
            }
            false => {
                let existing = subject.known(&change.prior)?;
                let id = existing.id.clone();
                (id, resource.update(existing, props).await?)
            }
        };
        let Data { value, diagnostics } = data;
        let state = subject.state(&id, &planned, &value);
        let result = with_value(Params::new(), "state", &state, body)?;
        with_diagnostics(result, diagnostics, body)
    };
    answer(body, calling.run(work).await)
}

pub(super) async fn read(served: &Served, peer: Peer, given: &Received) -> Reply {
    let calling = Calling::new(peer, given)?;
    let subject = Subject::new(served, given)?;
    let body = subject.body;
    let prior = given.value("state", body)?;
    let existing = subject.existing(&prior);
    if existing.id.is_empty() {
        // It cannot be looked for.
        return answer(body, with_value(Params::new(), "state", &prior, body));
    }
    let resource = subject.resource(served).await?;
    let work = async {
        let props = existing.props.filter(|_| !calling.is_imported);
        let found = resource.read(existing.id.clone(), props).await?;
        let Some(Found { props, data }) = found else {
            let gone = Value::null(body.implied_type());
            return with_value(Params::new(), "state", &gone, body);
        };
        let change = Change {
            body,
            shape: subject.shape(),
            config: Value::null(body.implied_type()),
            prior,
            rewrite: subject.kind.rewrite,
        };
        let props = change.settled(&change.prior, props);
        let known = with_secrets(&props, &data.value, &change);
        let state = subject.state(&existing.id, &known, &data.value);
        let result = with_value(Params::new(), "state", &state, body)?;
        with_diagnostics(result, data.diagnostics, body)
    };
    answer(body, calling.run(work).await)
}

/// Props, and the secrets of the state as they were if no secret has a value now.
fn with_secrets(props: &Value, returned: &Value, change: &Change<'_>) -> Value {
    let secrets = || change.shape.returned.iter().filter(|one| one.is_sensitive);
    let is_kept = secrets().all(|one| part(returned, &one.name).is_null());
    let kept = secrets().filter(|_| is_kept);
    let kept = kept.map(|one| (one.name.as_str(), part(&change.prior, &one.name)));
    let props = { props.attributes().into_iter() }
        .flat_map(|all| all.iter().map(|(name, value)| (name, value.clone())));
    let names: Vec<&str> = secrets().map(|one| one.name.as_str()).collect();
    let props = props.filter(|(name, _)| !is_kept || !names.contains(name));
    Value::object(props.chain(kept).collect::<Vec<_>>())
}

pub(super) fn import(served: &Served, given: &Received) -> Reply {
    Subject::new(served, given)?;
    let id: String = given.required("id")?;
    if id.is_empty() {
        return Err(RpcError::new(FAILED, "the id is empty"));
    }
    // The host reads the rest next.
    let state = Params::new().text("id", &id);
    sent(
        Params::new()
            .map("state", state)
            .binary("private", Some(IMPORTED)),
    )
}

pub(super) async fn upgrade(served: &Served, given: &Received) -> Reply {
    let subject = Subject::new(served, given)?;
    let version: u64 = given.required("version")?;
    let stored = given.value("state", &Type::Dynamic)?;
    let work = async {
        let Existing { id, props, state } = (subject.kind.upgrade)(version, stored).await?;
        let (props, state) = (props.unwrap_or(Value::NULL), state.unwrap_or(Value::NULL));
        let state = subject.state(&id, &props, &state);
        with_value(Params::new(), "state", &state, subject.body)
    };
    answer(subject.body, work.await)
}
