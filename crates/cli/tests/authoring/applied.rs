//! New plugins under a real Terraform, packed as their READMEs say.

use std::time::Duration;

use serde_json::Value;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::trial_within;

/// Several commands of Terraform, on a machine that may be busy with others.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Packs a new plugin, applies its `main.tf` twice, and destroys everything.
async fn apply(shell: &Shell, language: &str) {
    let setting = "export HOME=\"$PWD\" TF_CLI_CONFIG_FILE=\"$PWD/.terraformrc\" CHECKPOINT_DISABLE=1 TF_INPUT=0 TF_CLI_ARGS=-no-color";
    let run = async |line: String| {
        let line = format!("{setting}; {line}");
        let outcome = shell.run_within(WATCHDOG, &line).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{language}: {line}: {printed}");
        printed
    };
    let name = format!("a-{language}");
    run(format!("tenon new {name} --lang {language}")).await;
    let inside = format!("cd {name}");
    run(format!(
        "{inside}; tenon provider pack {name} --dev --write-config --mirror mirror -- ./{name}"
    ))
    .await;
    let setting = format!("{inside}; terraform");
    run(format!("{setting} init")).await;
    let applied = run(format!("{setting} apply -auto-approve")).await;
    assert!(applied.contains("Apply complete!"), "{language}: {applied}");
    assert!(!applied.contains(" 0 added"), "{language}: {applied}");
    let outputs = run(format!("{setting} output -json 2>/dev/null")).await;
    let outputs: Value = serde_json::from_str(outputs.trim()).expect("JSON");
    let values = outputs.as_object().expect("outputs");
    let is_greeted = |one: &Value| one["value"] == "hello, World";
    assert!(values.values().any(is_greeted), "{language}: {outputs}");
    run(format!("{setting} plan -detailed-exitcode")).await;
    let destroyed = run(format!("{setting} destroy -auto-approve")).await;
    assert!(
        destroyed.contains("Destroy complete!"),
        "{language}: {destroyed}"
    );
}

fn terraform_and(program: Result<std::path::PathBuf, String>) -> Result<(), String> {
    tools::on_path("terraform")?;
    let packed = std::path::Path::new(env!("CARGO_BIN_EXE_tenon"));
    match packed.with_file_name("terraform-provider-tenon").is_file() {
        true => program.map(drop),
        false => Err("cargo build -p terraform-provider-tenon".to_owned()),
    }
}

#[tokio::test]
async fn a_plugin_in_python_is_applied() {
    trial_within(WATCHDOG, terraform_and(tools::python()), async |(), _| {
        apply(&Shell::new(), "python").await;
    })
    .await;
}

#[tokio::test]
async fn a_plugin_in_typescript_is_applied() {
    let tools = terraform_and(tools::on_path("node"));
    trial_within(WATCHDOG, tools, async |(), _| {
        apply(&Shell::new(), "typescript").await;
    })
    .await;
}
