//! What a provider offers, as `tenon call` lists it.

use serde_json::{Value, json};
use tenon_rpc::{CallError, Payload, Peer};

use super::{AttrSchema, DescribeResult};
use crate::lifecycle::Work;
use crate::listing::{Listing, Offer, Parameter};

pub(super) fn list<'a>(
    _: &'a Peer,
    described: &'a Payload,
) -> Work<'a, Result<Listing, CallError>> {
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
