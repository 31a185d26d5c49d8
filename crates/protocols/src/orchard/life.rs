//! How a provider is greeted, asked what it can do, and said goodbye to.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_rpc::{CallError, Dialect, Payload, Peer, Stray};

use super::{AttrSchema, DescribeResult, ERROR_NAMES, VERSION};
use crate::lifecycle::{Begun, Client, Spec, Work, call, decode, refuse};
use crate::listing::{Listing, Offer, Parameter};

pub(crate) static SPEC: Spec = Spec {
    name: "orchard",
    dialect: Dialect::Orchard,
    error_names: ERROR_NAMES,
    // Orchard calls a provider that prints anything else broken.
    stray: Stray::Fail,
    start_limit: Duration::from_secs(5),
    first_call: Some("describe"),
    begin,
    end,
    list: Some(list),
    methods: &["describe", "configure", "execute", "shutdown"],
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, _: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let answer = call(peer, "describe", Some(json!({}))).await?;
        let described = decode(&answer)?;
        let spoken = &described["schema"]["protocol"];
        match spoken == VERSION {
            true => Ok(Some(answer)),
            false => refuse(format!(
                "the provider speaks protocol {spoken}, but this is a host for {VERSION:?}"
            )),
        }
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended all the same.
        let _gone = call(peer, "shutdown", Some(json!({}))).await;
    })
}

fn list<'a>(_: &'a Peer, described: &'a Payload) -> Work<'a, Result<Listing, CallError>> {
    Box::pin(async move {
        let DescribeResult { schema } = described.decode().map_err(CallError::Undecodable)?;
        let mut offers = Vec::new();
        if !schema.config.is_empty() {
            let parameters = schema.config.iter().map(parameter).collect();
            offers.push(
                Offer::new("configuration", "configure")
                    .with_parameters(parameters)
                    .called("configure", |given| json!({ "config": given })),
            );
        }
        for (name, action) in &schema.actions {
            let parameters = action.attrs.iter().map(parameter).collect();
            let mut offer = Offer::new("action", name)
                .about(&action.description)
                .with_parameters(parameters)
                .called("execute", |given| json!({ "action": name, "attrs": given }));
            let outputs = action.outputs.as_ref();
            offer.result = outputs.map(|outputs| outputs.ty.to_string());
            offers.push(offer);
        }
        Ok(Listing {
            server: Listing::server_name(&schema.name, &schema.version),
            offers,
        })
    })
}

fn parameter((name, attribute): (&String, &AttrSchema)) -> Parameter {
    let default = attribute.default.as_ref();
    Parameter {
        name: name.clone(),
        ty: attribute.ty.to_string(),
        required: attribute.required,
        default: default.and_then(|default| serde_json::from_str::<Value>(default.text()).ok()),
        about: attribute.description.clone(),
    }
}
