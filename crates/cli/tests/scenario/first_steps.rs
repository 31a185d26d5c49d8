//! The first commands of a new user.

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn init_plan_run_teardown() {
    let mut stage = Stage::new(json!({}));
    for line in [
        "tenon init shop",
        "tenon init shop",
        "tenon list shop",
        "tenon plan shop/scenarios/hello.hcl",
        "tenon run shop/scenarios/hello.hcl -j 1",
    ] {
        let outcome = stage.run(line).await;
        assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
    }
    let record = stage.record_name();
    let line = format!("tenon teardown {record} -j 1");
    assert_eq!(stage.run(&line).await.code, Some(0));
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript().replace(&record, "[record]"));
}

/// From the folder of the project, as its first page says.
#[tokio::test]
async fn the_example() {
    let mut stage = Stage::new(json!({}));
    let project = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let folder = stage.shell.path("");
    let line = format!(
        "cd {project} && tenon run examples/hello/hello.hcl --record-dir {}",
        folder.display()
    );
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let user = stage.shell.run_unnoted("whoami").await.stdout;
    assert_eq!(
        outcome.stdout,
        format!(
            "greeting = hello, {}: 3 products are on the shelf\n",
            user.trim_end()
        )
    );
    stage.assert_is_closed();
}
