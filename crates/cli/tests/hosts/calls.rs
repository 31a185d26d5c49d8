//! `tenon call` in every protocol, and `tenon serve`.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use crate::room::{signal, wait};
use crate::workspace::{Workspace, json, trial};

const ATLANTIS: &str = "city: unknown city \"Atlantis\"; known cities are Lisbon, Nairobi and Oslo";

fn call(workspace: &Workspace, words: &[&str]) -> serde_json::Value {
    let words = [&["call"], words].concat();
    json(&workspace.tenon_with_plugin(&words).succeeds())
}

#[test]
fn functions_and_actions_are_called_by_name() {
    trial(|workspace| {
        let two = json!({ "city": "Oslo", "days": [
            { "day": 1, "high": 5, "sky": "rain" },
            { "day": 2, "high": 6, "sky": "clear" },
        ] });
        let one = json!({ "city": "Oslo", "days": [{ "day": 1, "high": 5, "sky": "rain" }] });
        for (words, expected) in [
            (vec!["forecast", "{\"city\":\"Oslo\"}"], &one),
            (vec!["forecast", "[\"Oslo\",2]"], &two),
            (
                vec!["forecast", "[\"Oslo\",2]", "--dialect", "json-rpc-headers"],
                &two,
            ),
            (vec!["forecast", "[\"Oslo\"]", "--protocol", "ipc"], &one),
        ] {
            assert_eq!(call(workspace, &words), *expected, "{words:?}");
        }
        let params = "{\"city\":\"Oslo\",\"days\":2,\"file\":\"f\"}";
        assert_eq!(
            call(workspace, &["publish", params]),
            json!({ "file": "f", "lines": 2 })
        );
        assert_eq!(workspace.read("f"), "day 1: 5 C, rain\nday 2: 6 C, clear\n");
    });
}

#[test]
fn failures_and_wrong_arguments_are_reported() {
    trial(|workspace| {
        for (params, code, message) in [
            ("{\"city\":\"Atlantis\"}", "-32000", ATLANTIS),
            (
                "{\"city\":\"Oslo\",\"days\":9}",
                "-32000",
                "days: days must be from 1 to 7, not 9",
            ),
            ("{\"city\":\"Oslo\",\"days\":\"many\"}", "-32602", "days: "),
            ("{\"city\":\"Oslo\",\"hours\":3}", "-32602", "hours: "),
            ("{}", "-32602", "city: "),
        ] {
            let refused = workspace.tenon_with_plugin(&["call", "forecast", params]);
            assert_ne!(refused.code, Some(0), "{refused}");
            refused.says(message);
            refused.says(code);
        }
        let refused = workspace.tenon_with_plugin(&["call", "forcast", "{}"]);
        refused.says("unknown method `forcast`; did you mean `forecast`?");
    });
}

#[test]
fn every_protocol_finds_what_it_can_use() {
    trial(|workspace| {
        let params = "{\"name\":\"forecast\",\"arguments\":{\"city\":\"Oslo\"}}";
        let expected = json!({ "city": "Oslo", "days": [{ "day": 1, "high": 5, "sky": "rain" }] });
        let called = call(workspace, &["tools/call", params, "--protocol", "mcp"]);
        assert_eq!(called["structuredContent"], expected);

        let called = call(
            workspace,
            &["functions/call", params, "--protocol", "seasonings"],
        );
        assert_eq!(called["result"], expected);

        let params = "{\"name\":\"forecast\",\"arguments\":[\"Oslo\",1]}";
        let called = call(workspace, &["call", params, "--protocol", "denobridge"]);
        assert_eq!(called["result"], expected);

        // Orchard configures a provider before it runs an action, which `tenon call` does with the defaults.
        let params = "{\"action\":\"publish\",\"attrs\":{\"city\":\"Oslo\",\"file\":\"f\"}}";
        let called = call(workspace, &["execute", params, "--protocol", "orchard"]);
        assert_eq!(called["outputs"], json!({ "file": "f", "lines": 1 }));
        // In a conversation that is the caller's part.
        workspace.write(
            "calls",
            &format!("configure {{\"config\":{{\"folder\":\"s\"}}}}\nexecute {params}\n"),
        );
        let tenon = env!("CARGO_BIN_EXE_tenon");
        let line = format!("{tenon} call --repl --protocol orchard -- ./weather < calls");
        let called = workspace.run(std::path::Path::new("/bin/sh"), &["-c", &line]);
        called
            .succeeds()
            .says("{\"outputs\":{\"file\":\"f\",\"lines\":1}}");

        for (protocol, offers) in [
            ("mcp", &["forecast", "publish"][..]),
            ("orchard", &["publish"]),
            ("seasonings", &["forecast", "station", "climate"]),
        ] {
            let listed = workspace
                .tenon_with_plugin(&["call", "--list", "--protocol", protocol])
                .succeeds();
            for offer in offers {
                listed.says(offer);
            }
        }
    });
}

#[test]
fn a_socket_shares_it() {
    trial(|workspace| {
        let tenon = std::path::Path::new(env!("CARGO_BIN_EXE_tenon"));
        let mut command = workspace.command(tenon);
        command.args(["serve", "--socket", "./weather.sock", "--"]);
        command.args(&workspace.plugin);
        let log = fs::File::create(workspace.path("serve.log")).unwrap();
        let mut server = { command.stdin(std::process::Stdio::null()) }
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        workspace.until(&mut server, "the socket", || {
            workspace.path("weather.sock").exists()
        });
        let called = workspace
            .tenon(&[
                "call",
                "forecast",
                "[\"Lisbon\"]",
                "--socket",
                "./weather.sock",
            ])
            .succeeds();
        assert_eq!(
            json(&called),
            json!({ "city": "Lisbon", "days": [{ "day": 1, "high": 22, "sky": "clouds" }] })
        );
        signal(&server, Signal::TERM);
        wait(&mut server, "tenon serve");
    });
}
