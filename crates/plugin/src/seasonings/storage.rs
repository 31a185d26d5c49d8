//! The storage of states.

use serde_json::Value as Json;
use tenon_protocols::seasonings::Params;
use tenon_protocols::seasonings::calls::Call;
use tenon_protocols::seasonings::calls::storage::{self as calls, check_path};
use tenon_rpc::{Format, Payload, Reply, RpcError};

use super::Received;
use super::answers::failed;
use crate::Lock;
use crate::session::Session;
use crate::storage::{Asked, Returned};

/// What can be asked of a storage.
#[derive(Clone, Copy)]
enum Operation {
    Read,
    Write,
    Lock,
    Unlock,
    List,
    Delete,
}

impl Operation {
    fn of(method: &str) -> Option<(&'static str, Operation)> {
        let all = [
            (calls::Read::METHOD, Operation::Read),
            (calls::Write::METHOD, Operation::Write),
            (calls::Lock::METHOD, Operation::Lock),
            (calls::Unlock::METHOD, Operation::Unlock),
            (calls::List::METHOD, Operation::List),
            (calls::Delete::METHOD, Operation::Delete),
        ];
        all.into_iter().find(|(known, _)| *known == method)
    }
}

pub(super) async fn call(session: &Session, method: &str, params: Option<&Payload>) -> Reply {
    let unknown = || RpcError::method_not_found(method, Format::Msgpack);
    let (method, operation) = Operation::of(method).ok_or_else(unknown)?;
    let given = Received::new(method, params)?;
    let parts = session.parts().await.map_err(failed)?;
    let storage = parts.storage.clone().ok_or_else(unknown)?;
    let lock_id = || given.optional::<String>("lockId");
    let asked = match operation {
        Operation::List => {
            let prefix: Option<String> = given.optional("prefix")?;
            let listed = storage.list(prefix.unwrap_or_default()).await;
            return answer(Params::new().member("paths", &listed.map_err(failed)?));
        }
        Operation::Read => Asked::Read,
        Operation::Write => {
            let state = given.binary("state")?;
            let missing =
                || RpcError::invalid_params("state in the params of storage/write: it is missing");
            Asked::Write(state.ok_or_else(missing)?, lock_id()?)
        }
        Operation::Lock => Asked::Lock(wanted(given.required("info")?)?),
        Operation::Unlock => match given.optional("force")?.unwrap_or(false) {
            true => Asked::Unlock(None),
            false => Asked::Unlock(Some(given.required("lockId")?)),
        },
        Operation::Delete => Asked::Delete(lock_id()?),
    };
    let path: String = given.required("path")?;
    check_path(&path).map_err(RpcError::invalid_params)?;
    let returned = storage.ask(path, asked).await.map_err(failed)?;
    let result = Params::new();
    answer(match returned {
        Returned::State(None) => result.member("state", &()),
        Returned::State(Some(state)) => Ok(result.binary("state", Some(&state))),
        Returned::LockId(id) => Ok(result.text("lockId", &id)),
        Returned::Done => result.member("success", &true),
    })
}

/// The lock that a client asks for. Its id is in its info, which is JSON.
fn wanted(info: String) -> Result<Lock, RpcError> {
    let read: Json = serde_json::from_str(&info).unwrap_or_default();
    match &read["ID"] {
        Json::String(id) if !id.is_empty() => Ok(Lock {
            id: id.clone(),
            info,
        }),
        _ => Err(RpcError::invalid_params(
            "info in the params of storage/lock: it is not JSON with an \"ID\"",
        )),
    }
}

fn answer(result: Result<Params, tenon_values::Error>) -> Reply {
    result
        .map(Params::into_answer)
        .map_err(|error| RpcError::internal(format!("the result cannot be written: {error}")))
}
