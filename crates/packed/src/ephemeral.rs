//! Ephemeral resources.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_protocols::seasonings::AnswerError;
use tenon_protocols::seasonings::calls::{Call, Close, Kind as Type, Open, Renew};
use tenon_tfplugin::{
    CloseRequest, Diagnostic, Diagnostics, OpenRequest, OpenResponse, RenewRequest, RenewResponse,
    has_errors,
};
use tenon_values::Value;

use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};
use crate::resource::settle;
use crate::{show, tree};

/// The newest private data of ephemeral resources that are open, by a number that Terraform gets in its
/// place: Terraform passes what `renew` returns to the next `renew` only, and `close` would get that of
/// `open`.
#[derive(Default)]
pub(crate) struct Opened(Mutex<(u64, HashMap<u64, Vec<u8>>)>);

impl Opened {
    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<u64, Vec<u8>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, private: Vec<u8>) -> Vec<u8> {
        let mut opened = self.lock();
        opened.0 += 1;
        let number = opened.0;
        opened.1.insert(number, private);
        number.to_string().into_bytes()
    }

    fn number(private: &[u8]) -> Option<u64> {
        std::str::from_utf8(private).ok()?.parse().ok()
    }

    fn get(&self, private: &[u8]) -> Option<Vec<u8>> {
        let number = Opened::number(private)?;
        self.lock()
            .1
            .get(&number)
            .filter(|bytes| !bytes.is_empty())
            .cloned()
    }

    fn set(&self, private: &[u8], new: Vec<u8>) {
        if let Some(number) = Opened::number(private) {
            self.lock().1.insert(number, new);
        }
    }

    fn remove(&self, private: &[u8]) {
        if let Some(number) = Opened::number(private) {
            self.lock().1.remove(&number);
        }
    }
}

pub(crate) async fn open(
    plugin: &Plugin,
    offered: &Offered,
    opened: &Opened,
    request: OpenRequest,
) -> Result<OpenResponse, Diagnostics> {
    let kind = offered.ephemeral(&request.type_name)?;
    let config = tree::with_defaults(kind.body, &request.config, &request.config);
    tree::learn(&plugin.secrets, kind.body, &config);
    let call = Open {
        kind,
        config: &config,
    };
    let task = Task::opening("open the ephemeral resource");
    let answer = plugin.call(&call, task).await;
    let answer = answer.map_err(Diagnostics::from)?;
    let sent = answer.result.as_ref().ok().and_then(Option::as_ref);
    let mut diagnostics = show::answered(plugin, kind.body, sent, answer.diagnostics);
    let private = match &answer.private {
        Ok(private) => private.as_deref().filter(|bytes| !bytes.is_empty()),
        Err(_) => None,
    };
    let is_opened =
        !has_errors(&diagnostics) || private.is_some() || sent.is_some_and(|one| !one.is_null());
    let result = match usable(
        plugin,
        kind,
        &config,
        answer.result,
        answer.private.as_ref().err(),
    ) {
        Ok(result) => result.filter(|_| !has_errors(&diagnostics)),
        // The plugin has said itself what is wrong.
        Err(_) if has_errors(&diagnostics) => None,
        Err(error) => {
            diagnostics.push(error);
            None
        }
    };
    let interrupted = plugin.interrupted(task, Open::METHOD);
    let Some(result) = result.filter(|_| interrupted.is_none()) else {
        diagnostics.extend(interrupted.map(|failure| failure.diagnostic));
        if is_opened {
            // Terraform closes nothing that it did not get.
            diagnostics.extend(close_opened(plugin, kind, private).await);
        }
        return Err(diagnostics);
    };
    let renew_at = answer.renew_at.map_err(|error| error.problem);
    let renew_at = renewal(plugin, renew_at, &mut diagnostics);
    Ok(OpenResponse {
        private: opened.add(private.unwrap_or_default().to_vec()),
        renew_at,
        diagnostics,
        ..OpenResponse::new(result)
    })
}

