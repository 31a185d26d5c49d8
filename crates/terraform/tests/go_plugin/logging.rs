//! Lines on stderr, as Terraform expects them.

use rustix::process::Signal;
use serde_json::Value;

use crate::client::Client;
use crate::started::Started;

/// What a provider logs that is started, called and ended.
async fn logged(variables: &[(&str, &str)]) -> Vec<Value> {
    let provider = Started::by_terraform(variables);
    let client = Client::plain(&provider.address()).await;
    client.health("plugin").await.unwrap();
    provider.send(Signal::TERM);
    let lines = provider.end().await.stderr;
    let parse = |line: &String| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    lines.iter().map(parse).collect()
}

#[tokio::test]
async fn lines_are_json_with_terraforms_keys() {
    let lines = logged(&[("TF_LOG", "debug")]).await;
    let ending = lines
        .iter()
        .find(|line| line["@message"] == "the provider ends: SIGTERM was sent")
        .unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!(ending["@level"], "debug");
    assert_eq!(ending["@module"], "denobridge");
    let timestamp = ending["@timestamp"].as_str().unwrap();
    let shape: String = timestamp
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000000Z");
}

#[tokio::test]
async fn the_level_is_honoured() {
    assert_eq!(logged(&[]).await, [Value::Null; 0]);
    assert_eq!(logged(&[("TF_LOG", "INFO")]).await, [Value::Null; 0]);
    let off = [("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "OFF")];
    assert_eq!(logged(&off).await, [Value::Null; 0]);
    let on = [("TF_LOG", "OFF"), ("TF_LOG_PROVIDER_DENOBRIDGE", "JSON")];
    assert_ne!(logged(&on).await, [Value::Null; 0]);
}

#[tokio::test]
async fn the_log_has_no_lines_of_libraries() {
    for line in logged(&[("TF_LOG", "TRACE")]).await {
        assert_eq!(line["@module"], "denobridge");
        let message = line["@message"].as_str().unwrap();
        assert!(message.starts_with("the provider"), "{message}");
    }
}
