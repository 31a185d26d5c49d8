//! What a server offers, as `tenon call --list` prints it.

use serde_json::json;
use tenon_protocols::{Listing, Offer, Parameter};

use super::{data, json_data, on_one_line};
use crate::exit::Failure;

/// What a server offers.
pub(crate) fn print(listing: &Listing, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return listing
            .offers
            .iter()
            .try_for_each(|offer| json_data(json!(offer)));
    }
    data(text(listing).trim_end())
}

fn text(listing: &Listing) -> String {
    let mut text = String::new();
    if let Some(server) = &listing.server {
        text += &format!("{}\n", on_one_line(server));
    }
    if listing.offers.is_empty() {
        text += "(it offers nothing)\n";
    }
    for offers in listing.offers.chunk_by(|one, next| one.kind == next.kind) {
        let kind = offers[0].kind;
        text += &format!("\n{}\n", plural(kind));
        for offer in offers {
            text += &offer_text(offer);
        }
        if let Some(sample) = offers.iter().find_map(|offer| offer.call.as_ref()) {
            let (method, params) = (on_one_line(sample.method), sample.params.to_string());
            let params = tenon_text::json(&params);
            text += &format!("  call one with: {method} '{params}'\n");
        }
    }
    text
}

fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind == "configuration" => kind.to_owned(),
        None => format!("{kind}s"),
    }
}

fn offer_text(offer: &Offer) -> String {
    let mut text = format!("  {}", on_one_line(&offer.name));
    if let Some(result) = &offer.result {
        text += &format!(" -> {}", on_one_line(result));
    }
    text += &about(&offer.about);
    text.push('\n');
    for parameter in &offer.parameters {
        text += &parameter_text(parameter);
    }
    text
}

fn parameter_text(parameter: &Parameter) -> String {
    let (name, ty) = (on_one_line(&parameter.name), on_one_line(&parameter.ty));
    let mut text = format!("      {name}: {ty}");
    if parameter.required {
        text += ", required";
    }
    if let Some(default) = &parameter.default {
        text += &format!(", default {}", tenon_text::json(&default.to_string()));
    }
    text += &about(&parameter.about);
    text.push('\n');
    text
}

/// The first line; `--json` has all of them.
fn about(about: &str) -> String {
    match about.lines().next() {
        Some(line) => format!("  - {}", line.trim()),
        None => String::new(),
    }
}
