//! The provider `http`: requests to a server.
//!
//! Headers go to the origin they were meant for and to no other. Those of the provider go to the
//! origin of its `base_url`; those of an action to the origin of its `url`. A redirect to another
//! origin is followed without any of them, and without the body.
//!
//! Once a request that may change something has been sent, only an answer says whether it did:
//! without one the outcome is unknown. Connections that could not be made have sent nothing.

mod address;
mod exchange;

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use tenon_plugin::{Failure, IdempotencyKey, Plugin, Secret, attributes};
use tenon_values::{Value, json};

use crate::attribute::{seconds, wrong};
use crate::content::{Content, LARGEST, beginning};
use exchange::{Answer, Effect, Question};

attributes! {
    /// What all requests have in common.
    struct Config {
        /// What the urls of actions are relative to: they are appended to it.
        base_url: Option<String>,
        /// Headers for all requests to the origin of base_url; if that is not set, for all
        /// requests.
        default_headers: Secret<BTreeMap<String, String>> = Secret::new(BTreeMap::new()),
        /// The time limit in seconds of a request, with its redirects and its answer. After that
        /// its outcome is unknown, unless its method only reads.
        timeout_seconds: f64 = 30.0,
        /// An answer with a longer body is a failure.
        max_body_bytes: u32 = LARGEST,
    }

    /// One request.
    struct Request {
        /// The method.
        method: String = "GET",
        /// Where it goes: an address, or a path that is appended to base_url.
        url: String,
        /// Headers, which replace default headers of the same name.
        headers: BTreeMap<String, String> = BTreeMap::new(),
        /// What is added to the query of the url, and escaped as need be.
        query: BTreeMap<String, String> = BTreeMap::new(),
        /// The body.
        body: Option<String>,
        /// The body as a value, which is sent as JSON. Either this or body.
        json: Option<Value>,
        /// The statuses that are a success; if not set, all are.
        expect_status: Option<Vec<u16>>,
        /// Whether redirects are followed. To another origin go no headers and no body.
        follow_redirects: bool = true,
        /// A key by which the server knows the request when it comes again, sent as the header
        /// Idempotency-Key: a string, or true to have Tenon make one from the run and the
        /// action's address.
        idempotency_key: Option<IdempotencyKey>,
    }

    /// What was answered.
    struct Outputs {
        /// The status.
        status: u16,
        /// The body; null if it is not UTF-8.
        body: Option<String>,
        /// The body, in base64, if it is not UTF-8; else null.
        body_base64: Option<String>,
        /// The headers by their names in lower case; of several with one name, the first.
        headers: BTreeMap<String, String>,
        /// The value of the body if its content type is JSON; else null.
        json: Value,
    }
}

/// The header that servers know a repeated request by.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// What all requests share.
pub(crate) struct State {
    client: Client,
    base_url: Option<Url>,
    default_headers: HeaderMap,
    time_limit: Duration,
    body_limit: usize,
}

/// The provider.
pub(crate) fn provider() -> Plugin<State> {
    Plugin::new("http", env!("CARGO_PKG_VERSION"))
        .configure(|config| async move { configure(config) })
        .action(
            "http_request",
            "Makes a request and returns the answer, whatever its status, unless expect_status lists the statuses that are accepted",
            |state, request| async move { http_request(&state, request).await },
        )
        .max_in_flight(8)
}

fn configure(config: Config) -> Result<State, Failure> {
    let time_limit = seconds("timeout_seconds", config.timeout_seconds)?;
    Ok(State {
        client: exchange::client(time_limit)?,
        base_url: config.base_url.as_deref().map(address::base).transpose()?,
        default_headers: headers("default_headers", config.default_headers.reveal())?,
        time_limit,
        body_limit: config.max_body_bytes as usize,
    })
}

