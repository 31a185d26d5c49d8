//! A request and its answer, redirects and limits included.

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode, Url};
use tenon_plugin::orchard::Failure;

use super::address::{check_scheme, shown};

/// A server that sends us around more often does so forever.
const REDIRECTS: usize = 10;

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
}

/// A client that leaves redirects to us.
pub(super) fn client() -> Result<Client, Failure> {
    Client::builder()
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

/// Asks, and asks again where redirects lead if they are to be followed.
pub(super) async fn ask(
    client: &Client,
    mut question: Question,
    follow: bool,
    limit: usize,
) -> Result<Answer, Failure> {
    for _ in 0..=REDIRECTS {
        let response = send(client, question.clone()).await?;
        let location = match follow && is_redirect(response.status()) {
            true => response.headers().get(LOCATION).cloned(),
            false => None,
        };
        match location {
            Some(location) => question = redirected(question, response.status(), &location)?,
            None => return read(response, &question.url, limit).await,
        }
    }
    Err(Failure::new(format!(
        "{} still redirects after {REDIRECTS} redirects",
        shown(&question.url)
    )))
}

async fn send(client: &Client, question: Question) -> Result<Response, Failure> {
    let place = shown(&question.url);
    let mut request = client
        .request(question.method, question.url)
        .headers(question.headers);
    if let Some(body) = question.body {
        request = request.body(body);
    }
    request
        .send()
        .await
        .map_err(|error| Failure::new(format!("{place} cannot be reached: {}", chain(&error))))
}

async fn read(mut response: Response, url: &Url, limit: usize) -> Result<Answer, Failure> {
    let status = response.status();
    let headers = response.headers().clone();
    let mut body = Vec::new();
    let broken = |error: reqwest::Error| {
        Failure::new(format!(
            "the answer of {} broke off: {}",
            shown(url),
            chain(&error)
        ))
    };
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        if piece.len() > limit - body.len() {
            return Err(Failure::new(format!(
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
) -> Result<Question, Failure> {
    let from = shown(&question.url);
    let wrong =
        |problem: String| Failure::new(format!("{from} redirects to a wrong address: {problem}"));
    let location = str::from_utf8(location.as_bytes()).map_err(|e| wrong(e.to_string()))?;
    let url = question
        .url
        .join(location)
        .map_err(|e| wrong(e.to_string()))?;
    check_scheme(&url).map_err(wrong)?;
    let mut next = Question { url, ..question };
    // As browsers do, whatever the letter of the standard said about 301 and 302.
    let becomes_get = match status.as_u16() {
        301 | 302 => next.method == Method::POST,
        303 => next.method != Method::HEAD,
        _ => false,
    };
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
