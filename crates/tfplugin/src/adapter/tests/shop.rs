//! A provider that does what a test tells it by the name of an item.

use std::sync::atomic::{AtomicUsize, Ordering};

use tenon_schema::{Action, Attribute, Body, Function, Parameter, Resource, Schema};
use tenon_values::{Type, msgpack};
use tonic::{Request, Response, Status};

use super::super::*;
use crate::proto::tfplugin6::DynamicValue;
use crate::requests::*;
use crate::{Capabilities, block};
use tenon_values::Value;

pub(super) const ITEM: &str = "shop_item";

#[derive(Default)]
pub(super) struct Shop {
    /// How often it was asked what it has.
    pub(super) asked: AtomicUsize,
    /// How many of the first times it does not know.
    pub(super) forgets: usize,
}

pub(super) fn adapter() -> Adapter<Shop> {
    Adapter::new(Arc::new(Shop::default()))
}

pub(super) fn item_type() -> Type {
    "object({ name = string, price = number })".parse().unwrap()
}

pub(super) fn item(name: &str, price: Value) -> Value {
    Value::object([("name", name.into()), ("price", price)])
}

pub(super) fn packed(value: &Value, ty: &Type) -> Option<DynamicValue> {
    Some(DynamicValue {
        msgpack: msgpack::encode(value, ty).unwrap(),
        json: Vec::new(),
    })
}

pub(super) fn packed_item(name: &str) -> Option<DynamicValue> {
    packed(&item(name, Value::from(1)), &item_type())
}

pub(super) fn no_item() -> Option<DynamicValue> {
    packed(&Value::null(item_type()), &item_type())
}

pub(super) fn unpacked(sent: Option<&DynamicValue>) -> Value {
    msgpack::decode(&sent.unwrap().msgpack, &item_type()).unwrap()
}

pub(super) fn identity(name: &str) -> Option<proto::ResourceIdentityData> {
    let value = Value::object([("name", Value::from(name))]);
    Some(proto::ResourceIdentityData {
        identity_data: packed(&value, &"object({ name = string })".parse().unwrap()),
    })
}

/// What was answered. There is always an answer.
pub(super) fn answer<T>(reply: Result<Response<T>, Status>) -> T {
    reply.unwrap().into_inner()
}

pub(super) fn ask<T>(message: T) -> Request<T> {
    Request::new(message)
}

impl Provider for Shop {
    async fn offer(&self) -> Result<Offer, Diagnostics> {
        let times = self.asked.fetch_add(1, Ordering::Relaxed);
        if times < self.forgets {
            return Err(Diagnostic::error("Closed", "Come back later.").into());
        }
        let name = || Attribute::new("name", Type::String).required();
        let body = || Body::new([name(), Attribute::new("price", Type::Number).computed()]);
        let item = Resource {
            schema: Schema::new(2, body()),
            identity: Some(vec![name()]),
        };
        let ring = Action {
            input: Body::new([name()]),
            ..Action::default()
        };
        let sum = Function {
            variadic: Some(Parameter::new("more", Type::Number)),
            ..Function::new([Parameter::new("unit", Type::String)], Type::String)
        };
        Ok(Offer {
            resources: [(ITEM.to_owned(), item)].into(),
            data_sources: [("shop_a", body().into()), ("shop_b", body().into())]
                .map(|(name, schema)| (name.to_owned(), schema))
                .into(),
            actions: [("shop_ring".to_owned(), ring)].into(),
            functions: [("sum".to_owned(), sum)].into(),
            ..Offer::default()
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            plans_destroy: true,
            ..Capabilities::default()
        }
    }

    async fn validate_resource(&self, request: ConfigRequest) -> Diagnostics {
        vec![Diagnostic::warning(
            "Seen",
            format!("{} {:?}", request.config, request.client),
        )]
    }

    async fn upgrade(&self, request: UpgradeRequest) -> Result<Value, Diagnostics> {
        let text = String::from_utf8(request.json).unwrap();
        Ok(item(
            &format!("{text} of {}", request.version),
            Value::from(0),
        ))
    }

    async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, Diagnostics> {
        Ok(PlanResponse {
            requires_replace: vec!["name".into()],
            deferred: Some(Deferred::AbsentPrerequisite),
            ..PlanResponse::new(request.proposed)
        })
    }

    async fn apply(&self, request: ApplyRequest) -> Result<ApplyResponse, Diagnostics> {
        let name = block::text(&request.planned, "name");
        match name.as_deref() {
            Some("panic") => panic!("the shop burns"),
            Some("refuse") => Err(Diagnostic::error("No", "Not this one.").at("name").into()),
            Some("odd") => Ok(ApplyResponse::new(Value::object([(
                "colour",
                "red".into(),
            )]))),
            Some("half") => Ok(ApplyResponse {
                diagnostics: vec![Diagnostic::error("Half done", "")],
                private: Some(b"half".to_vec()),
                ..ApplyResponse::new(request.planned)
            }),
            _ => Ok(ApplyResponse::new(request.planned)),
        }
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadResponse, Diagnostics> {
        let name = block::text(&request.state, "name").unwrap_or_default();
        Ok(ReadResponse {
            identity: (request.identity.is_none())
                .then(|| Value::object([("name", Value::from(name.as_str()))])),
            ..ReadResponse::new(request.state)
        })
    }

    async fn read_data(&self, request: ReadDataRequest) -> Result<ReadDataResponse, Diagnostics> {
        let diagnostics = match block::text(&request.config, "name").as_deref() {
            Some("refuse") => vec![Diagnostic::error("No", "Not this one.")],
            _ => Diagnostics::new(),
        };
        Ok(ReadDataResponse {
            diagnostics,
            ..ReadDataResponse::new(request.config)
        })
    }

    async fn call(&self, _: String, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        let [unit, numbers @ ..] = &arguments[..] else {
            panic!("no unit");
        };
        if unit.is_null() {
            return Err(FunctionError {
                text: "a unit is needed.\u{1b}".to_owned(),
                argument: Some(0),
            });
        }
        let sum = { numbers.iter() }.fold(Value::from(0), |sum, number| sum.add(number).unwrap());
        Ok(Value::from(
            format!("{sum} {}", unit.as_str().unwrap()).as_str(),
        ))
    }

    async fn invoke(
        &self,
        request: ConfigRequest,
        progress: tokio::sync::mpsc::Sender<String>,
    ) -> Diagnostics {
        progress.send("one\r\n".to_owned()).await.unwrap();
        progress.send("two\u{1b}".to_owned()).await.unwrap();
        match block::text(&request.config, "name").as_deref() {
            Some("panic") => panic!("the bell falls"),
            _ => vec![Diagnostic::warning("Loud", "")],
        }
    }
}
