//! What a language server can do, from its answer to `initialize`.

use serde_json::Value;
use tenon_rpc::{CallError, Payload, Peer};

use crate::lifecycle::{Work, decode};
use crate::listing::{Listing, Offer, text};

/// Each capability, and the method it is about.
const PROVIDERS: &[(&str, &str)] = &[
    ("callHierarchyProvider", "textDocument/prepareCallHierarchy"),
    ("codeActionProvider", "textDocument/codeAction"),
    ("codeLensProvider", "textDocument/codeLens"),
    ("colorProvider", "textDocument/documentColor"),
    ("completionProvider", "textDocument/completion"),
    ("declarationProvider", "textDocument/declaration"),
    ("definitionProvider", "textDocument/definition"),
    ("diagnosticProvider", "textDocument/diagnostic"),
    ("documentFormattingProvider", "textDocument/formatting"),
    (
        "documentHighlightProvider",
        "textDocument/documentHighlight",
    ),
    ("documentLinkProvider", "textDocument/documentLink"),
    (
        "documentOnTypeFormattingProvider",
        "textDocument/onTypeFormatting",
    ),
    (
        "documentRangeFormattingProvider",
        "textDocument/rangeFormatting",
    ),
    ("documentSymbolProvider", "textDocument/documentSymbol"),
    ("executeCommandProvider", "workspace/executeCommand"),
    ("foldingRangeProvider", "textDocument/foldingRange"),
    ("hoverProvider", "textDocument/hover"),
    ("implementationProvider", "textDocument/implementation"),
    ("inlayHintProvider", "textDocument/inlayHint"),
    ("inlineValueProvider", "textDocument/inlineValue"),
    (
        "linkedEditingRangeProvider",
        "textDocument/linkedEditingRange",
    ),
    ("monikerProvider", "textDocument/moniker"),
    ("referencesProvider", "textDocument/references"),
    ("renameProvider", "textDocument/rename"),
    ("selectionRangeProvider", "textDocument/selectionRange"),
    ("semanticTokensProvider", "textDocument/semanticTokens/full"),
    ("signatureHelpProvider", "textDocument/signatureHelp"),
    ("typeDefinitionProvider", "textDocument/typeDefinition"),
    ("typeHierarchyProvider", "textDocument/prepareTypeHierarchy"),
    ("workspaceSymbolProvider", "workspace/symbol"),
];

/// The most common methods, for completion.
pub(super) const METHODS: &[&str] = &[
    "$/setTrace",
    "textDocument/codeAction",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didOpen",
    "textDocument/didSave",
    "textDocument/documentSymbol",
    "textDocument/formatting",
    "textDocument/hover",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/semanticTokens/full",
    "textDocument/signatureHelp",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/executeCommand",
    "workspace/symbol",
];

pub(super) fn list<'a>(_: &'a Peer, begun: &'a Payload) -> Work<'a, Result<Listing, CallError>> {
    Box::pin(async move {
        let begun = decode(begun)?;
        let info = &begun["serverInfo"];
        Ok(Listing {
            server: Listing::server_name(&text(&info["name"]), &text(&info["version"])),
            offers: offers(&begun["capabilities"]),
        })
    })
}

fn offers(capabilities: &Value) -> Vec<Offer> {
    let is_there = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let known = PROVIDERS.iter().filter_map(|(capability, method)| {
        let value = &capabilities[*capability];
        is_there(value).then(|| Offer::new("method", *method).about(&options(value)))
    });
    let is_known = |name: &str| PROVIDERS.iter().any(|(capability, _)| *capability == name);
    let others = capabilities.as_object().into_iter().flatten();
    let others = others
        .filter(|(name, value)| is_there(value) && !is_known(name))
        .map(|(name, value)| Offer::new("capability", name).about(&value.to_string()));
    known.chain(others).collect()
}

/// The options of the capability, if it has any.
fn options(value: &Value) -> String {
    match value {
        Value::Object(options) if !options.is_empty() => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_methods() {
        let offers = offers(&serde_json::json!({
            "hoverProvider": true,
            "renameProvider": false,
            "completionProvider": { "triggerCharacters": ["$"] },
            "textDocumentSync": 2,
        }));
        let shown: Vec<String> = offers
            .iter()
            .map(|offer| format!("{} {} {}", offer.kind, offer.name, offer.about))
            .collect();
        assert_eq!(
            shown,
            [
                r#"method textDocument/completion {"triggerCharacters":["$"]}"#,
                "method textDocument/hover ",
                "capability textDocumentSync 2",
            ]
        );
    }
}
