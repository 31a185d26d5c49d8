//! Data sources.

use tenon_protocols::seasonings::calls::{Call, ReadData};
use tenon_tfplugin::{Diagnostics, ReadDataRequest, ReadDataResponse, has_errors};

use crate::offered::Offered;
use crate::plugin::{Plugin, Task};
use crate::resource::settle;
use crate::{show, tree};

pub(crate) async fn read(
    plugin: &Plugin,
    offered: &Offered,
    request: ReadDataRequest,
) -> Result<ReadDataResponse, Diagnostics> {
    let kind = offered.data_source(&request.type_name)?;
    let config = tree::with_defaults(kind.body, &request.config, &request.config);
    tree::learn(&plugin.secrets, kind.body, &config);
    let call = ReadData {
        kind,
        config: &config,
    };
    let data = plugin.call(&call, Task::reading("read the data source"));
    let data = data.await.map_err(Diagnostics::from)?;
    let mut diagnostics = show::answered(plugin, kind.body, data.state.as_ref(), data.diagnostics);
    let Some(state) = data.state.filter(|_| !has_errors(&diagnostics)) else {
        return Err(diagnostics);
    };
    let state = settle(kind.body, &state, &config);
    if let Some(error) = show::incomplete(plugin, ReadData::METHOD, "state", &state) {
        diagnostics.push(error);
        return Err(diagnostics);
    }
    Ok(ReadDataResponse {
        diagnostics,
        ..ReadDataResponse::new(state)
    })
}
