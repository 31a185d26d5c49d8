//! Where values stand in the params and in the result of each method.

use std::collections::BTreeMap;

use tenon_rpc::{Payload, Text};
use tenon_schema::{Attribute, AttributeType, Body, Function, Offer, Resource};
use tenon_values::{Error, Value};
use tenon_wire::msgpack::{Reader, Token};

use super::super::answer::{Answer, AnswerError};
use super::super::value::{self, Shape};
use super::{arguments, quoted, read, unpacked, write};

/// What stands in a place.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A value of this shape.
    Value(Shape<'a>),
    /// A configuration, in which defaults are filled in before it is sent.
    Config(&'a Body),
    /// Binary data.
    Binary,
    /// The arguments of a function, by name.
    Arguments(&'a Function),
    /// The arguments of a function in their order, which only people write.
    Positional(&'a Function),
    /// What an import found.
    Imported(&'a BTreeMap<String, Resource>),
}

/// The places of one method.
#[derive(Default)]
pub(super) struct Places<'a> {
    /// The method, for errors.
    pub(super) method: &'static str,
    pub(super) params: Vec<(&'static str, Place<'a>)>,
    pub(super) result: Vec<(&'static str, Place<'a>)>,
    /// What is missing in the result is taken from the configuration.
    pub(super) over_config: bool,
    /// Nothing has to be returned.
    pub(super) is_deletion: bool,
}

impl<'a> Places<'a> {
    /// The places of a method, by the type or the function that the params name. Those of an unknown
    /// one are left out, so that its values are converted without a schema.
    pub(super) fn of(offer: &'a Offer, method: &str, params: &[(Text, Payload)]) -> Places<'a> {
        let text = |name: &str| -> Option<String> {
            let (_, member) = params.iter().find(|(known, _)| known == name)?;
            member.decode().ok()
        };
        let ty = text("type").unwrap_or_default();
        let resource = { offer.resources.get(&ty) }.map(|one| &one.schema.body);
        let data = { offer.data_sources.get(&ty) }.map(|one| &one.body);
        let ephemeral = { offer.ephemeral_resources.get(&ty) }.map(|one| &one.body);
        let provider = Some(&offer.config.body);
        match method {
            "functions/call" => {
                let function = text("name").and_then(|name| offer.functions.get(&name));
                Places::called("functions/call").function(function, params)
            }
            "resources/configure" => Places::called("resources/configure").configured(provider),
            "resources/validate" => {
                let body = match text("kind").as_deref() {
                    Some("provider") => provider,
                    Some("data") => data,
                    Some("ephemeral") => ephemeral,
                    _ => resource,
                };
                Places::called("resources/validate").takes(body, &["config"])
            }
            "resources/planChange" => Places::called("resources/planChange")
                .takes(resource, &["prior", "config", "proposed"])
                .returns(resource, "planned")
                .with_private(true, true),
            "resources/applyChange" => {
                let is_null =
                    |(name, value): &(Text, Payload)| name == "planned" && value.is_null();
                Places {
                    is_deletion: params.iter().any(is_null),
                    ..Places::called("resources/applyChange")
                }
                .takes(resource, &["prior", "planned", "config"])
                .returns(resource, "state")
                .with_private(true, true)
            }
            "resources/read" => Places::called("resources/read")
                .takes(resource, &["state"])
                .returns(resource, "state")
                .with_private(true, true),
            "resources/import" => {
                let mut places = Places::called("resources/import").returns(resource, "state");
                places
                    .result
                    .push(("imported", Place::Imported(&offer.resources)));
                places.with_private(false, true)
            }
            // The old state has another schema.
            "resources/upgrade" => Places::called("resources/upgrade").returns(resource, "state"),
            "resources/readData" => Places {
                over_config: true,
                ..Places::called("resources/readData")
            }
            .configured(data)
            .returns(data, "state"),
            "resources/open" => Places {
                over_config: true,
                ..Places::called("resources/open")
            }
            .configured(ephemeral)
            .returns(ephemeral, "result")
            .with_private(false, true),
            "resources/renew" => Places::called("resources/renew").with_private(true, true),
            "resources/close" => Places::called("resources/close").with_private(true, false),
            "storage/read" => {
                let mut places = Places::called("storage/read");
                places.result.push(("state", Place::Binary));
                places
            }
            "storage/write" => {
                let mut places = Places::called("storage/write");
                places.params.push(("state", Place::Binary));
                places
            }
            _ => Places::called("the call"),
        }
    }

    /// What `resources/validate` may be asked about.
    pub(super) const KINDS: [&'static str; 4] = ["resource", "data", "ephemeral", "provider"];

    /// The member of the params that names a function or a type, what it names, and what there is.
    pub(super) fn named(
        &self,
        offer: &'a Offer,
        params: &[(Text, Payload)],
    ) -> Option<(&'static str, &'static str, Vec<&'a str>)> {
        let kind = params.iter().find(|(name, _)| name == "kind");
        let kind = kind.and_then(|(_, kind)| kind.decode::<String>().ok());
        let what = match (self.method, kind.as_deref()) {
            ("functions/call", _) => "function",
            ("resources/configure", _) | ("resources/validate", Some("provider")) => return None,
            ("resources/readData", _) | ("resources/validate", Some("data")) => "data source",
            ("resources/open" | "resources/renew" | "resources/close", _)
            | ("resources/validate", Some("ephemeral")) => "ephemeral resource",
            (method, _) if method.starts_with("resources/") => "resource",
            _ => return None,
        };
        fn keys<T>(map: &BTreeMap<String, T>) -> Vec<&str> {
            map.keys().map(String::as_str).collect()
        }
        Some(match what {
            "function" => ("name", what, keys(&offer.functions)),
            "data source" => ("type", what, keys(&offer.data_sources)),
            "ephemeral resource" => ("type", what, keys(&offer.ephemeral_resources)),
            _ => ("type", what, keys(&offer.resources)),
        })
    }

    fn called(method: &'static str) -> Places<'a> {
        Places {
            method,
            ..Places::default()
        }
    }

    fn takes(mut self, body: Option<&'a Body>, names: &[&'static str]) -> Places<'a> {
        let values = |body: &'a Body| {
            names
                .iter()
                .map(move |name| (*name, Place::Value(body.into())))
        };
        self.params.extend(body.into_iter().flat_map(values));
        self
    }

    fn configured(mut self, body: Option<&'a Body>) -> Places<'a> {
        let config = body.map(|body| ("config", Place::Config(body)));
        self.params.extend(config);
        self
    }

    fn returns(mut self, body: Option<&'a Body>, name: &'static str) -> Places<'a> {
        let value = body.map(|body| (name, Place::Value(body.into())));
        self.result.extend(value);
        self
    }

    fn with_private(mut self, is_sent: bool, is_returned: bool) -> Places<'a> {
        self.params
            .extend(is_sent.then_some(("private", Place::Binary)));
        self.result
            .extend(is_returned.then_some(("private", Place::Binary)));
        self
    }

    fn function(
        mut self,
        function: Option<&'a Function>,
        params: &[(Text, Payload)],
    ) -> Places<'a> {
        let Some(function) = function else {
            return self;
        };
        let is_positional = params.iter().any(|(name, _)| name == "args");
        self.params.push(match is_positional {
            true => ("args", Place::Positional(function)),
            false => ("arguments", Place::Arguments(function)),
        });
        self.result
            .push(("result", Place::Value((&function.returns).into())));
        self
    }

    pub(super) fn param(&self, name: &str) -> Option<&Place<'a>> {
        find(&self.params, name)
    }

    pub(super) fn returned(&self, name: &str) -> Option<&Place<'a>> {
        find(&self.result, name)
    }
}