/// The result if it can be passed on; `None` if there is none, which the plugin has explained.
fn usable(
    plugin: &Plugin,
    kind: Type<'_>,
    config: &Value,
    result: Result<Option<Value>, AnswerError>,
    private: Option<&AnswerError>,
) -> Result<Option<Value>, Diagnostic> {
    let wrong = |error: &AnswerError| -> Diagnostic {
        let detail = show::wrong_answer(plugin, Open::METHOD, &error.path, &error.problem);
        Diagnostic::error("Could not open the ephemeral resource", detail)
    };
    let result = result.map_err(|error| wrong(&error))?;
    if let Some(error) = private {
        // Without it, the resource could be neither renewed nor closed.
        return Err(wrong(error));
    }
    let Some(result) = result else {
        return Ok(None);
    };
    let result = settle(kind.body, &result, config);
    match show::incomplete(plugin, Open::METHOD, "result", &result) {
        Some(error) => Err(error),
        None => Ok(Some(result)),
    }
}

/// When to renew, in seconds since 1970. If the time cannot be read, what was opened is still used.
fn renewal(
    plugin: &Plugin,
    time: Result<Option<String>, String>,
    diagnostics: &mut Diagnostics,
) -> Option<i64> {
    let parsed = time.and_then(|time| {
        let parsed = time.map(|time| time.parse::<jiff::Timestamp>());
        parsed.transpose().map_err(|error| error.to_string())
    });
    match parsed {
        Ok(time) => Some(time?.as_second()),
        Err(error) => {
            let detail = format!(
                "renew_at of the plugin {} is not a time in the form of RFC 3339, so the resource is not \
                 renewed: {error}.",
                plugin.name()
            );
            diagnostics.push(Diagnostic::warning("Unreadable time", detail));
            None
        }
    }
}

pub(crate) async fn renew(
    plugin: &Plugin,
    offered: &Offered,
    opened: &Opened,
    request: RenewRequest,
) -> Result<RenewResponse, Diagnostics> {
    let kind = offered.ephemeral(&request.type_name)?;
    let private = opened.get(&request.private);
    let call = Renew {
        name: kind.name,
        private: private.as_deref(),
    };
    let answer = match plugin
        .call(&call, Task::reading("renew the ephemeral resource"))
        .await
    {
        Ok(answer) => answer,
        Err(failure) if failure.kind == Kind::LeftOut => return Ok(RenewResponse::default()),
        Err(failure) => return Err(failure.into()),
    };
    if let Some(new) = answer.private {
        opened.set(&request.private, new.into());
    }
    let mut diagnostics = show::diagnostics(answer.diagnostics, kind.body, &plugin.secrets);
    Ok(RenewResponse {
        renew_at: renewal(plugin, Ok(answer.renew_at), &mut diagnostics),
        // The number stays the same.
        private: None,
        diagnostics,
    })
}

pub(crate) async fn close(
    plugin: &Plugin,
    offered: &Offered,
    opened: &Opened,
    request: CloseRequest,
) -> Result<Diagnostics, Diagnostics> {
    let kind = offered.ephemeral(&request.type_name)?;
    let private = opened.get(&request.private);
    opened.remove(&request.private);
    Ok(close_opened(plugin, kind, private.as_deref()).await)
}

async fn close_opened(plugin: &Plugin, kind: Type<'_>, private: Option<&[u8]>) -> Diagnostics {
    let call = Close {
        name: kind.name,
        private,
    };
    let task = Task::cleaning("close the ephemeral resource");
    match plugin.call(&call, task).await {
        Ok(done) => show::diagnostics(done.diagnostics, kind.body, &plugin.secrets),
        Err(failure) if failure.kind == Kind::LeftOut => Diagnostics::new(),
        Err(failure) => failure.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_private_data_is_found_by_its_number() {
        let opened = Opened::default();
        let first = opened.add(b"one".to_vec());
        let second = opened.add(Vec::new());
        assert_ne!(first, second);
        assert_eq!(opened.get(&first).as_deref(), Some(&b"one"[..]));
        assert_eq!(opened.get(&second), None);
        opened.set(&first, b"two".to_vec());
        assert_eq!(opened.get(&first).as_deref(), Some(&b"two"[..]));
        opened.remove(&first);
        assert_eq!(opened.get(&first), None);
        assert_eq!(opened.get(b"x"), None);
    }
}
