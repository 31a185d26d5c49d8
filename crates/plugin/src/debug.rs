//! The log of frames that `TENON_DEBUG` asks for.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::sync::Arc;

use tenon_rpc::Tap;
use tenon_rpc::trace::Recorder;
use tenon_schema::{Attribute, AttributeType, Body};

use crate::process;
use crate::session::Session;

/// Writes every frame as a line of JSON, as `tenon call --record` does: with `TENON_DEBUG=1` to stderr, with
/// anything else to the end of the file of that name. Values of sensitive attributes are masked.
pub(crate) fn tap(session: &Session) -> Option<Arc<dyn Tap>> {
    let target = std::env::var_os("TENON_DEBUG").filter(|target| !target.is_empty())?;
    let masked = masked(session);
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

/// The members whose values may be secrets. Results that contain one are masked as a whole, wherever a
/// protocol has them.
fn masked(session: &Session) -> BTreeSet<&str> {
    let offer = &session.offer;
    // What ephemeral resources leave for later may be a secret.
    let mut names = BTreeSet::from(["private", "privateData"]);
    let mut outputs = offer.actions.values().filter_map(|one| one.output.as_ref());
    let mut results = session.results.functions.values();
    if outputs.any(|output| output.is_sensitive) || results.any(|result| result.is_sensitive) {
        names.extend(["outputs", "result", "structuredContent", "text"]);
    }
    let parameters = { offer.functions.values() }
        .flat_map(|function| function.parameters.iter().chain(&function.variadic));
    for parameter in parameters.filter(|one| one.is_sensitive) {
        // By position, as denobridge has them, they have no names.
        names.extend(["arguments", parameter.name.as_str()]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plugin, Secret, Variadic, attributes};

    attributes! {
        struct Login { user: String, password: Secret<String>, tokens: Variadic<Secret<String>> }
        struct Lookup { user: String }
        struct Key { id: String, key: Secret<String> }
    }

    fn names(plugin: Plugin) -> Vec<String> {
        let session = Session::new(plugin);
        masked(&session).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn secret_arguments_and_results_of_functions_are_masked() {
        let plugin = Plugin::new("keys", "1.0.0");
        let log_in = plugin.function("log_in", "", |_: Login| async { Ok(true) });
        assert_eq!(
            names(log_in),
            ["arguments", "password", "private", "privateData", "tokens"]
        );
        let key = |given: Lookup| async move {
            let key = Secret::new(given.user.clone());
            Ok(Key {
                id: given.user,
                key,
            })
        };
        assert_eq!(
            names(Plugin::new("keys", "1.0.0").function("key", "", key)),
            [
                "outputs",
                "private",
                "privateData",
                "result",
                "structuredContent",
                "text"
            ]
        );
        let plain = |given: Lookup| async move { Ok(given.user) };
        assert_eq!(
            names(Plugin::new("keys", "1.0.0").function("plain", "", plain)),
            ["private", "privateData"]
        );
    }
}