fn find<'p, 'a>(places: &'p [(&'static str, Place<'a>)], name: &str) -> Option<&'p Place<'a>> {
    places
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, place)| place)
}

impl Place<'_> {
    pub(super) fn is_value(&self) -> bool {
        matches!(self, Place::Value(_))
    }

    /// What is sent if nothing is given.
    pub(super) fn absent(&self) -> Result<Option<Vec<u8>>, Error> {
        match self {
            Place::Value(_) => Ok(Some(vec![0xc0])),
            Place::Config(body) => {
                let value = read::config("{}", body)?;
                value::encode(&value, *body).map(Some)
            }
            Place::Arguments(function) => arguments::none(function).map(Some),
            Place::Binary | Place::Positional(_) | Place::Imported(_) => Ok(None),
        }
    }

    /// A member of an answer, as JSON; `None` if it cannot be read at all. What is missing in it is taken
    /// from `base`.
    pub(super) fn shown(
        &self,
        name: &str,
        answer: &Answer,
        base: Option<&Value>,
    ) -> Result<Option<String>, AnswerError> {
        match self {
            Place::Value(shape) => {
                let value = match base {
                    Some(base) => answer.value_over(name, *shape, base)?,
                    None => answer.value(name, *shape)?,
                };
                Ok(Some(write::value(&value, *shape)))
            }
            Place::Imported(resources) => {
                let mut texts = Vec::new();
                for one in answer.list(name)?.unwrap_or_default() {
                    texts.push(imported(&one, resources)?);
                }
                Ok(Some(format!("[{}]", texts.join(","))))
            }
            Place::Binary => {
                let bytes = answer.binary(name)?;
                Ok(Some(
                    bytes.map_or("null".to_owned(), |bytes| write::binary(&bytes)),
                ))
            }
            // These are only in params.
            Place::Config(_) | Place::Arguments(_) | Place::Positional(_) => Ok(None),
        }
    }

    /// What was sent, as JSON: by its shape, or as it is if it does not fit.
    pub(super) fn shown_anyway(&self, sent: &Payload) -> Option<String> {
        let by = |shape: Shape<'_>| match value::decode(sent.bytes(), shape) {
            Ok(value) => Some(write::value(&value, shape)),
            Err(_) if has_sensitive(shape) => {
                Some(format!("{{\"$sensitive\":{}}}", unpacked(sent)?))
            }
            Err(_) => unpacked(sent),
        };
        match self {
            Place::Value(shape) => by(*shape),
            Place::Config(body) => by((*body).into()),
            Place::Binary => binary(sent).or_else(|| unpacked(sent)),
            Place::Arguments(function) => {
                arguments::shown(function, sent).or_else(|| unpacked(sent))
            }
            Place::Imported(resources) => {
                let mut bodies = resources.values().map(|one| Shape::from(&one.schema.body));
                match bodies.any(has_sensitive) {
                    true => Some(format!("{{\"$sensitive\":{}}}", unpacked(sent)?)),
                    false => unpacked(sent),
                }
            }
            Place::Positional(_) => unpacked(sent),
        }
    }
}

