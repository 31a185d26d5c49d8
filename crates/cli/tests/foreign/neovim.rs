//! Neovim, the best known speaker of msgpack-rpc: as a plugin, on a socket, and as a client.

use std::path::Path;

use serde_json::{Value, json};
use tenon_host::{Plugin, PluginCommand, Process, Start};
use tenon_rpc::{Dialect, ErrorCode, Format, Payload, Router, RpcError};

use crate::host::refused;
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{TENON, call, run, run_with, start_with, stop, trial, wait_for};

/// Neovim without anybody's settings.
fn neovim(program: &Path, args: &[&str]) -> PluginCommand {
    PluginCommand::new(program)
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .args(args.iter().copied())
}

async fn embedded(program: &Path, mark: &Mark) -> (Plugin, Value) {
    let router = Router::new(())
        .on_raw("nested", |context, params| async move {
            // Neovim waits for us in the middle of our own call, and answers us all the same.
            let answer = context.peer.call_raw("nvim_list_bufs", None).await;
            answer.map_err(|error| RpcError::internal(error.to_string()))?;
            Ok(params.unwrap_or_else(|| Payload::null(context.peer.format())))
        })
        .on_raw("refuse", |_, _| async move {
            // Neovim shows the text of a code 0 or 1, its own two kinds of errors.
            Err(RpcError::new(ErrorCode::Number(0), "ask again later"))
        });
    let command = neovim(program, &["--embed"]);
    let start = Start::new(Dialect::MsgpackRpc);
    let (plugin, info) = start_with(command, start, router, "nvim_get_api_info", mark).await;
    let info = info.to_format(Format::Json).expect("msgpack");
    (plugin, info.decode().expect("JSON"))
}

#[tokio::test]
async fn embedded_neovim_answers() {
    trial(tools::neovim(), async |program, mark| {
        let (plugin, info) = embedded(&program, mark).await;
        assert_eq!(info[0], json!(1), "the channel");
        assert_eq!(info[1]["types"]["Buffer"]["id"], json!(0));
        let peer = plugin.peer();
        let seven = call(&peer, "nvim_eval", json!(["1+2*3"])).await;
        assert_eq!(seven.expect("a number"), json!(7));
        let text = json!("é😀\n\"");
        let set = call(&peer, "nvim_set_var", json!(["text", text])).await;
        assert_eq!(set.expect("nothing"), Value::Null);
        let got = call(&peer, "nvim_get_var", json!(["text"])).await;
        assert_eq!(got.expect("a text"), text);

        let error = refused(call(&peer, "nvim_fly", json!([])).await);
        assert_eq!(error.message, "Invalid method: nvim_fly");
        let error = refused(call(&peer, "nvim_eval", json!(["1+"])).await);
        assert!(error.message.contains("Vim:E15"), "{error}");
        stop(plugin).await;
    })
    .await;
}

/// Buffers are ext values; they come back to Neovim as they came from it.
#[tokio::test]
async fn handles_are_passed_on_untouched() {
    trial(tools::neovim(), async |program, mark| {
        let (plugin, _) = embedded(&program, mark).await;
        let peer = plugin.peer();
        let buffer = peer.call_raw("nvim_get_current_buf", None).await;
        let buffer = buffer.expect("a buffer").to_format(Format::Json);
        let buffer: Value = buffer.expect("msgpack").decode().expect("JSON");
        assert_eq!(buffer, json!({ "$ext": [0, "AQ=="] }));

        let spelled = Payload::encode(Format::Json, &json!([buffer, 0, -1, true, ["line", "é"]]));
        let params = spelled.expect("JSON").to_format(Format::Msgpack);
        let set = peer.call_raw("nvim_buf_set_lines", Some(params.expect("a spelling")));
        set.await.expect("lines that can be set");
        let lines = call(&peer, "nvim_eval", json!(["getline(1, '$')"])).await;
        assert_eq!(lines.expect("lines"), json!(["line", "é"]));
        stop(plugin).await;
    })
    .await;
}

#[tokio::test]
async fn neovim_calls_us_back_while_our_call_waits() {
    trial(tools::neovim(), async |program, mark| {
        let (plugin, _) = embedded(&program, mark).await;
        let peer = plugin.peer();
        let asked = call(
            &peer,
            "nvim_eval",
            json!(["rpcrequest(1, 'nested', [1, 'é'])"]),
        )
        .await;
        assert_eq!(asked.expect("our own answer"), json!([[1, "é"]]));
        let error = refused(call(&peer, "nvim_eval", json!(["rpcrequest(1, 'refuse')"])).await);
        assert!(error.message.contains("ask again later"), "{error}");
        let error = refused(call(&peer, "nvim_eval", json!(["rpcrequest(1, 'nobody')"])).await);
        assert!(error.message.contains("nobody"), "{error}");
        stop(plugin).await;
    })
    .await;
}

