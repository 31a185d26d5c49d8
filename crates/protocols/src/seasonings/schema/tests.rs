use serde_json::{Value as Json, json};
use tenon_schema::{AttributeType, Nesting, Presence};
use tenon_values::{Type, Value};

use super::*;

fn functions(functions: Json) -> Result<Offer, SchemaError> {
    let schemas = Schemas {
        functions: Some(Packed::encode(&json!({ "functions": functions })).unwrap()),
        resources: None,
    };
    schemas.offer()
}

fn resources(answer: Json) -> Result<Offer, SchemaError> {
    let schemas = Schemas {
        functions: None,
        resources: Some(Packed::encode(&answer).unwrap()),
    };
    schemas.offer()
}

#[track_caller]
fn assert_refused(offer: Result<Offer, SchemaError>, problem: &str) {
    let error = offer.unwrap_err().to_string();
    assert!(error.starts_with(problem), "{error}");
}

#[test]
fn functions_are_read() {
    let offer = functions(json!({
        "slug": {
            "summary": "Makes a slug.",
            "parameters": [
                {"name": "text", "type": "string", "allow_null": true},
                {"name": "separator", "type": "string", "default": "-"},
                {"name": "limit", "type": "number", "optional": true, "default": null},
            ],
            "returns": ["list", "string"],
            "deprecation": "Use slugs.",
            "later": {},
        },
        "sum": {"variadic": {"name": "numbers", "type": "number"}, "returns": "number", "sensitive": true},
    }));
    let offer = offer.unwrap();
    assert!(offer.functions["sum"].is_sensitive && !offer.functions["slug"].is_sensitive);
    let slug = &offer.functions["slug"];
    assert!(slug.parameters[0].allows_null && !slug.parameters[0].may_be_left_out());
    assert_eq!(slug.parameters[1].default, Some(Value::from("-")));
    assert!(slug.parameters[2].is_optional && slug.parameters[2].default.is_none());
    assert_eq!(slug.returns, Type::list(Type::String));
    assert_eq!(slug.deprecation.as_deref(), Some("Use slugs."));
    assert_eq!(
        offer.functions["sum"].variadic.as_ref().unwrap().name,
        "numbers"
    );
}

