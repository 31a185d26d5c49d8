//! The settings of the provider, and the Deno that it finds.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::Value;

use crate::blocks::{DATA_SOURCE, Shapes, assert_error, assert_none, part, shown, texts, value};
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
        (vec![("env", texts(&["A", "B_*", "C=d"]))], None),
        (vec![("env", texts(&[""]))], Some("error at .env")),
        (vec![("env", texts(&["A_*=x"]))], Some("error at .env")),
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
            &format!("requires Deno {wanted}"),
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

/// Answers with the values of variables, and dies of a missing one if it is told to.
const WITNESS: &str = r#"
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    result = {"ok": True}
    if request["method"] == "read":
        props = request["params"]["props"]
        result = {"result": [os.environ.get(name, "-") for name in props["names"]]}
        if "needs" in props:
            os.environ[props["needs"]]
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;

/// What a script finds in its environment.
async fn witnessed(stage: &Stage, shapes: &Shapes, props: &str) -> read_data_source::Response {
    witnessed_with(stage, shapes, props, None).await
}

/// The same, for a script with permissions.
async fn witnessed_with(
    stage: &Stage,
    shapes: &Shapes,
    props: &str,
    permissions: Option<&str>,
) -> read_data_source::Response {
    let shape = &shapes.data_source;
    let path = stage.write("witness.py", WITNESS);
    let mut config = vec![
        ("path", Value::from(path.to_str().unwrap())),
        ("props", value(props)),
    ];
    config.extend(permissions.map(|permissions| ("permissions", value(permissions))));
    let request = read_data_source::Request {
        type_name: DATA_SOURCE.to_owned(),
        config: shape.encode(&shape.block(&config)),
        ..Default::default()
    };
    let answer = stage.client().read_data_source(request).await.unwrap();
    answer.into_inner()
}

const NAMES: &str = r#"{"names": ["AWS_SECRET_ACCESS_KEY", "STAGE", "TF_VAR_a", "MODE"]}"#;

const VARIABLES: [(&str, &str); 3] = [
    ("AWS_SECRET_ACCESS_KEY", "s3cret"),
    ("STAGE", "test"),
    ("TF_VAR_a", "b"),
];