/// An object that an import found.
fn imported(one: &Answer, resources: &BTreeMap<String, Resource>) -> Result<String, AnswerError> {
    let name: String = one.required("type")?;
    let resource = resources
        .get(&name)
        .ok_or_else(|| one.unknown_type(&name))?;
    let shape = Shape::from(&resource.schema.body);
    let state = write::value(&one.value("state", shape)?, shape);
    let private = match one.binary("private")? {
        Some(private) => format!(",\"private\":{}", write::binary(&private)),
        None => String::new(),
    };
    Ok(format!(
        "{{\"type\":{},\"state\":{state}{private}}}",
        quoted(&name)
    ))
}

/// Binary data, or a text in its place.
fn binary(sent: &Payload) -> Option<String> {
    match Reader::new(sent.bytes()).token() {
        Some(Token::Bin(bytes) | Token::Str(bytes)) => Some(write::binary(bytes)),
        _ => None,
    }
}

fn has_sensitive(shape: Shape<'_>) -> bool {
    let in_attribute = |one: &Attribute| {
        let is_inside = match &one.ty {
            AttributeType::Nested(..) => has_sensitive(Shape::from(&one.ty)),
            AttributeType::Plain(_) => false,
        };
        one.is_sensitive || one.is_write_only || is_inside
    };
    match shape {
        Shape::Type(_) => false,
        Shape::Object(attributes, blocks) | Shape::Nested(_, attributes, blocks) => {
            attributes.iter().any(in_attribute)
                || blocks.iter().any(|one| has_sensitive(Shape::from(one)))
        }
    }
}