/// Terraform lets calls leave them out.
#[test]
fn parameters_keep_the_optional_attributes_of_objects() {
    let ty = "object({ a = string, b = optional(number) })";
    let offer = functions(json!({
        "f": {
            "parameters": [{"name": "o", "type": ty, "default": {"a": "x"}}],
            "returns": ty,
        },
    }));
    let function = &offer.unwrap().functions["f"];
    assert_eq!(function.parameters[0].ty.to_string(), ty);
    let default = function.parameters[0].default.as_ref().unwrap();
    assert_eq!(default.to_string(), r#"{ a = "x", b = null }"#);
    assert!(!function.returns.has_optional());
}

#[test]
fn functions_that_make_no_sense_are_refused() {
    let text = |name: &str| json!({"name": name, "type": "string"});
    for (function, problem) in [
        (
            json!({"parameters": [{"name": "a", "type": "strin"}], "returns": "string"}),
            "functions.f.parameters.a: the type: ",
        ),
        (
            json!({"parameters": [{"type": "string"}], "returns": "string"}),
            "functions.f.parameters.0: ",
        ),
        (
            json!({"parameters": []}),
            "functions.f: missing field `returns`",
        ),
        (
            json!({"parameters": [{"name": "a", "type": "string", "optional": true}, text("b")], "returns": "string"}),
            "functions.f.parameters.b: ",
        ),
        (
            json!({"parameters": [{"name": "a", "type": "string", "optional": true}],
            "variadic": text("b"), "returns": "string"}),
            "functions.f.parameters.a: ",
        ),
        (
            json!({"variadic": {"name": "b", "type": "string", "default": "x"}, "returns": "string"}),
            "functions.f.parameters.b: a variadic parameter",
        ),
        (
            json!({"parameters": [{"name": "a", "type": "number", "default": "x"}], "returns": "string"}),
            "functions.f.parameters.a: the default: ",
        ),
    ] {
        assert_refused(functions(json!({ "f": function })), problem);
    }
    assert_refused(functions(json!([])), "functions: expected a map");
}

#[test]
fn resources_are_read() {
    let offer = resources(json!({
        "provider": {"attributes": {"endpoint": {"type": "string", "optional": true}}},
        "resources": {"note": {
            "version": 2,
            "description": "A note.",
            "attributes": {
                "title": {"type": "string", "required": true, "replace": true},
                "id": {"type": "string", "computed": true, "stable": true},
                "size": {"type": "number", "optional": true, "computed": true},
                "format": {"type": "string", "default": "text"},
                "password": {"type": "string", "optional": true, "write_only": true, "sensitive": true},
                "owner": {"type": "object({ name = string, mail = optional(string) })", "optional": true},
            },
            "blocks": {"rule": {"nesting": "list", "min": 1, "max": 3,
                "attributes": {"port": {"type": "number", "required": true}}}},
        }},
        "data_sources": {"now": {"attributes": {"seconds": {"type": "number", "computed": true}}}},
        "ephemeral": {"key": {"attributes": {"secret": {"type": "string", "computed": true}}}},
    }));
    let offer = offer.unwrap();
    let schema = &offer.resources["note"].schema;
    assert_eq!(schema.version, 2);
    let attribute = |name: &str| schema.body.attribute(name).unwrap();
    assert!(attribute("title").replaces && attribute("id").is_stable);
    assert_eq!(attribute("size").presence, Presence::OptionalComputed);
    assert_eq!(attribute("format").default, Some(Value::from("text")));
    assert!(attribute("password").is_write_only && attribute("password").is_sensitive);
    let AttributeType::Nested(Nesting::Single, owner) = &attribute("owner").ty else {
        panic!("{:?}", attribute("owner").ty);
    };
    assert_eq!(owner[0].presence, Presence::Optional);
    assert_eq!(owner[1].presence, Presence::Required);
    let rule = schema.body.block("rule").unwrap();
    assert_eq!(
        (rule.nesting, rule.min, rule.max),
        (Nesting::List, 1, Some(3))
    );
    let names: Vec<&str> = schema
        .body
        .attributes
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names.len(), 6);
    assert!(
        offer.data_sources.contains_key("now") && offer.ephemeral_resources.contains_key("key")
    );
    assert!(offer.config.body.attribute("endpoint").is_some());
}

#[test]
fn resources_that_make_no_sense_are_refused() {
    for (attribute, problem) in [
        (
            json!({"type": "string", "required": true, "default": "x"}),
            "resources.r.a: it is required",
        ),
        (
            json!({"type": "string", "optional": true, "write_only": true, "default": "x"}),
            "resources.r.a: a write-only attribute cannot have a default",
        ),
        (
            json!({"type": "string", "computed": true, "write_only": true}),
            "resources.r.a: a write-only",
        ),
        (
            json!({"type": "string", "required": true, "computed": true}),
            "resources.r.a: it is required",
        ),
        (
            json!({"required": true}),
            "resources.r.a: missing field `type`",
        ),
        (
            json!({"type": "number", "default": "x"}),
            "resources.r.a: the default: ",
        ),
        (
            json!({"type": "string", "required": "yes"}),
            "resources.r.a: ",
        ),
    ] {
        let answer = json!({"resources": {"r": {"attributes": {"a": attribute}}}});
        assert_refused(resources(answer), problem);
    }
    let block =
        json!({"resources": {"r": {"blocks": {"b": {"nesting": "bag", "attributes": {}}}}}});
    assert_refused(
        resources(block),
        "resources.r.b.nesting: the nesting \"bag\" is unknown",
    );
    let reserved = json!({"data_sources": {"d": {"attributes": {"count": {"type": "number", "optional": true}}}}});
    assert_refused(
        resources(reserved),
        "data_sources.d.count: Terraform reserves",
    );
    let write_only = json!({"data_sources": {"d": {"attributes":
        {"a": {"type": "string", "optional": true, "write_only": true}}}}});
    assert_refused(
        resources(write_only),
        "data_sources.d.a: only an attribute of a resource",
    );
}

