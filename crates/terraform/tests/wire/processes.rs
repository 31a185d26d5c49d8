//! Parallel calls, and processes that die, hang or are not shared.

use std::collections::HashSet;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::{Diagnostic, configure_provider};
use tenon_values::{Type, Value};

use crate::blocks::{assert_error, assert_none, part, texts, value, with};
use crate::core::{Core, Held};

/// Creates resources in parallel.
async fn create_all(core: &Core, count: i64, given: &[(&str, Value)]) -> Vec<Held> {
    let create = async |number: i64| {
        let props = [("props", Value::object([("n", Value::from(number))]))];
        let config = core.config(&[&props, given].concat());
        let planned = core.plan(&core.nothing(), &config).await;
        assert_none(&planned.diagnostics);
        core.apply(&planned).await
    };
    at_once((0..count).map(create)).await
}

/// The results of all futures, which run concurrently in this task.
async fn at_once<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut waiting {
            if output.is_none()
                && let std::task::Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        match waiting.iter().all(|(_, output)| output.is_some()) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    waiting
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}

/// A process handles one call at a time, so calls that wait for each other need one process each.
#[tokio::test]
async fn forty_calls_in_parallel_are_forty_processes() {
    let core = Core::new(json!({"create": {"gate": "go", "echo": {"state": "props"}}})).await;
    let all_there = async {
        core.stage.until_heard("create", 40).await;
        assert_eq!(core.stage.processes().len(), 40);
        core.stage.open("go");
    };
    let (made, ()) = tokio::join!(create_all(&core, 40, &[]), all_there);
    for (number, held) in made.iter().enumerate() {
        assert_none(&held.diagnostics);
        let expected = value(&json!({"n": number}).to_string());
        assert_eq!(part(&held.state, "state"), expected);
    }
    // The processes are still running.
    create_all(&core, 40, &[]).await;
    assert_eq!(core.stage.processes().len(), 40);
    core.stage.end().await;
}

#[tokio::test]
async fn one_call_after_the_other_is_one_process() {
    let core = Core::new(json!({})).await;
    for number in 0..30 {
        let config = core.config(&[("props", value(&number.to_string()))]);
        let held = core.change(&core.nothing(), &config).await;
        assert_none(&core.read(&held).await.diagnostics);
    }
    assert_eq!(core.stage.processes().len(), 1);
    core.stage.end().await;
}

/// Only the call that a process handles is lost when the process dies.
#[tokio::test]
async fn a_process_that_dies_fails_one_call() {
    let core = Core::new(json!({"create": {"gate": "go"}})).await;
    let killed = async {
        core.stage.until_heard("create", 10).await;
        let process = core.stage.processes()[4];
        let process = Pid::from_raw(process.try_into().unwrap()).unwrap();
        kill_process(process, Signal::KILL).unwrap();
        core.stage.open("go");
    };
    let (made, ()) = tokio::join!(create_all(&core, 10, &[]), killed);
    let (failed, made): (Vec<_>, Vec<_>) =
        { made.into_iter() }.partition(|held| held.state.is_null());
    assert_eq!(made.len(), 9);
    made.iter().for_each(|held| assert_none(&held.diagnostics));
    let words = [
        "error at .path: Failed to create resource",
        "ended before it answered",
        "done in part",
        "signal: 9",
    ];
    assert_error(&failed[0].diagnostics, &words);
    core.stage.end().await;
}

/// The block sets how many calls a process handles at a time; otherwise the script does.
#[tokio::test]
async fn a_script_may_take_several_calls_at_a_time() {
    let orders = json!({
        "health": {"with": {"maxInFlight": 3}},
        // It is read for each of them; otherwise the number of calls would depend on the order.
        "modifyPlan": {"result": null},
        "create": {"gate": "go"},
    });
    for (given, processes) in [
        (vec![], 2),
        (vec![("max_in_flight", Value::from(1))], 6),
        (vec![("max_in_flight", Value::from(6))], 1),
        (vec![("reuse", Value::FALSE)], 12),
    ] {
        let core = Core::new(orders.clone()).await;
        let all_there = async {
            core.stage.until_heard("create", 6).await;
            assert_eq!(core.stage.processes().len(), processes, "{given:?}");
            core.stage.open("go");
        };
        let (made, ()) = tokio::join!(create_all(&core, 6, &given), all_there);
        made.iter().for_each(|held| assert_none(&held.diagnostics));
        core.stage.end().await;
    }
}

