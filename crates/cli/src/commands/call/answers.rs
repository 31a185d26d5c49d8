//! What the other side sends by itself: requests with their answers, and events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_protocols::{Client, Protocol};
use tenon_rpc::{Call, Format, Payload, Reply, Router, RpcError};
use tokio::sync::{mpsc, oneshot};

use super::events::Events;
use super::params;
use crate::args::CallArgs;
use crate::commands::input;
use crate::exit::Failure;
use crate::output::{Answered, Printer};

/// A request that waits for the user at the prompt.
pub(crate) struct Question {
    pub(crate) method: String,
    /// Dropped, it refuses.
    pub(crate) reply: oneshot::Sender<Payload>,
}

/// How many questions can wait for the user.
const QUESTIONS: usize = 64;

/// Everything that is answered, shared by the connection and the prompt.
pub(crate) struct Answers {
    given: Mutex<BTreeMap<String, Payload>>,
    protocol: Option<Protocol>,
    /// What the plugin gets in the first call.
    config: Map<String, Value>,
    questions: Option<mpsc::Sender<Question>>,
    /// Events, where there is a conversation that may wait for them.
    events: Option<Events>,
    printer: Printer,
}

impl Answers {
    /// The answers of the command line. Questions come only where there is a prompt to ask them at.
    pub(crate) fn new(
        args: &CallArgs,
        printer: Printer,
    ) -> Result<(Arc<Answers>, Option<mpsc::Receiver<Question>>), Failure> {
        let mut given = BTreeMap::new();
        for answer in &args.answer {
            let what = format!("answer to {}", answer.method);
            given.insert(answer.method.clone(), params::value(&what, &answer.text)?);
        }
        let (sender, receiver) = match args.repl && input::is_terminal() {
            true => {
                let (sender, receiver) = mpsc::channel(QUESTIONS);
                (Some(sender), Some(receiver))
            }
            false => (None, None),
        };
        let answers = Answers {
            given: Mutex::new(given),
            protocol: args.protocol,
            config: config(args)?,
            questions: sender,
            events: args.repl.then(Events::default),
            printer,
        };
        Ok((Arc::new(answers), receiver))
    }

    fn given(&self) -> MutexGuard<'_, BTreeMap<String, Payload>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a method like this from now on.
    pub(crate) fn set(&self, method: &str, answer: Payload) {
        self.given().insert(method.to_owned(), answer);
    }

    /// Events that may be waited for.
    pub(crate) fn events(&self) -> Option<&Events> {
        self.events.as_ref()
    }

    /// What the first call tells the other side about the answers.
    pub(crate) fn client(&self) -> Client {
        Client {
            answers: self.given().keys().cloned().collect(),
            answers_everything: self.questions.is_some(),
            config: self.config.clone(),
        }
    }

    /// Prints what the other side sends by itself, and answers what it asks.
    pub(crate) fn router(self: &Arc<Answers>) -> Router<Arc<Answers>> {
        Router::new(self.clone())
            .fallback(|call, answers| async move { answers.answer(call).await })
            .event_fallback(|context, event| {
                let Answers {
                    printer, events, ..
                } = &**context.state;
                printer.event(&event.method, event.params.as_ref());
                if let Some(events) = events {
                    events.note(&event);
                }
            })
    }

    async fn answer(&self, call: Call) -> Reply {
        let format = call.peer.format();
        let asked = |answered| {
            self.printer
                .asked(&call.method, call.params.as_ref(), answered);
        };
        let known = self.given().get(call.method.as_str()).cloned();
        let known = known.or_else(|| {
            let protocol = self.protocol?;
            protocol.answer(&call.method, call.params.as_ref(), Format::Json)
        });
        if let Some(answer) = known {
            asked(Answered::With(&answer));
            return encoded(&answer, format);
        }
        if let Some(questions) = &self.questions {
            asked(Answered::AtThePrompt);
            let (reply, replied) = oneshot::channel();
            let question = Question {
                method: call.method.to_string(),
                reply,
            };
            // Without room, or if the prompt has ended, it is refused.
            let has_room = questions.try_send(question).is_ok();
            if let (true, Ok(answer)) = (has_room, replied.await) {
                return encoded(&answer, format);
            }
        } else {
            let in_conversation = self.events.is_some();
            asked(Answered::NotFound { in_conversation });
        }
        Err(RpcError::method_not_found(&call.method, format))
    }
}

/// What `--config` says.
fn config(args: &CallArgs) -> Result<Map<String, Value>, Failure> {
    let Some(text) = &args.config else {
        return Ok(Map::new());
    };
    if !args.protocol.is_some_and(Protocol::takes_config) {
        let able = Protocol::ALL
            .into_iter()
            .filter(|protocol| protocol.takes_config());
        let able: Vec<&str> = able.map(Protocol::name).collect();
        let (names, first) = (able.join(", "), able[0]);
        return Err(Failure::usage(format!(
            "only plugins that speak {names} are configured in their first call\n  hint: add --protocol {first}"
        )));
    }
    let config = params::value("config", text)?;
    let config = config.decode();
    config.map_err(|_| Failure::usage("--config: the config is not a JSON object"))
}

fn encoded(answer: &Payload, format: Format) -> Reply {
    answer
        .to_format_with(format, EXT_NAMES)
        .map_err(|error| RpcError::internal(error.to_string()))
}
