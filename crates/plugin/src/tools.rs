//! Functions and actions by name, with arguments and results in JSON: what the ipc service and the MCP
//! server call.

use std::collections::BTreeSet;
use std::sync::Arc;

use tenon_protocols::orchard::Code;
use tenon_protocols::seasonings::{Diagnostic, Segment};
use tenon_protocols::{Json, Secrets};
use tenon_schema::{Action, AttributeType, Body, Function};
use tenon_values::{Error, Problem, Step, Type, Value};
use tokio::sync::Semaphore;

use crate::context::Progress;
use crate::failure::tell;
use crate::parts::{Refusal, guarded, panicked};
use crate::path::{located, place, text};
use crate::results::ResultType;
use crate::session::Session;
use crate::{Data, Failure};

pub(crate) struct Tools {
    pub(crate) session: Arc<Session>,
    /// How many actions may run at a time. Functions change nothing, so any number may run.
    slots: Semaphore,
}

/// Something that can be called by name.
pub(crate) struct Tool<'a> {
    name: &'a str,
    pub(crate) kind: Kind<'a>,
    /// `None` if it returns nothing.
    pub(crate) result: Option<&'a ResultType>,
}

pub(crate) enum Kind<'a> {
    Function(&'a Function),
    Action(&'a Action),
}

/// Why a call failed.
pub(crate) struct Refused {
    /// The arguments are wrong; otherwise the author's function failed.
    pub(crate) is_about_arguments: bool,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) code: Option<Code>,
    /// What it is about; empty if that is not known.
    pub(crate) path: Vec<Segment>,
}

impl Tools {
    pub(crate) fn new(session: Arc<Session>) -> Arc<Tools> {
        let slots = session.offer.max_in_flight.unwrap_or(1).max(1);
        Arc::new(Tools {
            session,
            slots: Semaphore::new(slots.min(Semaphore::MAX_PERMITS)),
        })
    }

    /// The names of all tools, sorted.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        let offer = &self.session.offer;
        let names = offer.functions.keys().chain(offer.actions.keys());
        names.map(String::as_str).collect()
    }

    /// The tool of this name. A function comes before an action.
    pub(crate) fn find<'a>(&'a self, name: &str) -> Option<Tool<'a>> {
        let (session, results) = (&self.session, &self.session.results);
        if let Some((name, function)) = session.offer.functions.get_key_value(name) {
            return Some(Tool {
                name,
                kind: Kind::Function(function),
                result: results.functions.get(name),
            });
        }
        let (name, action) = session.offer.actions.get_key_value(name)?;
        Some(Tool {
            name,
            kind: Kind::Action(action),
            result: results.actions.get(name),
        })
    }

    /// There is no tool of this name.
    pub(crate) fn unknown(&self, what: &str, name: &str) -> String {
        let names = self.names();
        let hint = match tenon_text::did_you_mean(name, names.iter().copied()) {
            Some(hint) => hint,
            None if names.is_empty() => "the plugin has no functions and no actions".to_owned(),
            None => {
                let names: Vec<&str> = names.into_iter().collect();
                format!("the plugin has {}", names.join(", "))
            }
        };
        format!("unknown {what} `{name}`; {hint}")
    }

    /// Calls a tool. The arguments are an object, or an array of them in the order of the schema.
    pub(crate) async fn call(
        &self,
        tool: &Tool<'_>,
        arguments: &Value,
        progress: Progress,
    ) -> Result<Json, Refused> {
        let body = tool.body();
        let given = tool.named(&body, arguments)?;
        strict(&body, &given).map_err(|error| unfit(&[error]))?;
        let complete = { body.complete(&given) }.map_err(|errors| unfit(&errors))?;
        let given = complete.unmark_deep().0;
        let result = match &tool.kind {
            Kind::Function(_) => self.call_function(tool.name, given, progress).await,
            Kind::Action(_) => self.run_action(tool.name, given, progress).await,
        };
        let result = result.map_err(|refusal| match refusal {
            // It fits the schema, but not the Rust type.
            Refusal::Unfit(_, error) => unfit(&[error]),
            Refusal::Failed(failure) => failed(failure, &body),
        });
        let result = result.map_err(|refused| refused.without_secrets(&complete))?;
        Json::of(&result.unmark_deep().0).map_err(|error| {
            let problem = format!("the result cannot be written as JSON: {error}");
            failed(
                match tool.kind {
                    Kind::Function(_) => Failure::new(problem),
                    Kind::Action(_) => Failure::outcome_unknown(problem),
                },
                &body,
            )
        })
    }

    async fn call_function(
        &self,
        name: &str,
        given: Value,
        progress: Progress,
    ) -> Result<Value, Refusal> {
        let function = self.session.function(name).await?;
        let panicked = || Failure::new("the function panicked; see stderr for the place");
        Ok(told(guarded(|| function(progress, given), panicked).await?))
    }

    async fn run_action(
        &self,
        name: &str,
        given: Value,
        progress: Progress,
    ) -> Result<Value, Refusal> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        let parts = self.session.parts().await?;
        let work = &parts.actions[name].work;
        Ok(told(guarded(|| work(progress, given), panicked).await?))
    }
}

