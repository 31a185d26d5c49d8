//! The provider in a debugger.

use rustix::process::Signal;
use serde_json::Value;

use crate::client::Client;
use crate::started::{PROVIDER, Started, new_command};

/// The value of the variable after the printed line was pasted into a shell.
fn pasted(line: &str) -> Value {
    let script = format!("{line}\nprintf %s \"$TF_REATTACH_PROVIDERS\"");
    let output = new_command("sh".as_ref())
        .args(["-c", &script])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn terraform_can_attach_until_ctrl_c() {
    let provider = Started::new(&[PROVIDER, "--debug"], &[]);
    let line = loop {
        let line = provider.line();
        if line.trim_start().starts_with("export ") {
            break line;
        }
    };
    let variable = pasted(&line);
    let attached = &variable["registry.terraform.io/brad-jones/denobridge"];
    assert_eq!(&variable["brad-jones/denobridge"], attached);
    assert_eq!(attached["Protocol"], "grpc");
    assert_eq!(attached["ProtocolVersion"], 6);
    assert_eq!(attached["Test"], true);
    assert_eq!(attached["Addr"]["Network"], "unix");

    let address = attached["Addr"]["String"].as_str().unwrap();
    let client = Client::plain(address).await;
    client.shut_down().await.unwrap();
    client.health("plugin").await.unwrap();
    provider.send(Signal::INT);
    assert_eq!(
        provider.end_and_leave_nothing().await.status.code(),
        Some(0)
    );
}