async fn http_request(state: &State, request: Request) -> Result<Outputs, Failure> {
    let question = question(state, &request)?;
    let place = address::shown(&question.url);
    let is_expected = |status: u16| {
        let expected = request.expect_status.as_ref();
        expected.is_none_or(|expected| expected.contains(&status))
    };
    let effect = Effect::of(&question.method);
    let asked = exchange::ask(
        &state.client,
        question,
        request.follow_redirects,
        state.body_limit,
        &is_expected,
    );
    let Ok(answer) = tokio::time::timeout(state.time_limit, asked).await else {
        return Err(effect.failure(format!(
            "{place} did not answer within {:?}\n  hint: is it up? Otherwise raise timeout_seconds of the provider",
            state.time_limit
        )));
    };
    let answer = answer?;
    let status = answer.status.as_u16();
    if is_expected(status) {
        return Ok(outputs(answer));
    }
    Err(answer.effect.failure(format!(
        "{place} answered with the status {status}, but {:?} was expected\n  body: {}",
        request.expect_status.unwrap_or_default(),
        beginning(&answer.body)
    )))
}

fn question(state: &State, request: &Request) -> Result<Question, Failure> {
    let method = request.method.to_ascii_uppercase();
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| wrong("method", format!("{method:?} is not a method")))?;
    let mut url = address::resolve(state.base_url.as_ref(), &request.url)?;
    // Looking at an empty query would add a question mark.
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    let is_home = match &state.base_url {
        Some(base) => base.origin() == url.origin(),
        None => true,
    };
    let mut all = match is_home {
        true => state.default_headers.clone(),
        false => HeaderMap::new(),
    };
    let body = match (&request.body, &request.json) {
        (None, None) => None,
        (Some(body), None) => Some(body.clone().into_bytes()),
        (None, Some(value)) => {
            all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let text = json::encode(value, &value.ty()).map_err(|error| wrong("json", error))?;
            Some(text.into_bytes())
        }
        (Some(_), Some(_)) => return Err(wrong("body", "give either body or json")),
    };
    all.extend(headers("headers", &request.headers)?);
    if let Some(key) = &request.idempotency_key {
        let is_given = |name: &String| name.eq_ignore_ascii_case(IDEMPOTENCY_KEY);
        if request.headers.keys().any(is_given) {
            let problem = format!("the header {IDEMPOTENCY_KEY} is already among the headers");
            return Err(wrong("idempotency_key", problem));
        }
        let given = BTreeMap::from([(IDEMPOTENCY_KEY.to_owned(), key.as_str().to_owned())]);
        all.extend(headers("idempotency_key", &given)?);
    }
    Ok(Question {
        method,
        url,
        headers: all,
        body,
    })
}

/// Reads headers. Errors do not quote the value, which may be a secret.
fn headers(attribute: &str, given: &BTreeMap<String, String>) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let read = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| wrong(attribute, format!("{name:?} is not the name of a header")))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            wrong(
                attribute,
                format!("the value of {name} has characters that no header can have"),
            )
        })?;
        value.set_sensitive(true);
        headers.insert(read, value);
    }
    Ok(headers)
}

fn outputs(answer: Answer) -> Outputs {
    let is_json = answer
        .headers
        .get(CONTENT_TYPE)
        .is_some_and(|content_type| {
            let content_type =
                String::from_utf8_lossy(content_type.as_bytes()).to_ascii_lowercase();
            let essence = content_type.split(';').next().unwrap_or_default().trim();
            essence == "application/json" || essence.ends_with("+json")
        });
    let json = match is_json {
        true => json::implied(&answer.body).unwrap_or(Value::NULL),
        false => Value::NULL,
    };
    let mut headers = BTreeMap::new();
    for (name, value) in &answer.headers {
        let value = || String::from_utf8_lossy(value.as_bytes()).into_owned();
        headers.entry(name.to_string()).or_insert_with(value);
    }
    let body = Content::from(answer.body);
    Outputs {
        status: answer.status.as_u16(),
        body: body.text,
        body_base64: body.base64,
        headers,
        json,
    }
}
