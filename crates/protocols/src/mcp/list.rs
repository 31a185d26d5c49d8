//! What an MCP server offers: tools, prompts and resources, page by page.

use serde_json::{Value, json};
use tenon_rpc::{CallError, Payload, Peer};

use crate::lifecycle::{Work, call, decode, refuse};
use crate::listing::{Listing, Offer, Parameter, schema_parameters, text};

/// No server has more pages; one that claims to is in a loop.
const PAGES: usize = 1000;

pub(super) fn list<'a>(peer: &'a Peer, begun: &'a Payload) -> Work<'a, Result<Listing, CallError>> {
    Box::pin(async move {
        let begun = decode(begun)?;
        let has = |capability: &str| !begun["capabilities"][capability].is_null();
        let mut offers = Vec::new();
        if has("tools") {
            let tools = pages(peer, "tools/list", "tools").await?;
            offers.extend(tools.iter().map(tool));
        }
        if has("prompts") {
            let prompts = pages(peer, "prompts/list", "prompts").await?;
            offers.extend(prompts.iter().map(prompt));
        }
        if has("resources") {
            let resources = pages(peer, "resources/list", "resources").await?;
            offers.extend(resources.iter().map(resource));
            offers.extend(templates(peer).await?.iter().map(template));
        }
        let info = &begun["serverInfo"];
        Ok(Listing {
            server: Listing::server_name(&text(&info["name"]), &text(&info["version"])),
            offers,
        })
    })
}

/// Not every server with resources has templates, and no capability says so.
async fn templates(peer: &Peer) -> Result<Vec<Value>, CallError> {
    match pages(peer, "resources/templates/list", "resourceTemplates").await {
        Err(CallError::Answered(_)) => Ok(Vec::new()),
        outcome => outcome,
    }
}

async fn pages(
    peer: &Peer,
    method: &'static str,
    member: &'static str,
) -> Result<Vec<Value>, CallError> {
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    for _ in 0..PAGES {
        let params = (!cursor.is_null()).then(|| json!({ "cursor": cursor }));
        let page = decode(&call(peer, method, params).await?)?;
        let Some(items) = page[member].as_array() else {
            return refuse(format!("the answer to `{method}` has no list of {member}"));
        };
        found.extend(items.iter().cloned());
        match &page["nextCursor"] {
            Value::Null => return Ok(found),
            next => cursor = next.clone(),
        }
    }
    refuse(format!("`{method}` has more than {PAGES} pages"))
}

fn tool(tool: &Value) -> Offer {
    let name = text(&tool["name"]);
    let mut offer = Offer::new("tool", &name)
        .about(&about(tool))
        .with_parameters(schema_parameters(&tool["inputSchema"]))
        .called(
            "tools/call",
            |given| json!({ "name": name, "arguments": given }),
        );
    let results = schema_parameters(&tool["outputSchema"]);
    if !results.is_empty() {
        let results = results
            .iter()
            .map(|result| format!("{}: {}", result.name, result.ty));
        offer.result = Some(format!("{{ {} }}", results.collect::<Vec<_>>().join(", ")));
    }
    offer
}

fn prompt(prompt: &Value) -> Offer {
    let name = text(&prompt["name"]);
    let arguments = prompt["arguments"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let parameter = |argument: &Value| Parameter {
        name: text(&argument["name"]),
        // All arguments of prompts are.
        ty: "string".into(),
        required: argument["required"] == true,
        default: None,
        about: text(&argument["description"]),
    };
    Offer::new("prompt", &name)
        .about(&about(prompt))
        .with_parameters(arguments.iter().map(parameter).collect())
        .called(
            "prompts/get",
            |given| json!({ "name": name, "arguments": given }),
        )
}

fn resource(resource: &Value) -> Offer {
    let uri = text(&resource["uri"]);
    Offer::new("resource", &uri)
        .about(&about_resource(resource))
        .called("resources/read", |_| json!({ "uri": uri }))
}

fn template(template: &Value) -> Offer {
    let uri = text(&template["uriTemplate"]);
    Offer::new("resource template", &uri)
        .about(&about_resource(template))
        .called("resources/read", |_| json!({ "uri": uri }))
}

fn about(thing: &Value) -> String {
    match text(&thing["description"]) {
        about if about.is_empty() => text(&thing["title"]),
        about => about,
    }
}

/// A resource is found by its URI, so its name is part of its description.
fn about_resource(resource: &Value) -> String {
    let mut about = text(&resource["name"]);
    let media_type = text(&resource["mimeType"]);
    if !media_type.is_empty() {
        about += &format!(" ({media_type})");
    }
    let more = text(&resource["description"]);
    if !more.is_empty() {
        about += &format!(": {more}");
    }
    about
}
