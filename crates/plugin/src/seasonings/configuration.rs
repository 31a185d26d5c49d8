//! The configuration of the plugin, and checks of configurations.

use std::collections::BTreeMap;

use tenon_protocols::seasonings::{FAILED, Params};
use tenon_rpc::{Reply, RpcError};
use tenon_schema::{Body, Schema};

use super::answers::{answer, sent, subject};
use super::resources::select;
use super::{Received, Served};
use crate::parts::{Given, Kind, Refusal};
use crate::session::Unconfigured;

pub(super) async fn configure(served: &Served, given: &Received) -> Reply {
    let body = &served.offer()?.config.body;
    let config = given.value("config", body)?;
    if !config.is_wholly_known() {
        served.session.defer().await;
        return sent(Params::new());
    }
    let refuse = |problem: &str| Err(RpcError::new(FAILED, problem));
    let configured = match served.session.configure(&config).await {
        Ok(()) => Ok(Params::new()),
        Err(Unconfigured::Failed(failure)) => Err(failure.into()),
        Err(Unconfigured::Invalid(mut errors)) => {
            Err(Refusal::Unfit(Given::Props, errors.swap_remove(0)))
        }
        Err(Unconfigured::Twice) => return refuse("the plugin is already configured"),
        Err(Unconfigured::Ended) => return refuse("the plugin has been shut down"),
    };
    answer(body, configured)
}

/// Checks a configuration against the author's types. What is unknown in part is checked later.
pub(super) fn validate(served: &Served, given: &Received) -> Reply {
    let offer = served.offer()?;
    let kinds = &served.session.kinds;
    let what: String = given.required("kind")?;
    match what.as_str() {
        "resource" => {
            let (name, kind) = subject(served, given, "resource", &kinds.resources)?;
            check(&kind.kind, given, &offer.resources[name].schema.body)
        }
        "data" => checked(
            served,
            given,
            "data source",
            &kinds.data_sources,
            &offer.data_sources,
        ),
        "ephemeral" => {
            let (kinds, schemas) = (&kinds.ephemeral_resources, &offer.ephemeral_resources);
            checked(served, given, "ephemeral resource", kinds, schemas)
        }
        "provider" => {
            let body = &offer.config.body;
            let config = given.value("config", body)?;
            let check = kinds.config.filter(|_| config.is_wholly_known());
            let checked = check.map_or(Ok(()), |check| check(&config));
            answer(body, checked.map(|()| Params::new()))
        }
        other => Err(RpcError::invalid_params(format!(
            "kind in the params of resources/validate: {other:?} is unknown"
        ))),
    }
}

fn checked(
    served: &Served,
    given: &Received,
    what: &str,
    kinds: &BTreeMap<String, Kind>,
    schemas: &BTreeMap<String, Schema>,
) -> Reply {
    let (name, kind) = subject(served, given, what, kinds)?;
    check(kind, given, &schemas[name].body)
}

fn check(kind: &Kind, given: &Received, body: &Body) -> Reply {
    let config = given.value("config", body)?;
    let checked = match config.is_wholly_known() {
        true => (kind.check)(&select(&config, kind.shape.given_names())),
        false => Ok(()),
    };
    answer(body, checked.map(|()| Params::new()))
}