#[tokio::test]
async fn two_hundred_calls_in_parallel_in_one_process() {
    let orders = json!({
        "health": {"with": {"maxInFlight": 200}},
        "create": {"gate": "go", "echo": {"state": "props"}},
    });
    let core = Core::new(orders).await;
    let all_there = async {
        core.stage.until_heard("create", 200).await;
        core.stage.open("go");
    };
    let (made, ()) = tokio::join!(create_all(&core, 200, &[]), all_there);
    for (number, held) in made.iter().enumerate() {
        assert_none(&held.diagnostics);
        let expected = value(&json!({"n": number}).to_string());
        assert_eq!(part(&held.state, "state"), expected);
    }
    assert_eq!(core.stage.processes().len(), 1);
    core.stage.end().await;
}

/// Calls that only read are repeated alone, so that no answer is lost with a process that dies.
#[tokio::test]
async fn reads_that_lost_their_process_are_repeated_alone() {
    let core = Core::new(json!({"read": [{}, {"gate": "go"}], "update": {"exit": 7}})).await;
    let many = ("max_in_flight", Value::from(100));
    let config = core.config(&[("props", value("{}")), many.clone()]);
    let held = core.change(&core.nothing(), &config).await;
    // The first is answered; all others wait at the gate until their process is killed.
    assert_none(&core.read(&held).await.diagnostics);
    let reads = at_once((0..20).map(|_| core.read(&held)));
    let killed = async {
        core.stage.until_heard("read", 21).await;
        let other = core.config(&[("props", value("[]")), many]);
        let planned = core.plan(&held, &other).await;
        let failed = core.apply(&planned).await;
        assert_error(
            &failed.diagnostics,
            &["Failed to update resource", "ended", "7"],
        );
    };
    let (read, ()) = tokio::join!(reads, killed);
    for one in read {
        assert_none(&one.diagnostics);
        assert_eq!(one.state, held.state);
    }
    assert_eq!(core.stage.heard_of("read").len(), 41);
    assert_eq!(core.stage.processes().len(), 21);
    core.stage.end().await;
}

/// Whether something was created is unknown, so the call is reported and not repeated.
#[tokio::test]
async fn creates_that_lost_their_process_fail_clearly() {
    let core = Core::new(json!({
        "create": {"gate": "never"}, "delete": {"exit": 3, "stderr": ["Traceback: oh"]}
    }))
    .await;
    let many = ("max_in_flight", Value::from(100));
    let config = core.config(&[("props", value("{}")), many.clone()]);
    let state = with(&config, &[("id", "x".into())]);
    let held = Held {
        state,
        ..core.nothing()
    };
    let killed = async {
        core.stage.until_heard("create", 20).await;
        let gone = Value::null(core.shapes.resource.ty.clone());
        let failed = core.apply(&core.plan(&held, &gone).await).await;
        assert_error(
            &failed.diagnostics,
            &["Failed to delete resource", "exit status: 3", "not shown"],
        );
        assert_eq!(failed.state, held.state);
    };
    let given = [many.clone()];
    let (made, ()) = tokio::join!(create_all(&core, 20, &given), killed);
    let words = [
        "error at .path: Failed to create resource",
        "ended before it answered",
        "puppet.py",
        // The output of the delete may contain its secrets.
        "stderr is not shown",
    ];
    for one in made {
        assert_error(&one.diagnostics, &words);
        assert!(one.state.is_null());
    }
    assert_eq!(core.stage.heard_of("create").len(), 20);
    // The next call gets another process.
    let config = core.config(&[("props", value("1")), many]);
    core.stage.open("never");
    core.change(&core.nothing(), &config).await;
    assert_eq!(core.stage.processes().len(), 2);
    core.stage.end().await;
}

#[tokio::test]
async fn without_reuse_each_call_has_its_process() {
    let core = Core::new(json!({})).await;
    let config = core.config(&[("props", value("{}")), ("reuse", Value::FALSE)]);
    let held = core.change(&core.nothing(), &config).await;
    assert_none(&core.read(&held).await.diagnostics);
    // A plan, an apply and a read.
    let processes: HashSet<_> = core.stage.processes().into_iter().collect();
    assert_eq!(processes.len(), 3);
    core.stage.end().await;
}

async fn configure(core: &Core, given: &[(&str, Value)]) -> Vec<Diagnostic> {
    let shape = &core.shapes.provider;
    let request = configure_provider::Request {
        terraform_version: "1.11.4".into(),
        config: shape.encode(&shape.block(given)),
        client_capabilities: None,
    };
    let answer = core.stage.client().configure_provider(request).await;
    answer.unwrap().into_inner().diagnostics
}

