//! One request: who may ask, for which state, and what for.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::{Method, Request, Response, header};
use tokio::sync::oneshot;

use crate::access::Permit;
use crate::answer::{Done, Refusal, response};
use crate::notice::Notice;
use crate::path::{Root, StatePath};
use crate::server::{BODY_TIME, Settings, Shared};
use crate::storage::Storage;

/// A request that may be carried out.
struct Task {
    method: Verb,
    path: StatePath,
    /// The id of the lock that the client says it holds.
    lock: Option<String>,
    body: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Read,
    Write,
    Lock,
    Unlock,
    Delete,
}

/// Answers one request.
pub(crate) async fn answer<S: Storage>(
    shared: Arc<Shared<S>>,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let method = request.method().as_str().to_owned();
    let path = request.uri().path().to_owned();
    let outcome = match accept(&shared, request).await {
        Ok(task) => to_its_end(&shared, task).await,
        Err(refusal) => Err(refusal),
    };
    let notice = match &outcome {
        Err(refusal) => Some(notice(method, path, refusal)),
        Ok(Done::Displaced(text)) => Some(Notice {
            method,
            path,
            problem: text.clone(),
            is_failure: false,
            lock: None,
        }),
        Ok(_) => None,
    };
    if let Some(notice) = notice {
        (shared.notify)(notice);
    }
    response(outcome)
}

fn notice(method: String, path: String, refusal: &Refusal) -> Notice {
    Notice {
        method,
        path,
        problem: refusal.problem().into_owned(),
        is_failure: matches!(refusal, Refusal::Failed(_)),
        lock: refusal.lock(),
    }
}

/// Checks everything that can be checked without the storage.
async fn accept<S: Storage>(
    shared: &Shared<S>,
    request: Request<Incoming>,
) -> Result<Task, Refusal> {
    match shared
        .access
        .check(request.headers().get(header::AUTHORIZATION))
    {
        Permit::Granted => {}
        Permit::Missing => return Err(Refusal::NoPassword),
        Permit::Wrong => return Err(Refusal::WrongPassword),
    }
    let (root, path) = StatePath::of_request(request.uri().path()).ok_or(Refusal::NotFound)?;
    let path = path.map_err(|error| Refusal::Invalid(error.to_string()))?;
    let method = verb(root, request.method()).ok_or_else(|| Refusal::NoMethod(methods(root)))?;
    let lock = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes())
        .find(|(name, id)| name == "ID" && !id.is_empty())
        .map(|(_, id)| id.into_owned());
    // The Content-MD5 of a write is not checked: the body comes over loopback, its length is known, and the sum
    // takes half of the time of a large write.
    let body = body(request.into_body(), &shared.settings).await?;
    Ok(Task {
        method,
        path,
        lock,
        body,
    })
}

async fn body(body: Incoming, settings: &Settings) -> Result<Bytes, Refusal> {
    match tokio::time::timeout(BODY_TIME, whole(body, settings.max_state)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Refusal::Invalid("the body has not arrived in time".into())),
    }
}

/// All of a body, in one buffer. Its pieces are copied as they arrive, so that the connection reads all of them
/// into the same memory.
async fn whole(mut body: Incoming, limit: usize) -> Result<Bytes, Refusal> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|error| Refusal::Invalid(format!("the body cannot be read: {error}")))?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if piece.len() > limit - whole.len() {
            return Err(Refusal::TooLarge(format!(
                "the body is larger than {limit} bytes"
            )));
        }
        if whole.is_empty() {
            if body.is_end_stream() {
                return Ok(piece);
            }
            // What the client declares: it knows the password.
            let declared = body.size_hint().lower();
            let more = usize::try_from(declared).unwrap_or(usize::MAX);
            whole.reserve_exact(piece.len() + more.min(limit));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.into())
}

/// What a method asks for. A client may have been told to use others than Terraform's defaults.
fn verb(root: Root, method: &Method) -> Option<Verb> {
    match (root, method.as_str()) {
        (Root::State, "GET") => Some(Verb::Read),
        (Root::State, "POST" | "PUT") => Some(Verb::Write),
        (Root::State, "DELETE") => Some(Verb::Delete),
        (Root::State | Root::Lock, "LOCK") | (Root::Lock, "POST" | "PUT") => Some(Verb::Lock),
        (Root::State | Root::Unlock, "UNLOCK") | (Root::Unlock, "POST" | "PUT" | "DELETE") => {
            Some(Verb::Unlock)
        }
        _ => None,
    }
}

/// The methods that [`verb`] knows.
fn methods(root: Root) -> &'static str {
    match root {
        Root::State => "GET, POST, PUT, DELETE, LOCK, UNLOCK",
        Root::Lock => "LOCK, POST, PUT",
        Root::Unlock => "UNLOCK, POST, PUT, DELETE",
    }
}

/// Carries a request out in a task of its own, because hyper drops what a client does not wait for, and half a
/// write is worse than one that is no longer wanted.
async fn to_its_end<S: Storage>(shared: &Arc<Shared<S>>, task: Task) -> Result<Done, Refusal> {
    let (sender, receiver) = oneshot::channel();
    let owned = Arc::clone(shared);
    shared.tasks.spawn(async move {
        let outcome = carry_out(&owned, &task).await;
        // A lock that its client does not know of would never be released.
        if let Err(Ok(_)) = sender.send(outcome)
            && task.method == Verb::Lock
            && let Err(refusal) = owned.backend.unlock(&task.path, &task.body).await
        {
            let path = task.path.to_request(Root::Unlock);
            (owned.notify)(notice("UNLOCK".into(), path, &refusal));
        }
    });
    receiver
        .await
        .unwrap_or_else(|_| Err(Refusal::Failed("the request was abandoned".into())))
}

async fn carry_out<S: Storage>(shared: &Shared<S>, task: &Task) -> Result<Done, Refusal> {
    let backend = &shared.backend;
    let lock = task.lock.as_deref();
    let work = async {
        match task.method {
            Verb::Read => backend.read(&task.path).await,
            Verb::Write => backend.write(&task.path, lock, task.body.clone()).await,
            Verb::Lock => backend.lock(&task.path, &task.body).await,
            Verb::Unlock => backend.unlock(&task.path, &task.body).await,
            Verb::Delete => backend.delete(&task.path, lock, &task.body).await,
        }
    };
    let Some(limit) = shared.settings.time_limit else {
        return work.await;
    };
    let in_time = tokio::time::timeout(limit, work).await;
    in_time.unwrap_or_else(|_| {
        Err(Refusal::Failed(format!(
            "the storage has not answered within {} s",
            limit.as_secs_f64()
        )))
    })
}
