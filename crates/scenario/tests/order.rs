//! Properties of the order in which random scenarios would be done.

#[path = "scratch/mod.rs"]
mod scratch;
#[path = "order/web.rs"]
mod web;

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use scratch::Scratch;
use tenon_hcl::Diagnostic;
use tenon_scenario::{Inputs, Plan};
use web::{Edges, Kind, PART, Web, closure, shuffled, tangled, webs};

const KINDS: [Kind; 4] = [Kind::Action, Kind::ForEach, Kind::Count, Kind::Component];

fn plan(web: &Web, order: &[usize]) -> Result<Plan, Vec<Diagnostic>> {
    let files = [("main.hcl", web.text(order)), ("part.hcl", PART.to_owned())];
    Scratch::new(&files).plan(&Inputs::default())
}

/// The plan of a web that has one.
fn planned(web: &Web, order: &[usize]) -> Plan {
    plan(web, order).unwrap_or_else(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{problems:#?}\nin:\n{}", web.text(order))
    })
}

fn addresses(plan: &Plan) -> Vec<String> {
    let actions = plan.graph.actions();
    actions.map(|(_, node)| node.address.to_string()).collect()
}

/// Which action needs which, directly.
fn edges(plan: &Plan) -> Edges {
    let mut edges = Edges::new();
    for (id, node) in plan.graph.actions() {
        for before in plan.graph.actions_before(id) {
            let before = plan.graph.address(before).to_owned();
            edges.insert((node.address.to_string(), before));
        }
    }
    edges
}

/// Only those between actions.
fn between(actions: &[String], edges: Edges) -> Edges {
    let actions: BTreeSet<&String> = actions.iter().collect();
    let is_between = |(from, to): &(String, String)| actions.contains(from) && actions.contains(to);
    edges.into_iter().filter(is_between).collect()
}

/// The addresses that a problem leads along.
fn way_of(problem: &Diagnostic) -> Vec<String> {
    let label = problem.label.clone().unwrap_or_default();
    // One that needs itself has all it needs in the label.
    let way = problem.notes.first().unwrap_or(&label);
    way.split(" needs ").map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_comes_after_what_it_needs_and_needs_nothing_else(
        (web, order) in webs(KINDS.to_vec()).prop_flat_map(shuffled)
    ) {
        let plan = planned(&web, &order);
        let actions = addresses(&plan);
        let mut expected: Vec<String> = (0..web.0.len()).flat_map(|one| web.actions(one)).collect();
        expected.sort();
        let mut found = actions.clone();
        found.sort();
        prop_assert_eq!(found, expected, "every action is there once");

        let needed = between(&actions, closure(&web.edges()));
        prop_assert_eq!(closure(&edges(&plan)), needed.clone(), "{}", web.text(&order));

        let positions: HashMap<&String, usize> =
            actions.iter().enumerate().map(|(at, address)| (address, at)).collect();
        for (later, earlier) in &needed {
            prop_assert!(positions[earlier] < positions[later], "{} before {}", later, earlier);
        }
    }

    #[test]
    fn the_same_text_gives_the_same_order(
        (web, order) in webs(KINDS.to_vec()).prop_flat_map(shuffled)
    ) {
        prop_assert_eq!(addresses(&planned(&web, &order)), addresses(&planned(&web, &order)));
    }

    #[test]
    fn the_order_of_blocks_does_not_change_dependencies(
        (web, order) in webs(KINDS.to_vec()).prop_flat_map(shuffled)
    ) {
        let sorted: Vec<usize> = (0..web.0.len()).collect();
        prop_assert_eq!(edges(&planned(&web, &order)), edges(&planned(&web, &sorted)));
    }

    #[test]
    fn where_there_is_a_choice_the_file_decides(
        (web, order) in webs(vec![Kind::Action]).prop_flat_map(shuffled)
    ) {
        let plan = planned(&web, &order);
        let edges = edges(&plan);
        let mut left: Vec<String> = order.iter().flat_map(|one| web.actions(*one)).collect();
        for next in addresses(&plan) {
            let is_ready = |one: &String| {
                !edges.iter().any(|(from, to)| from == one && left.contains(to))
            };
            let first = left.iter().position(is_ready).expect("somebody is ready");
            prop_assert_eq!(&left.remove(first), &next, "{}", web.text(&order));
        }
    }

    #[test]
    fn a_cycle_is_refused_and_shown(
        (web, order) in webs(KINDS.to_vec()).prop_flat_map(tangled).prop_flat_map(shuffled)
    ) {
        let Err(problems) = plan(&web, &order) else {
            return Err(TestCaseError::fail(format!("it is planned:\n{}", web.text(&order))));
        };
        prop_assert_eq!(problems.len(), 1, "{:#?}", problems);
        let (problem, edges) = (&problems[0], web.edges());
        let way = way_of(problem);
        prop_assert!(way.len() >= 2, "{:?}", way);
        prop_assert_eq!(way.first(), way.last());
        for step in way.windows(2) {
            let step = (step[0].clone(), step[1].clone());
            prop_assert!(edges.contains(&step), "{:?} is no step in\n{}", step, web.text(&order));
        }
        let inner: BTreeSet<&String> = way[1..].iter().collect();
        prop_assert_eq!(inner.len(), way.len() - 1, "nothing is passed twice: {:?}", way);
        prop_assert_eq!(problem.related.len() + 2, way.len(), "every step has a place");

        let again = plan(&web, &order).map(|_| ()).expect_err("it is refused again");
        prop_assert_eq!(way_of(&again[0]), way, "it always is the same way");
    }
}