#[tokio::test]
async fn our_command_calls_neovim_on_a_socket() {
    trial(tools::neovim(), async |program, mark| {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("nvim.sock");
        let path = socket.to_str().expect("a plain path");
        let command = neovim(&program, &["--listen", path]);
        let command = command.variable(Mark::VARIABLE, mark.value());
        let (server, _io) = Process::spawn(&command).unwrap_or_else(|error| panic!("{error}"));
        wait_for(&socket).await;
        let tenon = async |method, params| {
            let to = ["--dialect", "msgpack-rpc", "--socket", path];
            let words = ["call", method, params].into_iter().chain(to);
            run(Path::new(TENON), words, mark).await
        };
        assert_eq!(tenon("nvim_eval", "[\"1+2\"]").await, "3\n");
        let handle = tenon("nvim_get_current_buf", "[]").await;
        assert_eq!(handle, "{\"$ext\":[0,\"AQ==\"]}\n");
        // It was left, not shut down: the next client finds it as the last one left it.
        tenon("nvim_set_var", "[\"kept\",1]").await;
        assert_eq!(tenon("nvim_get_var", "[\"kept\"]").await, "1\n");
        drop(server);
    })
    .await;
}

#[tokio::test]
async fn neovim_as_a_client() {
    trial(tools::neovim(), async |program, mark| {
        let script = tools::helper("neovim_client.lua");
        let luafile = format!("luafile {}", script.display());
        let words = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"];
        let words = words.into_iter().chain([luafile.as_str()]);
        run(&program, words, mark).await;
    })
    .await;
}

/// Our command starts Neovim as a plugin, which speaks msgpack-rpc on stdin and stdout.
#[tokio::test]
async fn our_command_calls_embedded_neovim() {
    trial(tools::neovim(), async |program, mark| {
        let program = program.to_str().expect("a plain path");
        let tenon = async |method, params| {
            let words = ["call", method, params, "--dialect", "msgpack-rpc", "--"];
            let neovim = [
                program,
                "--embed",
                "--headless",
                "-u",
                "NONE",
                "-i",
                "NONE",
                "-n",
            ];
            run(Path::new(TENON), words.into_iter().chain(neovim), mark).await
        };
        assert_eq!(tenon("nvim_eval", "[\"1+2\"]").await, "3\n");
        let lua = r#"["return {..., vim.NIL, 1.5}", [{"a":[true]}]]"#;
        assert_eq!(
            tenon("nvim_exec_lua", lua).await,
            "[{\"a\":[true]},null,1.5]\n"
        );
    })
    .await;
}

/// A Seasonings plugin in Lua, on the msgpack library of Neovim.
#[tokio::test]
async fn a_seasonings_plugin_in_neovim() {
    trial(tools::neovim(), async |program, mark| {
        let program = program.to_str().expect("a plain path");
        let luafile = format!("luafile {}", tools::helper("neovim_plugin.lua").display());
        let tenon = async |words: &[&str]| {
            let plugin = [
                "--protocol",
                "seasonings",
                "--",
                program,
                "--headless",
                "-u",
                "NONE",
                "-i",
                "NONE",
                "-n",
                "-c",
                &luafile,
            ];
            let words = ["call"]
                .into_iter()
                .chain(words.iter().copied())
                .chain(plugin);
            run(Path::new(TENON), words, mark).await
        };
        let listing = tenon(&["--list"]).await;
        assert!(listing.starts_with("neovim 0."), "{listing}");
        assert!(
            listing.contains("eval -> any  - Evaluates an expression of Vim."),
            "{listing}"
        );
        for (function, args, result) in [
            ("eval", r#"["1 + 2"]"#, "3"),
            (
                "eval",
                r#"["{'a': [1, v:null, 'é']}"]"#,
                r#"{"a":[1,null,"é"]}"#,
            ),
            // Floats come back as floats of 32 bits where nothing is lost.
            ("total", "[1,0.5,-3]", "-1.5"),
            ("total", "[]", "0"),
            ("same_text", r#"["é"]"#, r#""é""#),
            ("same_text", "[null]", "null"),
            (
                "same_text",
                r#"[{"$unknown":true}]"#,
                r#"{"$unknown":true}"#,
            ),
            (
                "same_text",
                r#"[{"$unknown":{"null":false,"prefix":"ami-"}}]"#,
                r#"{"$unknown":{"null":false,"prefix":"ami-"}}"#,
            ),
        ] {
            let params = format!(r#"{{"name":"{function}","args":{args}}}"#);
            let printed = tenon(&["functions/call", &params]).await;
            assert_eq!(printed, format!("{{\"result\":{result}}}\n"), "{params}");
        }
        let hook = r#"{"address":"a.b","after":{"id":{"$unknown":true}}}"#;
        let printed = tenon(&["middleware/postPlan", hook]).await;
        let printed: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(printed, json!({"status": "ok", "message": "a.b"}));
    })
    .await;
}

/// Neovim starts our examples, greets them and calls them, as any host could.
#[tokio::test]
async fn neovim_as_the_host_of_seasonings_plugins() {
    trial(
        tools::neovim().and_then(|neovim| Ok((neovim, tools::python()?))),
        async |(program, _), mark| {
            let luafile = format!("luafile {}", tools::helper("neovim_host.lua").display());
            let examples =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/seasonings/python");
            let words = [
                "--headless",
                "-u",
                "NONE",
                "-i",
                "NONE",
                "-n",
                "-c",
                &luafile,
            ];
            let variables = [
                ("EXAMPLES", examples.as_os_str()),
                ("PYTHONDONTWRITEBYTECODE", "1".as_ref()),
            ];
            run_with(&program, words, &variables, mark).await;
        },
    )
    .await;
}
