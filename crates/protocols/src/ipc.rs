//! JSON-RPC on local sockets: no first call and no goodbye.

use tenon_rpc::options::Cancel;

use crate::lifecycle::Spec;

pub(crate) static SPEC: Spec = Spec {
    name: "ipc",
    announcement: Some("$/ipc"),
    cancel: Some(Cancel {
        method: "$/cancelRequest",
        field: "id",
    }),
    ..Spec::BASE
};
