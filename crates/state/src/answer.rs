//! What a request is answered with: the status codes that Terraform's `http` backend understands.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Response, StatusCode, header};
use serde::Deserialize;

/// What was asked for has been done.
#[derive(Debug)]
pub(crate) enum Done {
    State(Bytes),
    /// There is no state here.
    NoState,
    Changed,
    /// The client has the lock, and another one has lost it; this is what the user should know.
    Displaced(String),
}

/// What was asked for has not been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request cannot be understood.
    Invalid(String),
    /// It has no password.
    NoPassword,
    WrongPassword,
    /// There is nothing at this address.
    NotFound,
    /// The method is not one of these.
    NoMethod(&'static str),
    /// Another client holds the lock; this is what it said about itself, as JSON.
    Locked(String),
    /// The client does not hold the lock that it names.
    NotHeld(String),
    TooLarge(String),
    /// The storage cannot do this. Terraform does not try again.
    Unsupported(String),
    /// The storage failed. Terraform tries again.
    Failed(String),
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Refusal::Invalid(_) => StatusCode::BAD_REQUEST,
            Refusal::NoPassword => StatusCode::UNAUTHORIZED,
            Refusal::WrongPassword => StatusCode::FORBIDDEN,
            Refusal::NotFound => StatusCode::NOT_FOUND,
            Refusal::NoMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Locked(_) => StatusCode::LOCKED,
            Refusal::NotHeld(_) => StatusCode::CONFLICT,
            Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::Unsupported(_) => StatusCode::NOT_IMPLEMENTED,
            Refusal::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What is wrong, for the user.
    pub(crate) fn problem(&self) -> Cow<'_, str> {
        if let Refusal::Locked(info) = self {
            return Cow::Owned(Holding::of(info).to_string());
        }
        if let Refusal::NoMethod(known) = self {
            return Cow::Owned(format!("the method is not one of {known}"));
        }
        Cow::Borrowed(match self {
            Refusal::NoPassword => "the request has no password",
            Refusal::WrongPassword => "the password is wrong",
            Refusal::NotFound => "there is no state at this address",
            Refusal::NoMethod(_) => "the method is unknown",
            Refusal::Locked(_) => "the state is locked",
            Refusal::Invalid(text)
            | Refusal::NotHeld(text)
            | Refusal::TooLarge(text)
            | Refusal::Unsupported(text)
            | Refusal::Failed(text) => text,
        })
    }

    /// The id of the lock that is in the way.
    pub(crate) fn lock(&self) -> Option<String> {
        match self {
            Refusal::Locked(info) => Holding::of(info).id,
            _ => None,
        }
    }
}

/// Who holds a lock, as far as the client has said so.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Holding {
    #[serde(rename = "ID")]
    id: Option<String>,
    who: Option<String>,
    operation: Option<String>,
    created: Option<String>,
}

impl Holding {
    fn of(info: &str) -> Holding {
        serde_json::from_str(info).unwrap_or_default()
    }
}

impl fmt::Display for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (" by ", &self.who),
            (" since ", &self.created),
            (" for ", &self.operation),
            (", lock ", &self.id),
        ];
        f.write_str("the state is locked")?;
        for (word, part) in parts {
            if let Some(part) = part.as_deref().filter(|part| !part.is_empty()) {
                write!(f, "{word}{part}")?;
            }
        }
        Ok(())
    }
}

/// The response for what came of a request.
pub(crate) fn response(outcome: Result<Done, Refusal>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    match outcome {
        Ok(Done::Changed | Done::Displaced(_)) => {}
        Ok(Done::NoState) => *response.status_mut() = StatusCode::NOT_FOUND,
        Ok(Done::State(state)) => {
            // Without a Content-MD5: Terraform computes the sum itself, and for 10 MB that takes as long as
            // everything else here.
            set(&mut response, header::CONTENT_TYPE, "application/json");
            *response.body_mut() = Full::new(state);
        }
        Err(refusal) => {
            *response.status_mut() = refusal.status();
            match refusal {
                // Terraform reads the holder from the body.
                Refusal::Locked(info) => {
                    set(&mut response, header::CONTENT_TYPE, "application/json");
                    *response.body_mut() = Full::new(info.into());
                }
                refusal => {
                    match refusal {
                        Refusal::NoPassword => set(
                            &mut response,
                            header::WWW_AUTHENTICATE,
                            "Basic realm=\"tenon\"",
                        ),
                        Refusal::NoMethod(known) => set(&mut response, header::ALLOW, known),
                        _ => {}
                    }
                    set(
                        &mut response,
                        header::CONTENT_TYPE,
                        "text/plain; charset=utf-8",
                    );
                    *response.body_mut() = Full::new(format!("{}\n", refusal.problem()).into());
                }
            }
        }
    }
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

fn set(response: &mut Response<Full<Bytes>>, name: header::HeaderName, value: &str) {
    // All values are written here, in ASCII.
    if let Ok(value) = header::HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_lock_names_its_owner() {
        let locked = |info: &str| {
            let refusal = Refusal::Locked(info.to_owned());
            (refusal.problem().into_owned(), refusal.lock())
        };
        let info = r#"{"ID":"1-2","Operation":"OperationTypeApply","Info":"","Who":"me@here","Created":"2026-01-01T00:00:00Z"}"#;
        let said = "the state is locked by me@here since 2026-01-01T00:00:00Z for OperationTypeApply, lock 1-2";
        assert_eq!(locked(info), (said.to_owned(), Some("1-2".to_owned())));
        let said = "the state is locked, lock 1-2".to_owned();
        assert_eq!(
            locked(r#"{"ID":"1-2","Operation":""}"#),
            (said, Some("1-2".to_owned()))
        );
        assert_eq!(locked("odd"), ("the state is locked".to_owned(), None));
    }
}