/// The result, once its warnings are told: the protocols have no place for them.
fn told(Data { value, diagnostics }: Data<Value>) -> Value {
    tell(&diagnostics);
    value
}

impl Refused {
    /// The author may have quoted a secret argument, and the host does not know which ones are secret.
    fn without_secrets(self, arguments: &Value) -> Refused {
        let secrets = Secrets::default();
        secrets.learn(arguments);
        Refused {
            message: secrets.hide(&self.message),
            detail: self.detail.map(|detail| secrets.hide(&detail)),
            ..self
        }
    }
}

impl Tool<'_> {
    /// The schema of its arguments.
    pub(crate) fn body(&self) -> Body {
        match &self.kind {
            Kind::Function(function) => function.body(),
            Kind::Action(action) => action.input.clone(),
        }
    }

    /// The arguments by name.
    fn named(&self, body: &Body, arguments: &Value) -> Result<Value, Refused> {
        if arguments.attributes().is_some() {
            return Ok(arguments.clone());
        }
        let Some(elements) = arguments.elements() else {
            return match arguments.is_null() {
                true => Ok(Value::object::<&str>([])),
                false => Err(refused("the arguments must be an object or an array")),
            };
        };
        let mut elements: Vec<Value> = elements.to_vec();
        let attributes = body.attributes.iter().map(|one| one.name.as_str());
        let names = attributes.chain(body.blocks.iter().map(|one| one.name.as_str()));
        let mut names: Vec<&str> = names.collect();
        let mut last = None;
        if let Kind::Function(function) = &self.kind
            && let Some(variadic) = &function.variadic
        {
            names.pop();
            let rest = elements.split_off(names.len().min(elements.len()));
            last = Some((variadic.name.as_str(), Value::tuple(rest)));
        }
        if elements.len() > names.len() {
            return Err(refused(&format!(
                "too many arguments: {} takes {}, but {} are given",
                self.name,
                names.len(),
                elements.len()
            )));
        }
        Ok(Value::object(names.into_iter().zip(elements).chain(last)))
    }
}

/// Refuses a number or a bool for a string. Terraform converts it, but a caller with JSON knows the difference, and
/// the SDKs of other languages refuse it as well.
fn strict(body: &Body, given: &Value) -> Result<(), Error> {
    for attribute in &body.attributes {
        let value = given.attributes().and_then(|all| all.get(&attribute.name));
        if let Some(value) = value
            && matches!(attribute.ty, AttributeType::Plain(Type::String))
            && matches!(value.ty(), Type::Number | Type::Bool)
        {
            let (wanted, given) = (Type::String, value.ty());
            let error = Error::from(Problem::WrongType { wanted, given });
            return Err(error.below(Step::Attribute(attribute.name.as_str().into())));
        }
    }
    Ok(())
}

fn refused(message: &str) -> Refused {
    Refused {
        is_about_arguments: true,
        message: message.to_owned(),
        detail: None,
        code: None,
        path: Vec::new(),
    }
}

/// Arguments that cannot be read.
pub(crate) fn unfit(errors: &[Error]) -> Refused {
    let places: Vec<(Vec<Segment>, String)> = errors.iter().map(place).collect();
    let texts = places.iter().map(|(path, problem)| match path.is_empty() {
        true => problem.clone(),
        false => format!("{}: {problem}", text(path)),
    });
    let message = texts.collect::<Vec<_>>().join("; ");
    Refused {
        path: { places.into_iter().next() }
            .map(|(path, _)| path)
            .unwrap_or_default(),
        ..refused(&message)
    }
}

/// A failure of the author's.
fn failed(mut failure: Failure, body: &Body) -> Refused {
    let diagnostics = located(std::mem::take(&mut failure.diagnostics), body);
    let error = diagnostics.into_iter().find(Diagnostic::is_error);
    let code = failure.code().cloned();
    let error_text = failure.into_error(Code::ExecuteFailed);
    Refused {
        is_about_arguments: false,
        message: error_text.message,
        detail: error_text.detail,
        code,
        path: error.map(|error| error.path).unwrap_or_default(),
    }
}