/// Everything that the two schemas can say.
fn everything() -> Offer {
    let mut offer = functions(json!({
        "slug": {
            "summary": "Makes a slug.",
            "description": "At length.",
            "parameters": [
                {"name": "text", "type": "string", "allow_null": true, "description": "Which."},
                {"name": "separator", "type": "string", "default": "-"},
                {"name": "limit", "type": "number", "optional": true},
                {"name": "any", "type": "any", "optional": true, "allow_unknown": true},
            ],
            "returns": "tuple([string, list(any)])",
            "deprecation": "Use slugs.",
        },
        "sum": {"variadic": {"name": "numbers", "type": "number"}, "returns": "number", "sensitive": true},
    }))
    .unwrap();
    let inner = json!({"port": {"type": "number", "required": true, "replace": true},
        "url": {"type": "string", "computed": true, "sensitive": true}});
    let block =
        |nesting: &str| json!({"nesting": nesting, "attributes": inner, "description": "B."});
    let resources = resources(json!({
        "provider": {"attributes": {"endpoint": {"type": "string", "optional": true}}},
        "resources": {"note": {
            "version": 2,
            "description": "A note.",
            "deprecation": "Use notes.",
            "attributes": {
                "title": {"type": "string", "required": true, "replace": true},
                "id": {"type": "string", "computed": true, "stable": true},
                "size": {"type": "number", "optional": true, "computed": true},
                "share": {"type": "number", "default": 0.1},
                "tags": {"type": "map(list(any))", "default": {"a": [1]}},
                "password": {"type": "string", "optional": true, "write_only": true, "sensitive": true},
                "owner": {"type": "object({ name = string, mail = optional(string) })",
                    "optional": true, "default": {"name": "x"}, "deprecation": "No."},
                "peers": {"type": "list(object({ name = string, more = optional(set(object({ a = optional(bool) }))) }))",
                    "required": true},
                "found": {"type": "object({ a = any })", "computed": true},
            },
            "blocks": {
                "list": {"nesting": "list", "min": 1, "max": 3, "attributes": inner,
                    "blocks": {"inner": block("set")}},
                "map": block("map"), "one": block("single"), "group": block("group"),
            },
        }},
        "data_sources": {"now": {"attributes": {"seconds": {"type": "number", "computed": true}}}},
        "ephemeral": {"key": {"attributes": {"secret": {"type": "string", "computed": true}}}},
    }));
    let resources = resources.unwrap();
    offer.config = resources.config;
    offer.resources = resources.resources;
    offer.data_sources = resources.data_sources;
    offer.ephemeral_resources = resources.ephemeral_resources;
    offer
}

#[test]
fn what_is_written_is_read_again() {
    let offer = everything();
    let written = Schemas::of(&offer).unwrap();
    assert_eq!(written.offer().unwrap(), offer);
    let again = Schemas::of(&written.offer().unwrap()).unwrap();
    assert_eq!(again, written);
    let nothing = Schemas::of(&Offer::default()).unwrap();
    assert_eq!(nothing.offer().unwrap().resources, [].into());
}

#[test]
fn a_default_that_does_not_fit_is_not_written() {
    let mut offer = everything();
    let note = offer.resources.get_mut("note").unwrap();
    let attribute = tenon_schema::Attribute::new("n", Type::Number).with_default("x".into());
    note.schema.body.attributes.push(attribute);
    assert!(Schemas::of(&offer).is_err());
}
