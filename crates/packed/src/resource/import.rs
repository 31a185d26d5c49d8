//! States that come from elsewhere: imports and older versions.

use tenon_protocols::seasonings::calls::{Call, Import, Upgrade};
use tenon_tfplugin::{
    Diagnostic, Diagnostics, ImportRequest, ImportResponse, ImportedResource, UpgradeRequest,
    has_errors,
};
use tenon_values::{Value, json};

use super::check;
use crate::offered::Offered;
use crate::plugin::{Kind, Plugin, Task};
use crate::{show, tree};

pub(crate) async fn import(
    plugin: &Plugin,
    offered: &Offered,
    request: ImportRequest,
) -> Result<ImportResponse, Diagnostics> {
    let kind = offered.resource(&request.type_name)?;
    let call = Import {
        kind,
        id: &request.id,
        resources: &offered.plugin.resources,
    };
    let found = match plugin
        .call(&call, Task::reading("import the resource"))
        .await
    {
        Ok(found) => found,
        Err(failure) if failure.kind == Kind::LeftOut => {
            let detail = format!("The plugin {} cannot import resources.", plugin.name());
            return Err(Diagnostic::error("Import is not supported", detail).into());
        }
        Err(failure) => return Err(failure.into()),
    };
    for one in &found.resources {
        let type_name = offered.full_name(&one.name);
        let body = offered.resource(&type_name)?.body;
        tree::learn(&plugin.secrets, body, &one.state);
    }
    let mut diagnostics = show::diagnostics(found.diagnostics, kind.body, &plugin.secrets);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    if found.resources.is_empty() {
        let detail = format!(
            "The plugin {} found nothing for {:?}.",
            plugin.name(),
            request.id
        );
        diagnostics.push(Diagnostic::error("Nothing to import", detail));
        return Err(diagnostics);
    }
    let mut resources = Vec::new();
    for one in found.resources {
        let type_name = offered.full_name(&one.name);
        let body = offered.resource(&type_name)?.body;
        let state = tree::without_write_only(body, &one.state);
        if let Some(path) = check::unknown_part(&state) {
            let unknown = show::unknown_value(plugin, "resources/import", "state", &path);
            diagnostics.push(unknown);
            return Err(diagnostics);
        }
        resources.push(ImportedResource {
            state,
            private: one.private.map(Into::into).unwrap_or_default(),
            identity: None,
            type_name,
        });
    }
    Ok(ImportResponse {
        resources,
        diagnostics,
    })
}

pub(crate) async fn upgrade(
    plugin: &Plugin,
    offered: &Offered,
    request: UpgradeRequest,
) -> Result<Value, Diagnostics> {
    let kind = offered.resource(&request.type_name)?;
    let unreadable = |problem: &str| {
        let detail = format!("What the state holds for this resource cannot be read: {problem}.");
        Diagnostic::error("Unreadable state", detail)
    };
    if request.json.is_empty() {
        return Err(unreadable("it is of a form that was used before Terraform 0.12").into());
    }
    let state = json::implied(&request.json).map_err(|error| unreadable(&error.to_string()))?;
    tree::learn_earlier(&plugin.secrets, kind.body, &state);
    let call = Upgrade {
        kind,
        version: request.version,
        state: &state,
    };
    let task = Task::without_config("upgrade the state of the resource");
    let upgraded = match plugin.call(&call, task).await {
        Ok(upgraded) => upgraded,
        Err(failure) if failure.kind == Kind::LeftOut => {
            let detail = format!(
                "The state was written with version {} of the schema of {}, and the plugin {} cannot \
                 upgrade it: it has no method resources/upgrade. Use the version of the plugin that \
                 wrote the state, or remove the resource from the state and import it again.",
                request.version,
                request.type_name,
                plugin.name()
            );
            return Err(Diagnostic::error("State of an older version", detail).into());
        }
        Err(failure) => return Err(failure.into()),
    };
    let state = upgraded.state.as_ref();
    let mut diagnostics = show::answered(plugin, kind.body, state, upgraded.diagnostics);
    let Some(state) = upgraded.state.filter(|_| !has_errors(&diagnostics)) else {
        return Err(diagnostics);
    };
    // Terraform would take it for a resource that is gone.
    if state.is_null() {
        let problem = "it is nil; an upgrade keeps the resource";
        let detail = show::wrong_answer(plugin, Upgrade::METHOD, "state", problem);
        diagnostics.push(Diagnostic::error(
            "Could not upgrade the state of the resource",
            detail,
        ));
        return Err(diagnostics);
    }
    if let Some(path) = check::unknown_part(&state) {
        let unknown = show::unknown_value(plugin, Upgrade::METHOD, "state", &path);
        diagnostics.push(unknown);
        return Err(diagnostics);
    }
    Ok(tree::without_write_only(kind.body, &state))
}
