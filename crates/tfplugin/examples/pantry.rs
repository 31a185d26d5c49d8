//! A small provider: a shelf with blocks of every kind, a recipe, a key, a bell and a sum.
//!
//! `cargo build -p tenon-tfplugin --example pantry` builds it. `tests/pantry.rs` shows how Terraform
//! finds it.

use std::process::ExitCode;

use tenon_schema::{
    Action, Attribute, Block, Body, Function, Nesting, Offer, Parameter, Resource, Schema,
};
use tenon_tfplugin::{
    ApplyRequest, ApplyResponse, AttributePath, CloseRequest, ConfigRequest, Diagnostic,
    Diagnostics, FunctionError, Identity, OpenRequest, OpenResponse, PathStep, PlanRequest,
    PlanResponse, Provider, ReadDataRequest, ReadDataResponse, ReadRequest, ReadResponse, block,
};
use tenon_values::{Number, Type, Value};
use tokio::sync::mpsc;

struct Pantry;

/// A shelf weighs what its jars weigh. The key opens it and is never stored.
fn shelf() -> Schema {
    let text = |name: &str| Body::new([Attribute::new(name, Type::String).required()]);
    let jar = Body::new([
        Attribute::new("content", Type::String).required(),
        Attribute::new("grams", Type::Number).required(),
    ]);
    let shelf = Body::new([
        Attribute::new("name", Type::String).required().replaces(),
        Attribute::new("key", Type::String).write_only(),
        Attribute::new("weight", Type::Number)
            .computed()
            .about("In grams."),
    ])
    .with_block(Block::new("owner", Nesting::Single, text("name")))
    .with_block(Block::new(
        "place",
        Nesting::Group,
        Body::new([Attribute::new("room", Type::String)]),
    ))
    .with_block(Block::new("jar", Nesting::List, jar).between(1, 4))
    .with_block(Block::new("label", Nesting::Set, text("text")))
    .with_block(Block::new("drawer", Nesting::Map, text("content")));
    Schema::new(1, shelf)
}

fn weight(shelf: &Value) -> Value {
    let jars = block::part(shelf, "jar");
    let grams = { jars.elements().unwrap_or_default().iter() }.map(|jar| block::part(jar, "grams"));
    grams.fold(Value::from(0), |sum, grams| {
        sum.add(&grams)
            .unwrap_or_else(|_| Value::unknown(Type::Number))
    })
}

impl Provider for Pantry {
    async fn offer(&self) -> Result<Offer, Diagnostics> {
        let name = || Attribute::new("name", Type::String).required();
        let steps = Attribute::new("steps", Type::list(Type::String)).computed();
        let secret = Attribute::new("secret", Type::String)
            .computed()
            .sensitive();
        let ring = Action {
            input: Body::new([Attribute::new("times", Type::Number).required()]),
            ..Action::default()
        };
        let sum = Function {
            variadic: Some(Parameter::new("numbers", Type::Number)),
            ..Function::new([], Type::Number)
        };
        let shelf = Resource {
            schema: shelf(),
            identity: None,
        };
        Ok(Offer {
            resources: [("pantry_shelf".to_owned(), shelf)].into(),
            data_sources: [(
                "pantry_recipe".to_owned(),
                Body::new([name(), steps]).into(),
            )]
            .into(),
            ephemeral_resources: [("pantry_key".to_owned(), Body::new([name(), secret]).into())]
                .into(),
            actions: [("pantry_ring".to_owned(), ring)].into(),
            functions: [("sum".to_owned(), sum)].into(),
            ..Offer::default()
        })
    }

    async fn validate_resource(&self, request: ConfigRequest) -> Diagnostics {
        let jars = block::part(&request.config, "jar");
        let empty = |(index, jar): (usize, &Value)| {
            let is_empty = block::part(jar, "grams") == Value::from(0);
            is_empty.then(|| {
                Diagnostic::error("Empty jar", "A jar has something in it.").at(AttributePath(
                    vec![
                        PathStep::Attribute("jar".to_owned()),
                        PathStep::Index(index as i64),
                        PathStep::Attribute("grams".to_owned()),
                    ],
                ))
            })
        };
        let jars = jars.elements().unwrap_or_default();
        jars.iter().enumerate().filter_map(empty).collect()
    }

    async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, Diagnostics> {
        let PlanRequest {
            prior, proposed, ..
        } = request;
        let proposed = block::with(&proposed, [("key", Value::null(Type::String))]);
        if proposed.is_null() || proposed == prior {
            return Ok(PlanResponse::new(proposed));
        }
        let planned = block::with(&proposed, [("weight", Value::unknown(Type::Number))]);
        let is_renamed = block::text(&prior, "name") != block::text(&proposed, "name");
        Ok(PlanResponse {
            requires_replace: match is_renamed {
                true => vec!["name".into()],
                false => Vec::new(),
            },
            ..PlanResponse::new(planned)
        })
    }

    async fn apply(&self, request: ApplyRequest) -> Result<ApplyResponse, Diagnostics> {
        let planned = request.planned;
        if !planned.is_null() && block::text(&request.config, "key").as_deref() != Some("key of me")
        {
            return Err(Diagnostic::error("Locked", "This key does not fit.")
                .at("key")
                .into());
        }
        let weight = weight(&planned);
        Ok(ApplyResponse::new(block::with(
            &planned,
            [("weight", weight)],
        )))
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadResponse, Diagnostics> {
        Ok(ReadResponse::new(request.state))
    }

    async fn read_data(&self, request: ReadDataRequest) -> Result<ReadDataResponse, Diagnostics> {
        let steps = vec!["mix".into(), "bake".into()];
        let steps = Value::list(Type::String, steps).unwrap_or(Value::NULL);
        let state = block::with(&request.config, [("steps", steps)]);
        Ok(ReadDataResponse::new(state))
    }

    async fn open(&self, request: OpenRequest) -> Result<OpenResponse, Diagnostics> {
        let name = block::text(&request.config, "name").unwrap_or_default();
        let secret = Value::from(format!("key of {name}").as_str());
        Ok(OpenResponse {
            private: name.into_bytes(),
            ..OpenResponse::new(block::with(&request.config, [("secret", secret)]))
        })
    }

    async fn close(&self, request: CloseRequest) -> Diagnostics {
        let name = String::from_utf8_lossy(&request.private);
        vec![Diagnostic::warning(
            "Key returned",
            format!("It was that of {name}."),
        )]
    }

    async fn call(&self, _: String, numbers: Vec<Value>) -> Result<Value, FunctionError> {
        numbers.iter().try_fold(Value::from(0), |sum, number| {
            sum.add(number)
                .map_err(|error| FunctionError::from(error.to_string()))
        })
    }

    async fn invoke(&self, request: ConfigRequest, progress: mpsc::Sender<String>) -> Diagnostics {
        let times = block::part(&request.config, "times");
        for time in 1..=times.as_number().and_then(Number::to_i64).unwrap_or(0) {
            // Terraform may have gone.
            let _gone = progress.send(format!("ring number {time}")).await;
        }
        Diagnostics::new()
    }
}

fn main() -> ExitCode {
    let identity = Identity {
        name: "pantry".to_owned(),
        address: "example/pantry".to_owned(),
        version: "1.0.0".to_owned(),
        about: "An example of a provider: shelves, recipes, keys and a bell.".to_owned(),
    };
    tenon_tfplugin::run(&identity, || Ok(Pantry))
}
