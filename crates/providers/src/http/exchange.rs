//! A request and its answer, redirects and limits included.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode, Url};
use tenon_plugin::Failure;

use super::address::{check_scheme, shown};

/// A server that sends us around more often does so forever.
const REDIRECTS: usize = 10;

/// How long a connection may take to be made, at most.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// What is known of what a request has changed when something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// Unknown: a request that may change something was sent.
    Unknown,
}

impl Effect {
    /// That of a request without an answer.
    pub(super) fn of(method: &Method) -> Effect {
        match method.is_safe() {
            true => Effect::None,
            false => Effect::Unknown,
        }
    }

    /// That of a request with an answer that is not the expected one: the server says that it has
    /// refused. A gateway says that it does not know what the server behind it has done.
    fn refused(method: &Method, status: StatusCode) -> Effect {
        match status.as_u16() {
            // 524 is Cloudflare's: the server was connected, and did not answer.
            502 | 504 | 524 => Effect::of(method),
            _ => Effect::None,
        }
    }

    pub(super) fn failure(self, message: String) -> Failure {
        match self {
            Effect::None => Failure::new(message),
            Effect::Unknown => Failure::outcome_unknown(message),
        }
    }
}

/// What is asked.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) method: Method,
    pub(super) url: Url,
    /// Of the provider and of the action. They go to the origin of `url` and nowhere else.
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// What is answered.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// What is known if this is not the expected answer.
    pub(super) effect: Effect,
}

/// A client that leaves redirects to us. Its time limit for connections is below that for whole
/// requests: what has no connection by then has certainly sent nothing.
pub(super) fn client(time_limit: Duration) -> Result<Client, Failure> {
    Client::builder()
        .connect_timeout(CONNECT_LIMIT.min(time_limit.mul_f64(0.9)))
        .redirect(Policy::none())
        .user_agent(concat!("tenon/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| {
            Failure::new(format!(
                "the HTTP client cannot be set up: {}",
                chain(&error)
            ))
        })
}

/// Asks, and asks again where redirects lead if they are to be followed. `is_expected` says which
/// statuses are a success.
pub(super) async fn ask(
    client: &Client,
    mut question: Question,
    follow: bool,
    limit: usize,
    is_expected: &(dyn Fn(u16) -> bool + Sync),
) -> Result<Answer, Failure> {
    // What the requests so far have changed. One that is redirected has changed nothing, unless the
    // next one only fetches the result.
    let mut before = Effect::None;
    for _ in 0..=REDIRECTS {
        let method = question.method.clone();
        let response = send(client, question.clone(), before).await?;
        let status = response.status();
        let location = match follow && is_redirect(status) {
            true => response.headers().get(LOCATION).cloned(),
            false => None,
        };
        let Some(location) = location else {
            let effect = match is_expected(status.as_u16()) {
                // It is done, whatever becomes of the body.
                true => Effect::of(&method).max(before),
                false => Effect::refused(&method, status).max(before),
            };
            return read(response, &question.url, limit, effect).await;
        };
        question = redirected(question, status, &location, before)?;
        if !method.is_safe() && question.method.is_safe() {
            before = Effect::Unknown;
        }
    }
    Err(before.failure(format!(
        "{} still redirects after {REDIRECTS} redirects",
        shown(&question.url)
    )))
}

async fn send(client: &Client, question: Question, before: Effect) -> Result<Response, Failure> {
    let place = shown(&question.url);
    let method = question.method.clone();
    let mut request = client
        .request(question.method, question.url)
        .headers(question.headers);
    if let Some(body) = question.body {
        request = request.body(body);
    }
    request.send().await.map_err(|error| {
        // Names, connections and encryption come before the first byte of a request.
        let was_sent = !error.is_connect() && !error.is_builder();
        match was_sent {
            true => Effect::of(&method).max(before).failure(format!(
                "{place} did not answer the request: {}",
                chain(&error)
            )),
            false => before.failure(format!("{place} cannot be reached: {}", chain(&error))),
        }
    })
}

async fn read(
    mut response: Response,
    url: &Url,
    limit: usize,
    effect: Effect,
) -> Result<Answer, Failure> {
    let status = response.status();
    let headers = response.headers().clone();
    let mut body = Vec::new();
    let broken = |error: reqwest::Error| {
        effect.failure(format!(
            "the answer of {} with the status {status} broke off: {}",
            shown(url),
            chain(&error)
        ))
    };
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        if piece.len() > limit - body.len() {
            return Err(effect.failure(format!(
                "the answer of {} has more than {limit} bytes\n  hint: raise max_body_bytes of the provider, or ask for less",
                shown(url)
            )));
        }
        body.extend_from_slice(&piece);
    }
    Ok(Answer {
        status,
        headers,
        body,
        effect,
    })
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// What to ask next. At another origin, what was meant for the first one is left out: it may be a
/// password, a cookie, a key in a header of any name.
fn redirected(
    question: Question,
    status: StatusCode,
    location: &HeaderValue,
    before: Effect,
) -> Result<Question, Failure> {
    let from = shown(&question.url);
    // As browsers do, whatever the letter of the standard said about 301 and 302.
    let becomes_get = match status.as_u16() {
        301 | 302 => question.method == Method::POST,
        303 => question.method != Method::HEAD,
        _ => false,
    };
    // The server has acted, and says where to fetch the result.
    let effect = match becomes_get {
        true => Effect::of(&question.method).max(before),
        false => before,
    };
    let wrong =
        |problem: String| effect.failure(format!("{from} redirects to a wrong address: {problem}"));
    let location = str::from_utf8(location.as_bytes()).map_err(|e| wrong(e.to_string()))?;
    let url = question
        .url
        .join(location)
        .map_err(|e| wrong(e.to_string()))?;
    check_scheme(&url).map_err(wrong)?;
    let mut next = Question { url, ..question };
    if becomes_get {
        next.method = Method::GET;
        next.body = None;
        next.headers.remove(CONTENT_TYPE);
    }
    let origin = Url::parse(&from).map(|from| from.origin());
    if origin != Ok(next.url.origin()) {
        if next.body.is_some() {
            return Err(Failure::new(format!(
                "{from} redirects the body of the request to another origin, {}\n  hint: if that is meant, make it the url of the action",
                shown(&next.url)
            )));
        }
        next.headers.clear();
    }
    Ok(next)
}

/// What failed and why; the library hides the why in sources. The address is left out of it,
/// since there may be secrets in its query.
fn chain(error: &reqwest::Error) -> String {
    let mut reasons = Vec::new();
    let mut source = std::error::Error::source(error);
    while let Some(reason) = source {
        reasons.push(reason.to_string());
        source = reason.source();
    }
    reasons.dedup();
    match reasons.is_empty() {
        true => "the request is not valid".into(),
        false => reasons.join(": "),
    }
}