#[tokio::test]
async fn scripts_get_the_whole_environment_unless_env_says_otherwise() {
    let stage = Stage::with_variables(&VARIABLES).await;
    let shapes = Shapes::of(&stage).await;
    for (env, expected) in [
        (None, ["s3cret", "test", "b", "-"]),
        (Some(texts(&[])), ["-", "-", "-", "-"]),
        (
            Some(texts(&["STA*", "MODE=fast"])),
            ["-", "test", "-", "fast"],
        ),
    ] {
        let given: Vec<_> = env.into_iter().map(|env| ("env", env)).collect();
        assert_eq!(configured(&stage, &shapes, &given).await, [""; 0]);
        let read = witnessed(&stage, &shapes, NAMES).await;
        assert_none(&read.diagnostics);
        let state = shapes.data_source.decode(read.state.as_ref());
        assert_eq!(part(&state, "result"), texts(&expected));
    }
    // A script that fails because of it says which variable it lacks.
    assert_eq!(
        configured(&stage, &shapes, &[("env", texts(&[]))]).await,
        [""; 0]
    );
    let read = witnessed(&stage, &shapes, r#"{"names": [], "needs": "STAGE"}"#).await;
    let hint = "Hint: STAGE is set, but was not passed on to the plugin: add \"STAGE\" to `env` \
                in the provider block";
    assert_error(&read.diagnostics, &[hint]);
    assert!(
        !shown(&read.diagnostics)
            .concat()
            .contains("TENON_SCRIPT_ENV")
    );
    stage.end().await;
}

/// The environment decides where no provider block does, as for functions.
#[tokio::test]
async fn the_environment_can_name_the_variables() {
    let variables = [&VARIABLES[..], &[("TENON_SCRIPT_ENV", "STAGE, TF_*")]].concat();
    let stage = Stage::with_variables(&variables).await;
    let shapes = Shapes::of(&stage).await;
    let read = witnessed(&stage, &shapes, NAMES).await;
    let state = shapes.data_source.decode(read.state.as_ref());
    let expected = texts(&["-", "test", "b", "-"]);
    assert_eq!(part(&state, "result"), expected);
    let needy = r#"{"names": [], "needs": "AWS_SECRET_ACCESS_KEY"}"#;
    let read = witnessed(&stage, &shapes, needy).await;
    let hint = "add \"AWS_SECRET_ACCESS_KEY\" to TENON_SCRIPT_ENV";
    assert_error(&read.diagnostics, &[hint]);
    stage.end().await;
}

/// A script cannot allow itself what the provider block does not pass on, and what its permissions
/// deny it does not get.
#[tokio::test]
async fn permissions_narrow_what_is_passed_on() {
    const ALLOWED: &str = r#"{"all": null, "allow": ["env"], "deny": null}"#;
    for (variable, env, permissions, expected) in [
        (None, None, ALLOWED, ["s3cret", "test", "b", "-"]),
        (None, Some(vec![]), ALLOWED, ["-", "-", "-", "-"]),
        (Some(""), None, ALLOWED, ["-", "-", "-", "-"]),
        (Some("STAGE"), None, ALLOWED, ["-", "test", "-", "-"]),
        (
            None,
            Some(vec!["STAGE", "TF_*", "MODE=fast"]),
            r#"{"all": null, "allow": null, "deny": ["env=STAGE,MODE"]}"#,
            ["-", "-", "b", "-"],
        ),
        (
            None,
            Some(vec!["STAGE", "MODE=fast"]),
            r#"{"all": null, "allow": ["env"], "deny": ["env"]}"#,
            ["-", "-", "-", "-"],
        ),
    ] {
        let named = variable.map(|names| ("TENON_SCRIPT_ENV", names));
        let variables: Vec<_> = VARIABLES.into_iter().chain(named).collect();
        let stage = Stage::with_variables(&variables).await;
        let shapes = Shapes::of(&stage).await;
        let given: Vec<_> = env.iter().map(|env| ("env", texts(env))).collect();
        assert_eq!(configured(&stage, &shapes, &given).await, [""; 0]);
        let read = witnessed_with(&stage, &shapes, NAMES, Some(permissions)).await;
        let said = shown(&read.diagnostics);
        if said.iter().any(|said| said.contains("Landlock")) {
            // The kernel cannot hold anybody to permissions.
            stage.end().await;
            return;
        }
        let state = shapes.data_source.decode(read.state.as_ref());
        let found = part(&state, "result");
        assert_eq!(found, texts(&expected), "{env:?} {permissions} {said:?}");
        stage.end().await;
    }
}

#[tokio::test]
async fn unknown_names_are_refused() {
    for (names, problem) in [
        (
            "STAGE,=x",
            r#""=…": the name of the environment variable is empty"#,
        ),
        (
            "BAD NAME",
            r#""BAD NAME": the name of an environment variable cannot contain spaces"#,
        ),
        (
            "A*=s3cret",
            r#""A*=…": a pattern with * cannot be given a value"#,
        ),
    ] {
        let stage = Stage::with_variables(&[("TENON_SCRIPT_ENV", names)]).await;
        let shapes = Shapes::of(&stage).await;
        let expected = format!("TENON_SCRIPT_ENV is invalid: {problem}");
        // Functions are called before anything is configured.
        let read = witnessed(&stage, &shapes, NAMES).await;
        assert_error(&read.diagnostics, &[&expected]);
        let said = configured(&stage, &shapes, &[]).await.concat();
        assert!(said.contains(&expected), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
        // Where the provider block says it, the variable does not count.
        let given = [("env", texts(&[]))];
        assert_eq!(configured(&stage, &shapes, &given).await, [""; 0]);
        stage.end().await;
    }
}
