//! The settings of the provider, and the Deno that it finds.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tenon_terraform::proto::tfplugin6::*;
use tenon_values::Value;

use crate::blocks::{Shapes, assert_error, assert_none, shown, value};
use crate::stage::Stage;

#[tokio::test]
async fn settings_are_checked() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let shape = &shapes.provider;
    for (given, expected) in [
        (vec![], None),
        (
            vec![("timeout", value("0.5")), ("reuse", Value::FALSE)],
            None,
        ),
        (vec![("timeout", Value::from(0))], Some("error at .timeout")),
    ] {
        let config = shape.encode(&shape.block(&given));
        let mut client = stage.client();
        let request = validate_provider_config::Request {
            config: config.clone(),
        };
        let validated = client.validate_provider_config(request).await.unwrap();
        let request = configure_provider::Request {
            terraform_version: "1.15.5".into(),
            config,
            client_capabilities: None,
        };
        let configured = client.configure_provider(request).await.unwrap();
        for said in [
            validated.into_inner().diagnostics,
            configured.into_inner().diagnostics,
        ] {
            match expected {
                Some(word) => assert_error(&said, &[word]),
                None => assert_none(&said),
            }
        }
    }
    stage.end().await;
}

/// What is said about these settings.
async fn configured(stage: &Stage, shapes: &Shapes, given: &[(&str, Value)]) -> Vec<String> {
    let shape = &shapes.provider;
    let request = configure_provider::Request {
        terraform_version: "1.15.5".into(),
        config: shape.encode(&shape.block(given)),
        client_capabilities: None,
    };
    let answer = stage.client().configure_provider(request).await.unwrap();
    shown(&answer.into_inner().diagnostics)
}

/// A program that prints a version.
fn deno(stage: &Stage) -> String {
    let deno = stage.write("deno", "#!/bin/sh\necho 'deno 2.1.4 (stable, release)'\n");
    std::fs::set_permissions(&deno, std::fs::Permissions::from_mode(0o755)).unwrap();
    deno.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn another_version_of_deno_is_an_error_that_says_what_to_do() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let deno = deno(&stage);
    for fitting in ["v2.1.4", "2.1.4", "2.1", "latest"] {
        let given = [("deno_version", Value::from(fitting))];
        assert_eq!(
            configured(&stage, &shapes, &given).await,
            [""; 0],
            "{fitting}"
        );
    }
    for other in ["v2.2.0", "2.10", "v2.1.40"] {
        let given = [("deno_version", Value::from(other))];
        let said = configured(&stage, &shapes, &given).await;
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("error at .deno_version: "), "{said:?}");
        let wanted = other.trim_start_matches('v');
        for word in [
            &format!("asks for Deno {wanted}"),
            &format!("{deno} is Deno 2.1.4"),
            "npm install -g deno",
            "deno_binary_path",
            "set deno_version to \"2.1.4\"",
        ] {
            assert!(said[0].contains(word), "{word}: {said:?}");
        }
        // A program that the configuration names is used, as upstream does.
        let named = ("deno_binary_path", Value::from(deno.as_str()));
        let said = configured(&stage, &shapes, &[named, given[0].clone()]).await;
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("warning at .deno_version: "),
            "{said:?}"
        );
    }
    stage.end().await;
}
