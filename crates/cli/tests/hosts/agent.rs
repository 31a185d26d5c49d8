//! The official MCP client, on Node.

use serde_json::{Value, json};

use crate::tools;
use crate::workspace::{json, trial};

#[test]
fn the_official_client_uses_its_tools() {
    let node = tools::installed("mcp", "node_modules/@modelcontextprotocol/sdk");
    let sdk = match node {
        Ok(sdk) => sdk,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "the MCP client is needed under CI=true: {why}");
            return tools::say(&format!("skipped: {why}"));
        }
    };
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hosts/mcp_client.mjs");
    trial(|workspace| {
        let mut command = workspace.command(std::path::Path::new("/usr/bin/env"));
        command.args(["node", client, sdk.to_str().unwrap()]);
        command.args(&workspace.plugin);
        let seen = json(&workspace.finish(command, "mcp_client.mjs").succeeds());
        assert_eq!(
            seen["server"],
            json!({ "name": "weather", "version": "1.0.0" })
        );
        let tools = seen["tools"].as_array().unwrap();
        let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["forecast", "outlook", "publish"]);
        let forecast = &tools[0];
        assert_eq!(
            forecast["description"],
            "The weather of the next days in a city."
        );
        let input = &forecast["inputSchema"];
        assert_eq!(input["required"], json!(["city"]));
        assert_eq!(input["additionalProperties"], false);
        assert_eq!(
            input["properties"]["city"],
            json!({ "type": "string", "description": "Lisbon, Nairobi or Oslo." })
        );
        assert_eq!(input["properties"]["days"]["default"], 1);
        assert_eq!(forecast["annotations"]["readOnlyHint"], true);
        assert_eq!(tools[2]["annotations"]["idempotentHint"], true);

        let expected = json!({ "city": "Oslo", "days": [{ "day": 1, "high": 5, "sky": "rain" }] });
        assert_eq!(seen["forecast"]["structuredContent"], expected);
        let text = seen["forecast"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
        assert_eq!(seen["none"]["structuredContent"], json!({ "result": null }));
        assert_eq!(
            seen["failed"],
            json!({
                "content": [{
                    "type": "text",
                    "text": "city: unknown city \"Atlantis\"; known cities are Lisbon, Nairobi and Oslo",
                }],
                "isError": true,
            })
        );
        assert_eq!(seen["wrong"]["code"], -32602);
        assert!(
            seen["wrong"]["message"]
                .as_str()
                .unwrap()
                .contains("days: ")
        );
        assert_eq!(seen["unknown"]["code"], -32602);
        assert_eq!(
            seen["published"]["structuredContent"],
            json!({ "file": "f", "lines": 2 })
        );
        assert_eq!(workspace.read("f"), "day 1: 5 C, rain\nday 2: 6 C, clear\n");
    });
}