/// While a provider is debugged, scripts may be edited.
#[tokio::test]
async fn an_edited_script_is_run_as_it_is_now() {
    let core = Core::new(json!({})).await;
    let puppet = core.stage.puppet();
    let by_path = core.config(&[("props", value("{}"))]);
    let command = texts(&["python3", "-u", &puppet]);
    let no_path = Value::null(Type::String);
    let by_command = with(&by_path, &[("path", no_path), ("command", command)]);
    for config in [by_path, by_command] {
        let before = core.stage.processes().len();
        for _ in 0..2 {
            core.change(&core.nothing(), &config).await;
        }
        assert_eq!(core.stage.processes().len(), before + 1);
        let file = std::fs::File::options().append(true).open(&puppet).unwrap();
        let earlier = file.metadata().unwrap().modified().unwrap() - Duration::from_secs(60);
        file.set_modified(earlier).unwrap();
        core.change(&core.nothing(), &config).await;
        assert_eq!(core.stage.processes().len(), before + 2);
    }
    core.stage.end().await;
}

/// A method that a script does not have may exist when the next Terraform command starts.
#[tokio::test]
async fn a_script_that_had_no_modify_plan_is_asked_again() {
    let core = Core::new(json!({})).await;
    let config = core.config(&[("props", value("{}"))]);
    for _ in 0..2 {
        assert_none(&core.plan(&core.nothing(), &config).await.diagnostics);
    }
    assert_eq!(core.stage.heard_of("modifyPlan").len(), 1);
    let refuses = json!([{"severity": "error", "summary": "not on Mondays"}]);
    let orders = json!({"modifyPlan": {"result": {"diagnostics": refuses}}});
    core.stage.write("orders.json", &orders.to_string());
    assert_none(&configure(&core, &[]).await);
    let refused = core.plan(&core.nothing(), &config).await;
    assert_error(&refused.diagnostics, &["not on Mondays"]);
    core.stage.end().await;
}

#[tokio::test]
async fn what_the_provider_says_holds_unless_a_block_says_otherwise() {
    let core = Core::new(json!({"create": {"hang": true}})).await;
    let said = configure(&core, &[("reuse", Value::FALSE), ("timeout", value("0.2"))]).await;
    assert_none(&said);
    let config = core.config(&[("props", value("{}"))]);
    let planned = core.plan(&core.nothing(), &config).await;
    let failed = core.apply(&planned).await;
    assert_error(
        &failed.diagnostics,
        &["Failed to create resource", "200ms", "timeout"],
    );
    assert_eq!(core.stage.processes().len(), 2);
    let longer = with(
        &config,
        &[("timeout", value("0.3")), ("reuse", Value::TRUE)],
    );
    let failed = core.apply(&core.plan(&core.nothing(), &longer).await).await;
    assert_error(&failed.diagnostics, &["300ms"]);
    assert_eq!(core.stage.processes().len(), 3);
    core.stage.end().await;
}

/// A process that hangs is not used again.
#[tokio::test]
async fn a_process_that_hangs_is_replaced() {
    let core = Core::new(json!({"create": [{"hang": true}]})).await;
    let config = core.config(&[("props", value("{}")), ("timeout", value("0.2"))]);
    let failed = core.apply(&core.plan(&core.nothing(), &config).await).await;
    assert_error(&failed.diagnostics, &["200ms"]);
    let held = Held {
        state: with(
            &core.config(&[("props", value("{}"))]),
            &[("id", "x".into())],
        ),
        ..core.nothing()
    };
    assert_none(&core.read(&held).await.diagnostics);
    assert_eq!(core.stage.processes().len(), 2);
    core.stage.end().await;
}

#[tokio::test]
async fn scripts_that_cannot_be_started_are_reported_with_their_evidence() {
    let core = Core::new(json!({})).await;
    let broken = core
        .stage
        .write("broken.py", "import sys\nsys.exit('no such module')\n");
    let unwell = "import json, sys\n\
        number = json.loads(sys.stdin.readline())['id']\n\
        print(json.dumps({'jsonrpc': '2.0', 'id': number, 'result': {'ok': False}}))\n";
    let unwell = core.stage.write("unwell.py", unwell);
    let table = [
        (
            vec![("path", Value::from("./gone.py"))],
            vec!["error at .path", "no script at ./gone.py"],
        ),
        (vec![("path", "/".into())], vec!["error at .path", "folder"]),
        (
            vec![
                ("path", Value::NULL),
                ("command", texts(&["no-such-program"])),
            ],
            vec!["error at .command", "no-such-program"],
        ),
        (
            vec![("path", broken.to_str().unwrap().into())],
            vec!["error at .path", "no such module"],
        ),
        (
            vec![("path", unwell.to_str().unwrap().into())],
            vec!["error at .path", "health"],
        ),
    ];
    for (changes, words) in table {
        let config = core.config(&[("props", value("{}"))]);
        let config = with(&config, &changes);
        let planned = core.plan(&core.nothing(), &config).await;
        assert_error(&planned.diagnostics, &words);
    }
    core.stage.end().await;
}
