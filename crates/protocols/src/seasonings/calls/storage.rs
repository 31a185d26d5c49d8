//! Storage of states.
//!
//! A state is stored under a path: relative, without empty, `.` or `..` segments ([`check_path`]).

use bytes::Bytes;
use serde_json::Value as Json;
use tenon_rpc::{CallError, RpcError};
use tenon_values::Error;

use super::super::answer::{Answer, AnswerError};
use super::super::codes::LOCKED;
use super::super::params::Params;
use super::Call;

/// Reads a state.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// Where it is.
    pub path: &'a str,
}

impl Call for Read<'_> {
    const METHOD: &'static str = "storage/read";
    /// The state; `None` if there is none, which an empty one means as well.
    type Answer = Option<Bytes>;

    fn params(&self) -> Result<Params, Error> {
        Ok(Params::new().text("path", self.path))
    }

    fn answer(&self, answer: &Answer) -> Result<Option<Bytes>, AnswerError> {
        answer.require("state")?;
        Ok(answer.binary("state")?.filter(|state| !state.is_empty()))
    }
}

/// Whether an error of `storage/read` says that there is no state.
pub fn is_none(error: &CallError) -> bool {
    matches!(error, CallError::Answered(error) if error.code == super::super::codes::NOT_FOUND)
}

/// Writes a state. When it is answered, the state is stored.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// Where to.
    pub path: &'a str,
    /// The state.
    pub state: &'a [u8],
    /// The lock that is held.
    pub lock_id: Option<&'a str>,
}

impl Call for Write<'_> {
    const METHOD: &'static str = "storage/write";
    type Answer = ();

    fn params(&self) -> Result<Params, Error> {
        let params = Params::new().text("path", self.path);
        let params = params.binary("state", Some(self.state));
        Ok(optional(params, "lockId", self.lock_id))
    }

    fn answer(&self, answer: &Answer) -> Result<(), AnswerError> {
        success(answer)
    }
}

/// Locks a state.
#[derive(Clone, Copy, Debug)]
pub struct Lock<'a> {
    /// Which.
    pub path: &'a str,
    /// What it is locked for, as Terraform names it.
    pub operation: &'a str,
    /// The client's lock info.
    pub info: &'a str,
}

impl Call for Lock<'_> {
    const METHOD: &'static str = "storage/lock";
    /// The id of the lock.
    type Answer = String;

    fn params(&self) -> Result<Params, Error> {
        Ok(Params::new()
            .text("path", self.path)
            .text("operation", self.operation)
            .text("info", self.info))
    }

    fn answer(&self, answer: &Answer) -> Result<String, AnswerError> {
        let id: String = answer.required("lockId")?;
        match id.is_empty() {
            // A plugin may take it for no id at all, which releases any lock.
            true => Err(answer.error("lockId", "it is empty")),
            false => Ok(id),
        }
    }
}

/// The lock that is held instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Its id.
    pub lock_id: Option<String>,
    /// The lock info of the holder.
    pub info: Option<String>,
}

impl Held {
    /// What an error says about another lock; `None` if it is another error. A member that cannot be read is not known:
    /// the state is locked all the same. An info that is a map is taken as its JSON.
    pub fn of(error: &RpcError) -> Option<Held> {
        if error.code != LOCKED {
            return None;
        }
        let members = error.data.as_ref().and_then(|data| data.members().ok());
        let members = members.unwrap_or_default();
        let member = |name: &str| {
            let found = members.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.decode::<Json>().ok())
        };
        let text = |value| match value {
            Json::String(text) => Some(text),
            _ => None,
        };
        Some(Held {
            lock_id: member("lockId").and_then(text),
            info: match member("info") {
                Some(info @ Json::Object(_)) => Some(info.to_string()),
                info => info.and_then(text),
            },
        })
    }
}

/// Unlocks a state.
#[derive(Clone, Copy, Debug)]
pub struct Unlock<'a> {
    /// Which.
    pub path: &'a str,
    /// The lock; `None` takes any lock away.
    pub lock_id: Option<&'a str>,
}

impl Call for Unlock<'_> {
    const METHOD: &'static str = "storage/unlock";
    type Answer = ();

    fn params(&self) -> Result<Params, Error> {
        let params = Params::new().text("path", self.path);
        match self.lock_id {
            Some(id) => Ok(params.text("lockId", id)),
            None => params.member("force", &true),
        }
    }

    fn answer(&self, answer: &Answer) -> Result<(), AnswerError> {
        success(answer)
    }
}

/// Lists the paths of states.
#[derive(Clone, Copy, Debug, Default)]
pub struct List<'a> {
    /// What they begin with.
    pub prefix: Option<&'a str>,
}

impl Call for List<'_> {
    const METHOD: &'static str = "storage/list";
    type Answer = Vec<String>;

    fn params(&self) -> Result<Params, Error> {
        Ok(optional(Params::new(), "prefix", self.prefix))
    }

    fn answer(&self, answer: &Answer) -> Result<Vec<String>, AnswerError> {
        answer.required("paths")
    }
}

/// Deletes a state.
#[derive(Clone, Copy, Debug)]
pub struct Delete<'a> {
    /// Which.
    pub path: &'a str,
    /// The lock that is held.
    pub lock_id: Option<&'a str>,
}

impl Call for Delete<'_> {
    const METHOD: &'static str = "storage/delete";
    type Answer = ();

    fn params(&self) -> Result<Params, Error> {
        let params = Params::new().text("path", self.path);
        Ok(optional(params, "lockId", self.lock_id))
    }

    fn answer(&self, answer: &Answer) -> Result<(), AnswerError> {
        success(answer)
    }
}

fn optional(params: Params, name: &str, text: Option<&str>) -> Params {
    match text {
        Some(text) => params.text(name, text),
        None => params,
    }
}

/// Anything but `success: true` is a failure.
fn success(answer: &Answer) -> Result<(), AnswerError> {
    match answer.required::<bool>("success")? {
        true => Ok(()),
        false => Err(answer.error("success", "it is not true")),
    }
}

/// Whether a path can be that of a state.
///
/// # Errors
/// Why not.
pub fn check_path(path: &str) -> Result<(), String> {
    let is_wrong = |segment: &str| matches!(segment, "" | "." | "..");
    match path.split('/').any(is_wrong) || path.contains('\0') {
        true => Err(format!(
            "{path:?} cannot be the path of a state: it is relative and has no empty, `.` or `..` segment"
        )),
        false => Ok(()),
    }
}
