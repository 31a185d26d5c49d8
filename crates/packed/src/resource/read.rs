//! Reading how a resource is now.

use tenon_protocols::seasonings::calls::ReadResource;
use tenon_tfplugin::{Diagnostics, ReadRequest, ReadResponse, has_errors};

use super::{check, private, settle};
use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};
use crate::{show, tree};

pub(crate) async fn read(
    plugin: &Plugin,
    offered: &Offered,
    request: ReadRequest,
) -> Result<ReadResponse, Diagnostics> {
    let kind = offered.resource(&request.type_name)?;
    tree::learn(&plugin.secrets, kind.body, &request.state);
    let call = ReadResource {
        kind,
        state: &request.state,
        private: private(&request.private),
    };
    let found = match plugin.call(&call, Task::reading("read the resource")).await {
        Ok(found) => found,
        Err(failure) if failure.kind == Kind::LeftOut => {
            return Ok(ReadResponse::new(request.state));
        }
        Err(failure) => return Err(failure.into()),
    };
    let mut diagnostics =
        show::answered(plugin, kind.body, found.state.as_ref(), found.diagnostics);
    let Some(state) = found.state.filter(|_| !has_errors(&diagnostics)) else {
        return Err(diagnostics);
    };
    let state = tree::without_write_only(kind.body, &state);
    let state = settle(kind.body, &state, &request.state);
    if let Some(path) = check::unknown_part(&state) {
        let unknown = show::unknown_value(plugin, "resources/read", "state", &path);
        diagnostics.push(unknown);
        return Err(diagnostics);
    }
    Ok(ReadResponse {
        private: found.private.map(Into::into),
        diagnostics,
        ..ReadResponse::new(state)
    })
}
