//! Random JSON documents: for each of them, a second plan is empty.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use tenon_values::{Type, Value, convert, json as values_json};

use crate::blocks::{part, shown};
use crate::core::{Action, Core};

/// A JSON number with any number of digits.
const NUMBER: &str = r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?(e[+-]?[0-9]{1,2})?";

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of any document.
pub(crate) fn document(depth: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        NUMBER.prop_map(String::from),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<String>().prop_map(|text| quoted(&text)),
        // Characters that are escaped in HTML, and characters with two forms in Unicode.
        proptest::sample::select(
            &[
                "\"<&>\u{2028}\"",
                "\"e\u{301}\"",
                "\"0.1\"",
                "\"\"",
                "\"null\""
            ][..]
        )
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(depth, 40, 6, |inner| {
        let key = prop_oneof!["[a-c]", any::<String>()].prop_map(|key| quoted(&key));
        let members = vec((key, inner.clone()), 0..6);
        prop_oneof![
            vec(inner, 0..6).prop_map(|parts| format!("[{}]", parts.join(","))),
            members.prop_map(|members| {
                let members: Vec<_> = { members.iter() }
                    .map(|(key, value)| format!("{key}:{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// The document as in a configuration: with collections in some places, where possible.
fn configured(text: &str, wanted: &Type) -> Option<Value> {
    let value = values_json::implied(text.as_bytes()).ok()?;
    Some(convert::convert(&value, wanted).unwrap_or(value))
}

#[test]
fn a_second_plan_is_empty_for_every_document() {
    let runtime = crate::stage::runtime();
    // The script returns the props for everything.
    let echo = json!({"state": "props", "sensitiveState": "props"});
    let orders = json!({"create": {"echo": echo}, "update": {"echo": {"state": "nextProps"}},
        "read": {"echo": echo}});
    let core = runtime.block_on(Core::new(orders));
    let config = Config {
        cases: 150,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let types = [
        "any",
        "list(any)",
        "set(any)",
        "map(any)",
        "list(map(any))",
        "map(list(string))",
    ];
    let types = types.map(|ty| ty.parse::<Type>().unwrap());
    let strategy = (
        document(4),
        document(3),
        proptest::sample::select(types.to_vec()),
    );
    let outcome = TestRunner::new(config).run(&strategy, |(first, second, ty)| {
        let (Some(first), Some(second)) = (configured(&first, &ty), configured(&second, &ty))
        else {
            return Err(TestCaseError::reject("a key is there twice"));
        };
        runtime.block_on(async {
            let config = core.config(&[("props", first.clone())]);
            let made = core.change(&core.nothing(), &config).await;
            let read = core.read(&made).await;
            prop_assert_eq!(shown(&read.diagnostics), Vec::<String>::new());
            prop_assert_eq!(&read.state, &made.state);
            let again = core.plan(&read, &config).await;
            prop_assert_eq!(again.action, Action::Nothing, "{}", first);
            let other = core.config(&[("props", second.clone())]);
            let planned = core.plan(&read, &other).await;
            if first == second {
                prop_assert_eq!(planned.action, Action::Nothing);
                return Ok(());
            }
            prop_assert_eq!(planned.action, Action::Update);
            let changed = core.apply(&planned).await;
            prop_assert_eq!(shown(&changed.diagnostics), Vec::<String>::new());
            prop_assert_eq!(part(&changed.state, "props"), second);
            prop_assert_eq!(core.plan(&changed, &other).await.action, Action::Nothing);
            Ok(())
        })
    });
    outcome.unwrap();
    runtime.block_on(core.stage.end());
}
