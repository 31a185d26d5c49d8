//! The log of frames that `TENON_DEBUG` asks for.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::sync::Arc;

use tenon_rpc::Tap;
use tenon_rpc::trace::Recorder;
use tenon_schema::{Attribute, AttributeType, Body, Offer};

use crate::process;

/// Writes every frame as a line of JSON, as `tenon call --record` does: with `TENON_DEBUG=1` to stderr, with
/// anything else to the end of the file of that name. Values of sensitive attributes are masked.
pub(crate) fn tap(offer: &Offer) -> Option<Arc<dyn Tap>> {
    let target = std::env::var_os("TENON_DEBUG").filter(|target| !target.is_empty())?;
    let masked = masked(offer);
    if target == "1" {
        return Some(Arc::new(Recorder::new(io::stderr(), masked)));
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&target) {
        Ok(file) => Some(Arc::new(Recorder::new(file, masked))),
        Err(error) => {
            let target = target.display();
            process::tell(&format!("TENON_DEBUG: cannot open {target}: {error}\n"));
            None
        }
    }
}

/// The members whose values may be secrets. Outputs that contain one are masked as a whole, wherever a
/// protocol has them.
fn masked(offer: &Offer) -> BTreeSet<&str> {
    // What ephemeral resources leave for later may be a secret.
    let mut names = BTreeSet::from(["private", "privateData"]);
    let outputs = offer.actions.values().filter_map(|one| one.output.as_ref());
    if outputs.into_iter().any(|output| output.is_sensitive) {
        names.extend(["outputs", "result", "structuredContent", "text"]);
    }
    let schemas = [&offer.data_sources, &offer.ephemeral_resources];
    let bodies = { schemas.into_iter() }
        .flat_map(|all| all.values().map(|schema| &schema.body))
        .chain(offer.resources.values().map(|one| &one.schema.body))
        .chain(offer.actions.values().map(|one| &one.input))
        .chain([&offer.config.body]);
    bodies.for_each(|body| add_body(&mut names, body));
    names
}

fn add_body<'a>(names: &mut BTreeSet<&'a str>, body: &'a Body) {
    add(names, &body.attributes);
    for block in &body.blocks {
        add_body(names, &block.body);
    }
}

fn add<'a>(names: &mut BTreeSet<&'a str>, attributes: &'a [Attribute]) {
    for one in attributes {
        if one.is_sensitive || one.is_write_only {
            names.insert(&one.name);
        }
        if let AttributeType::Nested(_, inner) = &one.ty {
            add(names, inner);
        }
    }
}
